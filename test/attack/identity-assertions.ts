import { randomUUID } from 'node:crypto'
import * as jose from 'jose'
import { addClient, addSigner, asserting, basic, JWT_BEARER, SECRET, withSecret } from '../support/attack/block-clients.js' // prettier-ignore
import { createKeys, forgeriesOf, type Keys, secondsNow, type Sign, wrongNames, wrongTimes } from '../support/attack/jwts.js' // prettier-ignore
import { codeFields, form } from '../support/attack/requests.js'
import type { Attack, AttackClass, Exchange } from '../support/attack/run.js'
import type { Answer } from '../support/attack/wire.js'
import type { Fields } from '../support/school/flow.js'

const TOKEN = '/api/oauth/token'
/** A vendor that the provider of the school may send, and that has no secret. */
const CLIENT = 'acme-agents'
const ID_JAG = 'oauth-id-jag+jwt'

type Claims = Readonly<Record<string, unknown>>
const changed = (name: string, values: readonly unknown[]): readonly Claims[] =>
  values.map((value) => ({ [name]: value }))

/** Claims with which an assertion is for somebody else, somewhere else, some other time, or for too much. */
function wrongClaims(issuer: string, { lantern, kiln }: Readonly<Record<'lantern' | 'kiln', string>>, now: number): readonly Claims[] {
  return [
    ...changed('iss', [...wrongNames(issuer), `${issuer}/jwks`, 'https://idp.example', 'https://evil.test', lantern, 'http://127.0.0.1:1']),
    ...changed('sub', [undefined, null, '', 7, true, {}, [], ['mem_l01'], 'x'.repeat(300), 'nobody', 'mem_k01', 'mem_l05', 'MEM_L01', 'mem_l01 ', 'mem_l01\0', "mem_l01' or '1'='1", 'ines.duarte@example.com', '__proto__', '*', '%']),
    ...changed('aud', [...wrongNames(lantern).filter((one) => !Array.isArray(one) || one.length !== 1), kiln, [lantern, kiln], [kiln, lantern], lantern + TOKEN, `${lantern}/mcp`, CLIENT, issuer]),
    ...changed('client_id', [...wrongNames(CLIENT), 'claude', 'study-buddy', 'attacks-vendor', lantern]),
    ...changed('jti', [undefined, null, '', 7, true, {}, ['x'], 'x'.repeat(257)]),
    ...changed('exp', wrongTimes(now)),
    ...changed('iat', [...wrongTimes(now).filter((one) => one !== now - 61), now + 300, now - 3000]),
    ...changed('nbf', ['now', [now], {}, true, String(now), now + 300, now * 1000]),
    ...changed('auth_time', ['now', [now], {}, String(now), now + 300, now * 1000]),
    ...changed('tenant', ['evil', 7, {}, ['evil'], true]),
    ...changed('resource', ['/', 7, {}, kiln, `${kiln}/mcp`, 'https://evil.test', [lantern, kiln], [`${lantern}/mcp`, 'https://evil.test'], `${lantern}/elsewhere`, `${lantern}.evil.test`, `${lantern}/mcp/../x`, `${lantern}#x`]),
    ...changed('scope', ['account:read', 'account:write', 'till', '*', 'admin', 'COURSES:READ', 'orders:read', 7, {}, ['till'], 'courses:read,courses:write']),
    ...changed('cnf', [{}, { jkt: '' }, { jkt: 7 }, { jkt: 'x' }, { jkt: 'A'.repeat(43) }, { 'x5t#S256': 'A'.repeat(43) }, { jwk: {} }]),
    ...changed('authorization_details', [{}, [{ type: 'payment' }]]),
  ]
} // prettier-ignore

/** An assertion of the provider gives its own client one token for one person, and nobody anything else. */
export const identityAssertions: AttackClass = {
  name: 'identity assertions',
  least: 430,
  async build(service) {
    const idp = service.identityProvider
    if (idp === null) throw new Error('the service has no identity provider')
    const { lantern: origin } = service.origin
    const now = secondsNow()
    const [jwk] = idp.jwks().keys as [jose.JWK]
    const publicKey = (await jose.importJWK(jwk, 'RS256', { extractable: true })) as jose.CryptoKey
    const keys = { privateKey: idp.privateKey(), publicKey, jwk, jkt: await jose.calculateJwkThumbprint(jwk), secretJwk: {} } satisfies Keys // prettier-ignore
    const right = { iss: idp.issuer, sub: 'mem_l01', aud: origin, client_id: CLIENT, scope: 'courses:read', iat: now, exp: now + 300 } // prettier-ignore
    const sign: Sign = (claims = {}, header = {}, key = keys.privateKey) =>
      new jose.SignJWT({ ...right, jti: randomUUID(), ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: String(jwk.kid), typ: ID_JAG, ...header })
        .sign(key, { crit: { x: true } })
    await addClient(service, { clientId: 'attacks-vendor', kind: 'vendor', ...withSecret() })
    await addClient(service, { clientId: 'attacks-member', ...withSecret() })
    const signer = await addSigner(service, { clientId: 'attacks-idp-signer' })
    const { accessToken, refreshToken } = await service.mint()
    const code = await service.mintCode()
    const flow = await service.send(form(TOKEN, codeFields(origin, code)))
    const { id_token: ownIdToken } = JSON.parse(flow.text) as { id_token: string }
    const fieldsOf = (assertion: string, more: Fields = {}): Fields => ({
      grant_type: JWT_BEARER,
      client_id: CLIENT,
      assertion,
      ...more,
    })

    const attacks: (Attack | Exchange)[] = []
    const add = (name: string, fields: Fields, headers: Readonly<Record<string, string>> = {}): void =>
      void attacks.push({
        name,
        request: form(TOKEN, fields, headers),
        statuses: [400, 401],
        without: ['"access_token"', '"refresh_token"', 'mem_l01'],
      }) // prettier-ignore
    for (const [name, jwt] of await forgeriesOf(sign, keys, 'RS256')) add(name, fieldsOf(jwt))
    for (const claims of wrongClaims(idp.issuer, service.origin, now))
      add(JSON.stringify(claims).slice(0, 80), fieldsOf(await sign(claims)))
    for (const typ of [undefined, '', 'JWT', 'jwt', 'at+jwt', 'dpop+jwt', 'id-jag+jwt', 'oauth-id-jag', `${ID_JAG} `, `text/${ID_JAG}`, `x${ID_JAG}`, `${ID_JAG}+x`, null, 7, [ID_JAG], { typ: ID_JAG }])
      add(`typ ${JSON.stringify(typ)}`, fieldsOf(await sign({}, { typ }))) // prettier-ignore
    for (const [name, jwt] of [
      ['an ID token of the provider', await idp.idToken('mem_l01', CLIENT)],
      ['an ID token of the provider for the school', await idp.idToken('mem_l01', origin)],
      ['an ID token of the school', ownIdToken],
      ['an access token', accessToken],
      ['a refresh token', refreshToken],
      ['an assertion of a client', await signer.sign()],
      ['an assertion of a client, typed', await signer.sign({ client_id: signer.clientId }, { typ: ID_JAG })],
    ] as const)
      for (const client_id of [CLIENT, signer.clientId, 'study-buddy'])
        add(`${name}, of ${client_id}`, fieldsOf(jwt, { client_id })) // prettier-ignore

    // Another client with the assertion of this one, and with one that names it.
    for (const client_id of ['claude', 'cursor', 'study-buddy', 'desk-cli', 'nobody', '', 'https://notes.example/client.json'])
      add(`used by ${client_id}`, fieldsOf(await sign(), { client_id })) // prettier-ignore
    for (const client_id of ['study-buddy', 'desk-cli', 'https://notes.example/client.json', 'old-tracker'])
      add(`for ${client_id}, which may not`, fieldsOf(await sign({ client_id }), { client_id })) // prettier-ignore
    for (const client_id of ['attacks-vendor', 'attacks-member'])
      for (const named of [client_id, CLIENT])
        add(`for ${named}, with the secret of ${client_id}`, fieldsOf(await sign({ client_id: named }), { client_id, client_secret: SECRET })) // prettier-ignore
    add('with a secret that the client has not', fieldsOf(await sign(), { client_secret: SECRET }))
    add('with Basic of another', fieldsOf(await sign(), {}), basic('attacks-vendor', SECRET))
    add(
      'with an assertion of another client',
      fieldsOf(await sign(), asserting(await signer.sign())),
    )
    add('as client_assertion', { grant_type: JWT_BEARER, ...asserting(await sign()) })
    add('without a client', { grant_type: JWT_BEARER, assertion: await sign() })
    add('none', { grant_type: JWT_BEARER, client_id: CLIENT })
    add('two', fieldsOf('', { assertion: [await sign(), await sign()] }))
    for (const grant_type of ['urn:ietf:params:oauth:grant-type:token-exchange', 'urn:ietf:params:oauth:grant-type:saml2-bearer', 'client_credentials', 'authorization_code', 'refresh_token', 'password', `${JWT_BEARER} `, JWT_BEARER.toUpperCase()])
      add(`by the grant ${grant_type}`, fieldsOf(await sign(), { grant_type })) // prettier-ignore
    for (const scope of ['courses:write', 'orders:read', 'account:read', 'till', '*', 'openid'])
      add(`for the scope ${scope} beside courses:read`, fieldsOf(await sign(), { scope })) // prettier-ignore
    for (const resource of [service.origin.kiln, 'https://evil.test', '/', `${origin}/elsewhere`, [origin, service.origin.kiln]])
      add(`for the resource ${String(resource)}`, fieldsOf(await sign(), { resource })) // prettier-ignore

    // Bound to a key, without it or with another one.
    const [own, other] = await Promise.all([createKeys(), createKeys()])
    const prove = (key: Keys): Promise<string> =>
      new jose.SignJWT({ jti: randomUUID(), htm: 'POST', htu: origin + TOKEN, iat: secondsNow() })
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk })
        .sign(key.privateKey)
    const bound = (): Promise<string> => sign({ cnf: { jkt: own.jkt } })
    add('bound to a key, without a proof', fieldsOf(await bound()))
    add('bound to a key, with the proof of another', fieldsOf(await bound()), { dpop: await prove(other) }) // prettier-ignore
    add('bound to a key, with two claims', fieldsOf(await sign({ cnf: { jkt: own.jkt, 'x5t#S256': 'A'.repeat(43) } })), { dpop: await prove(other) }) // prettier-ignore

    const isIn = ({ text }: Answer): boolean => text.includes('"access_token"')
    const RACES = 5
    for (let race = 0; race < RACES; race++)
      attacks.push({
        name: `race ${race} of one assertion`,
        times: 9,
        async run(inner) {
          const fields = fieldsOf(await sign())
          const answers = await Promise.all(
            Array.from({ length: 8 }, () => inner.send(form(TOKEN, fields))),
          )
          const given = [...answers, await inner.send(form(TOKEN, fields))].filter(isIn).length
          return given === 1 ? [] : [`${given} tokens for one assertion`]
        },
      })
    const given = (name: string, fields: Fields, type: string, headers = {}): Attack => ({
      name,
      request: form(TOKEN, fields, headers),
      statuses: [200],
      without: ['"refresh_token"', '"id_token"'],
      fault: ({ text }) => {
        const { scope, token_type: kind } = JSON.parse(text) as Record<string, string>
        return scope === 'courses:read' && kind === type ? null : `${kind} for ${scope}`
      },
    })
    const controls = [
      given('its assertion', fieldsOf(await sign()), 'Bearer'),
      // A member of nothing is absent.
      given('its assertion with empty members', fieldsOf(await sign({ nbf: null, auth_time: '', tenant: [], resource: [null], cnf: '', authorization_details: [] })), 'Bearer'),
      given('its assertion for /mcp', fieldsOf(await sign({ resource: `${origin}/mcp`, scope: 'courses:read account:read orders:read' })), 'Bearer'),
      given('its assertion for less', fieldsOf(await sign({ scope: 'courses:read courses:write' }), { scope: 'courses:read' }), 'Bearer'),
      given('its bound assertion', fieldsOf(await bound()), 'DPoP', { dpop: await prove(own) }),
    ] // prettier-ignore
    const opened = controls.length + RACES
    return {
      attacks,
      controls,
      changes: {
        // An assertion each, and one proof.
        hallpass_use: opened + 1,
        hallpass_code: opened,
        hallpass_grant: opened,
        hallpass_access_token: opened,
        hallpass_refresh_token: opened,
      },
    }
  },
}
