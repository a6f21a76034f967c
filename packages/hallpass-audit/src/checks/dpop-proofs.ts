import { type Check } from '../check.js'
import { ADVICE, type Clause, MUST, rfc7519, rfc9449, RS } from '../clause.js'
import { judge, notApplicable, notReached, Stop } from '../finding.js'
import type { Place } from '../engine/audit.js'
import { hashOf, type ProofChanges, type ProofKey } from '../engine/proof.js'
import { newSecret } from '../engine/random.js'
import { BOUND, bound, newKey, present, refusedAt, takers } from './bound.js'
import { firstNotHeld } from './expect.js'

const ENSURE = 'To validate a DPoP proof, the receiving server MUST ensure the following: … '
const rule = (words: string): Clause => rfc9449('4.3', MUST, RS, ENSURE + words)
// prettier-ignore
const TEXT = {
  key: rfc9449('6', MUST, RS, 'Resource servers supporting DPoP MUST ensure that the public key from the DPoP proof matches the one bound to the access token.'),
  signature: rule('The JWT signature verifies with the public key contained in the jwk JOSE Header Parameter.'),
  unsigned: rule('The alg JOSE Header Parameter indicates a registered asymmetric digital signature algorithm [IANA.JOSE.ALGS], is not none'),
  typ: rfc9449('11.5', MUST, RS, 'Servers accepting signed DPoP proof JWTs MUST verify that the typ field is dpop+jwt in the headers of the JWTs to ensure that adversaries cannot use JWTs created for other purposes.'),
  privateKey: rule('The jwk JOSE Header Parameter does not contain a private key.'),
  method: rule('The htm claim matches the HTTP method of the current request.'),
  uri: rule('The htu claim matches the HTTP URI value for the HTTP request in which the JWT was received, ignoring any query and fragment parts.'),
  hash: rule('If presented to a protected resource in conjunction with an access token, … ensure that the value of the ath claim equals the hash of that access token'),
  claims: rule('All required claims per Section 4.2 are contained in the JWT.'),
  time: rule('The creation time of the JWT, as determined by either the iat claim or a server managed timestamp via the nonce claim, is within an acceptable window (see Section 11.1).'),
  ignored: rfc7519('4', MUST, RS, 'However, in the absence of such requirements, all claims that are not understood by implementations MUST be ignored.'),
  clocks: rfc9449('11.1', ADVICE, RS, 'Clocks differ by seconds. A server that takes proofs of the last and the next few seconds serves clients whose clocks are not exact.'),
  single: rule('The DPoP HTTP request header field value is a single and well-formed JWT.'),
  replay: rfc9449('11.1', ADVICE, RS, 'A server that remembers jti declines a proof the second time. The text says how, and that it is not always feasible.'),
  nonce: rule('If the server provided a nonce value to the client, the nonce claim matches the server-provided nonce value.'),
}

/** No window for proofs is that long. */
export const YEAR: number = 365 * 86_400
/** Seconds by which clocks may differ. */
const APART = 8
export const now = (): number => Math.floor(Date.now() / 1000)

const OF_BOUND = { depth: 'people', shares: [BOUND] } as const
const VERIFY =
  'Verify each proof by all twelve rules of RFC 9449, section 4.3, at every path that takes tokens. One function for all paths forgets none.'

/** The parts of a proof. */
interface Parts {
  readonly key: ProofKey
  readonly other: ProofKey
  readonly place: Place
}

/** Proofs, by what they are called. */
type Proofs = Readonly<Record<string, (of: Parts) => ProofChanges>>

/**
 * A check that sends proofs to every place that takes the token.
 *
 * @param isOfTime - Whether the proofs are of another time, which a nonce tells as well as iat.
 */
const sends =
  (judged: typeof refusedAt, isOfTime = false) =>
  (name: string, clause: Clause, change: string, proofs: Proofs): Check => ({
    id: `dpop/${name}`,
    clause,
    ...OF_BOUND,
    change,
    async run(on) {
      const [{ key }, other] = [await bound(on), await newKey(on)]
      const places = (await takers(on)).filter(({ nonce }) => nonce === null || !isOfTime)
      if (places.length === 0)
        return notApplicable('the server tells the time of a proof by its nonce')
      return firstNotHeld(Object.entries(proofs), async ([what, of]) =>
        judged(places, what, async (place) => {
          const { answer } = await present(on, place, of({ key, other, place }))
          return answer
        }),
      )
    },
  })
const refuses = sends(refusedAt)
const refusesTime = sends(refusedAt, true)
const accepts = sends(async (places, what, send) =>
  firstNotHeld(places, async ({ place }) => {
    const answer = await send(place)
    const found = `${place.surface} answers ${what} by ${answer.status}`
    return judge(answer, await place.isRead(answer), found, `${found}, and does not take it`)
  }),
)

/** Proofs that are wrong in one thing, at every path that takes the token, and two that only look so. */
export const dpopProofs: readonly Check[] = [
  refuses('other-key', TEXT.key, 'Compare the thumbprint of the key in the proof with the one that the token is bound to.', {
    'a proof of another key': ({ other }) => ({ header: { alg: other.alg, jwk: other.jwk }, signedBy: other }),
  }),
  refuses('signature', TEXT.signature, VERIFY, {
    'a proof that another key signed': ({ other }) => ({ signedBy: other }),
  }),
  refuses('unsigned', TEXT.unsigned, VERIFY, {
    'an unsigned proof': () => ({ header: { alg: 'none' }, signedBy: null }),
  }),
  refuses('type', TEXT.typ, VERIFY, {
    'a proof with the type JWT': () => ({ header: { typ: 'JWT' } }),
  }),
  refuses('private-key', TEXT.privateKey, 'Refuse a proof whose jwk has a private member, such as d.', {
    'a proof with its private key': ({ key }) => ({ header: { jwk: key.privateJwk } }),
  }),
  refuses('method', TEXT.method, 'Compare htm with the method of the request.', {
    'a proof for PUT': () => ({ claims: { htm: 'PUT' } }),
  }),
  refuses('uri', TEXT.uri, 'Compare htu with the URL of the request: scheme, host, port and path.', {
    'a proof for another path': ({ place }) => ({ claims: { htu: `${place.url.origin}/audit` } }),
    'a proof for another host': ({ place }) => ({ claims: { htu: `https://audit.invalid${place.url.pathname}` } }),
  }),
  refuses('token-hash', TEXT.hash, 'Require ath in proofs that come with a token, and compare it with the hash of that token.', {
    'a proof without ath': () => ({ claims: { ath: undefined } }),
    'a proof with the hash of another token': () => ({ claims: { ath: hashOf(newSecret()) } }),
  }),
  refuses('claims', TEXT.claims, 'Require jti, htm, htu and iat in each proof.', {
    'a proof without jti': () => ({ claims: { jti: undefined } }),
    'a proof without iat': () => ({ claims: { iat: undefined } }),
  }),
  refusesTime('old-proof', TEXT.time, 'Refuse a proof whose iat is more than a minute or so ago.', {
    'a proof of last year': () => ({ claims: { iat: now() - YEAR } }),
  }),
  refusesTime('future-proof', TEXT.time, 'Refuse a proof whose iat is more than a minute or so ahead.', {
    'a proof of next year': () => ({ claims: { iat: now() + YEAR } }),
  }),
  accepts('clocks-apart', TEXT.clocks, 'Take proofs whose iat is up to ten seconds from now.', {
    'a proof of a clock that is behind': () => ({ claims: { iat: now() - APART } }),
    'a proof of a clock that is ahead': () => ({ claims: { iat: now() + APART } }),
  }),
  accepts('further-times', TEXT.ignored, 'Read exp and nbf of a proof as those of any JWT, or ignore them.', {
    'a proof with nbf and exp': () => ({ claims: { nbf: now(), exp: now() + 60 } }),
  }),
  {
    id: 'dpop/two-proofs', clause: TEXT.single, ...OF_BOUND,
    change: 'Refuse a DPoP header with a comma, as HTTP joins several headers of a name.',
    run: async (on) =>
      refusedAt(await takers(on), 'a request with two proofs', async (place) => (await present(on, place, {}, 2)).answer),
  },
  {
    id: 'dpop/replay', clause: TEXT.replay, ...OF_BOUND,
    change: 'Store the jti of each proof for as long as the proof is accepted, and refuse a second one.',
    run: async (on) =>
      refusedAt(await takers(on), 'a proof for the second time', async (place) => {
        let sent = {}
        const { answer } = await present(on, { ...place, send: (one) => place.send((sent = one)) })
        if (!(await place.isRead(answer)))
          throw new Stop(notReached(`${place.surface} refused a right proof (${answer.status})`, answer))
        return place.send(sent)
      }),
  },
  {
    id: 'dpop/nonce', clause: TEXT.nonce, ...OF_BOUND,
    change: 'Compare the nonce of each proof with those that you gave lately.',
    async run(on) {
      const wanting = (await takers(on)).filter(({ nonce }) => nonce !== null)
      if (wanting.length === 0) return notApplicable('the server wants no nonce')
      return refusedAt(wanting, 'a nonce that it did not give', async (place) => {
        const { answer } = await present(on, place, { claims: { nonce: newSecret() } })
        return answer
      })
    },
  },
] // prettier-ignore
