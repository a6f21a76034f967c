import { createServer, type Server } from 'node:http'
import * as sdk from '@modelcontextprotocol/server'
import { serverAdapter } from 'hallpass/mcp'
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../examples/express/testing.js'
import { type Database, LANTERN } from '../../examples/school/demo.js'
import { createSite, openCounters } from '../../examples/school/testing.js'
import { demoAtT, openTestDatabase } from '../support/databases/templates.js'
import { encode, type Fields, type Tokens } from '../support/school/flow.js'
import {
  createFormBrowser,
  type FormBrowser,
  signInAndAllow,
} from '../support/http/form-browser.js'
import { ran } from '../openid/ran.js'
import { PAGES, rowsOf } from '../support/docs/pages.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'
import { T } from '../support/school/school.js'
import { openPort } from '../support/processes/ports.js'
import { BASIC_OP_MODULES } from '../vectors/oidcc-basic-plan.js'

const EMAIL = 'mei-ling.chou@example.com'
const PORTFOLIO_HUB = { client_id: 'portfolio-hub', client_secret: 'portfolio-hub-demo-secret' }
const JSON_TYPE = 'application/json; charset=utf-8'
/** What each module asks for, unless it changes a field. */
const REQUEST: Fields = {
  client_id: PORTFOLIO_HUB.client_id,
  scope: 'openid',
  state: 'af0ifjsldkj',
  nonce: 'n-0S6_WzA2Mj',
}

const clock = { now: T }
let database: Database
let http: Server
let origin: string
let keys: JSONWebKeySet
/** A browser that stays signed in, for the modules that need no sign-in page. */
let member: FormBrowser

// The example in this process, because time has to pass between two requests of a module.
beforeAll(async () => {
  database = await openTestDatabase({ template: demoAtT })
  http = createServer()
  origin = `http://127.0.0.1:${await openPort(http)}`
  const site = createSite({
    definition: LANTERN,
    origin,
    database,
    sealingSecret: 'a sealing secret of thirty-two characters',
    counters: await openCounters({ redisUrl: null }),
    mcpAdapter: serverAdapter(sdk),
    rateLimits: false,
    log: () => {},
    now: () => clock.now,
  })
  await site.maintain()
  await site.seed()
  http.on('request', createApp(site))
  member = createFormBrowser(origin)
  keys = (await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as JSONWebKeySet
})
afterAll(async () => {
  http.closeAllConnections()
  http.close()
  await database.close()
})

interface Authorized {
  /** Whether the person had to enter a password. */
  readonly asked: boolean
  /** The parameters with which the browser came back to the client. */
  readonly callback: Readonly<Record<string, string>>
}

/** Sends an authorization request, signs in where the page asks for it, and allows. */
async function authorize(changes: Fields = {}, browser = member): Promise<Authorized> {
  const page = await browser.open(authorizeUrl(origin, { ...REQUEST, ...changes }))
  if (changes['prompt'] === 'none') expect(page.left).not.toBeNull()
  const left = page.left ?? (await signInAndAllow(browser, page.url, { email: EMAIL }))
  const asked = page.text.includes('name="password"')
  return { asked, callback: Object.fromEntries(left.searchParams) }
}

const redeem = (code: string): Promise<Response> => redeemAt(origin, code, PORTFOLIO_HUB)

interface Completed {
  readonly asked: boolean
  readonly code: string
  readonly tokens: Tokens
  readonly claims: JWTPayload
}

/** The whole flow, with what the suite checks in each of its modules. */
async function complete(changes: Fields = {}, browser = member): Promise<Completed> {
  const { asked, callback } = await authorize(changes, browser)
  return { asked, ...(await exchange(callback, changes)) }
}

async function exchange(
  callback: Readonly<Record<string, string>>,
  changes: Fields = {},
): Promise<Omit<Completed, 'asked'>> {
  const { state, nonce } = { ...REQUEST, ...changes }
  const code = callback['code']!
  expect(callback).toEqual({ code: expect.stringMatching(/^[\w-]{43,}$/), state, iss: origin })
  const response = await redeem(code)
  expect([
    response.status,
    response.headers.get('content-type'),
    response.headers.get('cache-control'),
  ]).toEqual([200, JSON_TYPE, 'no-store'])
  const tokens = (await response.json()) as Tokens
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
  const { payload, protectedHeader } = await jwtVerify(tokens.id_token!, createLocalJWKSet(keys), {
    issuer: origin,
    audience: PORTFOLIO_HUB.client_id,
    algorithms: ['ES256'],
    currentDate: new Date(clock.now * 1000),
    requiredClaims: ['sub', 'iat', 'exp'],
  })
  expect(protectedHeader.kid).toBe(keys.keys[0]!.kid)
  expect(payload['nonce']).toBe(nonce ?? undefined)
  return { code, tokens, claims: payload }
}

/** Asks UserInfo with the token in the header, and compares the person with that of the ID token. */
async function userinfo(
  { tokens, claims }: Pick<Completed, 'tokens' | 'claims'>,
  method = 'GET',
): Promise<Readonly<Record<string, unknown>>> {
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const response = await fetch(`${origin}/api/oauth/userinfo`, { method, headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, JSON_TYPE])
  const about = (await response.json()) as Record<string, unknown>
  expect(about['sub']).toBe(claims.sub)
  return about
}

/** The parameters of a refusal that a client receives by a redirect. */
const refusal = (error: string, state: string | null = REQUEST['state'] as string): object => ({
  error,
  error_description: expect.stringMatching(/^[\x20-\x7e]+$/),
  error_uri: `${origin}/auth.md#error-${error}`,
  iss: origin,
  ...(state !== null && { state }),
})

/** The request object of a client that sends all parameters in it, without a signature. */
function requestObject(changes: Fields = {}): string {
  const url = new URL(authorizeUrl(origin, { ...REQUEST, ...changes }))
  const payload = JSON.stringify(Object.fromEntries(url.searchParams))
  return `${btoa('{"alg":"none"}')}.${btoa(payload)}.`.replaceAll('=', '')
}

/** What remains in the query then. */
const BESIDE_REQUEST_OBJECT: Fields = {
  state: null,
  nonce: null,
  resource: null,
  code_challenge: null,
  code_challenge_method: null,
}

/** Completes the flow with a parameter that may change nothing, in a browser that has to sign in. */
const isIgnored =
  (changes: Fields): Check =>
  async () => {
    const { asked, tokens } = await complete(changes, createFormBrowser(origin))
    expect([asked, tokens.scope]).toEqual([true, 'openid'])
  }

/** Authorizes twice. The second time nobody is asked, and the ID token is about the same sign-in. */
async function expectSameSignIn(
  first: Fields,
  second: (first: Completed) => Fields,
): Promise<Completed> {
  const before = await complete(first)
  clock.now += 1
  const after = await complete(second(before))
  expect(after.asked).toBe(false)
  expect([after.claims.sub, after.claims['auth_time']]).toEqual([
    before.claims.sub,
    before.claims['auth_time'],
  ])
  return after
}

/** Authorizes twice. The second time the person has to sign in again, which the ID token shows. */
async function expectSecondSignIn(seconds: number, changes: Fields): Promise<void> {
  const browser = createFormBrowser(origin)
  const before = await complete({ max_age: '15000' }, browser)
  clock.now += seconds
  const after = await complete(changes, browser)
  expect([before.asked, after.asked]).toEqual([true, true])
  expect(after.claims['auth_time']).toBe((before.claims['auth_time'] as number) + seconds)
}

async function expectInvalidGrant(response: Response): Promise<void> {
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: 'invalid_grant' })
}

type Check = () => Promise<void>

const PASSING: Readonly<Record<string, Check>> = {
  async 'oidcc-response-type-missing'() {
    const { callback } = await authorize({ response_type: null })
    expect(callback).toEqual(refusal('invalid_request'))
  },
  async 'oidcc-userinfo-get'() {
    await userinfo(await complete())
  },
  async 'oidcc-userinfo-post-header'() {
    await userinfo(await complete(), 'POST')
  },
  async 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow'() {
    await complete({ nonce: null })
  },
  'oidcc-display-page': isIgnored({ display: 'page' }),
  'oidcc-display-popup': isIgnored({ display: 'popup' }),
  'oidcc-prompt-login': () => expectSecondSignIn(1, { prompt: 'login' }),
  async 'oidcc-prompt-none-not-logged-in'() {
    const state = 'x'.repeat(128)
    const { asked, callback } = await authorize(
      { prompt: 'none', state },
      createFormBrowser(origin),
    )
    expect(asked).toBe(false)
    expect(callback).toEqual(refusal('login_required', state))
  },
  async 'oidcc-prompt-none-logged-in'() {
    await expectSameSignIn({}, () => ({ prompt: 'none' }))
  },
  'oidcc-max-age-1': () => expectSecondSignIn(2, { max_age: '1' }),
  async 'oidcc-max-age-10000'() {
    const { claims } = await expectSameSignIn({ max_age: '15000' }, () => ({ max_age: '10000' }))
    expect(claims['auth_time']).toBeTypeOf('number')
  },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': isIgnored({ extra: 'foobar' }),
  async 'oidcc-id-token-hint'() {
    await expectSameSignIn({}, ({ tokens }) => ({
      prompt: 'none',
      id_token_hint: tokens.id_token!,
    }))
  },
  async 'oidcc-login-hint'() {
    const request = { ...REQUEST, login_hint: 'buffy@school.example' }
    const page = await createFormBrowser(origin).open(authorizeUrl(origin, request))
    expect(page.text).toContain('value="buffy@school.example"')
    await isIgnored(request)()
  },
  'oidcc-ui-locales': isIgnored({ ui_locales: 'se' }),
  'oidcc-claims-locales': isIgnored({ claims_locales: 'se' }),
  async 'oidcc-codereuse'() {
    const { code } = await complete()
    await expectInvalidGrant(await redeem(code))
  },
  async 'oidcc-codereuse-30seconds'() {
    const { code, tokens } = await complete()
    clock.now += 30
    await expectInvalidGrant(await redeem(code))
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect((await fetch(`${origin}/api/oauth/userinfo`, { headers })).status).toBe(401)
  },
  async 'oidcc-ensure-registered-redirect-uri'() {
    const redirect_uri = 'http://127.0.0.1:7777/callback/fourth'
    const page = await member.open(authorizeUrl(origin, { ...REQUEST, redirect_uri }))
    expect([page.status, page.left]).toEqual([400, null])
  },
  async 'oidcc-ensure-post-request-succeeds'() {
    const { searchParams } = new URL(authorizeUrl(origin, REQUEST))
    const response = await fetch(`${origin}/oauth/authorize`, {
      method: 'POST',
      body: searchParams,
      redirect: 'manual',
    })
    expect(response.status).toBe(303)
    const location = new URL(response.headers.get('location')!, origin)
    const left = await signInAndAllow(member, location, { email: EMAIL })
    await exchange(Object.fromEntries(left.searchParams))
  },
  async 'oidcc-server-client-secret-post'() {
    await userinfo(await complete())
  },
  async 'oidcc-ensure-request-object-with-redirect-uri'() {
    const request = {
      ...REQUEST,
      ...BESIDE_REQUEST_OBJECT,
      redirect_uri: 'http://127.0.0.1:7777/other',
      request: requestObject(),
    }
    const page = await member.open(authorizeUrl(origin, request))
    expect([page.status, page.left]).toEqual([400, null])
  },
  async 'oidcc-refresh-token'() {
    const { tokens, claims } = await complete()
    expect(tokens.refresh_token).toMatch(/^[\w-]{43,}$/)
    const refresh = (fields: Fields): Promise<Response> =>
      fetch(`${origin}/api/oauth/token`, {
        method: 'POST',
        body: encode({ grant_type: 'refresh_token', ...fields }),
      })
    const refreshed = await refresh({
      ...PORTFOLIO_HUB,
      refresh_token: tokens.refresh_token,
      scope: 'openid',
    })
    expect([refreshed.status, refreshed.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const renewed = (await refreshed.json()) as Tokens
    expect(renewed).toMatchObject({ token_type: 'Bearer', expires_in: 3600 })
    expect(renewed.access_token).not.toBe(tokens.access_token)
    await userinfo({ tokens: renewed, claims })

    const refresh_token = renewed.refresh_token
    await expectInvalidGrant(await refresh({ client_id: 'study-buddy', refresh_token }))
    expect((await refresh({ ...PORTFOLIO_HUB, refresh_token })).status).toBe(200)
  },
  async 'oidcc-ensure-request-with-valid-pkce-succeeds'() {
    await complete()
  },
}

/** What the suite would not report as passed, with the result that it would report and what happens. */
const DEPARTING: Readonly<
  Record<string, readonly ['not applicable' | 'skipped' | 'warning', Check]>
> = {
  'oidcc-server': [
    'warning',
    async () => {
      const { claims, ...rest } = await complete()
      expect(Object.keys(claims).sort()).toEqual(
        ['aud', 'exp', 'iat', 'iss', 'nonce', 'org_id', 'sub'].sort(),
      )
      await userinfo({ claims, ...rest })
    },
  ],
  'oidcc-idtoken-signature': [
    'not applicable',
    async () => {
      const [header = ''] = (await complete()).tokens.id_token!.split('.')
      expect(JSON.parse(atob(header))).toMatchObject({ alg: 'ES256', kid: expect.any(String) })
    },
  ],
  'oidcc-idtoken-unsigned': [
    'not applicable',
    async () => {
      expect(await metadata()).toMatchObject({ id_token_signing_alg_values_supported: ['ES256'] })
    },
  ],
  'oidcc-userinfo-post-body': [
    'warning',
    async () => {
      const { tokens } = await complete()
      const response = await fetch(`${origin}/api/oauth/userinfo`, {
        method: 'POST',
        body: encode({ access_token: tokens.access_token }),
      })
      expect(response.status).toBe(401)
    },
  ],
  'oidcc-scope-profile': [
    'warning',
    async () => {
      const about = await userinfo(await complete({ scope: 'openid profile' }))
      expect(Object.keys(about).sort()).toEqual(['name', 'org_id', 'picture', 'roles', 'sub'])
    },
  ],
  'oidcc-scope-email': ['warning', () => expectEmail('openid email')],
  'oidcc-scope-address': ['skipped', () => expectNoScope('openid address')],
  'oidcc-scope-phone': ['skipped', () => expectNoScope('openid phone')],
  'oidcc-scope-all': ['skipped', () => expectNoScope('openid profile email address phone')],
  'oidcc-alternate-happy-flow': ['warning', () => expectEmail('email openid')],
  'oidcc-ensure-request-with-acr-values-succeeds': [
    'warning',
    async () => {
      const { claims } = await complete({ acr_values: '1 2' })
      expect(claims).not.toHaveProperty('acr')
    },
  ],
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': [
    'not applicable',
    async () => {
      const request_uri = 'https://client.example/request.jwt'
      const { callback } = await authorize({ ...BESIDE_REQUEST_OBJECT, request_uri })
      expect(callback).toEqual(refusal('request_uri_not_supported', null))
    },
  ],
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': [
    'skipped',
    async () => {
      const { callback } = await authorize({ ...BESIDE_REQUEST_OBJECT, request: requestObject() })
      expect(callback).toEqual(refusal('request_not_supported', null))
    },
  ],
  'oidcc-claims-essential': [
    'warning',
    async () => {
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
      const completed = await complete({ claims })
      expect(completed.claims).not.toHaveProperty('name')
      expect(await userinfo(completed)).not.toHaveProperty('name')
    },
  ],
}

const metadata = async (): Promise<object> =>
  (await (await fetch(`${origin}/.well-known/openid-configuration`)).json()) as object

/** The scope opens the address at UserInfo, and the ID token repeats it. */
async function expectEmail(scope: string): Promise<void> {
  const completed = await complete({ scope })
  const about = await userinfo(completed)
  expect(Object.keys(about).sort()).toEqual(['email', 'org_id', 'sub'])
  expect([about['email'], completed.claims['email']]).toEqual([EMAIL, EMAIL])
}

/** The suite skips a scope that the metadata does not list. */
async function expectNoScope(scope: string): Promise<void> {
  expect((await authorize({ scope })).callback).toEqual(refusal('invalid_scope'))
  const { scopes_supported } = (await metadata()) as { scopes_supported: readonly string[] }
  expect(scope.split(' ').every((name) => scopes_supported.includes(name))).toBe(false)
}

/** The modules that have their result without PKCE too, because they end with a refusal or a page, or are skipped before. */
const WITHOUT_PKCE: readonly string[] = [
  'oidcc-response-type-missing',
  'oidcc-ensure-registered-redirect-uri',
  'oidcc-ensure-request-object-with-redirect-uri',
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  'oidcc-scope-address',
  'oidcc-scope-phone',
  'oidcc-scope-all',
]
const NO_PKCE: Fields = { code_challenge: null, code_challenge_method: null }

describe('the modules of the Basic OP certification plan', () => {
  it('fail as the suite sends them for PKCE alone, as the page counts them [AUTH-36]', async () => {
    const inapplicable = Object.entries(DEPARTING).filter(([, [result]]) => result === 'not applicable') // prettier-ignore
    const failing = BASIC_OP_MODULES.filter(
      (module) =>
        !WITHOUT_PKCE.includes(module) &&
        !inapplicable.some(([name]) => name === module) &&
        module !== 'oidcc-ensure-request-with-valid-pkce-succeeds',
    )
    const { text } = PAGES.find(({ path }) => path === 'docs/look-up/standards.md')!
    expect(text).toContain(`${failing.length} modules fail`)
    const said = ran().plans['basic']!.modules.filter(([, result]) => result === 'FAILED')
    expect(said.map(([name]) => name)).toEqual(failing)
    for (const changes of [{}, { prompt: 'none' }])
      expect((await authorize({ ...NO_PKCE, prompt: 'none', ...changes })).callback).toEqual(refusal('invalid_request')) // prettier-ignore
    expect((await authorize({ ...NO_PKCE, response_type: null, prompt: 'none' })).callback).toEqual(refusal('invalid_request')) // prettier-ignore
    const object = { ...BESIDE_REQUEST_OBJECT, ...NO_PKCE, request: requestObject(NO_PKCE) }
    expect((await authorize(object)).callback).toEqual(refusal('request_not_supported', null))
    const redirect_uri = 'http://127.0.0.1:7777/callback/fourth'
    const page = await member.open(authorizeUrl(origin, { ...REQUEST, ...NO_PKCE, redirect_uri }))
    expect([page.status, page.left]).toEqual([400, null])
  })

  it('each pass, or have a row with the reason', () => {
    expect([...Object.keys(PASSING), ...Object.keys(DEPARTING)].sort()).toEqual(
      [...BASIC_OP_MODULES].sort(),
    )
    const { text } = PAGES.find(({ path }) => path === 'docs/look-up/standards.md')!
    const [, section = ''] = text.split('\n## Basic OP\n')
    expect(section).toContain(
      `\n${Object.keys(PASSING).length} of the ${BASIC_OP_MODULES.length} modules pass.`,
    )
    const rows = rowsOf(section.split('\n## ', 1)[0]!)
    expect(rows.map(([module, result]) => [module, result])).toEqual(
      Object.entries(DEPARTING).map(([module, [result]]) => [`\`${module}\``, result]),
    )
    // The suite leaves out what does not apply, and gives a person the picture of a page to look at.
    const said = ran().plans['basic-with-pkce']!.modules.map(([name, result]) => [
      name,
      result.toLowerCase().replace(/review|passed/, 'passes'),
    ])
    const expected = BASIC_OP_MODULES.map((name) => [name, DEPARTING[name]?.[0] ?? 'passes'])
    expect(said).toEqual(expected.filter(([, result]) => result !== 'not applicable'))
    expect(rows.filter(([, , reason = '', source = '']) => reason === '' || source === '')).toEqual(
      [],
    )
  })

  it.each(Object.entries(PASSING))('%s passes [AUTH-36]', (_, check) => check())

  it.each(
    Object.entries(DEPARTING).map(([module, [result, check]]) => [module, result, check] as const),
  )('%s has the result %s, as its row says [AUTH-36]', (_module, _result, check) => check())
})
