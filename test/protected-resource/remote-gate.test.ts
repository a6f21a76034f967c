import { createProtectedResource, createRemoteGate, OptionsError, type SiteOptions } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { createMcpEndpoint, sdkAdapter } from 'hallpass/mcp'
import { maintain } from 'hallpass/operations'
import type { Client } from 'hallpass/policy'
import { schoolRoles } from 'hallpass/scope'
import { StorageFailure } from 'hallpass/store'
import { createKeyRing } from 'hallpass/token'
import { describe, expect, it, vi } from 'vitest'
import { createSource, enrollment } from '../support/school/account.js'
import { waitFor } from '../support/processes/wait.js'
import {
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  PORTFOLIO_FORM,
  post,
  signIn,
} from '../support/school/flow.js'
import {
  createSchool,
  ISSUER,
  OWNER,
  PORTFOLIO_HUB,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

type Send = NonNullable<Parameters<typeof createRemoteGate>[0]['send']>
type Options = Partial<Parameters<typeof createRemoteGate<string>>[0]>

/** Two processes: a school, and a service that has only a client of it. */
interface Processes {
  readonly school: School
  readonly remote: ReturnType<typeof createRemoteGate<string>>
  /** The tokens that the service has asked about. */
  readonly asked: (string | null)[]
  readonly clock: { now: number }
  readonly refusals: string[]
  readonly faults: string[]
  /** Replaces what the school responds. */
  answer: Send | null
}

async function openProcesses(options: Options = {}, ofSchool: object = {}): Promise<Processes> {
  const school = await createSchool({
    options: { introspectionClientIds: [PORTFOLIO_HUB.clientId], ...ofSchool },
  })
  await school.store.insertClient(DESK_CLI)
  const clock = { now: T }
  const asked: Processes['asked'] = []
  const refusals: string[] = []
  const faults: string[] = []
  const { scopes, roles, name } = school.siteOptions
  const remote = createRemoteGate<string>({
    issuer: ISSUER,
    name,
    scopes,
    roles,
    clientId: PORTFOLIO_HUB.clientId,
    clientSecret: PORTFOLIO_SECRET,
    now: () => clock.now,
    onRefusal: ({ reason }) => refusals.push(reason),
    onFault: ({ fault }) => faults.push(messageOf(fault)),
    send: (url, init) => {
      asked.push(new URLSearchParams(init.body as string).get('token'))
      return (opened.answer ?? school.fetch)(url, init)
    },
    ...options,
  })
  const opened: Processes = { school, remote, asked, clock, refusals, faults, answer: null }
  return opened
}

/** What a fault says; a deadline says it in its cause. */
const messageOf = (fault: unknown): string => {
  const { message, cause } = fault as Error
  return message === 'the storage failed' ? messageOf(cause) : message
}

const withToken = (accessToken: string | null): Request => {
  const headers = accessToken === null ? {} : { authorization: `Bearer ${accessToken}` }
  return new Request('https://grades.example/', { headers })
}

type Outcome = readonly [status: number, challenge: string | null, body: unknown]

async function outcomeOf(decided: unknown): Promise<Outcome | 'access'> {
  if (!(decided instanceof Response)) return 'access'
  return [decided.status, decided.headers.get('www-authenticate'), await decided.json()]
}

const statusOf = async (
  { remote }: Pick<Processes, 'remote'>,
  accessToken: string | null,
  scope = 'account:read',
): Promise<number> => {
  const decided = await remote.gate(scope)(withToken(accessToken))
  return decided instanceof Response ? decided.status : 200
}

const memberToken = async (school: School): Promise<string> => (await signIn(school)).access_token
const operatorToken = async (school: School, changes: Fields = {}): Promise<string> =>
  (await signIn(school, { ...DESK_REQUEST, ...changes }, { person: OWNER })).access_token
const revoke = (school: School, token: string, client_id = 'study-buddy'): Promise<Response> =>
  post(school, '/api/oauth/revoke', { token, client_id })

/** A token of the right form that no one issued. */
const stranger = (number: number): string => `hpa_${String(number).padStart(43, 'A')}`

const UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'the service is temporarily unavailable: try again shortly',
}

describe('a remote gate decides as the gate of the school', () => {
  it('gives the same access, without what the service does not need [REM-01]', async () => {
    const { school, remote } = await openProcesses()
    const token = await operatorToken(school)
    const local = await createProtectedResource(school.site).gate('courses:read')(withToken(token))
    const access = await remote.gate('courses:read')(withToken(token))
    if (local instanceof Response || access instanceof Response) throw new Error('refused')
    expect(access).toEqual({
      ...local,
      person: { ...local.person, name: null, email: null, picture: null },
      client: {
        ...local.client,
        redirectUris: [],
        createdAt: 0,
        usedAt: null,
      },
    })
    expect(access.person.roles).toEqual(['owner'])
    expect(access.tokenScopes).toEqual(['openid', 'courses:read', 'courses:write'])
  })

  const NARROW: Client = { ...DESK_CLI, clientId: 'narrow', scopes: ['courses:read'] }
  it.each<[string, (school: School) => Promise<string | null>, string, number]>([
    ['no token', async () => null, 'courses:read', 401],
    ['no form of a token', async () => 'a, b', 'courses:read', 401],
    ['a token of no one', async () => stranger(1), 'courses:read', 401],
    ['a refresh token', async (school) => (await signIn(school)).refresh_token, 'openid', 401],
    ['a scope that was not asked for', (school) => operatorToken(school), 'orders:read', 403],
    [
      'a scope beyond the client',
      async (school) => {
        await school.store.insertClient(NARROW)
        return operatorToken(school, { client_id: 'narrow', scope: 'openid courses:read' })
      },
      'courses:write',
      403,
    ],
    ['a scope of the other audience', (school) => operatorToken(school), 'account:read', 403],
    [
      'a scope beyond the role',
      async (school) => {
        const token = await operatorToken(school)
        school.people.set(OWNER.subject, { ...OWNER, roles: ['assistant'] })
        return token
      },
      'courses:write',
      403,
    ],
    [
      'a person without a role',
      async (school) => {
        const token = await operatorToken(school)
        school.people.set(OWNER.subject, { ...OWNER, roles: [] })
        return token
      },
      'courses:read',
      401,
    ],
  ])(
    'refuses %s with the same status, challenge and body [REM-01]',
    async (_, tokenOf, scope, status) => {
      for (const stepUpLinks of [false, true]) {
        const { school, remote } = await openProcesses({ stepUpLinks }, { stepUpLinks })
        const token = await tokenOf(school)
        const local = createProtectedResource(school.site).gate(scope)
        const expected = await outcomeOf(await local(withToken(token)))
        expect(expected[0]).toBe(status)
        expect(await outcomeOf(await remote.gate(scope)(withToken(token)))).toEqual(expected)
      }
    },
  )

  it('reports what it refuses, with the client of the token', async () => {
    const onRefusal = vi.fn<NonNullable<SiteOptions['onRefusal']>>()
    const { school, remote } = await openProcesses({ onRefusal })
    await remote.gate('orders:read')(withToken(await operatorToken(school)))
    expect(onRefusal.mock.calls).toMatchObject([
      [{ endpoint: 'gate', reason: 'scope_not_granted', clientId: DESK_CLI.clientId }],
    ])
  })

  it('takes no scope that only its own table of roles allows, nor one that only the other allows', async () => {
    const assistant = { staff: true, scopes: ['courses:read', 'courses:write'] }
    const { school, remote, clock } = await openProcesses({
      roles: { owner: { staff: true, scopes: ['courses:write'] }, assistant },
    })
    const token = await operatorToken(school)
    expect(await statusOf({ remote }, token, 'courses:write')).toBe(200)
    expect(await statusOf({ remote }, token, 'openid')).toBe(200)
    school.people.set(OWNER.subject, { ...OWNER, roles: ['assistant'] })
    clock.now += 10
    expect(await statusOf({ remote }, token, 'courses:read')).toBe(200)
    expect(await statusOf({ remote }, token, 'courses:write')).toBe(403)
  })

  it('takes a role that it does not have for a fault, where less holds for it here than there [REM-12]', async () => {
    const emperor = { staff: true, scopes: ['courses:read', 'courses:write'] }
    const ofServer = { roles: { ...schoolRoles, emperor } }
    const { school, remote, clock, faults } = await openProcesses({ roles: schoolRoles }, ofServer)
    const token = await operatorToken(school)
    school.people.set(OWNER.subject, { ...OWNER, roles: ['emperor'] })
    expect(await statusOf({ remote }, token, 'courses:read')).toBe(503)
    expect(faults).toEqual([
      'introspection returned the role "emperor", which roles of this site does not have: name the roles of the authorization server',
    ])
    // One of two scopes holds here as well, by the other role.
    school.people.set(OWNER.subject, { ...OWNER, roles: ['emperor', 'assistant'] })
    clock.now += 10
    expect(await statusOf({ remote }, token, 'courses:read')).toBe(503)
    // One without a name is none.
    const processes = await openProcesses()
    const ofOwner = await operatorToken(processes.school)
    processes.answer = changed(processes.school, { roles: [''] })
    expect(await statusOf(processes, ofOwner, 'courses:read')).toBe(401)
    // What is refused for another reason stays so.
    processes.clock.now += 10
    processes.answer = changed(processes.school, {
      roles: ['emperor'],
      aud: 'https://kiln.example',
    })
    expect(await statusOf(processes, ofOwner, 'courses:read')).toBe(401)
    // One that changes nothing: the other role has every scope of the token.
    school.people.set(OWNER.subject, { ...OWNER, roles: ['emperor', 'owner'] })
    clock.now += 10
    expect(await statusOf({ remote }, token, 'courses:read')).toBe(200)
  })

  it('refuses a token that is active for another resource with 401 [REM-02]', async () => {
    const processes = await openProcesses()
    const { school, refusals } = processes
    const token = await memberToken(school)
    processes.answer = changed(school, { aud: 'https://kiln.example' })
    expect(await statusOf(processes, token)).toBe(401)
    expect(refusals).toEqual(['access_token_for_other_resource'])
  })

  it('serves the Account API and /mcp without a store [REM-08]', async () => {
    const { school, remote, asked } = await openProcesses()
    const token = await memberToken(school)
    const profile = { email: STUDENT.email, name: STUDENT.name, changes: [] }
    const data = { profile, enrollments: [enrollment()], orders: [], registrations: [], outlines: new Map() } // prettier-ignore
    const { source } = createSource(new Map([[STUDENT.subject, data]]))
    const api = createAccountApi(remote.site, { source })
    const query = '{ viewer { email } }'
    const ask = (accessToken: string | null): Promise<Response> =>
      api.graphql(
        new Request(`${ISSUER}/account/graphql`, {
          method: 'POST',
          headers: { ...Object.fromEntries(withToken(accessToken).headers), 'content-type': 'application/json' }, // prettier-ignore
          body: JSON.stringify({ query }),
        }),
      )
    expect(await (await ask(token)).json()).toEqual({ data: { viewer: { email: STUDENT.email } } })
    expect((await ask(stranger(1))).status).toBe(401)

    const { endpoint: mcp } = createMcpEndpoint(remote.site, {
      tools: [],
      adapter: sdkAdapter(SDK_1),
      version: '1',
    })
    const call = (accessToken: string | null): Promise<Response> =>
      mcp(
        new Request(`${ISSUER}/mcp`, {
          method: 'POST',
          headers: {
            ...Object.fromEntries(withToken(accessToken).headers),
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        }),
      )
    expect([(await call(token)).status, (await call(stranger(1))).status]).toEqual([200, 401])
    // Both share what is kept.
    expect(asked).toEqual([token, stranger(1)])
  })

  it('says which process has no store', async () => {
    const { remote } = await openProcesses()
    const keys = createKeyRing(remote.site, { sealingSecret: 'a sealing secret of 32 characters!' })
    const fault = await maintain(remote.site, { keys }).catch((thrown: unknown) => thrown)
    expect(fault).toBeInstanceOf(StorageFailure)
    expect((fault as Error).cause).toEqual(
      new Error('this process has no store: its site is that of createRemoteGate'),
    )
  })
})

/** Answers of the school about a token, with other members. */
const changed =
  (school: School, members: object): Send =>
  async (url, init) => {
    const told = (await (await school.fetch(url, init)).json()) as object
    return Response.json({ ...told, ...members })
  }

describe('what was revoked is seen', () => {
  it.each([1, 10, 300])(
    '%d seconds after the last question [REM-03, REM-10]',
    async (cacheSeconds) => {
      const processes = await openProcesses({ cacheSeconds })
      const { school, clock, asked } = processes
      const token = await memberToken(school)
      expect(await statusOf(processes, token)).toBe(200)
      await revoke(school, token)
      clock.now = T + cacheSeconds - 1
      expect(await statusOf(processes, token)).toBe(200)
      clock.now = T + cacheSeconds
      expect(await statusOf(processes, token)).toBe(401)
      expect(asked).toEqual([token, token])
    },
  )

  it('after ten seconds, if nothing else is configured', async () => {
    const processes = await openProcesses()
    const token = await memberToken(processes.school)
    for (const at of [0, 9, 10]) {
      processes.clock.now = T + at
      await statusOf(processes, token)
    }
    expect(processes.asked.length).toBe(2)
  })

  it('at the next request, if no answer is kept [REM-03]', async () => {
    const processes = await openProcesses({ cacheSeconds: 0 })
    const token = await memberToken(processes.school)
    expect(await statusOf(processes, token)).toBe(200)
    await revoke(processes.school, token)
    expect(await statusOf(processes, token)).toBe(401)
  })

  it.each<[string, (school: School) => unknown]>([
    ['a person who is suspended', ({ people }) => people.delete(OWNER.subject)],
    [
      'a role that is lost',
      ({ people }) => people.set(OWNER.subject, { ...OWNER, roles: ['student'] }),
    ],
    [
      'a client that is disabled',
      async ({ store }) => {
        const client = await store.findClient(DESK_CLI.clientId)
        await store.replaceClient({ ...client!, disabled: true, revision: client!.revision + 1 })
      },
    ],
  ])('also for %s', async (_, change) => {
    const processes = await openProcesses()
    const token = await operatorToken(processes.school)
    expect(await statusOf(processes, token, 'courses:read')).toBe(200)
    await change(processes.school)
    processes.clock.now += 10
    expect(await statusOf(processes, token, 'courses:read')).not.toBe(200)
  })

  it('counted from the question, although the answer comes late [REM-03]', async () => {
    const processes = await openProcesses({ cacheSeconds: 5 })
    const { school, clock, asked } = processes
    const token = await memberToken(school)
    processes.answer = async (url, init) => {
      const answered = await school.fetch(url, init)
      clock.now = T + 4
      return answered
    }
    expect(await statusOf(processes, token)).toBe(200)
    clock.now = T + 5
    await statusOf(processes, token)
    expect(asked.length).toBe(2)
  })

  it('and no answer is kept beyond the end of its token [REM-03]', async () => {
    const processes = await openProcesses({ cacheSeconds: 300 })
    const { school, clock } = processes
    const token = await memberToken(school)
    clock.now = school.clock.now = T + 3590
    expect(await statusOf(processes, token)).toBe(200)
    clock.now = school.clock.now = T + 3600
    expect(await statusOf(processes, token)).toBe(401)
  })

  it('also after the clock was set back', async () => {
    const processes = await openProcesses()
    const { school, clock } = processes
    const token = await memberToken(school)
    expect(await statusOf(processes, token)).toBe(200)
    await revoke(school, token)
    clock.now = T - 1
    expect(await statusOf(processes, token)).toBe(401)
  })

  it.each([-7200, 7200])(
    'and a clock that is wrong by %d seconds refuses no token and keeps none longer [REM-06]',
    async (skew) => {
      const processes = await openProcesses()
      const { school, clock } = processes
      const token = await memberToken(school)
      clock.now = T + skew
      expect(await statusOf(processes, token)).toBe(200)
      await revoke(school, token)
      clock.now += 10
      expect(await statusOf(processes, token)).toBe(401)
    },
  )

  it('and what is allowed again is seen as late', async () => {
    const processes = await openProcesses()
    const { school, clock, asked } = processes
    const token = await memberToken(school)
    school.people.delete(STUDENT.subject)
    expect(await statusOf(processes, token)).toBe(401)
    school.people.set(STUDENT.subject, STUDENT)
    clock.now = T + 9
    expect(await statusOf(processes, token)).toBe(401)
    clock.now = T + 10
    expect(await statusOf(processes, token)).toBe(200)
    expect(asked.length).toBe(2)
  })

  it('and an answer that it was revoked is kept as long', async () => {
    const processes = await openProcesses()
    const { school, clock, asked } = processes
    const token = await memberToken(school)
    expect(await statusOf(processes, token)).toBe(200)
    await revoke(school, token)
    clock.now = T + 10
    expect(await statusOf(processes, token)).toBe(401)
    clock.now = T + 19
    expect(await statusOf(processes, token)).toBe(401)
    expect(asked.length).toBe(2)
  })
})

describe('a question costs', () => {
  it('one request, however many wait for the answer [REM-04]', async () => {
    const processes = await openProcesses()
    const token = await memberToken(processes.school)
    const statuses = await Promise.all(Array.from({ length: 50 }, () => statusOf(processes, token)))
    expect([new Set(statuses), processes.asked]).toEqual([new Set([200]), [token]])
  })

  it('one each, if no answer may be kept, or the first is too old', async () => {
    const processes = await openProcesses({ cacheSeconds: 0 })
    const token = await memberToken(processes.school)
    await Promise.all([statusOf(processes, token), statusOf(processes, token)])
    expect(processes.asked.length).toBe(2)

    const other = await openProcesses({ cacheSeconds: 1 })
    const slow = await memberToken(other.school)
    const first = statusOf(other, slow)
    other.clock.now += 1
    await Promise.all([first, statusOf(other, slow)])
    expect(other.asked.length).toBe(2)
  })

  it.each([
    ['in their order', [0, 1]],
    ['the later one first', [1, 0]],
  ])('one for all who wait, although an older one has no answer yet: %s', async (_, order) => {
    const processes = await openProcesses({ cacheSeconds: 1 })
    const { school, clock, asked } = processes
    const token = await memberToken(school)
    const release: (() => void)[] = []
    processes.answer = async (url, init) => {
      await new Promise<void>((resolve) => release.push(resolve))
      return school.fetch(url, init)
    }
    const waiting = [statusOf(processes, token)]
    clock.now += 1
    waiting.push(statusOf(processes, token))
    await waitFor(() => release.length === 2)
    for (const [at, next] of order.entries()) {
      release[next]!()
      expect(await waiting[next]).toBe(200)
      // The newer one is not forgotten with the older one.
      if (at === 0 && next === 0) waiting.push(statusOf(processes, token))
    }
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 200))
    expect(asked.length).toBe(2)
  })

  it.each([
    'guess',
    'hpa_guess',
    `hpa_${'A'.repeat(42)}`,
    `hpa_${'A'.repeat(44)}`,
    `hpr_${'A'.repeat(43)}`,
    'x'.repeat(100_000),
  ])('nothing for a text that is no access token: %.20s [REM-05]', async (text) => {
    const processes = await openProcesses()
    expect(await statusOf(processes, text)).toBe(401)
    expect([processes.asked, processes.refusals]).toEqual([[], ['access_token_unknown']])
  })

  it('at most 32 at the same time for strangers, which leaves 32 for who was active [REM-05]', async () => {
    const processes = await openProcesses({ callDeadlineMilliseconds: 60_000 })
    const { school, clock } = processes
    const tokens: string[] = []
    for (let count = 0; count < 33; count++) tokens.push(await memberToken(school))
    for (const token of tokens) expect(await statusOf(processes, token)).toBe(200)
    clock.now += 10
    const release: (() => void)[] = []
    processes.answer = async (url, init) => {
      await new Promise<void>((resolve) => release.push(resolve))
      return school.fetch(url, init)
    }
    const strange = Array.from({ length: 33 }, (_, number) => statusOf(processes, stranger(number)))
    expect(await strange[32]).toBe(503)
    const known = tokens.map((token) => statusOf(processes, token))
    expect(await known[32]).toBe(503)
    expect(new Set(processes.faults)).toEqual(
      new Set(['introspection was not asked: too many questions have no answer yet']),
    )
    await waitFor(() => release.length === 64)
    for (const free of release) free()
    expect(new Set(await Promise.all(strange.slice(0, 32)))).toEqual(new Set([401]))
    expect(new Set(await Promise.all(known.slice(0, 32)))).toEqual(new Set([200]))
    // Each has its place again.
    processes.answer = null
    expect(await statusOf(processes, stranger(99))).toBe(401)
  })

  it('memory within bounds: strangers displace no answer about an active token [REM-05]', async () => {
    const processes = await openProcesses({ cacheSeconds: 300 })
    const token = await memberToken(processes.school)
    await statusOf(processes, token)
    processes.answer = async () => Response.json({ active: false })
    for (let number = 0; number < 10_001; number++)
      await processes.remote.gate()(withToken(stranger(number)))
    processes.asked.length = 0
    await statusOf(processes, token)
    await statusOf(processes, stranger(10_000))
    await statusOf(processes, stranger(1))
    expect(processes.asked).toEqual([])
    await statusOf(processes, stranger(0))
    expect(processes.asked).toEqual([stranger(0)])
  })

  it('keeps no token: only hashes are keys', async () => {
    const kept = vi.spyOn(Map.prototype, 'set')
    const processes = await openProcesses()
    const token = await memberToken(processes.school)
    kept.mockClear()
    await statusOf(processes, token)
    await statusOf(processes, stranger(1))
    const keys = kept.mock.calls.map(([key]) => key as unknown)
    kept.mockRestore()
    expect(keys.length).toBeGreaterThan(3)
    expect(keys).not.toContain(token)
    expect(keys).not.toContain(stranger(1))
  })
})

describe('without an answer that can be used', () => {
  const body =
    (text: string, type = 'application/json'): Send =>
    async () =>
      new Response(text, { headers: { 'content-type': type } })
  let pulled = 0
  const endless = (): Response =>
    new Response(
      new ReadableStream({
        pull(controller) {
          pulled += 1
          controller.enqueue(new Uint8Array(16_384).fill(0x20))
        },
      }),
      { headers: { 'content-type': 'application/json' } },
    )
  const json = (value: unknown): Send => body(JSON.stringify(value))
  const LATE = 'introspection did not respond within 30 ms'

  it.each<[string, string, Send | ((school: School) => Send)]>([
    ['never responds', LATE, () => new Promise<Response>(() => {})],
    [
      'never ends its body',
      LATE,
      async () =>
        new Response(new ReadableStream(), { headers: { 'content-type': 'application/json' } }),
    ],
    [
      'is not there',
      'introspection did not respond',
      () => Promise.reject(new Error('ECONNREFUSED')),
    ],
    [
      'responds with 500',
      'introspection responded with status 500',
      async () =>
        new Response('{}', { status: 500, headers: { 'content-type': 'application/json' } }),
    ],
    [
      'redirects',
      'introspection responded with status 302',
      async () =>
        new Response(null, { status: 302, headers: { location: 'https://kiln.example' } }),
    ],
    [
      'limits the service',
      'introspection responded with status 429: the client of a resource server needs a limit of its own',
      async () => new Response(null, { status: 429 }),
    ],
    [
      'responds with a page',
      'introspection responded with status 200 and no JSON',
      body('<!doctype html>', 'text/html'),
    ],
    [
      'has no type',
      'introspection responded with status 200 and no JSON',
      async () => new Response(new Uint8Array(1)),
    ],
    ['sends half of it', 'introspection responded with malformed JSON', body('{"active":')],
    ['sends nothing', 'introspection responded with malformed JSON', body('')],
    ['sends no UTF-8', 'introspection responded with malformed JSON', async () => new Response(new Uint8Array([0xff]), { headers: { 'content-type': 'application/json' } })], // prettier-ignore
    ['sends a list', 'introspection returned an array: it must be an object', json([])],
    ['sends null', 'introspection returned null: it must be an object', json(null)],
    [
      'says that it is active in words',
      'introspection returned active a string: it must be true or false',
      json({ active: 'true' }),
    ],
    [
      'sends more than 64 KiB',
      'introspection responded with more than 65536 bytes',
      async () => endless(),
    ],
    [
      'does not know the service',
      'introspection returned no grant_id: name clientId in introspectionClientIds of the authorization server',
      json({ active: true }),
    ],
    [
      'is of another issuer',
      'introspection returned a token of another issuer',
      (school: School) => changed(school, { iss: 'https://kiln.example' }),
    ],
    [
      'has no issuer',
      'introspection returned a token of another issuer',
      (school: School) => changed(school, { iss: undefined }),
    ],
    [
      'takes a token for bound, and says to no key',
      'introspection returned a token_type that does not agree with cnf',
      (school: School) => changed(school, { token_type: 'DPoP' }),
    ],
    [
      'describes an end before the beginning',
      'introspection returned a token that ends before it begins',
      (school: School) => changed(school, { exp: T }),
    ],
  ])(
    'because the endpoint %s, the response is 503 and says when to try again [REM-07]',
    async (_, message, answer) => {
      const processes = await openProcesses({ callDeadlineMilliseconds: 30 })
      const token = await memberToken(processes.school)
      processes.answer =
        answer.length === 1
          ? (answer as (school: School) => Send)(processes.school)
          : (answer as Send)
      const refused = await processes.remote.gate('account:read')(withToken(token))
      if (!(refused instanceof Response)) throw new Error('it was let through')
      expect(refused.headers.get('retry-after')).toBe('5')
      expect(await outcomeOf(refused)).toEqual([503, null, UNAVAILABLE])
      expect(processes.faults).toEqual([message])
      expect([token, PORTFOLIO_SECRET].filter((secret) => message.includes(secret))).toEqual([])
      // The next answer counts.
      processes.answer = null
      expect(await statusOf(processes, token)).toBe(200)
    },
  )

  it('reads no more than it may of a body without an end', () => {
    expect(pulled).toBeGreaterThan(0)
    expect(pulled).toBeLessThan(10)
  })

  const TEXT = 'a string'
  const SECONDS = 'whole epoch seconds, such as Math.floor(date / 1000)'
  it.each<[string, unknown, string]>([
    ['token_type', 'Other', "a string: it must be 'Bearer' or 'DPoP'"],
    ['token_type', undefined, "undefined: it must be 'Bearer' or 'DPoP'"],
    ['cnf', 7, '7: it must be the thumbprint of a key as { jkt }, if it is there'],
    [
      'cnf',
      { jkt: '' },
      'an object: it must be the thumbprint of a key as { jkt }, if it is there',
    ],
    ['scope', undefined, `undefined: it must be ${TEXT}`],
    ['scope', ['account:read'], `an array: it must be ${TEXT}`],
    ['client_id', '', `a string: it must be ${TEXT} that is not empty`],
    ['sub', 7, `7: it must be ${TEXT} that is not empty`],
    ['sub', '', `a string: it must be ${TEXT} that is not empty`],
    ['aud', [ISSUER], `an array: it must be ${TEXT} that is not empty`],
    ['aud', undefined, `undefined: it must be ${TEXT} that is not empty`],
    ['iat', T * 1000, `${T * 1000}: it must be ${SECONDS}`],
    ['iat', String(T), `a string: it must be ${SECONDS}`],
    ['exp', T * 1000, `${T * 1000}: it must be ${SECONDS}`],
    ['exp', undefined, `undefined: it must be ${SECONDS}`],
    ['exp', T + 0.5, `${T + 0.5}: it must be ${SECONDS}`],
    ['grant_id', 7, `7: it must be ${TEXT} that is not empty`],
    ['token_scope', null, `null: it must be ${TEXT}`],
    ['scope_fixed', false, 'a boolean: it must be true, if it is there'],
    ['client_name', null, `null: it must be ${TEXT}`],
    [
      'client_kind',
      'root',
      "a string: it must be 'loopback' or 'vendor' or 'document' or 'member'",
    ],
    ['client_scope', 7, `7: it must be ${TEXT}, if it is there`],
    ['org_id', '', `a string: it must be ${TEXT} that is not empty`],
    ['roles', 'owner', 'a string: it must be a list of strings'],
    ['roles', undefined, 'undefined: it must be a list of strings'],
  ])('because %s is %j, the response is 503 [REM-02]', async (member, value, mistake) => {
    const processes = await openProcesses()
    const token = await memberToken(processes.school)
    processes.answer = changed(processes.school, { [member]: value })
    expect(await statusOf(processes, token)).toBe(503)
    expect(processes.faults).toEqual([`introspection returned ${member} ${mistake}`])
  })

  it('an answer that is kept serves on, and then nothing does [REM-07]', async () => {
    const processes = await openProcesses()
    const { school, clock } = processes
    const token = await memberToken(school)
    expect(await statusOf(processes, token)).toBe(200)
    processes.answer = () => Promise.reject(new Error('ECONNREFUSED'))
    clock.now = T + 9
    expect(await statusOf(processes, token)).toBe(200)
    clock.now = T + 10
    expect(await statusOf(processes, token)).toBe(503)
  })

  it('after five failures one question in five seconds is asked, until there is an answer [REM-07]', async () => {
    const processes = await openProcesses({ cacheSeconds: 0 })
    const { school, clock, asked } = processes
    const token = await memberToken(school)
    const asksAt = async (at: number, ...statuses: readonly number[]): Promise<number> => {
      clock.now = T + at
      asked.length = 0
      for (const status of statuses) expect(await statusOf(processes, token)).toBe(status)
      return asked.length
    }
    processes.answer = async () => new Response(null, { status: 500 })
    expect(await asksAt(0, 503, 503, 503, 503)).toBe(4)
    processes.answer = null
    expect(await asksAt(0, 200)).toBe(1)
    processes.answer = async () => new Response(null, { status: 500 })
    expect(await asksAt(0, 503, 503, 503, 503, 503, 503, 503)).toBe(5)
    expect(processes.faults.at(-1)).toBe('introspection was not asked: the last 5 questions failed')
    expect(await asksAt(4, 503)).toBe(0)
    expect(await asksAt(5, 503, 503)).toBe(1)
    expect(await asksAt(9, 503)).toBe(0)
    // A clock that was set back does not prolong the pause.
    expect(await asksAt(4, 503, 503)).toBe(1)
    processes.answer = null
    expect(await asksAt(9, 200, 200, 200)).toBe(3)
    processes.answer = async () => new Response(null, { status: 500 })
    expect(await asksAt(9, 503, 503, 503, 503, 503, 503)).toBe(5)
  })

  it('and the pause begins with the last question that failed [REM-07]', async () => {
    const processes = await openProcesses({ cacheSeconds: 0 })
    const { clock, asked } = processes
    const fail: (() => void)[] = []
    processes.answer = () =>
      new Promise((_, reject) => {
        fail.push(() => reject(new Error('ECONNREFUSED')))
      })
    const early = statusOf(processes, stranger(0))
    await waitFor(() => fail.length === 1)
    processes.answer = () => Promise.reject(new Error('ECONNREFUSED'))
    for (let number = 1; number < 5; number++)
      expect(await statusOf(processes, stranger(number))).toBe(503)
    clock.now = T + 3
    expect(await statusOf(processes, stranger(5))).toBe(503)
    // One that was asked before, and fails late, does not shorten it.
    fail[0]!()
    expect(await early).toBe(503)
    asked.length = 0
    clock.now = T + 7
    expect(await statusOf(processes, stranger(6))).toBe(503)
    expect(asked).toEqual([])
    clock.now = T + 8
    expect(await statusOf(processes, stranger(7))).toBe(503)
    expect(asked).toEqual([stranger(7)])
  })

  it('although its type has spaces and it is as long as it may be, it can be used', async () => {
    const processes = await openProcesses()
    const longest = '{"active":false}'.padEnd(65_536)
    processes.answer = body(longest, 'application/json ; charset=utf-8')
    expect(await statusOf(processes, stranger(0))).toBe(401)
  })

  it('and one without a scope has none', async () => {
    const processes = await openProcesses()
    const token = await memberToken(processes.school)
    processes.answer = changed(processes.school, { scope: '', token_scope: '', client_scope: '' })
    const access = await processes.remote.gate()(withToken(token))
    if (access instanceof Response) throw new Error('refused')
    expect([access.scopes, access.tokenScopes, access.client.scopes]).toEqual([[], [], []])
  })

  it('because the secret is wrong, onFault says so, and the new one is used when it is there [REM-09]', async () => {
    let secret = 'the-old-secret'
    const processes = await openProcesses({ clientSecret: async () => secret })
    const token = await memberToken(processes.school)
    expect(await statusOf(processes, token)).toBe(503)
    secret = PORTFOLIO_SECRET
    expect(await statusOf(processes, token)).toBe(200)
    expect(processes.faults).toEqual([
      'introspection responded with status 401: clientId and clientSecret must be those of a client with client_secret_post',
    ])
  })

  it('because the secret cannot be read, the response is 503 as well', async () => {
    const processes = await openProcesses({ clientSecret: () => undefined as never })
    const token = await memberToken(processes.school)
    expect(await statusOf(processes, token)).toBe(503)
    expect(processes.faults).toEqual(['clientSecret returned undefined: it must be a string'])
    expect(processes.asked).toEqual([])
  })

  it('stops the request when it is late', async () => {
    const processes = await openProcesses({ callDeadlineMilliseconds: 20 })
    const token = await memberToken(processes.school)
    let signal: AbortSignal | null | undefined
    processes.answer = (_url, init) => {
      signal = init.signal
      return new Promise(() => {})
    }
    expect(await statusOf(processes, token)).toBe(503)
    await waitFor(() => signal?.aborted === true)
  })
})

describe('the question', () => {
  it('is a form with the secret in its body, of the issuer alone', async () => {
    const processes = await openProcesses()
    const token = await memberToken(processes.school)
    const sent: unknown[] = []
    processes.answer = async (url, init) => {
      const { signal: _signal, ...rest } = init
      sent.push(url, rest)
      return Response.json({ active: false })
    }
    await statusOf(processes, token)
    const { client_id, client_secret } = PORTFOLIO_FORM
    const form = { client_id, client_secret, token, token_type_hint: 'access_token' }
    expect(sent).toEqual([
      `${ISSUER}/api/oauth/introspect`,
      {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams(form).toString(),
        redirect: 'manual',
      },
    ])
  })

  it('is sent by fetch', async () => {
    const sent = vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json({ active: false }))
    const { school } = await openProcesses()
    const { issuer, name, scopes, roles } = school.siteOptions
    const other = createRemoteGate({ issuer, name, scopes, roles, clientId: 'a', clientSecret: 'b' }) // prettier-ignore
    expect((await outcomeOf(await other.gate()(withToken(stranger(1)))))[0]).toBe(401)
    expect(sent.mock.calls.map(([url]) => url)).toEqual([`${ISSUER}/api/oauth/introspect`])
    sent.mockRestore()
  })
})

describe('the options of a remote gate', () => {
  it('are checked together, those of a site included', () => {
    let mistakes: readonly string[] = []
    try {
      createRemoteGate({ issuer: ISSUER, name: 'A', clientSecret: '', cacheSeconds: 301, store: 1, outbox: true } as never) // prettier-ignore
    } catch (error) {
      mistakes = (error as OptionsError).mistakes
    }
    expect(mistakes).toEqual([
      'store is not an option',
      'outbox is not an option',
      'scopes is missing: a registry of scopes such as defineScopes({ … })',
      'roles is missing: a table of roles such as { owner: { staff: true, scopes: "all" } }',
      'clientId is missing: a string such as "grades"',
      'clientSecret must be a string, or a function such as () => secrets.read("grades"), not a string',
      'cacheSeconds must be a whole number from 0 to 300, not 301',
    ])
  })

  it.each([-1, 0.5, '10'])('are refused: cacheSeconds of %j', async (cacheSeconds) => {
    await expect(openProcesses({ cacheSeconds: cacheSeconds as never })).rejects.toThrow(
      OptionsError,
    )
  })

  it.each(['send', 'clientSecret'])('are refused: %s of a number', async (name) => {
    await expect(openProcesses({ [name]: 1 })).rejects.toThrow(`${name} must be a`)
  })

  it('are named as those of a remote gate, with an example', async () => {
    await expect(openProcesses({ send: 1 as never })).rejects.toThrow(
      /^remote gate: [^]*\(url, init\) => fetch\(url, init\)/,
    )
  })

  it('hears no use of a token, which only the store can date', async () => {
    const used = vi.fn()
    const { school, remote } = await openProcesses({ watchers: [() => ({ used })] })
    await remote.gate()(withToken(await memberToken(school)))
    expect(used).not.toHaveBeenCalled()
  })
})
