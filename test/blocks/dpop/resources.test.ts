import * as sdk from '@modelcontextprotocol/server'
import { authorizeBearer, createProtectedResource, createRemoteGate } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { createAdminApi, defineOperation } from 'hallpass/admin'
import { dpop } from 'hallpass/blocks'
import { createMcpEndpoint, directAdapter, sdkAdapter, serverAdapter } from 'hallpass/mcp'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { keepToken } from '../../support/school/kept-token.js'
import { createSource } from '../../support/school/account.js'
import {
  createDpopSchool,
  createKeys,
  type Keys,
  NONCE_SECRET,
} from '../../support/school/dpop-school.js'
import { getCourse } from '../../support/school/get-course.js'
import { ISSUER, REDIRECT } from '../../support/school/signing-client.js'
import { SDK_1 } from '../../support/school/mcp-sdk.js'

type School = Awaited<ReturnType<typeof createDpopSchool>>
type Answer = (request: Request) => Promise<Response>

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const QUERY = JSON.stringify({ query: '{ __typename }' })

const mcp = (adapter: Parameters<typeof createMcpEndpoint>[1]['adapter']) => (school: School) =>
  createMcpEndpoint(school.site, { tools: [], adapter }).endpoint

/** Every surface that accepts a token: its method, path, body, scope, and the endpoint of a school. */
const SURFACES: readonly (readonly [
  name: string,
  at: { readonly method: string; readonly path: string; readonly body?: string },
  scope: string,
  of: (school: School) => Answer,
])[] = [
  ['UserInfo', { method: 'GET', path: '/api/oauth/userinfo' }, 'openid', ({ router }) => router],
  [
    'the Account API',
    { method: 'POST', path: '/account/graphql', body: QUERY },
    'account:read',
    ({ site }) => createAccountApi(site, { source: createSource(new Map()).source }).graphql,
  ],
  [
    'the admin API',
    { method: 'GET', path: '/api/v1/courses/drawing' },
    'courses:read',
    ({ site }) => createAdminApi(site, { operations: [getCourse] }).endpoint,
  ],
  ['/mcp', { method: 'POST', path: '/mcp', body: PING }, 'courses:read', mcp(serverAdapter(sdk))],
  [
    '/mcp on SDK 1',
    { method: 'POST', path: '/mcp', body: PING },
    'courses:read',
    mcp(sdkAdapter(SDK_1)),
  ],
  [
    '/mcp without an SDK',
    { method: 'POST', path: '/mcp', body: PING },
    'courses:read',
    mcp(directAdapter(serverAdapter(sdk))),
  ],
  [
    'a gate',
    { method: 'PUT', path: '/grades/mei' },
    'courses:read',
    ({ site }) => {
      const gate = createProtectedResource(site).gate('courses:read')
      return async (request) => {
        const access = await gate(request)
        if (access instanceof Response) return access
        const { dpopNonce } = access
        return Response.json({}, { ...(dpopNonce !== undefined && { headers: { 'dpop-nonce': dpopNonce } }) }) // prettier-ignore
      }
    },
  ],
]

const ASSISTANT = { subject: 'per_ines', orgId: 'school.example', roles: ['assistant'], name: 'Ines', email: null, picture: null } // prettier-ignore

/** Issues an access token that is bound to a key, or to none. */
async function tokenFor(
  { store, clock }: School,
  scope: string,
  keys: Keys | null,
): Promise<string> {
  const clientId = /^(?:courses:read|orders:read)$/.test(scope) ? 'console' : 'notes'
  const token = `hpa_${crypto.randomUUID().replaceAll('-', '')}AAAAAAAAAAA`
  const [now, boundTo] = [clock.now(), keys?.jkt ?? null]
  await store.insertClient({
    ...(await store.findClient('notes'))!,
    clientId: 'console',
    kind: 'loopback',
    scopes: null,
  })
  const grant = { grantId: `grant of ${token}`, clientId, subject: 'per_ines', scopes: [scope], resource: ISSUER, redirectUri: REDIRECT } // prettier-ignore
  await keepToken(
    store,
    token,
    { ...grant, issuedAt: now, expiresAt: now + 3600, boundTo },
    now + 7200,
  )
  return token
}

describe.each(SURFACES)('%s', (_name, { method, path, body }, scope, of) => {
  // The admin API refuses parameters that an operation does not have.
  const query = path.startsWith('/api/v1') ? '' : '?a=b'
  async function open(options: Parameters<typeof createDpopSchool>[0] = {}) {
    const school = await createDpopSchool(options)
    const answer = of(school)
    const keys = await createKeys()
    const token = await tokenFor(school, scope, keys)
    const prove = (claims: Readonly<Record<string, unknown>> = {}, by = keys): Promise<string> =>
      school.proofFor(by, { htm: method, htu: ISSUER + path, ath: hashToken(token), ...claims })
    const send = async (authorization: string | null, proof: string | null = null) => {
      const before = school.refusals.length
      const headers = new Headers({
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      })
      if (authorization !== null) headers.set('authorization', authorization)
      if (proof !== null) headers.set('dpop', proof)
      const init = { method, headers, ...(body !== undefined && { body }) }
      const response = await answer(new Request(`http://127.0.0.1:4000${path}${query}`, init))
      const { status } = response
      const challenge = response.headers.get('www-authenticate')
      return { status, challenge, reason: school.refusals[before]?.reason ?? null, response }
    }
    return { school, keys, token, prove, send }
  }

  it('accepts a bound token with a proof, and once each proof [DPOP-23, DPOP-30]', async () => {
    const { token, prove, send, school } = await open()
    const proof = await prove()
    expect((await send(`DPoP ${token}`, proof)).status).toBe(200)
    expect(await send(`DPoP ${token}`, proof)).toMatchObject({
      status: 401,
      reason: 'dpop_proof_used_before',
    })
    expect((await send(`dpop ${token}`, await prove())).status).toBe(200)
    expect(school.faults).toEqual([])
  })

  it('accepts one of fifty requests with one proof [DPOP-30]', async () => {
    const { token, prove, send } = await open()
    const proof = await prove()
    const all = await Promise.all(Array.from({ length: 50 }, () => send(`DPoP ${token}`, proof)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 401)).toHaveLength(49)
  })

  it('refuses a bound token as a Bearer token, and says which scheme it has [DPOP-25]', async () => {
    const { token, prove, send } = await open()
    for (const proof of [null, await prove()]) {
      const refused = await send(`Bearer ${token}`, proof)
      expect(refused).toMatchObject({ status: 401, reason: 'access_token_bound' })
      expect(refused.challenge).toMatch(
        /^Bearer error="invalid_token", .*, DPoP algs="ES256 PS256 Ed25519 EdDSA"$/,
      )
    }
  })

  it('refuses an unbound token with the DPoP scheme [DPOP-19]', async () => {
    const { send, school, keys } = await open()
    const token = await tokenFor(school, scope, null)
    const claims = { htm: method, htu: ISSUER + path, ath: hashToken(token) }
    const refused = await send(`DPoP ${token}`, await school.proofFor(keys, claims))
    expect(refused).toMatchObject({ status: 401, reason: 'access_token_not_bound' })
    expect(refused.challenge).toMatch(/^DPoP error="invalid_token", .*, algs="ES256 [^"]*"$/)
    expect(refused.challenge).not.toContain('Bearer')
    expect((await send(`Bearer ${token}`)).status).toBe(200)
  })

  it('refuses two schemes at once [DPOP-40]', async () => {
    const { token, prove, send } = await open()
    expect(await send(`Bearer ${token}, DPoP ${token}`, await prove())).toMatchObject({
      status: method === 'GET' && path.startsWith('/api/v1') ? 401 : 400,
      reason: 'authorization_schemes_mixed',
    })
  })

  it.each([
    ['no proof', null, 'dpop_proof_missing'],
    ['a proof for another URI', { htu: `${ISSUER}/other` }, 'dpop_proof_for_other_uri'],
    ['a proof for another method', { htm: 'DELETE' }, 'dpop_proof_for_other_method'],
    ['a proof for another token', { ath: hashToken('other') }, 'dpop_proof_for_other_token'],
    ['an old proof', { iat: 7 }, 'dpop_proof_stale'],
  ])('refuses %s', async (_, claims, reason) => {
    const { token, prove, send } = await open()
    const refused = await send(`DPoP ${token}`, claims === null ? null : await prove(claims))
    expect(refused).toMatchObject({ status: 401, reason })
    expect(refused.challenge).toMatch(/^DPoP error="invalid_dpop_proof", .*, algs="/)
    expect(refused.challenge).toContain('resource_metadata="')
  })

  it('refuses the proof of another key, and one that another key signed', async () => {
    const { token, prove, send, keys } = await open()
    const thief = await createKeys()
    expect(await send(`DPoP ${token}`, await prove({}, thief))).toMatchObject({
      status: 401,
      reason: 'access_token_of_other_key',
    })
    expect(await send(`DPoP ${token}`, await prove({}, { ...thief, jwk: keys.jwk }))).toMatchObject({ reason: 'dpop_proof_signature_wrong' }) // prettier-ignore
  })

  it('asks for a nonce, and accepts it [DPOP-28]', async () => {
    const { token, prove, send } = await open({ options: { nonceSecret: NONCE_SECRET } })
    const asked = await send(`DPoP ${token}`, await prove())
    expect(asked).toMatchObject({ status: 401, reason: 'dpop_nonce_missing' })
    expect(asked.challenge).toMatch(/^DPoP error="use_dpop_nonce", /)
    const { headers } = asked.response
    expect(headers.get('vary')).toContain('DPoP')
    const nonce = headers.get('dpop-nonce')
    expect((await send(`DPoP ${token}`, await prove({ nonce }))).status).toBe(200)
  })

  it('gives a newer nonce with a success, so that no one is refused for an old one [DPOP-49]', async () => {
    const { token, prove, send, school } = await open({ options: { nonceSecret: NONCE_SECRET } })
    const asked = await send(`DPoP ${token}`, await prove())
    let nonce = asked.response.headers.get('dpop-nonce')!
    const own = await send(`DPoP ${token}`, await prove({ nonce }))
    expect([own.status, own.response.headers.get('dpop-nonce')]).toEqual([200, null])
    for (let period = 0; period < 5; period++) {
      school.clock.advance(150)
      const kept = await send(`DPoP ${token}`, await prove({ nonce }))
      const newer = kept.response.headers.get('dpop-nonce')
      expect([kept.status, newer]).toEqual([200, expect.stringMatching(/^[\w-]{43}$/)])
      expect(newer).not.toBe(nonce)
      nonce = newer!
    }
    expect(school.faults).toEqual([])
    expect(school.refusals.map(({ reason }) => reason)).toEqual(['dpop_nonce_missing'])
  })

  it('lets pages read the nonce by one header, if they may read the response [DPOP-50]', async () => {
    const { token, prove, send, school } = await open({ options: { nonceSecret: NONCE_SECRET } })
    const asked = await send(`DPoP ${token}`, await prove())
    const nonce = asked.response.headers.get('dpop-nonce')!
    school.clock.advance(150)
    const kept = await send(`DPoP ${token}`, await prove({ nonce }))
    for (const { response } of [asked, kept]) {
      const exposed = response.headers.get('access-control-expose-headers')
      if (path !== '/mcp' && !(path === '/grades/mei' && response.ok))
        expect(exposed).toMatch(/^WWW-Authenticate, .*X-Request-Id, DPoP-Nonce$/)
      else expect(exposed).toBeNull()
    }
  })

  it('names both schemes to who sends no token, Bearer first', async () => {
    const { send } = await open()
    const { status, challenge } = await send(null)
    if (status === 200) return expect(path).toBe('/mcp')
    expect(status).toBe(401)
    expect(challenge).toMatch(/^Bearer .*resource_metadata="[^"]*", DPoP algs="ES256 /)
  })

  it('leads to 503 while single use fails, and never passes', async () => {
    const once = { useOnce: async () => 'maybe' as never }
    const { token, prove, send, school } = await open({ options: { once } })
    expect((await send(`DPoP ${token}`, await prove())).status).toBe(503)
    expect(school.faults).toHaveLength(1)
  })
})

describe('the admin API', () => {
  const ROLES = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`
  const ALGS = 'algs="ES256 PS256 Ed25519 EdDSA"'

  it.each([
    ['its operation', { ...getCourse, roles: ['manager'] }],
    ['its scope', { ...getCourse, scope: 'orders:read' as const }],
  ])(
    'answers in the scheme of the token to a role that lacks %s, and adds DPoP to Bearer [DPOP-48]',
    async (_, operation) => {
      const school = await createDpopSchool()
      const site = { ...school.site, findPerson: async () => ASSISTANT }
      const { endpoint } = createAdminApi(site, { operations: [defineOperation(operation)] })
      const keys = await createKeys()
      const url = `${ISSUER}/api/v1/courses/drawing`
      const challengeTo = async (headers: Readonly<Record<string, string>>) => {
        const response = await endpoint(new Request(url, { headers }))
        const { code } = (await response.json()) as { code: string }
        return [response.status, code, response.headers.get('www-authenticate')]
      }
      const bound = await tokenFor(school, operation.scope, keys)
      const dpopHeader = await school.proofFor(keys, { htm: 'GET', htu: url, ath: hashToken(bound) }) // prettier-ignore
      expect(await challengeTo({ authorization: `DPoP ${bound}`, dpop: dpopHeader })).toEqual([
        403,
        'forbidden_role',
        `DPoP ${ROLES}, ${ALGS}`,
      ])
      const unbound = await tokenFor(school, operation.scope, null)
      expect(await challengeTo({ authorization: `Bearer ${unbound}` })).toEqual([
        403,
        'forbidden_role',
        `Bearer ${ROLES}, DPoP ${ALGS}`,
      ])
    },
  )
})

describe('a gate', () => {
  it('needs method and URL for a token of the scheme, and says so [DPOP-41]', async () => {
    const school = await createDpopSchool()
    const keys = await createKeys()
    const token = await tokenFor(school, 'account:read', keys)
    const claims = { htm: 'GET', htu: `${ISSUER}/grades`, ath: hashToken(token) }
    const headers = new Headers({
      authorization: `DPoP ${token}`,
      dpop: await school.proofFor(keys, claims),
    })
    const refused = await school.gate({ headers })
    expect(refused instanceof Response && refused.status).toBe(500)
    expect(String(school.faults[0]?.fault)).toContain('{ headers, method, url }')
    for (const url of ['/grades?a=b', 'http://127.0.0.1:3000/grades#c']) {
      const dpopHeader = await school.proofFor(keys, claims)
      const own = new Headers({ authorization: `DPoP ${token}`, dpop: dpopHeader })
      expect(await school.gate({ headers: own, method: 'GET', url })).toMatchObject({
        grantId: `grant of ${token}`,
      })
    }
    const bearer = new Headers({
      authorization: `Bearer ${await tokenFor(school, 'account:read', null)}`,
    })
    expect(await school.gate({ headers: bearer })).not.toBeInstanceOf(Response)
  })

  it('of your own gives the request to authorizeBearer', async () => {
    const { site, proofFor, ...school } = await createDpopSchool()
    const keys = await createKeys()
    const token = await tokenFor({ ...school, site, proofFor }, 'account:read', keys)
    const proof = await proofFor(keys, { htm: 'GET', htu: `${ISSUER}/x`, ath: hashToken(token) })
    const request = { method: 'GET', target: '/x', header: () => proof, request: () => new Request(`${ISSUER}/x`) } // prettier-ignore
    const asked = { authorization: `DPoP ${token}`, required: [] }
    expect(await authorizeBearer(site, { ...asked, request })).toMatchObject({ ok: true })
    expect(await authorizeBearer({ ...site, senderConstraint: null }, { ...asked, request })).toMatchObject({ reason: 'authorization_malformed' }) // prettier-ignore
  })

  it('tells a host that does not say what the request asks for', async () => {
    const school = await createDpopSchool()
    const keys = await createKeys()
    const token = await tokenFor(school, 'account:read', keys)
    const url = `${ISSUER}/own`
    const dpop = await school.proofFor(keys, { htm: 'GET', htu: url, ath: hashToken(token) })
    const headers = new Headers({ authorization: `DPoP ${token}`, dpop })
    const gate = createProtectedResource(school.site).gate('account:read')
    for (const request of [{ headers }, { headers, method: 'GET' }, { headers, url }])
      expect(((await gate(request)) as Response).status).toBe(500)
    const wanted = 'a token of the DPoP scheme needs the request: pass { headers, method, url } to the gate, or request to authorizeBearer' // prettier-ignore
    expect(school.faults.map(({ fault }) => (fault as Error).message)).toEqual(
      Array(3).fill(wanted),
    )
    expect(await gate({ headers, method: 'GET', url })).toMatchObject({ scopes: ['account:read'] })
  })

  it('refuses a token without a key of a bound grant, as a process without the block issues it', async () => {
    const school = await createDpopSchool()
    const keys = await createKeys()
    const token = await tokenFor(school, 'account:read', keys)
    const stored = { ...school.store }
    Object.assign(school.store, {
      async findAccessToken(hash: string) {
        const found = await stored.findAccessToken(hash)
        if (found === null) return null
        return { ...found, accessToken: { ...found.accessToken, boundTo: null } }
      },
    })
    expect(await school.userinfo(`Bearer ${token}`)).toMatchObject({ reason: 'access_token_bound' })
  })
})

describe('introspection and a remote gate', () => {
  async function open() {
    const school = await createDpopSchool()
    const keys = await createKeys()
    const token = await tokenFor(school, 'account:read', keys)
    const asked: unknown[] = []
    const shared = {
      issuer: ISSUER,
      name: 'School',
      scopes: schoolScopes,
      roles: schoolRoles,
      now: school.clock.now,
      clientId: 'desk',
      clientSecret: 'the secret of the confidential client',
      send: async (url: string, init: RequestInit) => {
        asked.push(url)
        return school.router(new Request(url, init))
      },
    }
    const faults: unknown[] = []
    const origin = 'https://grades.example'
    const hooks = { onFault: ({ fault }: { fault: unknown }) => faults.push(fault) }
    const reasons: string[] = []
    const onRefusal = ({ reason }: { reason: string }) => reasons.push(reason)
    const remote = createRemoteGate({
      ...shared,
      ...hooks,
      onRefusal,

      blocks: [dpop({ once: createMemoryStore(), origin })],
    }).gate('account:read')
    const without = createRemoteGate({ ...shared, ...hooks, onRefusal }).gate('account:read')
    const prove = (claims: Readonly<Record<string, unknown>> = {}, by = keys) =>
      school.proofFor(by, {
        htm: 'GET',
        htu: `${origin}/grades`,
        ath: hashToken(token),
        ...claims,
      })
    const call = async (gate: typeof remote, scheme: string, proof: string | null) => {
      const headers = new Headers({ authorization: `${scheme} ${token}` })
      if (proof !== null) headers.set('dpop', proof)
      const access = await gate(new Request(`${origin}/grades`, { headers }))
      return access instanceof Response ? access.status : access.person.subject
    }
    return { school, keys, token, remote, without, prove, call, asked, reasons, faults }
  }

  it('name the key of a token, and of no other [DPOP-22]', async () => {
    const { school, token, keys } = await open()
    const form = (of: string) => ({ client_id: 'desk', token: of })
    const { body } = await school.post('introspect', form(token))
    expect(body).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: keys.jkt } })
    const unbound = await tokenFor(school, 'account:read', null)
    const plain = await school.post('introspect', form(unbound))
    expect(plain.body).toMatchObject({ active: true, token_type: 'Bearer' })
    expect(plain.body).not.toHaveProperty('cnf')
  })

  it('check the proof of each request, also while the answer is kept [DPOP-34]', async () => {
    const { remote, prove, call, asked, reasons, faults } = await open()
    const proof = await prove()
    expect(await call(remote, 'DPoP', proof)).toBe('per_ines')
    expect(await call(remote, 'DPoP', proof)).toBe(401)
    expect(await call(remote, 'DPoP', await prove({}, await createKeys()))).toBe(401)
    expect(await call(remote, 'Bearer', null)).toBe(401)
    expect(await call(remote, 'DPoP', await prove({ htu: `${ISSUER}/grades` }))).toBe(401)
    expect(await call(remote, 'DPoP', await prove())).toBe('per_ines')
    expect(reasons).toEqual([
      'dpop_proof_used_before',
      'access_token_of_other_key',
      'access_token_bound',
      'dpop_proof_for_other_uri',
    ])
    expect([asked.length, faults]).toEqual([1, []])
  })

  it('refuse a bound token without the block, whatever its scheme [DPOP-42]', async () => {
    const { without, prove, call, reasons } = await open()
    expect(await call(without, 'Bearer', null)).toBe(401)
    expect(await call(without, 'DPoP', await prove())).toBe(401)
    expect(reasons).toEqual(['access_token_bound', 'authorization_malformed'])
  })
})

describe('the metadata of a site with dpop', () => {
  it('name its algorithms, at the server and at its resources [DPOP-20, DPOP-35]', async () => {
    const { router } = await createDpopSchool({ options: { algorithms: ['ES256', 'RS256'] } })
    const off = await createDpopSchool({ without: true })
    for (const name of [
      'oauth-authorization-server',
      'openid-configuration',
      'oauth-protected-resource',
      'oauth-protected-resource/mcp',
    ]) {
      // prettier-ignore
      const url = `${ISSUER}/.well-known/${name}`
      const metadata = await (await router(new Request(url))).json()
      expect(metadata).toHaveProperty('dpop_signing_alg_values_supported', ['ES256', 'RS256'])
      const plain: unknown = await (await off.router(new Request(url))).json()
      expect(plain).not.toHaveProperty('dpop_signing_alg_values_supported')
    }
  })

  it('let a client register that gets bound tokens only [DPOP-24]', async () => {
    const register = async (school: School, more: object) => {
      const response = await school.router(
        new Request(`${ISSUER}/api/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            client_name: 'Tool',
            redirect_uris: ['http://127.0.0.1/cb'],
            ...more,
          }),
        }),
      )
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    const on = await createDpopSchool()
    const bound = await register(on, { dpop_bound_access_tokens: true })
    expect(bound).toMatchObject({ status: 201, body: { dpop_bound_access_tokens: true } })
    const stored = await on.store.findClient(bound.body['client_id'] as string)
    expect(stored?.dpopBoundAccessTokens).toBe(true)
    for (const value of [undefined, false]) {
      const plain = await register(on, { dpop_bound_access_tokens: value })
      expect(plain.body).not.toHaveProperty('dpop_bound_access_tokens')
    }
    expect((await register(on, { dpop_bound_access_tokens: 'true' })).status).toBe(400)
    const off = await createDpopSchool({ without: true })
    expect((await register(off, { dpop_bound_access_tokens: true })).status).toBe(400)
  })
})
