import { randomUUID } from 'node:crypto'
import { addClient, addSigner, asserting, basic, grantOf, JWT_BEARER, SECRET, withSecret } from '../support/attack/block-clients.js' // prettier-ignore
import { createKeys, type Keys, secondsNow, type Sign, signing } from '../support/attack/jwts.js'
import { authorizePath, codeFields, form, SURFACES } from '../support/attack/requests.js'
import { type Attack, type AttackClass, pairs } from '../support/attack/run.js'
import { bearer, CALLBACK, type Service } from '../support/attack/service.js'
import type { Answer } from '../support/attack/wire.js'
import type { Fields } from '../support/school/flow.js'

const TOKEN = '/api/oauth/token'
const PUSH = '/api/oauth/par'

interface AttacksAndControls {
  readonly attacks: readonly Attack[]
  readonly controls: readonly Attack[]
}

/** How a request says which client sent it: by `client_id` alone, or also by one of these. */
type Method = 'nothing' | 'secret' | 'Basic' | 'assertion'

/** Clients that are stored for this class, and the methods of each. Who has a secret may send it in two ways. */
const CLIENTS = {
  'attacks-open': { kind: 'member', methods: ['nothing'] },
  'attacks-loop': { kind: 'loopback', methods: ['nothing'] },
  'attacks-closed': { kind: 'member', methods: ['secret', 'Basic'] },
  'attacks-vendor-closed': { kind: 'vendor', methods: ['secret', 'Basic'] },
  'attacks-signing': { kind: 'member', methods: ['assertion'] },
  'attacks-vendor-signing': { kind: 'vendor', methods: ['assertion'] },
} as const satisfies Readonly<Record<string, { kind: string; methods: readonly Method[] }>>

/** A grant with a client that is not for members. */
const OF_STAFF = { subject: 'mem_l01', scopes: ['openid', 'courses:read'] }

/** The methods that one request uses together. */
const COMBINATIONS: readonly (readonly Method[])[] = [
  ['nothing'], ['secret'], ['Basic'], ['assertion'],
  ['secret', 'Basic'], ['secret', 'assertion'], ['Basic', 'assertion'], ['secret', 'Basic', 'assertion'],
] // prettier-ignore

/** Stores the clients, and returns how those sign that have a key. */
async function addClients(service: Service): Promise<ReadonlyMap<string, Sign>> {
  const signs = new Map<string, Sign>()
  for (const [clientId, { kind, methods }] of Object.entries(CLIENTS)) {
    const redirectUris = kind === 'loopback' ? ['http://127.0.0.1/callback'] : [CALLBACK]
    const fields = { clientId, kind, redirectUris }
    const own: readonly Method[] = methods
    if (own.includes('assertion')) signs.set(clientId, (await addSigner(service, fields)).sign)
    else await addClient(service, { ...fields, ...(own.includes('secret') && withSecret()) })
  }
  return signs
}

/** A refusal of the method, rather than of what the request asks for. */
const isOfTheMethod = ({ text }: Answer): string | null =>
  /"error":"invalid_(?:client|request)"/.test(text) ? null : 'it is refused for another reason'

/** Every kind of client with every combination of methods, at each endpoint: only a method of its own opens it. */
async function otherMethods(service: Service): Promise<AttacksAndControls> {
  const origin = service.origin.lantern
  const signs = await addClients(service)
  const stranger = await createKeys()
  const attacks: Attack[] = []
  const controls: Attack[] = []

  for (const [clientId, { kind, methods }] of Object.entries(CLIENTS)) {
    const own: readonly Method[] = methods
    const grant = kind === 'member' ? grantOf(clientId) : { clientId, ...OF_STAFF }
    const asking = authorizePath(origin, { scope: grant.scopes.join(' ') })
    const asked = Object.fromEntries(new URL(asking, origin).searchParams)
    const now = secondsNow()
    const forged = { iss: clientId, sub: clientId, aud: origin, iat: now, exp: now + 240 }
    const another = clientId === 'attacks-signing' ? 'attacks-vendor-signing' : 'attacks-signing'
    const signers: readonly (readonly [whose: string, sign: Sign])[] = [
      ...(own.includes('assertion') ? [['itself', signs.get(clientId)!] as const] : []),
      ['a stranger', signing(stranger, forged, 'ES256')],
      ['another client', signs.get(another)!],
    ]
    const { accessToken, refreshToken } = await service.mint(grant)
    const uses: readonly (readonly [use: string, path: string, fields: Fields])[] = [
      ['refresh', TOKEN, { grant_type: 'refresh_token', refresh_token: refreshToken }],
      ['client credentials', TOKEN, { grant_type: 'client_credentials' }],
      ['identity assertion', TOKEN, { grant_type: JWT_BEARER, assertion: 'e30.e30.' }],
      ['introspection', '/api/oauth/introspect', { token: accessToken }],
      ['revocation', '/api/oauth/revoke', { token: refreshToken }],
      ['push', PUSH, asked],
    ]
    /** The request of this client for a use, by these methods. */
    const requestBy = (by: readonly Method[], path: string, fields: Fields, assertion: string) => {
      const claim = {
        client_id: clientId,
        ...(by.includes('secret') && { client_secret: SECRET }),
        ...(by.includes('assertion') && asserting(assertion)),
      }
      const headers = by.includes('Basic') ? basic(clientId, SECRET) : {}
      return form(path, { ...fields, ...claim }, headers)
    }
    const refuse = async (by: readonly Method[], whose: string, sign: Sign): Promise<void> => {
      for (const [use, path, fields] of uses)
        attacks.push({
          name: `${clientId} by ${by.join(' and ')}${whose}: ${use}`,
          request: requestBy(by, path, fields, await sign()),
          statuses: [400, 401],
          without: ['"access_token"', '"active":true', '"request_uri":'],
          fault: isOfTheMethod,
        })
    }
    const isOwn = (by: readonly Method[]): boolean => by.length === 1 && own.includes(by[0]!)

    for (const by of COMBINATIONS)
      if (!by.includes('assertion')) {
        if (!isOwn(by)) await refuse(by, '', signers[0]![1])
      } else
        for (const [whose, sign] of signers)
          if (!isOwn(by) || whose !== 'itself') await refuse(by, ` of ${whose}`, sign)

    for (const by of own) {
      const { refreshToken: unspent } = await service.mint(grant)
      const refresh = { grant_type: 'refresh_token', refresh_token: unspent }
      const [, sign] = signers[0]!
      controls.push(
        { name: `${clientId} by ${by}: refresh`, request: requestBy([by], TOKEN, refresh, await sign()), statuses: [200] },
        { name: `${clientId} by ${by}: push`, request: requestBy([by], PUSH, asked, await sign()), statuses: [201] },
      ) // prettier-ignore
    }
  }
  return { attacks, controls }
}

/** Signs a proof with the key, by default for a POST. */
const prove = (keys: Keys, htu: string, htm = 'POST'): Promise<string> => {
  const claims = { jti: randomUUID(), htm, htu, iat: secondsNow() }
  return signing(keys, claims, 'ES256', { typ: 'dpop+jwt', jwk: keys.jwk })()
}

/** Without its key, a code or grant that has one leads to no token, and a client that always proves one gets none. */
async function withoutKey(service: Service): Promise<AttacksAndControls> {
  const origin = service.origin.lantern
  const [own, other] = await Promise.all([createKeys(), createKeys()])
  await addClient(service, { clientId: 'attacks-bound', dpopBoundAccessTokens: true })
  await addClient(service, { clientId: 'attacks-bound-closed', dpopBoundAccessTokens: true, ...withSecret() }) // prettier-ignore
  const closed = { client_id: 'attacks-bound-closed', client_secret: SECRET }
  const attacks: Attack[] = []
  const controls: Attack[] = []
  const refuse = (name: string, fields: Fields, headers: Record<string, string> = {}): void =>
    void attacks.push({ name, request: form(TOKEN, fields, headers), statuses: [400], without: ['"access_token"'] }) // prettier-ignore
  const bind = async (name: string, fields: Fields): Promise<void> => {
    const request = form(TOKEN, fields, { dpop: await prove(own, origin + TOKEN) })
    const fault = ({ text }: Answer): string | null =>
      text.includes('"token_type":"DPoP"') ? null : 'the token is not bound'
    controls.push({ name, request, statuses: [200], fault })
  }
  const refreshing = (refreshToken: string, client: Fields): Fields =>
    ({ grant_type: 'refresh_token', refresh_token: refreshToken, ...client }) // prettier-ignore

  for (const clientId of ['study-buddy', 'attacks-bound']) {
    const grant = { ...grantOf(clientId), boundTo: own.jkt }
    const client = { client_id: clientId }
    const refresh = refreshing((await service.mint(grant)).refreshToken, client)
    const redeem = { ...codeFields(origin, await service.mintCode(grant)), ...client }
    for (const [name, dpop] of [
      ['no proof', null],
      ['the proof of another', await prove(other, origin + TOKEN)],
      ['a proof for another endpoint', await prove(own, origin + PUSH)],
      ['a proof of GET', await prove(own, origin + TOKEN, 'GET')],
      ['an empty proof', ''],
    ] as const) {
      const headers = dpop === null ? {} : { dpop }
      refuse(`${clientId} refreshes a bound grant with ${name}`, refresh, headers)
      refuse(`${clientId} redeems a bound code with ${name}`, redeem, headers)
    }
    await bind(`${clientId} refreshes a bound grant`, refresh)
    await bind(`${clientId} redeems a bound code`, redeem)
  }
  for (const client of [{ client_id: 'attacks-bound' }, closed]) {
    const grant = grantOf(client.client_id)
    const code = await service.mintCode(grant)
    const { refreshToken } = await service.mint(grant)
    refuse(`${client.client_id} redeems a code without a proof`, { ...codeFields(origin, code), ...client }) // prettier-ignore
    refuse(`${client.client_id} refreshes without a proof`, refreshing(refreshToken, client))
  }
  const ofClosed = await service.mint({ ...grantOf(closed.client_id), boundTo: own.jkt })
  refuse('a secret in place of the key', refreshing(ofClosed.refreshToken, closed))
  await bind('a secret and the key', refreshing(ofClosed.refreshToken, closed))

  const naming = authorizePath(origin, { dpop_jkt: own.jkt })
  attacks.push({
    name: 'a push that names a key, with the proof of another',
    request: form(PUSH, Object.fromEntries(new URL(naming, origin).searchParams), {
      dpop: await prove(other, origin + PUSH),
    }),
    statuses: [400],
    without: ['"request_uri":'],
  })
  return { attacks, controls }
}

/** A token with a key opens nothing as a token without one, nor the other way round, nor from a query. */
async function otherSchemes(service: Service): Promise<AttacksAndControls> {
  const [own, other] = await Promise.all([createKeys(), createKeys()])
  const app = grantOf('study-buddy')
  const tokens = {
    member: [await service.mint({ ...app, boundTo: own.jkt }), await service.mint(app)],
    staff: [await service.mint({ boundTo: own.jkt }), await service.mint()],
  } as const
  const attacks: Attack[] = []
  const controls: Attack[] = []
  for (const [surface, request] of SURFACES) {
    const [bound, free] = tokens[surface === 'the Account API' ? 'member' : 'staff']
    const refused = {
      statuses: [400, 401],
      without: ['"data":', '"viewer":', '"tools":', '"sub":'],
    }
    const method = request.body === undefined ? 'GET' : 'POST'
    const foreign = await prove(other, service.origin.lantern + request.path, method)
    const forms: Readonly<Record<string, string>> = {
      'a bound token as Bearer': `Bearer ${bound.accessToken}`,
      'a bound token as bearer': `bearer ${bound.accessToken}`,
      'a bound token as DPoP': `DPoP ${bound.accessToken}`,
      'a bound token as Token': `Token ${bound.accessToken}`,
      'a bound token without a scheme': bound.accessToken,
      'a bound token twice': `Bearer ${bound.accessToken}, Bearer ${bound.accessToken}`,
      'a free token as DPoP': `DPoP ${free.accessToken}`,
    }
    for (const [[name, authorization], dpop] of pairs(Object.entries(forms), [null, foreign])) {
      const headers = { ...request.headers, authorization, ...(dpop !== null && { dpop }) }
      const proof = dpop === null ? 'without a proof' : 'with the proof of another'
      attacks.push({ name: `${surface}: ${name}, ${proof}`, request: { ...request, headers }, ...refused }) // prettier-ignore
    }
    // Anyone may see the tools of /mcp.
    const path = surface === '/mcp' ? '/mcp/signed-in' : request.path
    for (const [name, { accessToken }] of [
      ['bound', bound],
      ['free', free],
    ] as const)
      attacks.push({
        name: `${surface}: a ${name} token in the query`,
        request: { ...request, path: `${path}?access_token=${accessToken}` },
        ...refused,
      })
    const headers = { ...request.headers, ...bearer(free.accessToken) }
    controls.push({ name: `${surface} with a free token`, request: { ...request, headers }, statuses: [200] }) // prettier-ignore
  }
  return { attacks, controls }
}

/** No method stands in for another, and what is bound to a key is nowhere free of it. */
export const downgrades: AttackClass = {
  name: 'downgrades',
  least: 500,
  async build(service) {
    const parts = [
      await otherMethods(service),
      await withoutKey(service),
      await otherSchemes(service),
    ]
    return {
      attacks: parts.flatMap(({ attacks }) => attacks),
      controls: parts.flatMap(({ controls }) => controls),
      // Each control refreshes or redeems, and every proof and assertion of a control is used up.
      changes: {
        hallpass_use: 9, hallpass_code: 0, hallpass_grant: 2, hallpass_access_token: 13, hallpass_refresh_token: 13,
      }, // prettier-ignore
    }
  },
}
