import fc from 'fast-check'
import { type Client, scopesOfClient } from 'hallpass/policy'
import { schoolScopes as registry } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import {
  changeClient,
  createDocumentSchool,
  documentAnswer,
  type DocumentHosts,
  NOTES_CALLBACK,
  NOTES_URL,
} from '../support/school/metadata-documents.js'
import {
  authorizationUrl,
  encode,
  type Fields,
  isAlive,
  redeem,
  refresh,
  type Tokens,
  tokensOf,
} from '../support/school/flow.js'
import { createBrowser, ISSUER, OWNER, type School } from '../support/school/school.js'
import { rounds } from '../support/run/rounds.js'

/** What stands in documents and registrations. */
const PUBLISHED = [
  'https://notes.example/cb', 'https://notes.example/cb?tenant=7', 'https://notes.example/',
  'http://127.0.0.1/cb', 'http://127.0.0.1:3000/cb', 'http://[::1]/cb', 'http://localhost/cb',
  'http://127.0.0.1:3000/cb?a=b',
] // prettier-ignore
const LOOPBACK = PUBLISHED.filter((uri) => uri.startsWith('http://'))
/** What one character more makes of an address. */
const PIECES = ['\\', '@', '#', '?', '/', '.', '%2e', ':', '0', ' ', '\t', '\u00a0', '@evil.test/']
const READS = ['openid', 'email', 'courses:read', 'orders:read', 'offline_access']
const WRITES = ['courses:write', 'events:write']
const someScopes = fc.oneof(
  { weight: 3, arbitrary: fc.subarray(READS, { minLength: 1 }) },
  { weight: 3, arbitrary: fc.subarray([...READS, ...WRITES], { minLength: 1 }) },
  fc.subarray([...READS, 'account:read', 'account:write', 'x'], { minLength: 1 }),
)

const anAddress = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PUBLISHED) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('127.0.0.1', '[::1]', 'localhost', '127.1'), fc.nat(65_600))
      .map(([host, port]) => `http://${host}:${port}/cb`),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...PUBLISHED), fc.nat(40), fc.constantFrom(...PIECES))
      .map(([uri, at, piece]) => uri.slice(0, at) + piece + uri.slice(at)),
  },
)

type Step =
  | { readonly do: 'register'; readonly redirectUris: readonly string[] }
  | { readonly do: 'publish'; readonly name: string; readonly redirectUris: readonly string[] }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'review'; readonly scopes: readonly string[] }
  | { readonly do: 'block' | 'unblock' | 'refresh' }
  | {
      readonly do: 'authorize'
      /** `null` = the document; otherwise which of the registered ones. */
      readonly registered: number | null
      /** A number: that one of the client's own. */
      readonly redirectUri: string | number
      readonly scopes: readonly string[]
      readonly access: string
    }

const aStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('register' as const),
    redirectUris: fc.oneof(
      fc.array(anAddress, { minLength: 1, maxLength: 2 }),
      fc.subarray(LOOPBACK, { minLength: 1 }),
    ),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      name: fc.constantFrom('Notes', 'Notes', 'Notes Pro'),
      redirectUris: fc.subarray(PUBLISHED, { minLength: 1 }),
    }),
  },
  fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(20, 3600, 90_000) }),
  fc.record({ do: fc.constant('review' as const), scopes: fc.subarray(WRITES) }),
  fc.record({ do: fc.constantFrom('block' as const, 'unblock' as const, 'refresh' as const) }),
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('authorize' as const),
      registered: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.nat(3)),
      redirectUri: fc.oneof(fc.nat(7), anAddress),
      scopes: someScopes,
      access: fc.constantFrom('all', 'all', 'read'),
    }),
  },
)

/** Where a browser goes, as browsers read addresses; the port of this computer is anybody's. */
function placeOf(uri: string): string {
  const url = new URL(uri)
  const isLoopback =
    url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (isLoopback) url.port = ''
  return url.href
}

/** The address that an answer redirects to, without what the answer adds. */
function addressOf(location: string): string {
  const url = new URL(location)
  for (const name of ['code', 'state', 'iss', 'error', 'error_description'])
    url.searchParams.delete(name)
  return url.href
}

const sorted = (client: Client): string =>
  JSON.stringify([client.name, client.redirectUris.toSorted()])

/** What is known beside the store: what a reviewer has seen, and what was given out. */
interface World {
  readonly school: School
  readonly hosts: DocumentHosts
  readonly registered: string[]
  readonly held: { readonly id: Fields; tokens: Tokens }[]
  /** What the last review saw and allowed; `null` = none. */
  review: { readonly seen: string; readonly scopes: readonly string[] } | null
  blocked: boolean
  /** How many times something was granted. */
  granted: number
}

async function authorize(world: World, step: Extract<Step, { do: 'authorize' }>): Promise<void> {
  const { school, registered } = world
  const clientId =
    step.registered === null ? NOTES_URL : registered[step.registered % registered.length]
  if (clientId === undefined) return
  const scope = step.scopes.join(' ')
  const known = (await school.store.findClient(clientId))?.redirectUris ?? [NOTES_CALLBACK]
  const redirectUri =
    typeof step.redirectUri === 'string'
      ? step.redirectUri
      : known[step.redirectUri % known.length]!
  const id = { client_id: clientId, redirect_uri: redirectUri }
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  school.view = null
  const browser = createBrowser(school)
  let response = await browser.open(authorizationUrl({ ...id, scope }))
  expect(response.status).toBeLessThan(500)
  const view = school.view as School['view']
  if (view?.page === 'consent') {
    const { action, csrfToken } = view.view
    const fields: Fields = { csrf_token: csrfToken, decision: 'allow', access: step.access }
    response = await browser.post(action, encode(fields) as never)
  }
  const location = response.headers.get('location')
  if (location === null) return
  const client = (await school.store.findClient(clientId))!
  expect(client.redirectUris.map(placeOf)).toContain(placeOf(addressOf(location)))
  expect(client.redirectUris.map(placeOf)).toContain(placeOf(redirectUri))
  const code = new URL(location).searchParams.get('code')
  if (code === null) return
  const tokens = await tokensOf(await redeem(school, code, id))
  world.held.push({ id, tokens })
  expectWithin(world, client, tokens)
}

/** Nothing is granted but what the client may ask for now, counted in two ways. */
function expectWithin(world: World, client: Client, tokens: Tokens): void {
  const scopes = tokens.scope.split(' ')
  const cap = scopesOfClient({ client, registry })
  for (const scope of scopes) expect(cap).toContain(scope)
  expect(scopes.filter((scope) => scope.startsWith('account:'))).toEqual([])
  if (client.kind === 'document') {
    const { review } = world
    const isReviewed = review !== null && review.seen === sorted(client)
    const writes = scopes.filter((scope) => scope.endsWith(':write'))
    expect(isReviewed ? review.scopes : []).toEqual(expect.arrayContaining(writes))
    expect(world.blocked).toBe(false)
  }
  world.granted++
}

async function refreshAll(world: World): Promise<void> {
  const { school } = world
  for (const one of world.held) {
    const response = await refresh(school, one.tokens.refresh_token, one.id)
    expect(response.status).toBeLessThan(500)
    if (response.status !== 200) continue
    one.tokens = (await response.json()) as Tokens
    expectWithin(world, (await school.store.findClient(one.id['client_id'] as string))!, one.tokens)
  }
}

async function run(world: World, step: Step): Promise<void> {
  const { school, hosts, registered } = world
  const document = await school.store.findClient(NOTES_URL)
  switch (step.do) {
    case 'register': {
      const body = JSON.stringify({ redirect_uris: step.redirectUris, scope: 'courses:write' })
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', body, headers }
      const response = await school.fetch(`${ISSUER}/api/oauth/register`, init)
      const { client_id } = (await response.json()) as { client_id?: string }
      if (client_id !== undefined) registered.push(client_id)
      return
    }
    case 'publish': {
      const { name: client_name, redirectUris: redirect_uris } = step
      hosts.answer = () =>
        documentAnswer({ client_id: NOTES_URL, client_name, redirect_uris, scope: 'courses:write' })
      return
    }
    case 'wait':
      school.clock.now += step.seconds
      return
    case 'review':
      if (document === null) return
      world.review = { seen: sorted(document), scopes: step.scopes }
      return changeClient(school, NOTES_URL, () => ({ scopes: step.scopes }))
    case 'block':
    case 'unblock':
      if (document === null) return
      world.blocked = step.do === 'block'
      await changeClient(school, NOTES_URL, () => ({ disabled: world.blocked }))
      if (!world.blocked) return
      for (const { id, tokens } of world.held)
        if (id['client_id'] === NOTES_URL && tokens.scope.includes('openid'))
          expect(await isAlive(school, tokens.access_token)).toBe(false)
      return
    case 'refresh':
      return refreshAll(world)
    case 'authorize':
      return authorize(world, step)
  }
}

const RUNS = rounds(80, { soak: 250 })

describe('whatever happens to clients, in whatever order', () => {
  it('none is granted more than it may ask for then, nor sent elsewhere than it registered [F-18, F-19, T-5]', async () => {
    let granted = 0
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world: World = {
          ...(await createDocumentSchool()),
          registered: [],
          held: [],
          review: null,
          blocked: false,
          granted: 0,
        }
        for (const step of steps) {
          await run(world, step)
          const document = await world.school.store.findClient(NOTES_URL)
          // Once changed, a review is gone, even where the document changes back.
          if (document?.scopes === null) world.review = null
        }
        expect(world.school.faults).toEqual([])
        granted += world.granted
      }),
      { seed: 20_261_120, numRuns: RUNS },
    )
    // Otherwise nothing was held to anything.
    expect(granted).toBeGreaterThan(2 * RUNS)
  })
})
