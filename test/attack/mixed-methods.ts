import { randomUUID } from 'node:crypto'
import * as jose from 'jose'
import { authorizePath, form } from '../support/attack/requests.js'
import type { Attack, AttackClass } from '../support/attack/run.js'
import { MEMBER_SCOPES } from '../support/attack/service.js'
import { JWT_BEARER } from '../support/school/asserting-client.js'
import { DEVICE_GRANT } from '../support/school/device-school.js'
import { encode, type Fields } from '../support/school/flow.js'
import { part, TYPE as client_assertion_type } from '../support/school/signing-client.js'

const TOKEN = '/api/oauth/token'
const DEVICE = '/api/oauth/device_authorization'
const PUSH = '/api/oauth/par'
const CLIENT = 'study-buddy'

/** How a request claims to be from a client: fields of the form, and headers. */
type Claim = readonly [name: string, fields: Fields, headers?: Readonly<Record<string, string>>]

const basic = (id: string, secret: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** Assertions that no client of the school could have signed, by what they are. */
async function assertionsOf(
  origin: string,
  now: number,
): Promise<readonly (readonly [string, string])[]> {
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256', { extractable: true })
  const jwk = await jose.exportJWK(publicKey)
  const right = {
    iss: CLIENT,
    sub: CLIENT,
    aud: origin,
    iat: now,
    exp: now + 60,
    jti: randomUUID(),
  }
  const sign = (claims: object = {}, header: object = {}): Promise<string> =>
    new jose.SignJWT({ ...right, jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: 'ES256', ...header })
      .sign(privateKey)
  const hmac = (secret: string): Promise<string> =>
    new jose.SignJWT(right).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret))
  const unsigned = (header: object): string => `${part(header)}.${part(right)}.`
  return [
    ['signed by a key of its own', await sign()],
    ['with its key in the header', await sign({}, { jwk })],
    ['with the address of its keys', await sign({}, { jku: 'https://evil.test/jwks.json' })],
    ['with a certificate', await sign({}, { x5c: ['MIIB'] })],
    ['with the kid of the school', await sign({}, { kid: 'signing' })],
    ['of an unknown client', await sign({ iss: 'evil', sub: 'evil' })],
    ['of two clients', await sign({ sub: 'desk-cli' })],
    ['for another site', await sign({ aud: 'https://evil.test' })],
    ['in milliseconds', await sign({ exp: now * 1000, iat: now * 1000 })],
    ['without an end', await sign({ exp: undefined })],
    ['by HMAC with its own public key', await hmac(JSON.stringify(jwk))],
    ['by HMAC with the client_id', await hmac(CLIENT.padEnd(32, '0'))],
    ['without a signature', unsigned({ alg: 'none' })],
    ['without a signature, as ES256', unsigned({ alg: 'ES256' })],
    ['that is empty', ''],
    ['that is a word', 'assertion'],
    ['of 20,000 characters', `${await sign()}${'A'.repeat(20_000)}`],
  ]
}

/**
 * What every block adds is tried by clients that may not use it: methods of another client, two methods in one request,
 * grants of services and of organizations, codes of devices and references to pushed requests that no one began.
 */
export const mixedMethods: AttackClass = {
  name: 'mixed methods of clients',
  least: 400,
  async build(service) {
    const origin = service.origin.lantern
    // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
    const now = Math.floor(Date.now() / 1000)
    const app = { clientId: CLIENT, subject: 'mem_l05', scopes: MEMBER_SCOPES }
    const { accessToken, refreshToken } = await service.mint(app)
    const assertions = await assertionsOf(origin, now)
    const signed: readonly Claim[] = assertions.map(([name, client_assertion]) => [
      `an assertion ${name}`,
      { client_assertion, client_assertion_type },
    ])
    const [[, assertion]] = assertions as [readonly [string, string]]
    const claims: readonly Claim[] = [
      ...signed,
      ...signed.map(([name, fields]): Claim => [`${name}, and client_id`, { ...fields, client_id: CLIENT }]),
      ['a secret, of a public client', { client_id: CLIENT, client_secret: 'guess' }],
      ['Basic, of a public client', {}, basic(CLIENT, 'guess')],
      ['Basic of an unknown client', {}, basic('evil', 'guess')],
      ['Basic that is no base64', {}, { authorization: 'Basic *' }],
      ['Basic and client_id of another', { client_id: 'desk-cli' }, basic(CLIENT, 'guess')],
      ['Basic and a secret', { client_id: CLIENT, client_secret: 'guess' }, basic(CLIENT, 'guess')],
      ['Basic and an assertion', { client_assertion: assertion, client_assertion_type }, basic(CLIENT, 'guess')],
      ['a secret and an assertion', { client_id: CLIENT, client_secret: 'guess', client_assertion: assertion, client_assertion_type }],
      ['a type without its assertion', { client_id: CLIENT, client_assertion_type }],
      ['two assertions', { client_id: CLIENT, client_assertion: [assertion, assertion], client_assertion_type }],
      ['two client_id', { client_id: [CLIENT, 'desk-cli'] }],
      ['no client', {}],
    ] // prettier-ignore
    const attacks: Attack[] = []
    const add = (name: string, path: string, fields: Fields, headers = {}): void =>
      void attacks.push({
        name,
        request: form(path, fields, headers),
        statuses: [400, 401, 413],
        without: ['"access_token"', '"active":true', '"request_uri":', '"device_code":'],
      })
    const { client_id: _, ...asked } = Object.fromEntries(new URL(authorizePath(origin), origin).searchParams) // prettier-ignore
    const own = { ...asked, client_id: CLIENT }
    for (const [name, fields, headers] of claims) {
      const uses: readonly (readonly [string, string, Fields])[] = [
        ['refresh', TOKEN, { grant_type: 'refresh_token', refresh_token: refreshToken, resource: origin }],
        ['client credentials', TOKEN, { grant_type: 'client_credentials', scope: 'courses:read', resource: origin }],
        ['device code', TOKEN, { grant_type: DEVICE_GRANT, device_code: `hpd_${'A'.repeat(43)}.${now + 600}` }],
        ['assertion grant', TOKEN, { grant_type: JWT_BEARER, assertion }],
        ['introspection', '/api/oauth/introspect', { token: accessToken }],
        ['revocation', '/api/oauth/revoke', { token: refreshToken }],
        ['push', PUSH, asked],
        ['device', DEVICE, { scope: 'account:read' }],
      ] // prettier-ignore
      for (const [use, path, needed] of uses)
        add(`${use}: ${name}`, path, { ...needed, ...fields }, headers)
    }
    for (const scope of [null, '', 'courses:read', 'openid', 'account:read', 'courses:write orders:read'])
      for (const client_id of [CLIENT, 'desk-cli', 'https://evil.test/client.json'])
        add(`client credentials of ${client_id} for ${scope}`, TOKEN, { grant_type: 'client_credentials', client_id, scope }) // prettier-ignore
    for (const device_code of ['', 'x', `hpd_${'B'.repeat(43)}.${now + 600}`, `hpd_${'B'.repeat(43)}.0`, `hpd_${'B'.repeat(43)}.99999999999`, refreshToken, accessToken])
      add(`the device code ${device_code.slice(0, 20)}`, TOKEN, { grant_type: DEVICE_GRANT, client_id: CLIENT, device_code }) // prettier-ignore
    for (const inside of [
      { request_uri: 'urn:x' },
      { request: 'e30.e30.' },
      { redirect_uri: 'https://evil.test/' },
      { response_type: 'token' },
      { code_challenge_method: 'plain' },
      { scope: 'till' },
      { resource: 'https://evil.test' },
    ])
      add(`a push with ${JSON.stringify(inside)}`, PUSH, { ...own, ...inside })
    for (const request_uri of [
      '',
      'urn:x',
      `urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`,
      'https://evil.test/request.jwt',
      'http://127.0.0.1:1/',
      'file:///etc/passwd',
      'data:,x',
      '//evil.test',
      `urn:ietf:params:oauth:request_uri:${'A'.repeat(5000)}`,
    ])
      for (const client_id of [CLIENT, 'desk-cli', 'evil', ''])
        attacks.push({
          name: `the pushed request ${request_uri.slice(0, 60)} of ${client_id}`,
          request: { path: `/oauth/authorize?${encode({ client_id, request_uri }).toString()}` },
          statuses: [400],
        })
    const controls: Attack[] = [
      { name: 'the app pushes its request', request: form(PUSH, own), statuses: [201] },
      { name: 'the app refreshes', request: form(TOKEN, { grant_type: 'refresh_token', client_id: CLIENT, refresh_token: refreshToken, resource: origin }), statuses: [200] },
    ] // prettier-ignore
    return { attacks, controls, changes: { hallpass_access_token: 1, hallpass_refresh_token: 1 } }
  },
}
