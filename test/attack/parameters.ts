import {
  type Attack,
  type AttackClass,
  faultOf,
  inTurn,
  pairs,
  sampled,
} from '../support/attack/run.js'
import fc from 'fast-check'
import { authorizePath, codeFields, form } from '../support/attack/requests.js'
import { OF_A_FLOW, type RungClass } from '../support/attack/rungs.js'
import type { Fields } from '../support/school/flow.js'
import {
  bearer, CALLBACK, FORM_HEADERS, JSON_HEADERS, MEMBER_SCOPES, VERIFIER,
} from '../support/attack/service.js' // prettier-ignore
import type { Answer } from '../support/attack/wire.js'

/** What is put where a value belongs. None of them is a value that the request could have had. */
const HOSTILE: readonly string[] = [
  '', ' ', 'a\u0000b', '\r\nx-injected: 1', '%0d%0ax-injected:%201', '\n', '\u2028', '\ud800',
  "' or '1'='1", "'; drop table hallpass_client; --", '" onload="window.pwned=1', '<x-pwned>', '${7*7}', '{{7*7}}',
  '%s%n%x', '../../../../etc/passwd', '__proto__', 'constructor', 'null',
  '-1', '1e309', '[]', '{"$ne":null}', 'x'.repeat(3000), '\u202eedoc', '\ufeffcode',
] // prettier-ignore

/** Fields of which this many hostile values are generated besides. */
const GENERATED = 3
const generated = (name: string): readonly string[] =>
  sampled(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), 200 + name.length).slice(
    name.length,
    name.length + GENERATED,
  )

/** Further parameters that the authorization endpoint knows, or that other servers know. */
const FURTHER = [
  'prompt', 'max_age', 'nonce', 'login_hint', 'response_mode', 'request', 'request_uri', 'claims', 'display',
  'ui_locales', 'id_token_hint', 'acr_values', 'registration', 'code', 'iss', 'error', 'client_secret',
] // prettier-ignore

/** Values of one parameter that specifications name, and that this server has no use for. */
const SPECIFIC: readonly (readonly [name: string, value: string])[] = [
  ['response_type', 'token'], ['response_type', 'id_token'], ['response_type', 'code token'], ['response_type', 'none'],
  ['response_type', 'CODE'], ['response_mode', 'fragment'], ['response_mode', 'form_post'], ['response_mode', 'query.jwt'],
  ['code_challenge_method', 'plain'], ['code_challenge_method', 's256'], ['code_challenge_method', 'S512'],
  ['code_challenge', VERIFIER], ['code_challenge', 'a'.repeat(42)], ['code_challenge', `${'a'.repeat(42)}=`],
  ['scope', 'account:read  openid'], ['scope', 'openid,account:read'], ['scope', 'courses:write'], ['scope', 'OPENID'],
  ['scope', 'admin'], ['scope', '*'], ['scope', 'openid openid'], ['resource', 'https://evil.test'],
  ['resource', 'http://127.0.0.1/'], ['resource', '/'], ['resource', '#'], ['prompt', 'none login'], ['prompt', 'NONE'],
  ['max_age', '-1'], ['max_age', '1.5'], ['max_age', '99999999999999999999'], ['request', 'eyJhbGciOiJub25lIn0.e30.'],
  ['request_uri', 'http://169.254.169.254/latest'], ['request_uri', 'urn:ietf:params:oauth:request_uri:x'],
] // prettier-ignore

/** A response of the authorization endpoint that gives nothing to anybody. */
function faultOfAuthorize({ headers }: Answer, origin: string): string | null {
  const location = headers['location']
  if (location === undefined) return null
  const url = new URL(String(location), origin)
  if (url.searchParams.has('code')) return 'it issued a code'
  const leaves = String(location).startsWith(CALLBACK)
  if (leaves && url.searchParams.get('iss') !== origin)
    return 'the redirect does not say who sent it'
  if (leaves && !url.searchParams.has('error')) return 'the redirect has no error'
  return null
}

/**
 * Authorization requests with what does not belong into them.
 *
 * @param pathOf - the path of one that is in order, with changes
 * @param further - parameters that it has not, which get hostile values as well
 */
function authorizations(
  origin: string,
  pathOf: (changes?: Fields) => string,
  further: readonly string[],
): readonly Attack[] {
  const authorize = (name: string, path: string, headers = {}): Attack => ({
    name: `authorize ${name}`,
    request: { path, headers },
    statuses: [303, 400],
    without: ['<x-pwned>', 'onload="window'],
    fault: (answer) => faultOfAuthorize(answer, origin),
  })
  const values = Object.fromEntries(new URL(pathOf(), origin).searchParams)
  const fields = Object.keys(values)
  const put = (name: string, text: string): string => `${pathOf({ [name]: null })}&${text}`
  return [
    ...[...fields, ...further].flatMap((name) =>
      [...HOSTILE, ...generated(name)].map((value) =>
        authorize(`${name}=${value.slice(0, 30)}`, pathOf({ [name]: value })),
      ),
    ),
    ...SPECIFIC.map(([name, value]) => authorize(`${name}=${value}`, pathOf({ [name]: value }))),
    ...fields.flatMap((name) => [
      authorize(`without ${name}`, pathOf({ [name]: null })),
      authorize(`${name} twice`, `${pathOf()}&${name}=x`),
      authorize(`${name} twice, alike`, `${pathOf()}&${name}=${encodeURIComponent(values[name]!)}`),
      authorize(`${name}[]`, put(name, `${name}[]=x`)),
      authorize(`${name} in another case`, put(name, `${name.toUpperCase()}=x`)),
      authorize(`${name} with broken escapes`, put(name, `${name}=%E0%A4%A`)),
      authorize(`${name} with bytes that are no text`, put(name, `${name}=%ff%fe`)),
    ]),
  ]
}

const refuses = (name: string, request: Attack['request'], statuses = [400, 401]): Attack => ({
  name,
  request,
  statuses,
  without: ['"access_token"', '"refresh_token"'],
  fault: ({ text }) =>
    text.includes('"error"') ? null : 'the refusal does not say which error it is',
})

/** Exchanges of a code with what does not belong into them. The code is still good afterwards. */
function redemptions(grantFields: Readonly<Record<string, string>>): readonly Attack[] {
  const token = (
    name: string,
    changes: Record<string, string | readonly string[] | null>,
  ): Attack => refuses(`redeem ${name}`, form('/api/oauth/token', { ...grantFields, ...changes }))
  const raw = `${new URLSearchParams(grantFields)}`
  return [
    ...pairs(Object.keys(grantFields), HOSTILE).map(([name, value]) =>
      token(`${name}=${value.slice(0, 30)}`, { [name]: value }),
    ),
    ...Object.entries(grantFields).flatMap(([name, value]) => [
      token(`without ${name}`, { [name]: null }),
      // RFC 8707 lets a client name several resources, and so the same one twice.
      ...(name === 'resource' ? [] : [token(`${name} twice`, { [name]: [value, value] })]),
      token(`${name} twice, one other`, { [name]: [value, 'x'] }),
      token(`${name} in another case`, { [name]: null, [name.toUpperCase()]: value }),
      token(`${name}[]`, { [name]: null, [`${name}[]`]: value }),
      token(`${name} with a space`, { [name]: `${value} ` }),
      token(`${name} with a NUL`, { [name]: `${value}\u0000` }),
    ]),
    ...['password', 'client_credentials', 'implicit', 'urn:ietf:params:oauth:grant-type:device_code',
      'urn:ietf:params:oauth:grant-type:jwt-bearer', 'urn:ietf:params:oauth:grant-type:token-exchange',
      'authorization_code refresh_token', 'AUTHORIZATION_CODE'].map((grant_type) =>
      token(`grant_type=${grant_type}`, { grant_type })),
    token('with a secret that it has not', { client_secret: 'x' }),
    ...['text/plain', 'application/json', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencodedx',
      'text/html', ''].map((type) =>
      refuses(`redeem as ${type}`, { path: '/api/oauth/token', body: raw, headers: { 'content-type': type } },
        [400, 415])),
    refuses('redeem in the query', { method: 'POST', path: `/api/oauth/token?${raw}`, body: '', headers: FORM_HEADERS }),
    refuses('redeem as JSON', { path: '/api/oauth/token', body: JSON.stringify(grantFields), headers: JSON_HEADERS }, [400, 415]),
    ...['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'].map((method): Attack => ({
      name: `redeem by ${method}`,
      request: { method, path: `/api/oauth/token?${raw}` },
      statuses: [405],
    })),
  ] // prettier-ignore
}

/** Registrations with members of a wrong type, and with addresses and contacts that no app may name. */
function registrations(): readonly Attack[] {
  const members = [
    'client_name', 'redirect_uris', 'token_endpoint_auth_method', 'grant_types', 'response_types', 'application_type',
    'client_uri', 'logo_uri', 'jwks_uri', 'scope', 'contacts', 'software_statement', 'client_id',
  ] // prettier-ignore
  const registers = pairs(
    members,
    [7, true, {}, [], [[]], [7], [null], [{}], { __proto__: 'x' }, 'x\u0000', ['\u0000'], 'javascript:alert(1)', 'x'.repeat(5000)],
  ).map(([member, value]): Attack => ({
    name: `register ${member}=${JSON.stringify(value).slice(0, 30)}`,
    request: {
      path: '/api/oauth/register',
      headers: JSON_HEADERS,
      // The last one of two members is what a lax parser takes, and this one refuses both.
      body: `{"redirect_uris":["http://127.0.0.1/cb"],"${member === 'redirect_uris' ? 'redirect_uris' : 'x'}":1,${JSON.stringify(member)}:${JSON.stringify(value)},"application_type":"web"}`,
    },
    statuses: [400],
    without: ['"client_secret":"hps_'],
  })) // prettier-ignore

  const LINKS = [
    'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', 'blob:https://notes.example/x', '//evil.test/', 'https:evil.test', 'https://', 'https://[::1', 'https://evil.test:99999/',
    'https://notes.example@evil.test/', 'https://notes.example:pw@evil.test/', 'https://evil.test\\@notes.example/', 'https:\\\\evil.test/', 'https://evil.test/ x', 'https://evil.test/\u202e',
    'https://evil.test/\u200b', 'https://n\u043etes.example/', 'https://evil.test/\u0000', 'https://evil.test/\r\nx: 1', ' https://evil.test/', `https://evil.test/${'x'.repeat(2048)}`,
  ] // prettier-ignore
  const CONTACTS = [
    ['x'.repeat(257)],
    Array(6).fill('a'),
    ['a\u202eb'],
    ['\u200b'],
    ['a\nb'],
    'a',
    [['a']],
  ]
  const says = [
    ...pairs(['client_uri', 'policy_uri', 'tos_uri', 'logo_uri', 'jwks_uri'], LINKS),
    ...CONTACTS.map((contacts) => ['contacts', contacts] as const),
  ].map(([member, value]): Attack => ({
    name: `register, saying ${member}=${JSON.stringify(value).slice(0, 40)}`,
    request: {
      path: '/api/oauth/register',
      headers: JSON_HEADERS,
      body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'], [member]: value }),
    },
    statuses: [400],
    without: ['"client_id"'],
  })) // prettier-ignore
  return [...registers, ...says]
}

/** Values that no caller may send must end in an error, whoever reads them. */
export const parameters: AttackClass = {
  name: 'parameters',
  least: 1400,
  async build(service) {
    const origin = service.origin.lantern
    const code = await service.mintCode()
    const { refreshToken } = await service.mint({
      clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES,
    }) // prettier-ignore
    const { accessToken } = await service.mint({ clientId: 'portfolio-hub', subject: 'mem_l05', scopes: MEMBER_SCOPES }) // prettier-ignore

    const grantFields = codeFields(origin, code)
    const token = (name: string, changes: Fields): Attack =>
      refuses(`redeem ${name}`, form('/api/oauth/token', { ...grantFields, ...changes }))
    const refresh = (
      name: string,
      changes: Record<string, string | readonly string[] | null>,
    ): Attack =>
      refuses(`refresh ${name}`, form('/api/oauth/token', { ...refreshFields, ...changes }))
    const refreshFields = {
      grant_type: 'refresh_token', refresh_token: refreshToken, client_id: 'study-buddy', resource: origin,
    } // prettier-ignore
    const tokens: readonly Attack[] = [
      ...redemptions(grantFields),
      ...['desk-cli', 'graphiql', 'portfolio-hub', 'glaze-notes', 'old-tracker', 'claude',
        'https://notes.example/client.json'].map((client_id) => token(`as ${client_id}`, { client_id })),
      ...['portfolio-hub', 'study-buddy', 'desk-cli'].map((id) =>
        refuses(`redeem with Basic of ${id}`, form('/api/oauth/token', { ...grantFields, client_id: null }, {
          authorization: `Basic ${Buffer.from(`${id}:portfolio-hub-demo-secret`).toString('base64')}`,
        }))),
      ...pairs(['grant_type', 'refresh_token', 'client_id'], HOSTILE).map(([name, value]) =>
        refresh(`${name}=${value.slice(0, 30)}`, { [name]: value })),
      ...['desk-cli', 'portfolio-hub', 'graphiql', 'nobody'].map((client_id) => refresh(`as ${client_id}`, { client_id })),
      ...['courses:read', 'openid account:read account:write', 'account:write', 'admin'].map((scope) =>
        refresh(`for ${scope}`, { scope })),
      refresh('for another resource', { resource: 'https://evil.test' }),
      refresh('with the access token', { refresh_token: accessToken }),
      refresh('with a code', { refresh_token: code }),
    ] // prettier-ignore

    const confidential = {
      client_id: 'portfolio-hub',
      client_secret: 'portfolio-hub-demo-secret',
      token: accessToken,
    }
    const others: readonly Attack[] = [
      ...pairs(['client_id', 'client_secret'], HOSTILE).flatMap(([name, value]) => [
        refuses(`introspect ${name}=${value.slice(0, 30)}`, form('/api/oauth/introspect', { ...confidential, [name]: value })),
        refuses(`revoke ${name}=${value.slice(0, 30)}`, form('/api/oauth/revoke', { ...confidential, [name]: value })),
      ]),
      ...HOSTILE.map((value): Attack => ({
        name: `introspect token=${value.slice(0, 30)}`,
        request: form('/api/oauth/introspect', { ...confidential, token: value }),
        statuses: [200, 400],
        without: ['"active":true'],
      })),
      ...[...HOSTILE, refreshToken].map((value): Attack => ({
        name: `revoke token=${value.slice(0, 30)}`,
        request: form('/api/oauth/revoke', { ...confidential, token: value }),
        statuses: [200, 400],
      })),
      {
        name: 'introspect a token of another client',
        request: form('/api/oauth/introspect', { ...confidential, token: refreshToken }),
        statuses: [200],
        fault: ({ text }) => (text === '{"active":false}' ? null : 'it told more than that'),
      },
      ...['study-buddy', 'desk-cli'].map((client_id) =>
        refuses(`introspect as ${client_id}`, form('/api/oauth/introspect', { client_id, token: refreshToken }))),
    ] // prettier-ignore

    const logos = [
      '',
      'x',
      'x'.repeat(43),
      '%00',
      '..%2fassets%2fschool.css',
      `${'x'.repeat(42)}'`,
    ].map((name): Attack => ({
      name: `the logo ${name}`,
      request: { path: `/app-logos/${name}` },
      statuses: [404],
    }))

    const grants = async (): Promise<number> => {
      const { rows } = await service.execute(
        "select count(*)::int as n from hallpass_grant where site = 'site_lantern'", [],
      ) // prettier-ignore
      return (rows as { n: number }[])[0]!.n
    }
    const before = await grants()
    const { rows: logoRows } = await service.execute(
      "select digest from school_app_logo where site = 'site_lantern'", [],
    ) // prettier-ignore
    const [{ digest }] = logoRows as [{ digest: string }]
    return {
      attacks: [
        ...authorizations(origin, (changes) => authorizePath(origin, changes), FURTHER),
        ...tokens,
        ...others,
        ...registrations(),
        ...logos,
      ],
      controls: [
        {
          name: 'redeem, with the code that all of them have seen',
          request: form('/api/oauth/token', grantFields),
          statuses: [200],
        },
        { name: 'refresh', request: form('/api/oauth/token', refreshFields), statuses: [200] },
        {
          name: 'the logo of a reviewed app',
          request: { path: `/app-logos/${digest}` },
          statuses: [200],
          fault: ({ headers }) =>
            headers['content-type'] === 'image/png' &&
            headers['x-content-type-options'] === 'nosniff'
              ? null
              : `it is ${String(headers['content-type'])}`,
        },
        {
          name: 'introspect',
          request: form('/api/oauth/introspect', confidential),
          statuses: [200],
          fault: ({ text }) => (text.includes('"active":true') ? null : 'the token is not alive'),
        },
        {
          name: 'read UserInfo',
          request: { path: '/api/oauth/userinfo', headers: bearer(accessToken) },
          statuses: [200],
        },
      ],
      // What the controls stored, and no more: one grant, two pairs of tokens.
      changes: {
        hallpass_code: 0,
        hallpass_grant: 1,
        hallpass_access_token: 2,
        hallpass_refresh_token: 2,
        hallpass_client: 0,
      },
      after: async () => {
        const now = await grants()
        return now === before + 1 ? [] : [`${now - before} grants instead of 1`]
      },
    }
  },
}

/** The same for a rung. */
export const parametersOfRung: RungClass = {
  name: parameters.name,
  needs: ['registration'],
  least: 950,
  async build(rung) {
    const { issuer, authorize, clientId, grant } = rung
    const { refreshToken } = await grant('staff')
    const own = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, resource: issuer } // prettier-ignore
    const refresh = (name: string, changes: Fields): Attack =>
      refuses(`refresh ${name}`, form('/api/oauth/token', { ...own, ...changes }))
    return {
      attacks: [
        ...authorizations(issuer, authorize, []),
        ...registrations(),
        ...pairs(Object.keys(own), HOSTILE)
          .filter(([name]) => name !== 'resource')
          .map(([name, value]) => refresh(`${name}=${value.slice(0, 30)}`, { [name]: value })),
        ...['courses:write', 'account:read', 'admin'].map((scope) => refresh(`for ${scope}`, { scope })), // prettier-ignore
        refresh('for another resource', { resource: 'https://evil.test' }),
        ...pairs(['introspect', 'revoke'], HOSTILE).map(([what, value]) => ({
          name: `${what} ${value.slice(0, 30)}`,
          request: form(`/api/oauth/${what}`, { client_id: clientId, token: value }),
          statuses: [200, 400, 401],
          without: ['"active":true'],
        })),
        {
          // A code is good for a minute, so this is sent in one go.
          name: 'a code',
          times: 250,
          async run(_, judge) {
            const fields = await rung.code()
            const faults: string[] = []
            // Fastify itself refuses a type that is none.
            const attacks = redemptions(fields).filter(({ name }) => name !== 'redeem as ')
            await inTurn(attacks, 4, async (attack) => {
              const fault = await faultOf(attack, rung, judge)
              if (fault !== null) faults.push(`${attack.name}: ${fault}`)
            })
            const { status, text } = await rung.send(form('/api/oauth/token', fields))
            return status === 200 ? faults : [...faults, `then, as it is: ${status} ${text}`]
          },
        },
      ],
      controls: [{ name: 'refresh', request: form('/api/oauth/token', own), statuses: [200] }],
      changes: OF_A_FLOW,
    }
  },
}
