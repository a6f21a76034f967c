import { type CryptoKey, exportSPKI, generateKeyPair, importJWK, UnsecuredJWT } from 'jose'
import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, MUST, MUST_NOT, oidcCore, rfc6749, rfc7521, rfc7523, rfc8725 } from '../clause.js' // prettier-ignore
import { type Finding, judge, notReached, Stop } from '../finding.js'
import { ASSERTION_TYPE, claimsOf, signed, type SigningKey, withAssertion } from '../engine/assertion.js' // prettier-ignore
import type { Audit, Client } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { errorOf, exchangeAs, nothingFor } from './expect.js'

const VALIDATE =
  'the authorization server MUST validate the JWT according to the criteria below. … '
// prettier-ignore
const TEXT = {
  accepted: rfc7523('2.2', ADVICE, AS, 'A server that names private_key_jwt takes an assertion of which everything is right, for its issuer or for its token endpoint.'),
  required: rfc6749('4.1.3', MUST, AS, 'The authorization server MUST: … require client authentication for confidential clients or for any client that was issued client credentials (or with other authentication requirements)'),
  type: rfc7521('4.2', ADVICE, AS, 'The type of an assertion says how to read it. A server that does not look may take one that was made for something else.'),
  signed: rfc7523('3', MUST, AS, `${VALIDATE}The JWT MUST be digitally signed or have a Message Authentication Code (MAC) applied by the issuer. The authorization server MUST reject JWTs with an invalid signature or MAC.`),
  oneAlgorithm: rfc8725('3.1', MUST, AS, 'Moreover, each key MUST be used with exactly one algorithm, and this MUST be checked when the cryptographic operation is performed.'),
  issuer: rfc7523('3', MUST, AS, `${VALIDATE}The JWT MUST contain an "iss" (issuer) claim that contains a unique identifier for the entity that issued the JWT.`),
  subject: rfc7523('3', MUST, AS, `${VALIDATE}The JWT MUST contain a "sub" (subject) claim identifying the principal that is the subject of the JWT. … For client authentication, the subject MUST be the "client_id" of the OAuth client.`),
  clientId: rfc7521('4.2', ADVICE, AS, 'A client_id next to an assertion names the same client. A server that compares them cannot take one client for the other.'),
  audience: rfc7523('3', MUST, AS, 'The authorization server MUST reject any JWT that does not contain its own identity as the intended audience.'),
  expired: rfc7523('3', MUST, AS, 'The authorization server MUST reject any JWT with an expiration time that has passed, subject to allowable clock skew between systems.'),
  expiry: rfc7523('3', MUST, AS, `${VALIDATE}The JWT MUST contain an "exp" (expiration time) claim that limits the time window during which the JWT can be used.`),
  notBefore: rfc7523('3', MUST_NOT, AS, 'The JWT MAY contain an "nbf" (not before) claim that identifies the time before which the token MUST NOT be accepted for processing.'),
  jti: oidcCore('9', ADVICE, AS, 'An assertion of OpenID Connect has a jti, by which a server knows that it was used before. Without it, someone who has seen the assertion can use it again.'),
  once: oidcCore('9', MUST, AS, 'These tokens MUST only be used once, unless conditions for reuse were negotiated between the parties; any such negotiation is beyond the scope of this specification.'),
  error: rfc7523('3.2', MUST, AS, 'If the client JWT is not valid, the authorization server constructs an error response as defined in OAuth 2.0 [RFC6749]. The value of the "error" parameter MUST be the "invalid_client" error code.'),
}
const VERIFY =
  'Verify the signature with the keys of the client, then iss, sub, aud and exp, by the functions of a JWT library.'
const ONE = { depth: 'people', creates: { authorizations: 1 } } as const
const HOUR = 3600

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

/** The audience with which the right assertion gets tokens, and what the server answered: without it, a refusal says nothing. */
const accepted = (on: Audit): Promise<{ readonly audience: string | null; readonly answer: Answer }> =>
  on.once('accepted assertion', async () => {
    const one = await signer(on)
    const { issuer } = await on.server()
    const exchangeFor = async (audience: string): Promise<Answer> => {
      const assertion = await signed(one, claimsOf(one.client.clientId, audience))
      return on.redeem(await on.code({ client: one.client }), withAssertion(assertion))
    }
    // The one that is recommended today, and the one that was.
    const [today, before] = [String(issuer), await on.endpoint('token_endpoint')]
    const first = await exchangeFor(today)
    if (first.status === 200) return { audience: today, answer: first }
    const answer = await exchangeFor(before)
    return { audience: answer.status === 200 ? before : null, answer }
  }) // prettier-ignore

/** The signer, and the claims of its right assertions. */
async function ready(on: Audit) {
  const { audience, answer } = await accepted(on)
  if (audience === null)
    throw new Stop(notReached(`the right assertion is answered by ${answer.status}`, answer))
  const one = await signer(on)
  const claims = (changes: Readonly<Record<string, unknown>> = {}) =>
    claimsOf(one.client.clientId, audience, changes)
  return { one, claims }
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

type Ready = Awaited<ReturnType<typeof ready>>

/** A check that sends an assertion that is wrong. */
const refuses = (
  name: string,
  clause: Clause,
  change: string,
  what: string,
  assertion: (of: Ready) => Promise<string> | string,
): Check => ({
  id: `private-key-jwt/${name}`,
  clause,
  ...ONE,
  change,
  async run(on) {
    const of = await ready(on)
    return nothingFor(await exchange(on, of.one.client, async () => assertion(of)), what)
  },
})

/** The same for claims in place of the right ones. */
const refusesClaims = (
  name: string,
  clause: Clause,
  change: string,
  what: string,
  changes: (now: number) => Readonly<Record<string, unknown>>,
): Check =>
  refuses(name, clause, change, what, async ({ one, claims }) =>
    signed(one, claims(changes(Math.floor(Date.now() / 1000)))),
  )

/** Clients that sign an assertion in place of sending a secret. */
export const privateKeyJwt: readonly Check[] = [
  {
    id: 'private-key-jwt/accepted', clause: TEXT.accepted, depth: 'people',
    creates: { clients: 1, authorizations: 2 },
    change: 'Accept an assertion whose iss and sub are the client_id, whose aud is the issuer, and which a key of the client signed.',
    async run(on) {
      const { audience, answer } = await accepted(on)
      return judge(answer, audience !== null, `an assertion for ${audience} is accepted`, `the right assertion is answered by ${answer.status} ${errorOf(answer)}`)
    },
  },
  {
    id: 'private-key-jwt/missing', clause: TEXT.required, ...ONE,
    change: 'Refuse a client of private_key_jwt that sends no assertion.',
    async run(on) {
      const { client } = (await ready(on)).one
      const endpoint = await on.endpoint('token_endpoint')
      const answer = await exchangeAs(on, client, (fields) => on.form(endpoint, { ...fields, client_assertion: null }))
      return nothingFor(answer, 'a request without an assertion')
    },
  },
  {
    id: 'private-key-jwt/assertion-type', clause: TEXT.type, ...ONE,
    change: `Require client_assertion_type to be ${ASSERTION_TYPE}.`,
    async run(on) {
      const { one, claims } = await ready(on)
      const type = { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }
      return nothingFor(await exchange(on, one.client, () => signed(one, claims()), type), 'a JWT with the type of SAML')
    },
  },
  refuses('signature', TEXT.signed, VERIFY, 'a signature by another key', async ({ one, claims }) => {
    const { privateKey: key } = await generateKeyPair(one.alg)
    return signed({ ...one, key }, claims())
  }),
  refuses('unsigned', TEXT.signed, 'Pass the algorithms that you accept to the JWT library, and never take alg from the assertion.',
    'an unsigned assertion', ({ claims }) => new UnsecuredJWT(claims()).encode()),
  refuses('public-key-as-secret', TEXT.oneAlgorithm, 'Accept asymmetric algorithms only, such as ES256, for clients that have keys.',
    'HS256 with the public key', async ({ one, claims }) => {
      const key = new TextEncoder().encode(await exportSPKI(await importJWK(one.publicJwk, one.alg) as CryptoKey))
      return signed({ ...one, alg: 'HS256', key }, claims())
    }),
  refusesClaims('issuer', TEXT.issuer, 'Require iss and sub to equal the client_id.',
    'another issuer', () => ({ iss: 'https://hallpass-audit.example' })),
  refusesClaims('missing-subject', TEXT.subject, 'Require sub to equal the client_id: client_id of the form does not replace it.',
    'an assertion without sub', () => ({ sub: undefined })),
  {
    id: 'private-key-jwt/client-id', clause: TEXT.clientId, ...ONE,
    change: 'Compare client_id of the form, if there is one, with sub of the assertion.',
    async run(on) {
      const { one, claims } = await ready(on)
      const first = await on.client()
      const { clientId } = first.clientId === one.client.clientId ? await on.client('second') : first
      const answer = await exchange(on, one.client, () => signed(one, claims()), { client_id: clientId })
      return nothingFor(answer, 'the client_id of another client')
    },
  },
  refusesClaims('audience', TEXT.audience, 'Require aud to be your issuer, or your token endpoint.',
    'another audience', () => ({ aud: 'https://hallpass-audit.example' })),
  refusesClaims('expired', TEXT.expired, 'Compare exp with the time, with less than a minute for clocks that differ.',
    'an assertion that ended an hour ago', (now) => ({ iat: now - HOUR - 60, exp: now - HOUR })),
  refusesClaims('missing-expiry', TEXT.expiry, 'Require exp: many JWT libraries check it only if it is there.',
    'an assertion without exp', () => ({ exp: undefined })),
  refusesClaims('not-yet-valid', TEXT.notBefore, 'Compare nbf with the time, if it is there.',
    'an assertion that begins in an hour', (now) => ({ nbf: now + HOUR, exp: now + HOUR + 60 })),
  ofOpenid(refusesClaims('missing-jti', TEXT.jti, 'Require jti.', 'an assertion without jti', () => ({ jti: undefined }))),
  // RFC 7523 leaves it to the server.
  ofOpenid({
    id: 'private-key-jwt/replay', clause: TEXT.once, depth: 'people',
    creates: { authorizations: 2 },
    change: 'Keep jti of each assertion until it has expired, and insert it in one step that fails if it is there.',
    async run(on) {
      const { one, claims } = await ready(on)
      const assertion = await signed(one, claims())
      const first = await on.redeem(await on.code({ client: one.client }), withAssertion(assertion))
      if (first.status !== 200) return notReached(`its first use is answered by ${first.status}`, first)
      return nothingFor(await exchange(on, one.client, () => assertion), 'its second use')
    },
  }),
  {
    id: 'private-key-jwt/error', clause: TEXT.error, ...ONE,
    change: 'Answer invalid_client to an assertion that is not valid, whatever is wrong with it.',
    async run(on): Promise<Finding> {
      const { one, claims } = await ready(on)
      const answer = await exchange(on, one.client, () => signed(one, claims({ aud: 'https://hallpass-audit.example' })))
      const found = `an assertion for another server is answered by ${answer.status} ${errorOf(answer)}`
      if (answer.status < 400 || answer.status >= 500) return notReached(found, answer)
      return judge(answer, errorOf(answer) === 'invalid_client', found, found)
    },
  },
] // prettier-ignore

/** A check of what OpenID Connect asks for, and RFC 7523 does not. */
function ofOpenid(check: Check): Check {
  return { ...check, run: async (on) => on.openid().then(async () => check.run(on)) }
}
