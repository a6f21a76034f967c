import { type ConsentView, createStepUp, type Interact } from 'hallpass/authorization-server'
import { describe, expect, it } from 'vitest'
import { hashToken } from 'hallpass/token'
import { StorageFailure } from '../../src/store/guard.js'
import {
  approve,
  authorizationUrl,
  encode,
  type Fields,
  isAlive,
  post,
  redeem,
  refresh,
  refusalOf,
  signIn,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import { breakableStore, FAULT_TEXT } from '../support/school/stores.js'
import type { StoreMethod } from '../../src/store/store.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

const FORM_TYPE = 'application/x-www-form-urlencoded'
const FORM_ENDPOINTS = [
  '/api/oauth/token',
  '/api/oauth/revoke',
  '/api/oauth/introspect',
  '/oauth/interaction/x',
]
const UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'the service is temporarily unavailable: try again shortly',
}

const page = async (): Promise<Response> => new Response(null)
const interact: Interact = {
  currentPerson: async () => null,
  signIn: page,
  consent: page,
  error: page,
}

const send = (school: School, path: string, body: BodyInit, type = FORM_TYPE): Promise<Response> =>
  school.fetch(ISSUER + path, { method: 'POST', body, headers: { 'content-type': type } })

describe('a body over the limit', () => {
  it.each([
    ...FORM_ENDPOINTS.map((path) => [path, 16 * 1024, FORM_TYPE] as const),
    ['/api/oauth/register', 32 * 1024, 'application/json'] as const,
  ])('is 413 at %s, to the byte [LIM-03, D-17]', async (path, limit, type) => {
    const school = await createSchool()
    const fits = await send(school, path, 'x'.repeat(limit), type)
    expect([400, 401]).toContain(fits.status)
    const over = await send(school, path, 'x'.repeat(limit + 1), type)
    expect(over.headers.get('connection')).toBe('close')
    expect(await refusalOf(over)).toEqual([
      413,
      { error: 'invalid_request', error_description: `the body is larger than ${limit} bytes` },
    ])
  })

  it.each([...FORM_ENDPOINTS, '/api/oauth/register'])(
    'is not read to its end at %s [LIM-03]',
    async (path) => {
      let pulled = 0
      let cancelled = false
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled++
          if (pulled > 1000) throw new Error('still reading')
          controller.enqueue(new Uint8Array(1024).fill(97))
        },
        cancel() {
          cancelled = true
        },
      })
      const type = path.endsWith('register') ? 'application/json' : FORM_TYPE
      const init = {
        method: 'POST',
        body: endless,
        duplex: 'half',
        headers: { 'content-type': type },
      }
      const response = await (await createSchool()).fetch(ISSUER + path, init)
      expect([response.status, cancelled]).toEqual([413, true])
      expect(pulled).toBeLessThan(40)
    },
  )

  it.each(FORM_ENDPOINTS)('of a hundred parameters is the most at %s [LIM-05]', async (path) => {
    const school = await createSchool()
    const form = (count: number): string =>
      Array.from({ length: count }, (_, n) => `p${n}=1`).join('&')
    expect((await send(school, path, form(100))).status).not.toBe(413)
    for (const body of [form(101), '&'.repeat(10_000), 'a[b][c]=1&'.repeat(1_000)])
      expect(await refusalOf(await send(school, path, body))).toEqual([
        400,
        { error: 'invalid_request', error_description: 'the form has more than 100 parameters' },
      ])
  })
})

describe('the router', () => {
  it.each([
    '/',
    '/nothing',
    '/api/oauth/token/',
    '/api/oauth',
    '/oauth/interactions/x',
    '/API/oauth/token',
    '/oauth/authorize/x',
    '/__proto__',
  ])('knows nothing at %s', async (path) => {
    const response = await (await createSchool()).fetch(ISSUER + path)
    expect(await refusalOf(response)).toEqual([
      404,
      { error: 'invalid_request', error_description: 'there is no endpoint at this path' },
    ])
  })

  it('goes by the path alone', async () => {
    const school = await createSchool()
    expect((await school.fetch(`${ISSUER}/.well-known/jwks.json?x=/api/oauth/token`)).status).toBe(
      200,
    )
  })
})

/** Each step of the protocol that needs a method of the store, ready to be taken. */
const STEPS: readonly [StoreMethod, string, (school: School) => Promise<() => Promise<Response>>][] = [
  ['findClient', 'authorize', async (school) => () => school.fetch(authorizationUrl())],
  ['savePending', 'authorize', async (school) => () => school.fetch(authorizationUrl())],
  ['hasConsent', 'authorize', silently],
  ['issueCode', 'authorize', silently],
  ['findPending', 'interaction', (school) => deciding(school, 'allow')],
  ['findClient', 'interaction', (school) => deciding(school, 'allow')],
  ['issueCode', 'interaction', (school) => deciding(school, 'allow')],
  ['endPending', 'interaction', (school) => deciding(school, 'deny')],
  ['findCode', 'token', redeeming],
  ['redeemCode', 'token', redeeming],
  ['findRefreshToken', 'token', refreshing],
  ['rotateRefreshToken', 'token', refreshing],
  ['findAccessToken', 'userinfo', async (school) => {
    const { access_token } = await signIn(school)
    return () => userinfo(school, access_token)
  }],
  ['findClient', 'introspect', introspecting],
  ['findAccessToken', 'introspect', introspecting],
  ['insertClient', 'register', async (school) => () =>
    send(school, '/api/oauth/register', '{"redirect_uris":["http://127.0.0.1/"]}', 'application/json')],
] // prettier-ignore

async function silently(school: School): Promise<() => Promise<Response>> {
  await approve(school, { client_id: 'portfolio-hub' })
  const url = authorizationUrl({ client_id: 'portfolio-hub', prompt: 'none' })
  return () => school.fetch(url)
}

async function deciding(school: School, decision: string): Promise<() => Promise<Response>> {
  school.signedIn = { subject: STUDENT.subject, authTime: T }
  const browser = createBrowser(school)
  await browser.open(authorizationUrl())
  if (school.view?.page !== 'consent') throw new Error('no consent page')
  const { action, csrfToken } = school.view.view
  return () => browser.post(action, { csrf_token: csrfToken, decision })
}

async function redeeming(school: School): Promise<() => Promise<Response>> {
  const code = await approve(school)
  return () => redeem(school, code)
}

async function refreshing(school: School): Promise<() => Promise<Response>> {
  const { refresh_token } = await signIn(school)
  return () => refresh(school, refresh_token)
}

async function introspecting(school: School): Promise<() => Promise<Response>> {
  const token = (await signIn(school)).access_token
  const form = { token, client_id: 'portfolio-hub', client_secret: PORTFOLIO_SECRET }
  return () => post(school, '/api/oauth/introspect', form)
}

/** A change may be stored although its answer was lost. Then the retry is refused, and something is needed anew. */
const DOUBTFUL: Readonly<Record<string, string>> = {
  issueCode: 'authorization request',
  endPending: 'authorization request',
  redeemCode: 'authorization code',
  rotateRefreshToken: 'authorization code',
}

const unavailableAt = (method: string, endpoint: string): object =>
  DOUBTFUL[method] === undefined || endpoint === 'authorize'
    ? UNAVAILABLE
    : {
        ...UNAVAILABLE,
        error_description: `${UNAVAILABLE.error_description}; if that is refused, start again with a new ${DOUBTFUL[method]}`,
      }

describe('a store that is down', () => {
  it.each(STEPS)(
    'at %s is 503 with Retry-After at %s, tells only the operator why, and comes back [F-07, F-08, RS-13, LOG-04]',
    async (method, endpoint, prepare) => {
      const { store, fail } = breakableStore()
      const school = await createSchool({ store })
      const step = await prepare(school)
      const before = school.events.length
      fail(method)
      const response = await step()
      expect([response.headers.get('retry-after'), response.headers.get('location')]).toEqual([
        '5',
        null,
      ])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await refusalOf(response)).toEqual([503, unavailableAt(method, endpoint)])
      expect(school.faults).toEqual([{ at: T, endpoint, fault: expect.any(StorageFailure) }])
      expect((school.faults[0]!.fault as Error).cause).toEqual(new Error(FAULT_TEXT))
      expect(school.refusals).toEqual([])
      expect(
        school.events.slice(before).filter(({ type }) => type !== 'oauth.authorization.requested'),
      ).toEqual([])
      fail(null)
      expect([200, 201, 303]).toContain((await step()).status)
    },
  )

  it.each(STEPS)(
    'at %s that never responds is 503 with Retry-After at %s, and comes back [F-30]',
    async (method, endpoint, prepare) => {
      const { store, hang } = breakableStore()
      const school = await createSchool({ store, options: { callDeadlineMilliseconds: 20 } })
      const step = await prepare(school)
      hang(method)
      const response = await step()
      expect(response.headers.get('retry-after')).toBe('5')
      expect(await refusalOf(response)).toEqual([503, unavailableAt(method, endpoint)])
      expect(school.faults).toEqual([{ at: T, endpoint, fault: expect.any(StorageFailure) }])
      expect((school.faults[0]!.fault as Error).cause).toEqual(
        new Error(`${method} did not respond within 20 ms`),
      )
      hang(null)
      expect([200, 201, 303]).toContain((await step()).status)
    },
  )

  it.each([
    ['the metadata', () => `${ISSUER}/.well-known/oauth-protected-resource`],
    ['a preflight', () => `${ISSUER}/api/oauth/token`],
  ])('does not matter to %s', async (what, url) => {
    const { store, fail } = breakableStore()
    const school = await createSchool({ store })
    fail('findClient')
    const method = what === 'a preflight' ? 'OPTIONS' : 'GET'
    expect((await school.fetch(url(), { method })).status).toBeLessThan(300)
  })

  it.each(['/.well-known/jwks.json', '/.well-known/openid-configuration'])(
    'at listKeys is 503 at %s [F-08]',
    async (path) => {
      const { store, fail } = breakableStore()
      const school = await createSchool({ store })
      school.clock.now += 1
      fail('listKeys')
      const response = await school.fetch(ISSUER + path)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    },
  )

  it('is the same where the people cannot be found [F-07]', async () => {
    let away = false
    const findPerson = async () => {
      if (away) throw new Error(FAULT_TEXT)
      return STUDENT
    }
    const school = await createSchool({ options: { findPerson } })
    const code = await approve(school)
    const { access_token } = await signIn(school)
    away = true
    for (const response of [await redeem(school, code), await userinfo(school, access_token)]) {
      expect(response.headers.get('retry-after')).toBe('5')
      expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    }
    away = false
    expect((await redeem(school, code)).status).toBe(200)
  })
})

describe('a function of the host that never responds', () => {
  const never = (): Promise<never> => new Promise(() => {})
  const signedIn = { subject: STUDENT.subject, authTime: T }

  it.each<[string, Interact, Fields]>([
    ['currentPerson', { ...interact, currentPerson: never }, { prompt: 'none' }],
    ['signIn', { ...interact, signIn: never }, {}],
    ['consent', { ...interact, currentPerson: async () => signedIn, consent: never }, {}],
    ['error', { ...interact, error: never }, { client_id: 'nobody' }],
  ])('at %s is 503 with Retry-After [F-30]', async (name, interact, request) => {
    const school = await createSchool({ options: { interact, callDeadlineMilliseconds: 20 } })
    const response = await createBrowser(school).open(authorizationUrl(request))
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    const cause = new Error(`${name} did not respond within 20 ms`)
    expect(school.faults.map(({ fault }) => (fault as Error).cause)).toEqual([cause])
  })

  it('at backToApp is 503 with Retry-After [F-30]', async () => {
    const before = await createSchool()
    const { access_token } = await signIn(before)
    const { store } = before
    const { grant } = (await store.findAccessToken(hashToken(access_token)))!
    let shown: ConsentView | null = null
    const consent: Interact['consent'] = (_request, view) => {
      shown = view
      return new Response()
    }
    const stepUp = createStepUp({ backToApp: never })
    const pages = { ...interact, currentPerson: async () => signedIn, consent, stepUp }
    const options = { interact: pages, stepUpLinks: true, callDeadlineMilliseconds: 20 }
    const school = await createSchool({ store, options })
    const browser = createBrowser(school)
    await browser.open(`${ISSUER}/oauth/interaction/${grant.grantId}?add=profile`)
    const { action, csrfToken } = shown!
    const response = await browser.post(action, { csrf_token: csrfToken, decision: 'deny' })
    expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    const cause = new Error('backToApp did not respond within 20 ms')
    expect(school.faults.map(({ fault }) => (fault as Error).cause)).toEqual([cause])
  })

  it('at grantEnds is 503 with Retry-After, and is named to the host [F-30]', async () => {
    const currentPerson = async () => signedIn
    const options = { interact: { ...interact, currentPerson }, callDeadlineMilliseconds: 20 }
    const school = await createSchool({ options: { ...options, grantEnds: never } })
    const response = await createBrowser(school).open(authorizationUrl())
    expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    const cause = new Error('grantEnds did not respond within 20 ms')
    expect(school.faults.map(({ fault }) => (fault as Error).cause)).toEqual([cause])
  })

  it.each(['findPerson', 'memberClients'] as const)(
    'at %s is 503 with Retry-After [F-30]',
    async (name) => {
      let hangs = false
      const findPerson = async () => (hangs && name === 'findPerson' ? never() : STUDENT)
      const memberClients = async () => (hangs && name === 'memberClients' ? never() : true)
      const options = { findPerson, memberClients, callDeadlineMilliseconds: 20 }
      const school = await createSchool({ options })
      const { access_token } = await signIn(school)
      hangs = true
      const response = await userinfo(school, access_token)
      expect(response.headers.get('retry-after')).toBe('5')
      expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    },
  )

  it('can throw a StorageFailure, which is an outage and no bug', async () => {
    const away = async (): Promise<never> => {
      throw new StorageFailure(new Error(FAULT_TEXT))
    }
    const school = await createSchool({ options: { interact: { ...interact, signIn: away } } })
    const response = await createBrowser(school).open(authorizationUrl())
    expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
  })
})

describe.each([
  ['/.well-known/jwks.json', 'jwks'],
  ['/.well-known/openid-configuration', 'signer'],
] as const)('the keys of %s', (path, read) => {
  it('are read at most once a second', async () => {
    let reads = 0
    const jwks = async (): Promise<{ keys: [] }> => ({ keys: [] })
    const signer = async (): Promise<null> => null
    const counted = async (): Promise<never> => {
      reads++
      return (await { jwks, signer }[read]()) as never
    }
    const school = await createSchool({
      options: { keys: { jwks, signer, refreshSecrets: () => [], [read]: counted } },
    })
    const readsOf = async (seconds: number): Promise<number> => {
      reads = 0
      school.clock.now += seconds
      for (let times = 0; times < 3; times++)
        expect((await school.fetch(ISSUER + path)).status).toBe(200)
      return reads
    }
    expect([await readsOf(0), await readsOf(1), await readsOf(-3600)]).toEqual([1, 1, 1])
  })
})

describe('keys that cannot be read', () => {
  it.each([
    ['/.well-known/jwks.json', 'jwks'],
    ['/.well-known/openid-configuration', 'openidConfiguration'],
    ['/.well-known/oauth-authorization-server', 'authorizationServerMetadata'],
  ])('leave %s as it was for a day [F-31]', async (path, endpoint) => {
    const { store, fail } = breakableStore()
    const school = await createSchool({ store })
    const before = await school.fetch(ISSUER + path)
    const body = await before.text()
    school.clock.now += 1
    fail('listKeys')
    for (let times = 0; times < 3; times++) {
      const response = await school.fetch(ISSUER + path)
      expect([response.status, await response.text()]).toEqual([200, body])
    }
    // One of the three asked, and the others did not wait for the storage.
    expect(school.faults).toEqual([
      { at: school.clock.now, endpoint, fault: expect.any(StorageFailure) },
    ])
    school.clock.now += 5
    await school.fetch(ISSUER + path)
    expect(school.faults).toHaveLength(2)
    school.clock.now = T + 86_399
    expect((await school.fetch(ISSUER + path)).status).toBe(200)
    school.clock.now = T + 86_400
    const response = await school.fetch(ISSUER + path)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    fail(null)
    expect((await school.fetch(ISSUER + path)).status).toBe(200)
  })

  it('leave a JWKS that verifiers may keep for a minute only [F-31]', async () => {
    const { store, fail } = breakableStore()
    const school = await createSchool({ store })
    const ages = async (): Promise<string | null> =>
      (await school.fetch(`${ISSUER}/.well-known/jwks.json`)).headers.get('cache-control')
    expect(await ages()).toBe('public, max-age=600')
    fail('listKeys')
    school.clock.now += 1
    expect([await ages(), await ages()]).toEqual(['public, max-age=60', 'public, max-age=60'])
    fail(null)
    school.clock.now += 5
    expect(await ages()).toBe('public, max-age=600')
  })

  it('are read again at once by a clock that was set back [F-31]', async () => {
    let reads = 0
    const jwks = async (): Promise<{ keys: [] }> => {
      if (reads++ > 0) throw new Error(FAULT_TEXT)
      return { keys: [] }
    }
    const keys = { jwks, signer: async () => null, refreshSecrets: () => [] }
    const school = await createSchool({ options: { keys } })
    for (const seconds of [0, 1, 0, -3600]) {
      school.clock.now += seconds
      expect((await school.fetch(`${ISSUER}/.well-known/jwks.json`)).status).toBe(200)
    }
    expect(reads).toBe(3)
  })
})

describe('a browser with the store away', () => {
  const HTML = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
  const paths = [authorizationUrl(), `${ISSUER}/oauth/interaction/${'a'.repeat(43)}`]

  async function away(options: { interact?: Interact } = {}): Promise<School> {
    const { store, fail } = breakableStore()
    const school = await createSchool({ store, options })
    fail('findClient')
    return school
  }

  it.each(paths)('gets the error page of the host application at %s [F-21]', async (url) => {
    const { store, fail } = breakableStore()
    const school = await createSchool({ store })
    fail(url === paths[0] ? 'findClient' : 'findPending')
    const response = await school.fetch(url, HTML)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(school.view).toEqual({
      page: 'error',
      view: {
        status: 503,
        error: UNAVAILABLE.error,
        reason: 'service_unavailable',
        description: UNAVAILABLE.error_description,
      },
    })
    expect([school.faults.length, school.refusals]).toEqual([1, []])
  })

  it('is no browser for a request that accepts JSON alone, and gets JSON [F-21]', async () => {
    const school = await away()
    const response = await school.fetch(paths[0]!, { headers: { accept: 'application/json' } })
    expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    expect(school.view).toBeNull()
  })

  it('gets JSON for a method that the page does not have', async () => {
    const school = await createSchool()
    const response = await school.fetch(paths[0]!, { ...HTML, method: 'PUT' })
    expect(await refusalOf(response)).toEqual([
      405,
      { error: 'invalid_request', error_description: 'use GET or POST' },
    ])
    expect(school.view).toBeNull()
  })

  it('gets JSON where that page fails as well, and the operator is told of both [F-21]', async () => {
    const error = (): never => {
      throw new TypeError(FAULT_TEXT)
    }
    const school = await away({ interact: { ...interact, error } })
    const response = await school.fetch(paths[0]!, HTML)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    expect(school.faults.map(({ fault }) => (fault as Error).name)).toEqual([
      'StorageFailure',
      'UnusableValue',
    ])
  })

  it('gets JSON from the endpoints that only programs call', async () => {
    const school = await away()
    const form = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'x' })
    const headers = { ...HTML.headers }
    const init = { method: 'POST', headers, body: form }
    const response = await school.fetch(`${ISSUER}/api/oauth/token`, init)
    expect(response.headers.get('content-type')).toContain('application/json')
  })
})

describe('a bug of the host', () => {
  const bug = (): never => {
    throw new TypeError(FAULT_TEXT)
  }

  it.each<[string, Interact, Fields]>([
    ['currentPerson', { ...interact, currentPerson: bug }, { prompt: 'none' }],
    ['the sign-in page', { ...interact, signIn: bug }, {}],
    ['the error page', { ...interact, error: bug }, { client_id: 'nobody' }],
  ])('in %s is 503 without detail, and is named [LOG-04]', async (_, interact, request) => {
    const school = await createSchool({ options: { interact } })
    const response = await createBrowser(school).open(authorizationUrl(request))
    expect(await refusalOf(response)).toEqual([503, UNAVAILABLE])
    expect(school.faults.map(({ fault }) => fault)).toMatchObject([
      {
        message: expect.stringMatching(/^(?:currentPerson|signIn|error) threw an exception$/),
        cause: new TypeError(FAULT_TEXT),
      },
    ])
  })

  it('in the further claims is 503 and leaves the code alive [LOG-04]', async () => {
    let claims: () => Record<string, unknown> = bug
    const school = await createSchool({ options: { extraClaims: () => claims() } })
    const code = await approve(school)
    expect(await refusalOf(await redeem(school, code))).toEqual([503, UNAVAILABLE])
    claims = () => ({})
    expect(await isAlive(school, (await tokensOf(await redeem(school, code))).access_token)).toBe(
      true,
    )
  })

  it.each(['onEvent', 'onRefusal', 'onFault'] as const)(
    'in %s does not reach the client',
    async (hook) => {
      const school = await createSchool({
        options: { [hook]: bug, interact: { ...interact, error: bug } },
      })
      if (hook === 'onEvent') expect((await school.fetch(authorizationUrl())).status).toBe(303)
      if (hook === 'onRefusal') expect((await redeem(school, 'x')).status).toBe(400)
      if (hook === 'onFault')
        expect((await school.fetch(`${ISSUER}/oauth/authorize`)).status).toBe(503)
    },
  )
})

describe('every answer of an API endpoint', () => {
  it.each([
    '/api/oauth/token',
    '/api/oauth/revoke',
    '/api/oauth/introspect',
    '/api/oauth/register',
    '/api/oauth/userinfo',
  ])(
    'at %s may be read from any origin, is never cached and never sniffed [TOKC-24, RS-12, LOG-04]',
    async (path) => {
      const school = await createSchool()
      const answers = [
        await post(school, path, {}),
        await school.fetch(ISSUER + path, { method: 'PUT' }),
        await send(school, path, 'x', 'text/plain'),
        await send(school, path, encode({ client_id: 'nobody', token: 'x' })),
      ]
      for (const answer of answers) {
        expect(answer.status).toBeGreaterThanOrEqual(400)
        expect(answer.headers.get('access-control-allow-origin')).toBe('*')
        expect(answer.headers.get('cache-control')).toBe('no-store')
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
        expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/) })
      }
    },
  )
})
