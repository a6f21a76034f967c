import { createServer, defineSite } from 'hallpass'
import type { SiteOptions } from 'hallpass'
import { createMemoryBudget } from 'hallpass/operations'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStorage } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { readHost } from '../../src/platform/host.js'
import { waitFor } from '../support/processes/wait.js'
import { documentAnswer, NOTES_DOCUMENT } from '../support/school/metadata-documents.js'
import { gate, openSchool, platformOf } from './platform-of.js'

const [ART, MUSIC] = ['https://art.example', 'https://music.example'] as const
const HOSTS = ['art.example', 'music.example']
const page = (): Response => new Response('your page')

/** Schools that fetch documents of clients, which know the network of each request. */
const openFetching =
  (more: Partial<SiteOptions>): typeof openSchool =>
  ({ name }, given) =>
    createServer(
      defineSite({
        ...given.site,
        name,
        scopes: schoolScopes,
        roles: schoolRoles,
        findPerson: async () => null,
        documents: { fetchDocument: async (url) => documentAnswer({ ...NOTES_DOCUMENT, client_id: url }), openRegistration: true },
        networkOf: () => '192.0.2.1',
        ...more,
      }),
      { ...given.server, interact: { currentPerson: async () => null, signIn: page, consent: page, error: (_request, { status, reason }) => new Response(reason, { status }) } },
    ) // prettier-ignore

/** The number of an authorization request of a client that was never seen. */
let clients = 0
const signInAt = (issuer: string): string => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: `https://notes.example/${++clients}.json`,
    redirect_uri: 'https://notes.example/cb',
    scope: 'courses:read',
    resource: issuer,
    state: 'state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  return `${issuer}/oauth/authorize?${query}`
}

describe('a flood at one school', () => {
  it.each([
    ['the documents that it fetches', { fetchesOfSite: { amount: 3, seconds: 86_400 } }],
    ['what its network may fetch', { fetchesOfNetwork: { amount: 3, seconds: 86_400 } }],
    ['the requests of its network', { requestsOfNetwork: { amount: 3, seconds: 86_400 } }],
  ])('uses up %s, and nothing of another school', async (_, allowances) => {
    const unlimited = { fetchesOfHost: null, fetchesOfNetwork: null, newDocumentsOfNetwork: null }
    const { get, faults } = platformOf(HOSTS, {
      budget: createMemoryBudget(),
      open: openFetching({ allowances: { ...unlimited, ...allowances } }),
    })
    const statuses = []
    for (let index = 0; index < 5; index++) statuses.push((await get(signInAt(ART))).status)
    expect(statuses.slice(0, 3)).toEqual([303, 303, 303])
    for (const status of statuses.slice(3)) expect([429, 503]).toContain(status)
    expect((await get(signInAt(MUSIC))).status).toBe(303)
    expect(faults).toEqual([])
  })

  it('uses up the places of that school, and none of another', async () => {
    const held = gate()
    const { get, platform } = platformOf(HOSTS, {
      inFlight: 2,
      open: openFetching({
        documents: {
          openRegistration: true,
          async fetchDocument(url) {
            await held.opened
            return documentAnswer({ ...NOTES_DOCUMENT, client_id: url })
          },
        },
      }),
    })
    const flood = Array.from({ length: 20 }, () => get(signInAt(ART)))
    await waitFor(() => platform.status().crowded === 18)
    const neighbours = await Promise.all([get(`${MUSIC}/.well-known/jwks.json`), get(MUSIC)])
    expect(neighbours.map(({ status }) => status)).toEqual([200, 404])
    held.open()
    await Promise.all(flood)
    expect((await get(signInAt(ART))).status).toBe(303)
  })
})

describe('the key of a school', () => {
  it('does not open in the rows of another one', async () => {
    const storage = createMemoryStorage()
    const { get, platform, faults } = platformOf(HOSTS, { storages: [storage] })
    await get(`${ART}/.well-known/jwks.json`)
    for (const key of await storage.storeOf(ART).listKeys())
      await storage.storeOf(MUSIC).insertKey(key)
    const stolen = await storage.storeOf(MUSIC).listKeys()
    expect(stolen).toHaveLength(1)
    const server = await platform.serverOf('music.example')
    await expect(server!.keys.signer()).rejects.toThrow('cannot decrypt the stored key')
    await expect(server!.keys.maintain()).rejects.toThrow('cannot decrypt the stored key')
    expect(faults).toEqual([])
    await expect((await platform.serverOf('art.example'))!.keys.signer()).resolves.not.toBeNull()
  })
})

const CONFUSED = [
  'art.example.',
  ' art.example',
  'art.example ',
  'art.example\t',
  'art.example:80',
  'art.example:0443',
  'art.example,music.example',
  'user@art.example',
  'https://art.example',
  'art.example/',
  'art.example?',
  'art.example#',
  'art%2eexample',
  'аrt.example',
  'none.example',
  '',
  '__proto__',
]

describe('serverOf', () => {
  it.each([
    ['art.example', ART],
    ['ART.example:443', ART],
    ['music.example', MUSIC],
  ])('returns the server of %s', async (host, issuer) => {
    const { platform } = platformOf(HOSTS)
    expect((await platform.serverOf(host))?.site.issuer).toBe(issuer)
  })

  it.each(CONFUSED)('returns null for %j', async (host) => {
    const { platform } = platformOf(HOSTS)
    expect(await platform.serverOf(host)).toBeNull()
    expect(readHost(host) ?? 'none.example').not.toBe('art.example')
  })

  it.each([undefined, null, 7, ['art.example'], {}])('returns null for %j', async (host) => {
    const { platform } = platformOf(HOSTS)
    expect(await platform.serverOf(host as never)).toBeNull()
  })

  it('returns null for a school that is paused, has moved or does not open', async () => {
    const { platform, rows } = platformOf(HOSTS, {
      open(row, given) {
        if (row.name === 'music.example') throw new Error('no template')
        return openSchool(row, given)
      },
    })
    rows.set('art.example', { ...rows.get('art.example')!, paused: true })
    rows.set('old.example', { ...rows.get('art.example')!, paused: false, moved: true })
    for (const host of ['art.example', 'old.example', 'music.example'])
      expect(await platform.serverOf(host)).toBeNull()
  })
})
