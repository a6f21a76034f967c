import fc from 'fast-check'
import { PATHS } from 'hallpass/authorization-server'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../support/http/characters.js'
import {
  approve,
  authorizationUrl,
  codeForm,
  encode,
  type Fields,
  post,
  redeem,
  refresh,
  signIn,
} from '../support/school/flow.js'
import { recordingStore, storeWithoutNul } from '../support/school/stores.js'
import { rounds } from '../support/run/rounds.js'
import {
  createSchool,
  ISSUER,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

const NAMES = [
  'grant_type', 'code', 'redirect_uri', 'client_id', 'client_secret', 'code_verifier', 'resource', 'refresh_token',
  'scope', 'token', 'token_type_hint', 'response_type', 'response_mode', 'state', 'nonce', 'prompt', 'max_age',
  'login_hint', 'code_challenge', 'code_challenge_method', 'request', 'request_uri', 'csrf_token', 'decision',
] // prettier-ignore
const VALUES = [
  'authorization_code', 'refresh_token', 'study-buddy', 'portfolio-hub', 'acme-agents', PORTFOLIO_SECRET, ISSUER,
  `${ISSUER}/mcp`, 'http://127.0.0.1:7777/callback', 'openid account:read', 'code', 'S256', 'none', 'login', '0', '-1',
  'allow', '__proto__', 'constructor', "' OR 1=1--", '{"$gt":""}', '\u0000', '\r\n', '\ud800', '%', '../..', 'A'.repeat(43),
] // prettier-ignore

const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NAMES) },
  fc.string({ unit: anyCharacter }),
)
const value = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...VALUES) },
  fc.string({ unit: anyCharacter }),
  fc.string({ minLength: 1000, maxLength: 3000 }),
)
const form = fc.array(fc.tuple(name, value), { maxLength: 15 })
const text = fc.oneof(
  { weight: 3, arbitrary: form.map((pairs) => new URLSearchParams(pairs).toString()) },
  fc.string({ unit: anyCharacter }),
  fc.stringMatching(/^[a-z_=&%+0-9A-F[\]]*$/),
)
const headerText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,60}[\x21-\x7e])?$/)
const headers = fc.record(
  {
    authorization: fc.oneof(
      headerText,
      headerText.map((token) => `Bearer ${token}`),
    ),
    cookie: fc.oneof(
      headerText,
      headerText.map((id) => `__Host-hallpass=${id}`),
    ),
    origin: headerText,
    'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'none', 'x'),
    'if-none-match': headerText,
  },
  { requiredKeys: [] },
)
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH')
const type = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/x-www-form-urlencoded') },
  fc.constantFrom('application/json', 'text/plain', 'multipart/form-data; boundary=x'),
)
const path = fc.oneof(
  fc.constantFrom(...Object.values(PATHS)),
  fc.stringMatching(/^[\w%./-]{0,60}$/).map((id) => `${PATHS.interaction}/${id}`),
)

describe('whatever is sent', () => {
  it('no endpoint answers with a 5xx, or says why to anybody but the operator [F-18, LOG-04, ST-04]', async () => {
    const school = await createSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const request = fc.record({ path, method, query: text, body: text, type, headers })
    await fc.assert(
      fc.asyncProperty(request, async ({ path, method, query, body, type, headers }) => {
        const response = await school.fetch(`${ISSUER}${path}?${query}`, {
          method,
          headers: { ...headers, 'content-type': type },
          ...(method !== 'GET' && method !== 'HEAD' && { body }),
        })
        expect(response.status).toBeLessThan(500)
        expect(school.faults).toEqual([])
      }),
      { numRuns: rounds(600, { soak: 3000 }) },
    )
  })

  it('registration answers any JSON with 201 or 400 [REG-21]', async () => {
    const school = await createSchool()
    const member = fc.constantFrom('redirect_uris', 'client_name', 'token_endpoint_auth_method', 'application_type', 'grant_types', 'response_types', 'logo_uri', '__proto__') // prettier-ignore
    const known = fc.constantFrom<unknown>(
      null,
      'Acme Agents',
      'none',
      'native',
      ['http://127.0.0.1/'],
      ['authorization_code'],
      ['code'],
    )
    const metadata = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(member, fc.oneof(known, fc.jsonValue()), { maxKeys: 8 }),
    )
    await fc.assert(
      fc.asyncProperty(metadata, async (value) => {
        const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
          method: 'POST',
          body: JSON.stringify(value),
          headers: { 'content-type': 'application/json' },
        })
        expect([201, 400]).toContain(response.status)
        expect(school.faults).toEqual([])
      }),
      { numRuns: rounds(300, { soak: 1500 }) },
    )
  })

  it('no exchange with any one field changed gives tokens, and none consumes the code [F-18, TOKC-06, TOKC-07, TOKC-08, TOKC-16]', async () => {
    const school = await createSchool()
    const code = await approve(school)
    const fields = fc.constantFrom(
      'grant_type',
      'code',
      'redirect_uri',
      'client_id',
      'code_verifier',
    )
    await fc.assert(
      fc.asyncProperty(fields, fc.option(value), async (field, changed) => {
        fc.pre(changed !== codeForm(code)[field])
        const response = await redeem(school, code, { [field]: changed })
        expect([400, 401]).toContain(response.status)
      }),
      { numRuns: rounds(200, { soak: 500 }) },
    )
    expect((await redeem(school, code)).status).toBe(200)
  })

  it('a refresh gives no scope that was not granted [REFR-09, REFR-10]', async () => {
    const school = await createSchool()
    const granted = ['openid', 'email', 'account:read']
    const scopes = fc.uniqueArray(
      fc.constantFrom(
        ...granted,
        'profile',
        'account:write',
        'courses:read',
        'offline_access',
        'x',
      ),
      { minLength: 1, maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(scopes, async (asked) => {
        const { refresh_token } = await signIn(school, { scope: granted.join(' ') })
        const response = await refresh(school, refresh_token, { scope: asked.join(' ') })
        const effective = asked.filter((scope) => scope !== 'offline_access')
        const allowed = effective.length > 0 && effective.every((scope) => granted.includes(scope))
        expect(response.status).toBe(allowed ? 200 : 400)
        if (allowed) expect(await response.json()).toMatchObject({ scope: effective.join(' ') })
      }),
      { numRuns: 200 },
    )
  })
})

describe('an injection in any one parameter', () => {
  const INJECTIONS = [
    "' OR 1=1--", "'; DROP TABLE hallpass_grant;--", '{"$gt":""}', '[$ne]=x', '*', '%', '../../etc/passwd', '${jndi:ldap://x}',
    '{{7*7}}', '<script>alert(1)</script>', '\u0000', '\r\nX: y', '__proto__', 'constructor', 'toString', 'study-buddy\u200b',
  ] // prettier-ignore

  it.each(INJECTIONS)('has no effect: %j [ST-04]', async (injection) => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const code = await approve(school)
    const { refresh_token } = await signIn(school)
    const before = calls.length
    const forms: readonly [string, Fields][] = [
      ['/api/oauth/token', codeForm(code)],
      [
        '/api/oauth/token',
        { grant_type: 'refresh_token', refresh_token, client_id: 'study-buddy' },
      ],
      ['/api/oauth/revoke', { token: 'x', client_id: 'study-buddy' }],
      [
        '/api/oauth/introspect',
        { token: 'x', client_id: 'portfolio-hub', client_secret: PORTFOLIO_SECRET },
      ],
    ]
    for (const [path, fields] of forms)
      for (const field of Object.keys(fields)) {
        const { status } = await post(school, path, { ...fields, [field]: injection })
        expect(status).toBeLessThan(500)
      }
    for (const field of authorizationUrl().searchParams.keys()) {
      const response = await school.fetch(authorizationUrl({ [field]: injection }))
      expect(response.status).toBeLessThan(500)
      expect(response.headers.get('location') ?? '').not.toMatch(/[\r\n<>]|\{\{/)
    }
    expect(school.faults).toEqual([])
    const written = calls
      .slice(before)
      .map((call) => call.method)
      .filter((one) => !one.startsWith('find') && one !== 'listKeys')
    // A state or a verifier may be any text; nothing else that was injected got as far as a write.
    expect(new Set(written)).toEqual(
      new Set(injection.includes('\u0000') || injection.includes('\r') ? [] : ['savePending']),
    )
    expect((await redeem(school, code)).status).toBe(200)
    expect((await refresh(school, refresh_token)).status).toBe(200)
  })

  const NUL = { client_id: 'study\u0000buddy' }
  // The client is looked up by whatever was sent, and a store that refuses it passes for one that is down.
  it.each<[string, (school: School) => Promise<Response>]>([
    ['the authorization endpoint', (school) => school.fetch(authorizationUrl(NUL))],
    ['the exchange of a code', (school) => redeem(school, 'x', NUL)],
    ['a refresh', (school) => refresh(school, 'x', NUL)],
    ['the revocation', (school) => post(school, '/api/oauth/revoke', { token: 'x', ...NUL })],
    ['introspection', (school) => post(school, '/api/oauth/introspect', { token: 'x', ...NUL })],
  ])('is no outage at %s where the store takes no NUL [ST-04, F-18]', async (_, call) => {
    const school = await createSchool({ store: storeWithoutNul() })
    expect((await call(school)).status).toBeLessThan(500)
    expect(school.faults).toEqual([])
  })

  it('is nothing in the name of a parameter either', async () => {
    const school = await createSchool()
    const code = await approve(school)
    for (const injection of INJECTIONS) {
      const body = encode({ ...codeForm('x'), [injection]: 'x' })
      const response = await school.fetch(`${ISSUER}/api/oauth/token`, { method: 'POST', body })
      expect(response.status).toBe(400)
    }
    expect((await redeem(school, code)).status).toBe(200)
  })
})
