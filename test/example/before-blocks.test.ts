import { fileURLToPath } from 'node:url'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { expectUnchanged } from '../support/docs/digests.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { authorizeUrl } from '../support/http/running-flow.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { REDIRECT } from '../support/school/flow.js'
import { APPENDIX_B } from '../vectors/rfc7636.js'

// What the examples answered before there were opt-in blocks (commit 1d4fb50a), byte for byte but for identifiers, keys and
// times, as digests: where one has changed, the failure shows the answer. They are not written anew when a block comes: a
// block that is not switched on changes nothing of it.

let school: SharedExample
let origin: string
beforeAll(async () => {
  school = await sharedExample()
  origin = school.origin
})

type Fields = Readonly<Record<string, string>>
type Question = readonly [what: string, path: string, init?: RequestInit]

const PAGE = 'http://localhost:5173'
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Three parts that look like those of a signed JWT. */
const JWT = `${Buffer.from('{"alg":"ES256","typ":"dpop+jwt"}').toString('base64url')}.e30.c2lnbmF0dXJl`
const WELL_KNOWN = [
  'openid-configuration',
  'oauth-authorization-server',
  'oauth-protected-resource',
  'oauth-protected-resource/mcp',
  'oauth-protected-resource/mcp/signed-in',
  'oauth-protected-resource/mcp/member',
  'oauth-protected-resource/account/graphql',
].map((name) => `/.well-known/${name}`)
const [TOKEN, REVOKE, INTROSPECT, REGISTER, USERINFO] = [
  'token',
  'revoke',
  'introspect',
  'register',
  'userinfo',
].map((name) => `/api/oauth/${name}`) as [string, string, string, string, string]
/** The paths of blocks: there is nothing. */
const NOWHERE = [
  '/api/oauth/par',
  '/api/oauth/device_authorization',
  '/api/oauth/device',
  '/oauth/par',
  '/oauth/device',
  '/oauth/device/x',
  '/device',
]

const post = (fields: Fields, headers: Fields = {}): RequestInit => ({
  method: 'POST',
  headers,
  body: new URLSearchParams(fields),
})
const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const preflight = (method: string): RequestInit => ({
  method: 'OPTIONS',
  headers: {
    origin: PAGE,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization, content-type, dpop',
  },
})

/** What Next.js adds to every answer. */
const OF_NEXT =
  /rsc, next-router-state-tree, next-router-prefetch, next-router-segment-prefetch(?:, )?/
/** What one connection, one moment or one run makes different. */
const OF_TRANSPORT =
  /^(?:date|connection|keep-alive|transfer-encoding|content-length|content-encoding)$/

const masked = (text: string): string =>
  text
    .replaceAll(origin, 'https://school.example')
    .replaceAll(encodeURIComponent(origin), encodeURIComponent('https://school.example'))
    .replace(/\b(?:req_[\w-]+|reg_[\w-]{16,})/g, '…')
    .replace(
      /("(?:kid|x|y|client_id|client_secret|access_token|refresh_token)":")[^"]{20,}/g,
      '$1…',
    )
    .replace(/(\/oauth\/interaction\/)[\w-]{43}/g, '$1…')
    .replace(/("(?:client_id_issued_at|iat|exp|auth_time)":)\d+/g, '$1…')
    .replace(/((?:^|\n)set-cookie: [\w-]+=)[^;]+/g, '$1…')
    .replace(/etag: (?:W\/)?"[^"]+"/g, 'etag: …')
    .replace(/"id_token":"([^"]+)"/, (_, token: string) => `"id_token":${partsOf(token)}`)

const describe = (name: string, value: unknown): Written => [name, masked(JSON.stringify(value))]

/** The algorithm and the names in an ID token, whose values are others each time. */
const partsOf = (token: string): string =>
  JSON.stringify([decodeProtectedHeader(token).alg, ...Object.keys(decodeProtectedHeader(token)), '|', ...Object.keys(decodeJwt(token))]) // prettier-ignore

/** Writes down all of an answer: of a page its title, since its text is that of the example. */
async function written(response: Response): Promise<string> {
  const headers = [...response.headers]
    .filter(([name]) => !OF_TRANSPORT.test(name))
    .map(([name, value]) => [name, name === 'vary' ? value.replace(OF_NEXT, '') : value])
    .flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]))
  const text = await response.text()
  const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
  const [shown = ''] = isPage ? (/<title>.*?<\/title>/.exec(text) ?? []) : [text]
  const lines = masked([response.status, ...headers, shown].join('\n'))
    .trimEnd()
    .split('\n')
  return lines.map((line) => `    ${line}`.trimEnd()).join('\n')
}

/** Asks everything, and writes down what it answers. */
async function allOf(questions: readonly Question[]): Promise<readonly Written[]> {
  const all: Written[] = []
  for (const [what, path, init] of questions) {
    const answer = await written(await fetch(origin + path, { ...init, redirect: 'manual' }))
    all.push([`${init?.method ?? 'GET'} ${path.split('?', 1)[0]!}: ${what}`, answer])
  }
  return all
}

type Written = readonly [name: string, text: string]

function expectAsBefore(name: string, all: readonly Written[]): Promise<void> {
  const texts = new Map(all)
  expect(texts.size).toBe(all.length)
  return expectUnchanged(
    texts,
    fileURLToPath(new URL(`before-blocks/${name}.txt`, import.meta.url)),
  )
}

interface Registered {
  readonly client_id: string
  readonly client_secret: string
}
const CONFIDENTIAL = {
  client_name: 'Course Desk',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'client_secret_post',
}
const register = async (body: object): Promise<Registered> =>
  (await (await fetch(origin + REGISTER, json(body))).json()) as Registered

it('publishes what it published before there were blocks [BLK-07]', async () => {
  await expectAsBefore('published', [
    ...(await allOf([
      ...[...WELL_KNOWN, '/.well-known/jwks.json'].flatMap((path): readonly Question[] => [
        ['read', path],
        ['read by a page', path, { headers: { origin: PAGE } }],
        ['a preflight', path, preflight('GET')],
      ]),
      ...NOWHERE.flatMap((path): readonly Question[] => [
        ['read', path],
        ['a form', path, post({ client_id: 'study-buddy' })],
        ['a preflight', path, preflight('POST')],
      ]),
      ['metadata of a resource by its path', '/.well-known/oauth-authorization-server/mcp'],
    ])),
    ...(await (await fetch(`${origin}/auth.md`, { headers: { accept: 'text/markdown' } })).text())
      .split(/^## /m)
      // The rate limits are as the environment has them.
      .filter((section) => !/^\d+\. Limits\n/.test(section))
      .map((section): Written => [`/auth.md, ${section.split('\n', 1)[0]!}`, masked(section)]),
  ])
})

it('describes each operation and schema of OAuth as it did before there were blocks [BLK-07]', async () => {
  const description = (await (await fetch(`${origin}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, object>>
    components: Record<string, Record<string, object>>
  }
  const isOfOauth = (path: string): boolean =>
    /^\/(?:oauth|api\/oauth|\.well-known)\b/.test(path) || NOWHERE.includes(path)
  const operations = Object.entries(description.paths)
    .filter(([path]) => isOfOauth(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => describe(`${method} ${path}`, one)),
    )
  const used = new Set<string>()
  const collect = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/(\w+\/[\w.-]+)"/g)) {
      if (used.has(name!)) continue
      used.add(name!)
      const [kind = '', key = ''] = name!.split('/')
      collect(description.components[kind]?.[key] ?? null)
    }
  }
  collect(Object.entries(description.paths).filter(([path]) => isOfOauth(path)))
  const components = [...used].sort().map((name) => {
    const [kind = '', key = ''] = name.split('/')
    return describe(name, description.components[kind]?.[key])
  })
  expect(operations.length).toBeGreaterThan(15)
  await expectAsBefore('openapi', [
    ...operations,
    ...components,
    describe('securitySchemes', description.components['securitySchemes']),
    ['the paths', Object.keys(description.paths).join('\n')],
  ])
})

it('answers clients as it did before there were blocks [BLK-07]', async () => {
  const { client_id, client_secret } = await register(CONFIDENTIAL)
  const own = { client_id, client_secret }
  const assertion = { client_assertion: JWT, client_assertion_type: ASSERTION_TYPE }
  const proof = { dpop: JWT }
  const noCode = { grant_type: 'authorization_code', code: 'none', redirect_uri: REDIRECT, code_verifier: 'v'.repeat(43) } // prettier-ignore
  const grant = (grant_type: string, fields: Fields = {}): RequestInit =>
    post({ grant_type, ...own, ...fields })
  const kinds: readonly (readonly [string, object])[] = [
    ['a public client', { client_name: 'Course Desk', redirect_uris: [REDIRECT] }],
    ['a client with a secret', CONFIDENTIAL],
    ['private_key_jwt, keys by address', { ...CONFIDENTIAL, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://desk.example/jwks' }], // prettier-ignore
    ['private_key_jwt, keys inline', { ...CONFIDENTIAL, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }], // prettier-ignore
    ['client_secret_basic', { ...CONFIDENTIAL, token_endpoint_auth_method: 'client_secret_basic' }],
    ['tls_client_auth', { ...CONFIDENTIAL, token_endpoint_auth_method: 'tls_client_auth' }],
    ['tokens bound by DPoP', { ...CONFIDENTIAL, dpop_bound_access_tokens: true }],
    ['requests that are pushed', { ...CONFIDENTIAL, require_pushed_authorization_requests: true }],
    ['keys that it does not use', { ...CONFIDENTIAL, jwks: { keys: [] }, jwks_uri: 'https://desk.example/jwks' }], // prettier-ignore
    ['more grants', { ...CONFIDENTIAL, grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer'] }], // prettier-ignore
    ['another grant only', { ...CONFIDENTIAL, grant_types: ['client_credentials'] }],
    ['a signed request object', { ...CONFIDENTIAL, request_object_signing_alg: 'ES256', request_uris: ['https://desk.example/r'] }], // prettier-ignore
  ]
  const authorize = (fields: Fields): string => authorizeUrl(origin, fields).slice(origin.length)
  await expectAsBefore(
    'answered',
    await allOf([
      ...kinds.map(([what, body]): Question => [what, REGISTER, json(body)]),
      ['a preflight', REGISTER, preflight('POST')],
      ['plain', authorize({})],
      ['a key of DPoP', authorize({ dpop_jkt: 'A'.repeat(43) })],
      ['a pushed request', authorize({ request_uri: 'urn:ietf:params:oauth:request_uri:x' })],
      [
        'a pushed request and no more',
        `/oauth/authorize?client_id=study-buddy&request_uri=urn%3Ax`,
      ],
      ['a request by address', authorize({ request_uri: 'https://desk.example/request' })],
      ['a request object', authorize({ request: JWT })],
      ['authorization details', authorize({ authorization_details: '[]' })],
      ['nobody', TOKEN, post(noCode)],
      ['an unknown client', TOKEN, post({ ...noCode, client_id: 'nobody' })],
      ['a wrong secret', TOKEN, post({ ...noCode, client_id, client_secret: 'wrong' })],
      ['HTTP Basic', TOKEN, post(noCode, { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` })], // prettier-ignore
      ['an assertion', TOKEN, post({ ...noCode, ...assertion })],
      ['an assertion and an identifier', TOKEN, post({ ...noCode, client_id, ...assertion })],
      ['an assertion and a secret', TOKEN, post({ ...noCode, ...own, ...assertion })],
      ['an assertion of another type', TOKEN, post({ ...noCode, client_id, client_assertion: JWT, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' })], // prettier-ignore
      ['an assertion without a type', TOKEN, post({ ...noCode, client_id, client_assertion: JWT })],
      ['a token of DPoP', TOKEN, post({ ...noCode, ...own }, { authorization: 'DPoP x' })],
      ['a proof', TOKEN, post({ ...noCode, ...own }, proof)],
      ['an OAuth-Client-Attestation', TOKEN, post({ ...noCode, ...own }, { 'oauth-client-attestation': JWT, 'oauth-client-attestation-pop': JWT })], // prettier-ignore
      ['a preflight', TOKEN, preflight('POST')],
      ['none', TOKEN, post(own)],
      ['client credentials', TOKEN, grant('client_credentials', { scope: 'courses:read' })],
      ['client credentials, public', TOKEN, post({ grant_type: 'client_credentials', client_id: 'study-buddy' })], // prettier-ignore
      ['the grant of an assertion', TOKEN, grant('urn:ietf:params:oauth:grant-type:jwt-bearer', { assertion: JWT })], // prettier-ignore
      ['a device', TOKEN, grant('urn:ietf:params:oauth:grant-type:device_code', { device_code: 'x' })], // prettier-ignore
      ['a token exchange', TOKEN, grant('urn:ietf:params:oauth:grant-type:token-exchange', { subject_token: JWT })], // prettier-ignore
      ['CIBA', TOKEN, grant('urn:openid:params:grant-type:ciba', { auth_req_id: 'x' })],
      ['a password', TOKEN, grant('password', { username: 'x', password: 'x' })],
      ['an unknown one', TOKEN, grant('x')],
      ['an unknown refresh token', TOKEN, grant('refresh_token', { refresh_token: 'x' })],
      ['an unknown code', TOKEN, grant('authorization_code', noCode)],
      ...[REVOKE, INTROSPECT].flatMap((path): readonly Question[] => [
        ['nobody', path, post({ token: 'x' })],
        ['a wrong secret', path, post({ token: 'x', client_id, client_secret: 'wrong' })],
        ['an assertion', path, post({ token: 'x', client_id, ...assertion })],
        ['an unknown token', path, post({ token: 'x', ...own })],
        ['an unknown token and a proof', path, post({ token: 'x', ...own }, proof)],
        ['a preflight', path, preflight('POST')],
      ]),
      ...[USERINFO, '/mcp', '/mcp/member', '/account/graphql', '/api/v1/courses'].flatMap(
        (path): readonly Question[] => {
          const get = path === USERINFO || path === '/api/v1/courses'
          const request = (headers: Fields): RequestInit =>
            get
              ? { headers }
              : {
                  ...json(path.startsWith('/mcp') ? { jsonrpc: '2.0', id: 1, method: 'ping' } : { query: '{ viewer { id } }' }), // prettier-ignore
                  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, // prettier-ignore
                }
          return [
            ['no token', path, request({})],
            ['an unknown token', path, request({ authorization: 'Bearer x' })],
            ['an unknown token and a proof', path, request({ authorization: 'Bearer x', ...proof })], // prettier-ignore
            ['the scheme of DPoP', path, request({ authorization: 'DPoP x' })],
            ['the scheme of DPoP and a proof', path, request({ authorization: 'DPoP x', ...proof })], // prettier-ignore
            ['a proof only', path, request(proof)],
            ['a preflight', path, preflight(get ? 'GET' : 'POST')],
          ]
        },
      ),
    ]),
  )
})

it.each([
  ['of staff, with a secret', 'courses:read', 'ines.duarte@example.com'],
  ['of a member, public', 'account:read', 'mei-ling.chou@example.com'],
] as const)(
  'gives and takes tokens of a client %s, as it did before there were blocks [BLK-07]',
  async (_who, scope, email) => {
    const isPublic = scope === 'account:read'
    const resource = isPublic ? origin : `${origin}/mcp`
    const own: Fields = isPublic
    ? { client_id: 'study-buddy' }
    : await register(CONFIDENTIAL).then(({ client_id, client_secret }) => ({ client_id, client_secret })) // prettier-ignore
    const all: Written[] = []
    const keep = async (
      what: string,
      response: Response,
    ): Promise<Readonly<Record<string, string>>> => {
      const copy = response.clone()
      all.push([what, await written(response)])
      return (await copy.json().catch(() => ({}))) as Readonly<Record<string, string>>
    }
    const ask = (path: string, fields: Fields, headers: Fields = {}): Promise<Response> =>
      fetch(origin + path, post({ ...own, ...fields }, headers))
    const exchange = async (code: string, headers?: Fields): Promise<Response> =>
    ask(TOKEN, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: APPENDIX_B.codeVerifier, resource }, headers) // prettier-ignore
    async function newCode(changes: Fields = {}): Promise<string> {
      const { client_id = '' } = own
      const url = authorizeUrl(origin, {
        client_id,
        scope: `openid ${scope}`,
        resource,
        ...changes,
      })
      const left = await signInAndAllow(createFormBrowser(origin), url, { email })
      expect([...left.searchParams.keys()]).toEqual(['code', 'state', 'iss'])
      return left.searchParams.get('code')!
    }

    const code = await newCode()
    await keep('a code', await exchange(code))
    await keep('the code again', await exchange(code))
    const bound = await newCode({ dpop_jkt: 'A'.repeat(43) })
    const first = await keep('a code for a key, with a proof', await exchange(bound, { dpop: JWT }))
    const refresh = { grant_type: 'refresh_token', refresh_token: first['refresh_token']! }
    const second = await keep('a refresh', await ask(TOKEN, refresh))
    const next = { grant_type: 'refresh_token', refresh_token: second['refresh_token']! }
    const third = await keep('a refresh, with a proof', await ask(TOKEN, next, { dpop: JWT }))
    const token = third['access_token']!
    for (const [what, headers] of [
      ['a token', { authorization: `Bearer ${token}` }],
      ['a token and a proof', { authorization: `Bearer ${token}`, dpop: JWT }],
      ['a token by the scheme of DPoP', { authorization: `DPoP ${token}` }],
      ['a token by the scheme of DPoP and a proof', { authorization: `DPoP ${token}`, dpop: JWT }],
    ] as const) {
      await keep(`UserInfo: ${what}`, await fetch(origin + USERINFO, { headers }))
      await keep(
        `Account API: ${what}`,
        await fetch(`${origin}/account/graphql`, {
          ...json({ query: '{ viewer { name } }' }),
          headers: { 'content-type': 'application/json', ...headers },
        }),
      )
      await keep(
        `MCP: ${what}`,
        await fetch(`${origin}/mcp`, {
          ...json({ jsonrpc: '2.0', id: 1, method: 'ping' }),
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, // prettier-ignore
        }),
      )
    }
    await keep('introspection', await ask(INTROSPECT, { token }))
    await keep('revocation', await ask(REVOKE, { token }))
    const { headers } = new Request(origin, { headers: { authorization: `Bearer ${token}` } })
    await keep('the revoked token', await fetch(origin + USERINFO, { headers }))
    await expectAsBefore(isPublic ? 'member-tokens' : 'staff-tokens', all)
  },
)
