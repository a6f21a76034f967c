import { defineSite } from 'hallpass'
import { createClientManagement, createConnectedApps } from 'hallpass/clients'
import { erasePerson, revokeAllGrants } from 'hallpass/operations'
import { describe, expect, it } from 'vitest'
import {
  createDocumentSchool,
  NOTES_REQUEST,
  NOTES_URL,
} from '../support/school/metadata-documents.js'
import { signIn } from '../support/school/flow.js'
import { OWNER, STUDENT } from '../support/school/school.js'
import { DRAFT, granted, MANAGER } from './support.js'

/** A site whose host application knows the current request as `request`, and all that it calls itself. */
async function createHost(requestIdOf: (header: (name: string) => string | null) => string | null) {
  const { school, hosts } = await createDocumentSchool()
  const told: string[] = []
  const site = defineSite({
    ...school.siteOptions,
    documents: { allowedHosts: ['notes.example'], fetchDocument: hosts.fetchDocument },
    requestIdOf,
    outbox: true,
    onEvent: (event) =>
      told.push(`${'requestId' in event ? event.requestId : undefined} ${event.type}`),
  })
  const stored = async () =>
    (await school.store.listEvents({ limit: 100 })).map(
      (event) => `${String({ requestId: undefined, ...event }.requestId)} ${event.type}`,
    )
  return { school, hosts, site, told, stored, clients: createClientManagement(site) }
}

describe('the events of functions that the host application calls', () => {
  it('name its request, stored and reported [LOG-09]', async () => {
    let request = ''
    const { school, hosts, site, told, stored, clients } = await createHost(() => request)
    await signIn(school, NOTES_REQUEST, { person: OWNER })
    const connected = createConnectedApps(site)
    const calls: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['create', async () => clients.create(MANAGER, DRAFT)],
      ['block', async () => clients.block(MANAGER, NOTES_URL)],
      ['fetch', async () => clients.fetchAgain(MANAGER, NOTES_URL)],
      ['end', async () => clients.setEnd(MANAGER, { clientId: NOTES_URL, endsAt: null })],
      ['manager', async () => clients.disconnectEveryone(MANAGER, NOTES_URL)],
      [
        'member',
        async () => connected.disconnect({ clientId: NOTES_URL, subject: STUDENT.subject }),
      ],
      ['erase', async () => erasePerson(site, { subject: STUDENT.subject })],
      ['restore', async () => revokeAllGrants(site)],
    ]
    for (const [name, call] of calls) {
      request = name
      await call()
    }
    hosts.answer = () => new Response('gone', { status: 410 })
    request = 'failed'
    await clients.fetchAgain(MANAGER, NOTES_URL)
    const expected = [
      'create oauth.client.created',
      'block oauth.client.cimd.blocked',
      'fetch oauth.client.cimd.fetched',
      'end oauth.client.end_set',
      'manager oauth.client.disconnected',
      'member oauth.client.disconnected',
      'erase oauth.person.erased',
      'restore oauth.grants.revoked',
    ]
    expect(told).toEqual([...expected, 'failed oauth.client.cimd.fetch_failed'])
    expect(await stored()).toEqual(expected)
  })

  it.each([
    [
      'is known by a header only',
      (header: (name: string) => string | null) => header('x-request-id'),
    ],
    ['does not fit a log', () => 'a\nb'],
    [
      'cannot be found',
      () => {
        throw new Error('no request')
      },
    ],
  ])('name none that %s, and the change is made [LOG-09]', async (_what, requestIdOf) => {
    const { school, told, clients } = await createHost(requestIdOf)
    const { client } = granted(await clients.create(MANAGER, DRAFT))
    expect(told).toEqual(['null oauth.client.created'])
    expect(await school.store.findClient(client.clientId)).toEqual(client)
  })
})
