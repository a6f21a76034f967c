import { randomUUID } from 'node:crypto'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { createKeys, type Keys } from '../support/attack/jwts.js'
import { SURFACES } from '../support/attack/requests.js'
import type { Attack, AttackClass } from '../support/attack/run.js'
import { FORM_HEADERS, MEMBER_SCOPES } from '../support/attack/service.js'
import { part } from '../support/school/signing-client.js'

const TOKEN = '/api/oauth/token'

/** Values of the `DPoP` header that prove nothing for a request, by what is wrong with them. */
async function proofsOf(
  own: Keys,
  other: Keys,
  right: Readonly<Record<string, unknown>>,
): Promise<readonly (readonly [name: string, proof: string | readonly string[]])[]> {
  const sign = (
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
    key: jose.CryptoKey | Uint8Array = own.privateKey,
  ): Promise<string> =>
    new jose.SignJWT({ jti: randomUUID(), ...right, ...claims })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: own.jwk, ...header })
      .sign(key, { crit: { x: true } })
  const iat = Number(right['iat'])
  const claimsOf = (changes: Readonly<Record<string, unknown>>): readonly [string, Promise<string>] => [
    JSON.stringify(changes),
    sign(changes),
  ] // prettier-ignore
  const good = await sign()
  const [header, claims, signature] = good.split('.') as [string, string, string]
  const rsa = await createKeys('RS256')
  const secret = new TextEncoder().encode(JSON.stringify(own.jwk))
  const unsigned = part({ typ: 'dpop+jwt', alg: 'none', jwk: own.jwk })
  const waiting: readonly (readonly [string, Promise<string> | string | readonly string[]])[] = [
    ...['htm', 'htu', 'iat', 'jti', ...('ath' in right ? ['ath'] : [])].map((name) => claimsOf({ [name]: undefined })),
    ...['GET', 'POST', 'PUT', 'get', 'post', ''].filter((htm) => htm !== right['htm']).map((htm) => claimsOf({ htm })),
    ...['/', '/elsewhere', '/mcp/..', '//evil.test/'].map((path) => claimsOf({ htu: new URL(path, String(right['htu'])).href })),
    ...['https://evil.test/api/oauth/token', 'http://127.0.0.1:1/', '', 'not a url', null, 7, [right['htu']]].map((htu) => claimsOf({ htu })),
    ...[iat - 3600, iat - 75, iat + 300, iat * 1000, -1, 'now', null, [iat]].map((at) => claimsOf({ iat: at })),
    ...['', 'x'.repeat(257), 7, null, { x: 1 }].map((jti) => claimsOf({ jti })),
    ...('ath' in right ? ['', 'x', hashToken('another'), null, 7].map((ath) => claimsOf({ ath })) : []),
    ['the key of another', sign({}, { jwk: other.jwk }, other.privateKey)],
    ['signed by another key', sign({}, {}, other.privateKey)],
    ['the jwk of another', sign({}, { jwk: other.jwk })],
    ['a jwk with its private part', sign({}, { jwk: own.secretJwk })],
    ['a jwk that is symmetric', sign({}, { alg: 'HS256', jwk: { kty: 'oct', k: part('x') } }, secret)],
    ['HS256 with the public key', sign({}, { alg: 'HS256' }, secret)],
    ['RS256', sign({}, { alg: 'RS256', jwk: rsa.jwk }, rsa.privateKey)],
    ...[undefined, null, 'x', [], {}, { kty: 'EC' }, { ...own.jwk, x: 'x' }, { ...own.jwk, crv: 'P-384' }].map((jwk) => [`jwk ${JSON.stringify(jwk)}`, sign({}, { jwk })] as const),
    ...['jwt', 'JWT', 'dpop', 'at+jwt', '', undefined].map((typ) => [`typ ${typ}`, sign({}, { typ })] as const),
    ['a critical extension', sign({}, { crit: ['x'], x: true })],
    ['alg none', `${unsigned}.${claims}.`],
    ['alg none with a signature', `${unsigned}.${claims}.${signature}`],
    ['no signature', `${header}.${claims}.`],
    ['half a signature', `${header}.${claims}.${signature.slice(0, 43)}`],
    ['zeroes for a signature', `${header}.${claims}.${'A'.repeat(86)}`],
    ['other claims under the signature', `${header}.${part({ ...right, jti: 'other' })}.${signature}`],
    ['two parts', `${header}.${claims}`], ['five parts', `${good}.${header}.${claims}`],
    ['JSON', JSON.stringify({ protected: header, payload: claims, signature })],
    ['nothing', ''], ['a word', 'proof'], ['the token itself', JSON.stringify(right['ath'] ?? 'x')],
    ['a huge one', `${header}.${part({ ...right, more: 'x'.repeat(8192) })}.${signature}`],
    ['two in one header', `${good}, ${good}`],
    ['two headers', [good, good]],
  ] // prettier-ignore
  return Promise.all(waiting.map(async ([name, proof]) => [name, await proof] as const))
}

/** A token that is bound to a key opens nothing by itself, nor with a proof for something else. */
export const boundTokens: AttackClass = {
  name: 'bound tokens',
  least: 300,
  async build(service) {
    const [own, other] = await Promise.all([createKeys(), createKeys()])
    const boundTo = own.jkt
    const staff = await service.mint({ boundTo })
    const app = { clientId: 'study-buddy', subject: 'mem_l05', scopes: MEMBER_SCOPES }
    const member = await service.mint({ ...app, boundTo })
    const free = { staff: await service.mint(), member: await service.mint(app) }
    // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
    const iat = Math.floor(Date.now() / 1000)
    const origin = service.origin.lantern
    const attacks: Attack[] = []
    const controls: Attack[] = []
    for (const [surface, request] of SURFACES) {
      const isAccount = surface === 'the Account API'
      const token = (isAccount ? member : staff).accessToken
      const unbound = (isAccount ? free.member : free.staff).accessToken
      const htm = request.body === undefined ? 'GET' : 'POST'
      const right = { htm, htu: origin + request.path, iat, ath: hashToken(token) }
      const add = (name: string, authorization: string, dpop?: string | readonly string[]): void =>
        void attacks.push({
          name: `${surface}: ${name}`,
          request: { ...request, headers: { ...request.headers, authorization, ...(dpop !== undefined && { dpop }) } }, // prettier-ignore
          statuses: [400, 401],
          without: ['"data":', '"viewer":', '"tools":', '"sub":'],
        })
      const sign = (claims: object = {}): Promise<string> =>
        new jose.SignJWT({ jti: randomUUID(), ...right, ...claims })
          .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: own.jwk })
          .sign(own.privateKey)
      for (const [name, proof] of await proofsOf(own, other, right))
        add(name, `DPoP ${token}`, proof)
      add('no proof', `DPoP ${token}`)
      add('as Bearer', `Bearer ${token}`)
      add('as Bearer, with the right proof', `Bearer ${token}`, await sign())
      add('in two schemes', `Bearer ${token}, DPoP ${token}`, await sign())
      add('a token that is not bound, with a proof', `DPoP ${unbound}`, await sign({ ath: hashToken(unbound) })) // prettier-ignore
      for (const [elsewhere, { path }] of SURFACES)
        if (elsewhere !== surface)
          add(`a proof for ${elsewhere}`, `DPoP ${token}`, await sign({ htu: origin + path }))
      const spent = { ...request.headers, authorization: `DPoP ${token}`, dpop: await sign() }
      controls.push(
        { name: `${surface} with its proof`, request: { ...request, headers: spent }, statuses: [200] }, // prettier-ignore
        { name: `${surface} with that proof again, refused`, request: { ...request, headers: spent }, statuses: [401] }, // prettier-ignore
        { name: `${surface} with Bearer`, request: { ...request, headers: { ...request.headers, authorization: `Bearer ${unbound}` } }, statuses: [200] }, // prettier-ignore
      )
    }
    const right = { htm: 'POST', htu: origin + TOKEN, iat }
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: 'study-buddy', refresh_token: member.refreshToken }).toString() // prettier-ignore
    for (const [name, proof] of [
      ['no proof', null] as const,
      ...(await proofsOf(own, other, right)),
    ])
      attacks.push({
        name: `the refresh token: ${name}`,
        request: { method: 'POST', path: TOKEN, body, headers: { ...FORM_HEADERS, ...(proof !== null && { dpop: proof }) } }, // prettier-ignore
        statuses: [400],
        without: ['"access_token"'],
      })
    // Each control uses up a proof.
    return { attacks, controls, changes: { hallpass_use: SURFACES.length } }
  },
}
