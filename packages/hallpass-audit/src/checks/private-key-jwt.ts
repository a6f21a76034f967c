import { type CryptoKey, exportSPKI, generateKeyPair, importJWK, UnsecuredJWT } from 'jose'
import { type Check } from '../check.js'
import { held, judge, notReached, Stop, violated } from '../finding.js'
import { ASSERTION_TYPE, claimsOf, signed, type SigningKey, withAssertion } from '../engine/assertion.js' // prettier-ignore
import type { Audit, Client } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { exchangeAs, isRefused, refusalOf } from './expect.js'

const VERIFY =
  'Verify the signature with the keys of the client, then iss, sub, aud and exp, by the functions of a JWT library.'

/** A client with a private key. */
interface Signer extends SigningKey {
  readonly client: Client
}

/** The client that signs. */
async function signer(on: Audit): Promise<Signer> {
  await on.requires('token_endpoint_auth_methods_supported', 'private_key_jwt')
  const client = await on.client('signing')
  if (client.key === undefined) throw new Stop(notReached('the signing client has no private_jwk'))
  return { client, ...client.key }
}

/** The audiences by which a server names itself, from the one that is recommended today. */
async function audiencesOf(on: Audit): Promise<readonly string[]> {
  const { issuer } = await on.server()
  return [String(issuer), await on.endpoint('token_endpoint')]
}

/** The audience with which the right assertion gets tokens, and what the server answered: without it, a refusal says nothing. */
const accepted = (on: Audit): Promise<{ readonly audience: string | null; readonly answer: Answer }> =>
  on.once('accepted assertion', async () => {
    const one = await signer(on)
    let answer: Answer | null = null
    for (const audience of await audiencesOf(on)) {
      const assertion = await signed(one, claimsOf(one.client.clientId, audience))
      answer = await on.redeem(await on.code({ client: one.client }), withAssertion(assertion))
      if (answer.status === 200) return { audience, answer }
    }
    return { audience: null, answer: answer! }
  }) // prettier-ignore

/** The signer and the audience that it uses. */
async function ready(on: Audit): Promise<Signer & { readonly audience: string }> {
  const { audience, answer } = await accepted(on)
  if (audience === null)
    throw new Stop(notReached(`the right assertion is answered by ${answer.status}`))
  return { ...(await signer(on)), audience }
}

/** Exchanges a code with an assertion that each request makes anew. */
async function exchange(
  on: Audit,
  client: Client,
  assertion: () => Promise<string> | string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const endpoint = await on.endpoint('token_endpoint')
  return exchangeAs(on, client, async (fields) =>
    on.form(endpoint, { ...fields, ...withAssertion(await assertion()), ...changes }),
  )
}

/** Held if an assertion with these claims in place of the right ones is refused. */
async function refusesClaims(
  on: Audit,
  changes: (now: number) => Readonly<Record<string, unknown>>,
  what: string,
) {
  const one = await ready(on)
  const now = Math.floor(Date.now() / 1000)
  const answer = await exchange(on, one.client, () =>
    signed(one, claimsOf(one.client.clientId, one.audience, changes(now))),
  )
  return refusalOf(answer, ['invalid_client'], what)
}

/** Clients that sign an assertion in place of sending a secret. */
export const privateKeyJwt: readonly Check[] = [
  {
    id: 'private-key-jwt/accepted',
    clause: {
      document: 'RFC 7523',
      section: '2.2',
      level: 'MUST',
      says: 'A client authenticates by an assertion that it signed, for the issuer or for the token endpoint.',
    },
    depth: 'people',
    creates: { clients: 1, authorizations: 2 },
    change:
      'Accept an assertion whose iss and sub are the client_id, whose aud is the issuer, and which a key of the client signed.',
    async run(on) {
      const { audience, answer } = await accepted(on)
      return judge(
        audience !== null,
        `an assertion for ${audience} is accepted`,
        `the right assertion is answered by ${answer.status} ${JSON.stringify(answer.json['error'])}`,
      )
    },
  },
  {
    id: 'private-key-jwt/missing',
    clause: {
      document: 'RFC 6749',
      section: '3.2.1',
      level: 'MUST',
      says: 'A client that has a key authenticates at the token endpoint.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Refuse a client of private_key_jwt that sends no assertion.',
    async run(on) {
      const { client } = await ready(on)
      const endpoint = await on.endpoint('token_endpoint')
      const answer = await exchangeAs(on, client, (fields) => on.form(endpoint, { ...fields, client_assertion: null }))
      return judge(
        isRefused(answer),
        `a request without an assertion is answered by ${answer.status}`,
        `a request without an assertion is answered by ${answer.status}`,
      )
    },
  },
  {
    id: 'private-key-jwt/assertion-type',
    clause: {
      document: 'RFC 7523',
      section: '2.2',
      level: 'MUST',
      says: 'The type of the assertion is that of a JWT.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: `Require client_assertion_type to be ${ASSERTION_TYPE}.`,
    async run(on) {
      const one = await ready(on)
      const assertion = () => signed(one, claimsOf(one.client.clientId, one.audience))
      const type = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }
      const { status } = await exchange(on, one.client, assertion, type)
      const found = `a JWT with the type of SAML is answered by ${status}`
      return judge(status >= 400 && status < 500, found, found)
    },
  },
  {
    id: 'private-key-jwt/signature',
    clause: {
      document: 'RFC 7523',
      section: '3',
      level: 'MUST',
      says: 'An assertion that a key of the client did not sign is refused.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: VERIFY,
    async run(on) {
      const one = await ready(on)
      const { privateKey: key } = await generateKeyPair(one.alg)
      const assertion = () => signed({ ...one, key }, claimsOf(one.client.clientId, one.audience))
      return refusalOf(await exchange(on, one.client, assertion), ['invalid_client'], 'a signature by another key')
    },
  },
  {
    id: 'private-key-jwt/unsigned',
    clause: {
      document: 'RFC 7523',
      section: '3',
      level: 'MUST',
      says: 'An assertion that is not signed, with the algorithm none, is refused.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Pass the algorithms that you accept to the JWT library, and never take alg from the assertion.',
    async run(on) {
      const one = await ready(on)
      const assertion = () => new UnsecuredJWT(claimsOf(one.client.clientId, one.audience)).encode()
      return refusalOf(await exchange(on, one.client, assertion), ['invalid_client'], 'an unsigned assertion')
    },
  },
  {
    id: 'private-key-jwt/public-key-as-secret',
    clause: {
      document: 'RFC 8725',
      section: '3.1',
      level: 'MUST',
      says: 'A key is used with the algorithm for which it was made, so a public key is never the secret of HS256.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Accept asymmetric algorithms only, such as ES256, for clients that have keys.',
    async run(on) {
      const one = await ready(on)
      const key = await importJWK(one.publicJwk, one.alg)
      const secret = new TextEncoder().encode(await exportSPKI(key as CryptoKey))
      const assertion = () => signed({ ...one, alg: 'HS256', key: secret }, claimsOf(one.client.clientId, one.audience))
      return refusalOf(await exchange(on, one.client, assertion), ['invalid_client'], 'HS256 with the public key')
    },
  },
  {
    id: 'private-key-jwt/issuer',
    clause: {
      document: 'RFC 7523',
      section: '3',
      level: 'MUST',
      says: 'The issuer of an assertion by which a client authenticates is the client.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require iss and sub to equal the client_id.',
    run: (on) =>
      refusesClaims(on, () => ({ iss: 'https://hallpass-audit.example' }), 'another issuer'),
  },
  {
    id: 'private-key-jwt/client-id',
    clause: {
      document: 'RFC 7521',
      section: '4.2',
      level: 'MUST',
      says: 'If the request has a client_id, it is that of the client that the assertion names.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Compare client_id of the form, if there is one, with sub of the assertion.',
    async run(on) {
      const one = await ready(on)
      const first = await on.client()
      const { clientId } = first.clientId === one.client.clientId ? await on.client('second') : first
      const assertion = () => signed(one, claimsOf(one.client.clientId, one.audience))
      const answer = await exchange(on, one.client, assertion, { client_id: clientId })
      const found = `the client_id of another client is answered by ${answer.status} ${JSON.stringify(answer.json['error'])}`
      return judge(isRefused(answer), found, found)
    },
  },
  {
    id: 'private-key-jwt/audience',
    clause: {
      document: 'RFC 7523',
      section: '3',
      level: 'MUST',
      says: 'An assertion that was made for another server is refused.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require aud to be your issuer, or your token endpoint.',
    run: (on) =>
      refusesClaims(on, () => ({ aud: 'https://hallpass-audit.example' }), 'another audience'),
  },
  {
    id: 'private-key-jwt/expired',
    clause: {
      document: 'RFC 7523',
      section: '3',
      level: 'MUST',
      says: 'An assertion whose time has passed is refused.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Compare exp with the time, with less than a minute for clocks that differ.',
    run: (on) =>
      refusesClaims(on, (now) => ({ iat: now - 900, exp: now - 600 }), 'an assertion that ended ten minutes ago'),
  },
  {
    id: 'private-key-jwt/missing-expiry',
    clause: {
      document: 'RFC 7523',
      section: '3',
      level: 'MUST',
      says: 'An assertion has an expiry.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require exp: many JWT libraries check it only if it is there.',
    run: (on) => refusesClaims(on, () => ({ exp: undefined }), 'an assertion without exp'),
  },
  {
    id: 'private-key-jwt/not-yet-valid',
    clause: {
      document: 'RFC 7523',
      section: '3',
      level: 'MUST NOT',
      says: 'An assertion is not accepted before the time of nbf, if it has one.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Compare nbf with the time, if it is there.',
    run: (on) =>
      refusesClaims(on, (now) => ({ nbf: now + 3600, exp: now + 3660 }), 'an assertion that begins in an hour'),
  },
  {
    id: 'private-key-jwt/missing-jti',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '9',
      level: 'MUST',
      says: 'An assertion has an identifier, by which the server knows that it was used before.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Require jti.',
    async run(on) {
      await on.openid()
      return refusesClaims(on, () => ({ jti: undefined }), 'an assertion without jti')
    },
  },
  {
    id: 'private-key-jwt/replay',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '9',
      level: 'MUST',
      says: 'An assertion is used once.',
    },
    depth: 'people',
    creates: { authorizations: 2 },
    change: 'Keep jti of each assertion until it has expired, and insert it in one step that fails if it is there.',
    async run(on) {
      // RFC 7523 leaves it to the server.
      await on.openid()
      const one = await ready(on)
      const assertion = await signed(one, claimsOf(one.client.clientId, one.audience))
      const first = await on.redeem(await on.code({ client: one.client }), withAssertion(assertion))
      if (first.status !== 200)
        return notReached(`its first use is answered by ${first.status}`)
      const second = await exchange(on, one.client, () => assertion)
      return isRefused(second)
        ? held(`its second use is answered by ${second.status}`)
        : violated(`its second use is answered by ${second.status}`)
    },
  },
] // prettier-ignore
