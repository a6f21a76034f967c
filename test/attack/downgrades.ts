import { randomUUID } from 'node:crypto'
import * as jose from 'jose'
import { addClient, addSigner, asserting, basic, grantOf, JWT_BEARER, SECRET, withSecret } from '../support/attack/block-clients.js' // prettier-ignore
import { createKeys, type Keys, secondsNow } from '../support/attack/jwts.js'
import { authorizePath, codeFields, form } from '../support/attack/requests.js'
import {
  type Attack,
  type AttackClass,
  type Exchange,
  inTurn,
  pairs,
} from '../support/attack/run.js'
import { bearer, CALLBACK, JSON_HEADERS, MEMBER_SCOPES, type Service, startService } from '../support/attack/service.js' // prettier-ignore
import type { Answer, Sent } from '../support/attack/wire.js'
import { encode, type Fields } from '../support/school/flow.js'

const TOKEN = '/api/oauth/token'
const MCP_HEADERS = { ...JSON_HEADERS, accept: 'application/json, text/event-stream' }
const LIST_TOOLS = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

type Method = 'nothing' | 'secret' | 'Basic' | 'assertion'
/** The methods of each kind of client. A client with a secret may send it in either way. */
const METHODS: Readonly<Record<string, readonly Method[]>> = {
  'attacks-open': ['nothing'],
  'attacks-loop': ['nothing'],
  'attacks-closed': ['secret', 'Basic'],
  'attacks-vendor-closed': ['secret', 'Basic'],
  'attacks-signing': ['assertion'],
  'attacks-vendor-signing': ['assertion'],
}

const prove = (keys: Keys, claims: object): Promise<string> =>
  new jose.SignJWT({ jti: randomUUID(), htm: 'POST', iat: secondsNow(), ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: keys.jwk })
    .sign(keys.privateKey)

/** Every kind of client with every set of methods, at each endpoint: only its own method opens it. */
async function mixedUp(service: Service): Promise<readonly Attack[]> {
  const origin = service.origin.lantern
  const signing = new Map<string, () => Promise<string>>()
  for (const clientId of Object.keys(METHODS)) {
    const kind = clientId.includes('vendor') ? 'vendor' : clientId.includes('loop') ? 'loopback' : 'member' // prettier-ignore
    const redirectUris = kind === 'loopback' ? ['http://127.0.0.1/callback'] : [CALLBACK]
    const fields = { clientId, kind, redirectUris } as const
    if (METHODS[clientId]!.includes('assertion')) {
      const { sign } = await addSigner(service, fields)
      signing.set(clientId, sign)
    } else
      await addClient(service, { ...fields, ...(METHODS[clientId]!.includes('secret') && withSecret()) }) // prettier-ignore
  }
  const stranger = await createKeys()
  const asked = Object.fromEntries(new URL(authorizePath(origin), origin).searchParams)
  const attacks: Attack[] = []
  for (const [clientId, own] of Object.entries(METHODS)) {
    const { accessToken, refreshToken } = await service.mint({ ...grantOf(clientId), ...(clientId !== 'attacks-open' && !clientId.includes('closed') && !clientId.includes('signing') && { scopes: ['openid'] }) }) // prettier-ignore
    const assertions: readonly (readonly [string, () => Promise<string>])[] = [
      ['its own', signing.get(clientId) ?? (() => sign(stranger, clientId, origin))],
      ['a stranger', () => sign(stranger, clientId, origin)],
      ['another client', signing.get(clientId === 'attacks-signing' ? 'attacks-vendor-signing' : 'attacks-signing')!],
    ] // prettier-ignore
    const sets: readonly (readonly Method[])[] = [
      ['nothing'], ['secret'], ['Basic'], ['assertion'],
      ['secret', 'Basic'], ['secret', 'assertion'], ['Basic', 'assertion'], ['secret', 'Basic', 'assertion'],
    ] // prettier-ignore
    for (const [set, [whose, assert]] of pairs(sets, assertions)) {
      if (!set.includes('assertion') && whose !== 'its own') continue
      const isOwn = set.length === 1 && own.includes(set[0]!) && whose === 'its own'
      if (isOwn) continue
      const uses: readonly (readonly [string, string, Fields])[] = [
        ['refresh', TOKEN, { grant_type: 'refresh_token', refresh_token: refreshToken }],
        ['client credentials', TOKEN, { grant_type: 'client_credentials' }],
        ['identity assertion', TOKEN, { grant_type: JWT_BEARER, assertion: 'e30.e30.' }],
        ['introspection', '/api/oauth/introspect', { token: accessToken }],
        ['revocation', '/api/oauth/revoke', { token: refreshToken }],
        ['push', '/api/oauth/par', asked],
      ]
      for (const [use, path, fields] of uses)
        attacks.push({
          name: `${clientId} with ${set.join(' and ')} of ${whose}: ${use}`,
          request: form(
            path,
            {
              ...fields,
              client_id: clientId,
              ...(set.includes('secret') && { client_secret: SECRET }),
              ...(set.includes('assertion') && asserting(await assert())),
            },
            set.includes('Basic') ? basic(clientId, SECRET) : {},
          ),
          statuses: [400, 401],
          without: ['"access_token"', '"active":true', '"request_uri":'],
        })
    }
  }
  return attacks
}

const sign = (keys: Keys, clientId: string, aud: string): Promise<string> =>
  new jose.SignJWT({ iss: clientId, sub: clientId, aud, exp: secondsNow() + 240, jti: randomUUID() })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(keys.privateKey) // prettier-ignore

/** Where a grant or a code has a key, nothing without that key leads to a token. */
async function unbound(service: Service): Promise<readonly (Attack | Exchange)[]> {
  const origin = service.origin.lantern
  const [own, other] = await Promise.all([createKeys(), createKeys()])
  await addClient(service, { clientId: 'attacks-bound', dpopBoundAccessTokens: true })
  await addClient(service, { clientId: 'attacks-bound-closed', dpopBoundAccessTokens: true, ...withSecret() }) // prettier-ignore
  const attacks: (Attack | Exchange)[] = []
  const refuse = (name: string, fields: Fields, headers: Record<string, string> = {}): void =>
    void attacks.push({ name, request: form(TOKEN, fields, headers), statuses: [400, 401], without: ['"access_token"'] }) // prettier-ignore
  const proofs = async (): Promise<readonly (readonly [string, Record<string, string>])[]> => [
    ['no proof', {}],
    ['the proof of another', { dpop: await prove(other, { htu: origin + TOKEN }) }],
    ['a proof for another endpoint', { dpop: await prove(own, { htu: `${origin}/api/oauth/par` }) }],
    ['a proof of GET', { dpop: await prove(own, { htu: origin + TOKEN, htm: 'GET' }) }],
    ['an empty proof', { dpop: '' }],
    ['Bearer beside it', { authorization: 'Bearer x' }],
  ] // prettier-ignore
  for (const [clientId, more] of [
    ['study-buddy', {}],
    ['attacks-bound', {}],
  ] as readonly (readonly [string, Fields])[]) {
    const bound = await service.mint({ ...grantOf(clientId), boundTo: own.jkt })
    for (const [name, headers] of await proofs())
      refuse(`a bound grant of ${clientId} refreshes with ${name}`, { grant_type: 'refresh_token', client_id: clientId, refresh_token: bound.refreshToken, ...more }, headers) // prettier-ignore
  }
  // A client that has promised proofs, with a code and a grant that have no key.
  for (const [clientId, more] of [
    ['attacks-bound', {}],
    ['attacks-bound-closed', { client_secret: SECRET }],
  ] as const) {
    const code = await service.mintCode(grantOf(clientId))
    refuse(`${clientId} redeems a code without a proof`, { ...codeFields(origin, code), client_id: clientId, ...more }) // prettier-ignore
    const free = await service.mint(grantOf(clientId))
    refuse(`${clientId} refreshes without a proof`, { grant_type: 'refresh_token', client_id: clientId, refresh_token: free.refreshToken, ...more }) // prettier-ignore
  }
  // A request that named a key is pushed; its code needs that key.
  attacks.push({
    name: 'a push that names a key, with the proof of another',
    request: form('/api/oauth/par', { ...Object.fromEntries(new URL(authorizePath(origin), origin).searchParams), dpop_jkt: own.jkt }, { dpop: await prove(other, { htu: `${origin}/api/oauth/par` }) }),
    statuses: [400],
    without: ['"request_uri":'],
  }) // prettier-ignore
  const surfaces: readonly (readonly [string, Sent, 'member' | 'staff'])[] = [
    ['UserInfo', { path: '/api/oauth/userinfo' }, 'member'],
    ['the Account API', { path: '/account/graphql', headers: JSON_HEADERS, body: '{"query":"{ viewer { id } }"}' }, 'member'],
    ['the admin API', { path: '/api/v1/courses' }, 'staff'],
    ['/mcp', { path: '/mcp', headers: MCP_HEADERS, body: LIST_TOOLS }, 'staff'],
  ] // prettier-ignore
  const tokens = {
    member: [await service.mint({ ...grantOf('attacks-bound-closed'), boundTo: own.jkt }), await service.mint(grantOf('attacks-bound-closed'))],
    staff: [await service.mint({ boundTo: own.jkt }), await service.mint()],
  } as const // prettier-ignore
  for (const [name, request, who] of surfaces) {
    const [bound, free] = tokens[who]
    for (const [what, authorization] of [
      ['a bound token as Bearer', `Bearer ${bound.accessToken}`],
      ['a bound token as bearer', `bearer ${bound.accessToken}`],
      ['a bound token as DPoP without a proof', `DPoP ${bound.accessToken}`],
      ['a bearer token as DPoP', `DPoP ${free.accessToken}`],
      ['a bound token as token', `Token ${bound.accessToken}`],
      ['a bound token alone', bound.accessToken],
      ['a bound token twice', `Bearer ${bound.accessToken}, Bearer ${bound.accessToken}`],
    ] as const)
      for (const dpop of [null, await prove(other, { htu: origin + request.path, htm: request.body === undefined ? 'GET' : 'POST' })])
        attacks.push({
          name: `${name}: ${what}${dpop === null ? '' : ', with the proof of another'}`,
          request: { ...request, headers: { ...request.headers, authorization, ...(dpop !== null && { dpop }) } },
          statuses: [400, 401],
          without: ['"data":', '"viewer":', '"tools":', '"sub":'],
        }) // prettier-ignore
    // Anyone may see the tools of /mcp.
    const place = request.path === '/mcp' ? '/mcp/signed-in' : request.path
    for (const { accessToken } of [bound, free])
      attacks.push({
        name: `${name}: a token in the query`,
        request: { ...request, path: `${place}?access_token=${accessToken}` },
        statuses: [400, 401],
        without: ['"data":', '"viewer":', '"tools":', '"sub":'],
      })
  }
  return attacks
}

/** A client of no block, as far as two services have it alike: tokens and codes of their own. */
interface Own {
  readonly accessToken: string
  readonly staffToken: string
  readonly refreshToken: string
  readonly code: string
  readonly closed: string
}

const HOSTILE = ['', ' ', 'x', 'a\0b', '\r\nx: 1', "' or '1'='1", '<x-pwned>', '__proto__', 'x'.repeat(3000), '\ud800'] // prettier-ignore

/** What clients of no block send, right and wrong. */
function plainRequests(origin: string, own: Own): readonly (readonly [string, Sent])[] {
  const redeem = codeFields(origin, own.code)
  const refresh = { grant_type: 'refresh_token', client_id: 'study-buddy', refresh_token: own.refreshToken } // prettier-ignore
  const closed = { client_id: 'portfolio-hub', client_secret: 'portfolio-hub-demo-secret' }
  const uses: readonly (readonly [string, string, Fields])[] = [
    ['redeem', TOKEN, redeem],
    ['refresh', TOKEN, refresh],
    ['revoke', '/api/oauth/revoke', { client_id: 'study-buddy', token: 'hpa_of_nobody' }],
    ['introspect', '/api/oauth/introspect', { ...closed, token: own.closed }],
  ]
  const wrong = uses.flatMap(([name, path, fields]) => [
    ...pairs(Object.keys(fields).filter((one) => one !== 'grant_type'), HOSTILE).map(
      ([field, value]) => [`${name} ${field}=${JSON.stringify(value).slice(0, 20)}`, form(path, { ...fields, [field]: value })] as const,
    ),
    ...Object.entries(fields).flatMap(([field, value]) => [
      [`${name} without ${field}`, form(path, { ...fields, [field]: null })] as const,
      [`${name} with ${field} twice`, form(path, { ...fields, [field]: [String(value), String(value)] })] as const,
    ]),
    ...['GET', 'PUT'].map((method) => [`${name} by ${method}`, { ...form(path, fields), method }] as const),
    [`${name} as JSON`, { path, headers: JSON_HEADERS, body: JSON.stringify(fields) }] as const,
    [`${name} with a secret`, form(path, { ...fields, client_secret: 'x' })] as const,
    [`${name} with another client`, form(path, { ...fields, client_id: 'desk-cli' })] as const,
  ]) // prettier-ignore
  const authorize = Object.fromEntries(new URL(authorizePath(origin), origin).searchParams)
  const asks = [
    ...pairs(Object.keys(authorize), ['', 'x', 'a\0b', '<x-pwned>', '__proto__']).map(([field, value]) => ({ [field]: value })),
    ...Object.keys(authorize).map((field) => ({ [field]: null })),
    {}, { prompt: 'none' }, { prompt: 'login' }, { max_age: '0' }, { response_mode: 'query' }, { response_mode: 'form_post' }, { nonce: 'n' }, { login_hint: 'x' }, { request: 'e30.e30.' }, { claims: '{}' },
  ].map((changes) => [`authorize ${JSON.stringify(changes).slice(0, 40)}`, { path: authorizePath(origin, changes) }] as const) // prettier-ignore
  const surfaces: readonly Sent[] = [
    { path: '/api/oauth/userinfo' },
    { path: '/account/graphql', headers: JSON_HEADERS, body: '{"query":"{ viewer { id } }"}' },
    { path: '/api/v1/courses' },
    { path: '/mcp', headers: MCP_HEADERS, body: LIST_TOOLS },
    { path: '/mcp/signed-in', headers: MCP_HEADERS, body: LIST_TOOLS },
  ]
  const authorizations: Readonly<Record<string, string | null>> = {
    'no token': null,
    'an empty header': '',
    'no token after the scheme': 'Bearer',
    'a word': 'Bearer x',
    'its token': `Bearer ${own.accessToken}`,
    'a token of staff': `Bearer ${own.staffToken}`,
    'its token by bearer': `bearer ${own.accessToken}`,
    'its refresh token': `Bearer ${own.refreshToken}`,
    'a longer token': `Bearer ${own.accessToken}x`,
  }
  const gates = pairs(surfaces, Object.entries(authorizations)).map(
    ([request, [what, authorization]]) => {
      const headers = { ...request.headers, ...(authorization !== null && { authorization }) }
      return [`${request.path} with ${what}`, { ...request, headers }] as const
    },
  )
  const metadata = { client_name: 'Robot', redirect_uris: ['http://127.0.0.1/cb'] }
  const registrations = [metadata, {}, { ...metadata, redirect_uris: [] }, { ...metadata, redirect_uris: ['https://evil.test/'] }, { ...metadata, token_endpoint_auth_method: 'client_secret_post' }, { ...metadata, token_endpoint_auth_method: 'none' }, { ...metadata, client_name: 'Claude' }, { ...metadata, scope: 'courses:read' }, { ...metadata, grant_types: ['authorization_code'] }, { ...metadata, response_types: ['token'] }].map(
    (body) => [`register ${JSON.stringify(body)}`, { path: '/api/oauth/register', headers: JSON_HEADERS, body: JSON.stringify(body) }] as const,
  ) // prettier-ignore
  return [...wrong, ...asks, ...gates, ...registrations, ['redeem', form(TOKEN, redeem)], ['redeem again', form(TOKEN, redeem)], ['refresh', form(TOKEN, refresh)]] // prettier-ignore
}

/** An answer without what is never twice the same, and without the challenge of a block beside that of Bearer. */
function comparable({ status, headers, text }: Answer, origin: string): string {
  const challenge = String(headers['www-authenticate'] ?? '').replace(/(?:, )?DPoP (?:[\w]+="[^"]*"(?:, )?)+/g, '') // prettier-ignore
  const whole = [status, headers['content-type'], headers['location'], headers['cache-control'], challenge, text].join('\n') // prettier-ignore
  return whole
    .replaceAll(origin, 'ORIGIN')
    .replaceAll(encode({ o: origin }).toString().slice(2), 'ORIGIN')
    .replaceAll(new URL(origin).host, 'HOST')
    .replace(/(?=[\w-]*[A-Z\d])[\w-]{22,}(?:\.[\w-]{20,})*/g, 'RANDOM')
    .replace(/\b(?:req|app|att|grant)_[\w-]+/g, 'ID')
    .replace(/\b\d{10}\b/g, 'TIME')
}

/** With every block on, a client that uses none gets what it gets with none. */
const unchanged = (times: number): Exchange => ({
  name: 'a client of no block',
  times,
  async run(service) {
    const plain = await startService(service.framework)
    try {
      const answers = [new Map<string, string>(), new Map<string, string>()] as const
      for (const [index, one] of [service, plain].entries()) {
        const app = { clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES }
        const { accessToken, refreshToken } = await one.mint(app)
        const { accessToken: closed } = await one.mint({ ...app, clientId: 'portfolio-hub' })
        const { accessToken: staffToken } = await one.mint()
        const own = { accessToken, refreshToken, closed, staffToken, code: await one.mintCode() }
        const requests = plainRequests(one.origin.lantern, own)
        const send = async ([name, request]: (typeof requests)[number]): Promise<void> =>
          void answers[index]!.set(name, comparable(await one.send(request), one.origin.lantern))
        // The last ones use up the code and the token.
        await inTurn(requests.slice(0, -3), 4, send)
        for (const request of requests.slice(-3)) await send(request)
      }
      const [withBlocks, without] = answers
      return [
        ...(without.size >= times ? [] : [`only ${without.size} were compared`]),
        ...[...without].flatMap(([name, answer]) => {
          const other = withBlocks.get(name) ?? ''
          if (answer === other) return []
          const at = [...answer].findIndex((one, index) => one !== other[index])
          const [here, there] = [other, answer].map((one) =>
            one.slice(Math.max(at - 40, 0), at + 120),
          )
          return [`${name}: ${here} instead of ${there}`]
        }),
      ]
    } finally {
      await plain.stop()
    }
  },
})

/** No method stands in for another, nothing bound becomes unbound, and who uses no block sees none. */
export const downgrades: AttackClass = {
  name: 'downgrades',
  least: 880,
  async build(service) {
    const attacks = [...(await mixedUp(service)), ...(await unbound(service)), unchanged(280)]
    const own = await createKeys()
    const origin = service.origin.lantern
    const bound = await service.mint({ ...grantOf('study-buddy'), boundTo: own.jkt })
    const fields = { grant_type: 'refresh_token', client_id: 'study-buddy', refresh_token: bound.refreshToken } // prettier-ignore
    const closed = await service.mint(grantOf('attacks-closed'))
    const introspection = { token: closed.accessToken }
    return {
      attacks,
      controls: [
        { name: 'a bound grant with its key', request: form(TOKEN, fields, { dpop: await prove(own, { htu: origin + TOKEN }) }), statuses: [200], fault: ({ text }) => (text.includes('"token_type":"DPoP"') ? null : 'the new token is not bound') },
        { name: 'Basic of its own', request: form('/api/oauth/introspect', introspection, basic('attacks-closed', SECRET)), statuses: [200], fault: ({ text }) => (text.includes('"active":true') ? null : 'inactive') },
        { name: 'a secret of its own', request: form('/api/oauth/introspect', { ...introspection, client_id: 'attacks-closed', client_secret: SECRET }), statuses: [200] },
        { name: 'a bearer token', request: { path: '/api/v1/courses', headers: bearer((await service.mint()).accessToken) }, statuses: [200] },
      ],
      // The client of no block redeems, refreshes and registers; the bound one refreshes.
      changes: {
        hallpass_use: 1, hallpass_client: 'any', hallpass_code: 'any', hallpass_grant: 'any', hallpass_access_token: 'any',
        hallpass_refresh_token: 'any', hallpass_consent: 'any', hallpass_erasure: 'any',
      },
    } // prettier-ignore
  },
}
