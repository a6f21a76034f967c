import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc9449, RS, SHOULD } from '../clause.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, describe, isPublic } from '../engine/audit.js'
import { challengesOf } from '../engine/challenge.js'
import type { Answer } from '../engine/http.js'
import type { ProofChanges, ProofKey } from '../engine/proof.js'
import { newSecret } from '../engine/random.js'
import { receivedBy } from './asking.js'
import { algorithmsOf, ask, asked, askWithNonce, BOUND, bound, isDpop, newKey, refusedAt, takers, tried, typeOf } from './bound.js' // prettier-ignore
import { dpopProofs, now, YEAR } from './dpop-proofs.js'
import { errorOf, firstNotHeld, nothingFor, openedBy } from './expect.js'

// prettier-ignore
const TEXT = {
  algorithms: rfc9449('11.6', MUST, AS, 'Implementers MUST ensure that only asymmetric digital signature algorithms (such as ES256) that are deemed secure can be used for signing DPoP proofs.'),
  valid: rfc9449('4.3', MUST, AS, 'To validate a DPoP proof, the receiving server MUST ensure the following: … All required claims per Section 4.2 are contained in the JWT. … The JWT signature verifies with the public key contained in the jwk JOSE Header Parameter. … The htm claim matches the HTTP method of the current request. … The creation time of the JWT, as determined by either the iat claim or a server managed timestamp via the nonce claim, is within an acceptable window (see Section 11.1).'),
  type: rfc9449('5', MUST, AS, 'A token_type of DPoP MUST be included in the access token response to signal to the client that the access token was bound to its DPoP key and can be used as described in Section 7.1.'),
  accepted: rfc9449('6', MUST, RS, 'Resource servers MUST be able to reliably identify whether an access token is DPoP-bound and ascertain sufficient information to verify the binding to the public key of the DPoP proof (see Section 7.1).'),
  bearer: rfc9449('7.2', MUST, RS, 'Specifically, such a protected resource MUST reject a DPoP-bound access token received as a bearer token per [RFC6750].'),
  received: rfc9449('7.1', MUST, RS, 'For such an access token, a resource server MUST check that a DPoP proof was also received in the DPoP header field of the HTTP request'),
  challenge: rfc9449('7.1', SHOULD, RS, 'An algs parameter SHOULD be included to signal to the client the JWS algorithms that are acceptable for the DPoP proof JWT.'),
  told: rfc9449('6.2', ADVICE, AS, 'An API that learns of a token only by introspection can ask for its proof only if the response has the thumbprint of the key.'),
  toldType: rfc9449('6.2', MUST, AS, 'If the token_type member is included in the introspection response, it MUST contain the value DPoP.'),
  error: rfc9449('5', ADVICE, AS, 'The answer to an invalid proof has the error invalid_dpop_proof. A client that reads another one looks for its mistake elsewhere.'),
  code: rfc9449('10', MUST, AS, 'When a token request is received, the authorization server computes the JWK Thumbprint of the proof-of-possession public key in the DPoP proof and verifies that it matches the dpop_jkt parameter value in the authorization request. If they do not match, it MUST reject the request.'),
  pushed: rfc9449('10.1', MUST, AS, "It MUST further behave as if the contained public key's thumbprint was provided using dpop_jkt, i.e., reject the subsequent token request unless a DPoP proof for the same key is provided."),
  pushedBoth: rfc9449('10.1', MUST, AS, 'If both mechanisms are used at the same time, the authorization server MUST reject the request if the JWK Thumbprint in dpop_jkt does not match the public key in the DPoP header.'),
  refresh: rfc9449('5', MUST, AS, 'When an authorization server supporting DPoP issues a refresh token to a public client … the refresh token MUST be bound to the respective public key. The binding MUST be validated when the refresh token is later presented to get new access tokens.'),
}

const OF_BOUND = { depth: 'people', shares: [BOUND] } as const
const SYMMETRIC = { name: 'a proof with a shared secret', authorizations: 1 } as const
const OF_SYMMETRIC = { depth: 'people', shares: [SYMMETRIC] } as const
/** Proofs of token requests that are wrong in one thing. A server with nonces reads the time of a proof in them. */
const WRONG: readonly (readonly [string, (other: ProofKey) => ProofChanges])[] = [
  ['a proof that another key signed', (other) => ({ signedBy: other })],
  ['a proof with the type JWT', () => ({ header: { typ: 'JWT' } })],
  ['a proof for GET', () => ({ claims: { htm: 'GET' } })],
  ['a proof for another host', () => ({ claims: { htu: 'https://audit.invalid/token' } })],
  ['a proof without jti', () => ({ claims: { jti: undefined } })],
  ['a proof of last year', () => ({ claims: { iat: now() - YEAR } })],
  ['a proof of next year', () => ({ claims: { iat: now() + YEAR } })],
]
const STORE =
  'Store dpop_jkt, or the thumbprint of the key of a pushed proof, with the code, and compare it with the key of the proof at the token endpoint.'
const PUSH = 'pushed_authorization_request_endpoint'

/** The answer to a code with a proof that a shared secret signed. */
const symmetric = (on: Audit): Promise<Answer> =>
  on.once(SYMMETRIC.name, async () => {
    const [key, code, secret] = [await newKey(on), await on.code(), Buffer.from(newSecret())]
    const jwk = { kty: 'oct', k: secret.toString('base64url') }
    const changes = { header: { alg: 'HS256', jwk }, signedBy: secret }
    return ask(on, 'token_endpoint', on.redemption(code), key, changes)
  })

/** Pushes a request with a proof of a key. */
async function push(on: Audit, key: ProofKey, changes: Readonly<Record<string, string>> = {}) {
  const request = on.request(await on.client(), changes)
  const { secret } = request.client
  const fields = { ...Object.fromEntries(request.url.searchParams), ...(secret !== null && { client_secret: secret }) }
  return { request, answer: await ask(on, PUSH, fields, key) }
} // prettier-ignore

/** Tokens that are bound to a key of the client (DPoP): who has copied one has nothing. */
export const dpop: readonly Check[] = [
  {
    id: 'dpop/algorithms', clause: TEXT.algorithms, depth: 'passive',
    change: 'Remove none and every HS algorithm from dpop_signing_alg_values_supported.',
    async run(on) {
      const listed = await algorithmsOf(on)
      const wrong = listed.filter((one) => /^(?:none|HS\d+)$/i.test(one))
      return judge(await on.serverAnswer(), wrong.length === 0, `it lists ${listed.join(', ')}`, `it lists ${wrong.join(', ')}`)
    },
  },
  {
    id: 'dpop/token-type', clause: TEXT.type, ...OF_BOUND,
    change: 'Answer a token request with a proof by "token_type": "DPoP".',
    async run(on) {
      const issued = await asked(on)
      const found = `token_type is ${typeOf(issued)}`
      if (isDpop(issued)) return held(issued.tokens, found)
      // A server may leave the token unbound, and then says so. Where the token works as it says, it is.
      if ((await openedBy(on, issued.tokens.accessToken)).length > 0)
        return notApplicable(`${found}, and the token needs no proof: the server did not bind it`, issued.tokens)
      return violated(issued.tokens, `${found}, and no path accepts the token so`)
    },
  },
  {
    id: 'dpop/accepted', clause: TEXT.accepted, ...OF_BOUND,
    change: 'Read the token from Authorization: DPoP, and the proof from the DPoP header.',
    async run(on) {
      const all = await tried(on)
      const taken = all.filter(({ isTaken }) => isTaken)
      const [{ answer }] = taken[0] === undefined ? all : taken
      const names = taken.map(({ place }) => place.surface).join(', ')
      return judge(answer, taken.length > 0, `accepted by ${names}`, 'no path accepts the bound token with a proof of its key')
    },
  },
  {
    id: 'dpop/as-bearer', clause: TEXT.bearer, ...OF_BOUND,
    change: 'Refuse a token that is bound to a key unless the request has a proof, at every path: UserInfo, /mcp and your API.',
    async run(on) {
      const { accessToken } = (await bound(on)).tokens
      return refusedAt(await takers(on), 'the bound token as a Bearer token', (place) =>
        place.send({ headers: { authorization: `Bearer ${accessToken}` }, session: accessToken }))
    },
  },
  {
    id: 'dpop/no-proof', clause: TEXT.received, ...OF_BOUND,
    change: 'Refuse the scheme DPoP without the DPoP header.',
    async run(on) {
      const { accessToken } = (await bound(on)).tokens
      return refusedAt(await takers(on), 'the bound token without a proof', (place) =>
        place.send({ headers: { authorization: `DPoP ${accessToken}` } }))
    },
  },
  {
    id: 'dpop/challenge', clause: TEXT.challenge, ...OF_BOUND,
    change: 'Add algs="ES256 …" to the DPoP challenge: the algorithms of dpop_signing_alg_values_supported.',
    async run(on) {
      const { accessToken } = (await bound(on)).tokens
      const [{ place }] = await takers(on)
      const answer = await place.send({ headers: { authorization: `DPoP ${accessToken}` } })
      if (await place.isRead(answer)) return notReached(`${place.surface} wants no proof`, answer)
      const challenge = challengesOf(answer.headers).find(({ scheme }) => scheme === 'dpop')
      if (challenge === undefined)
        return notApplicable(`no challenge of ${place.surface} (${answer.status}) has the scheme DPoP`, answer)
      const algs = challenge.parameters.find(([name]) => name === 'algs')?.[1]
      return judge(answer, algs !== undefined, `algs is ${algs}`, `the challenge of ${place.surface} has no algs`)
    },
  },
  ...dpopProofs,
  {
    id: 'dpop/introspection', clause: TEXT.told, ...OF_BOUND,
    change: 'Add "cnf": { "jkt": "…" } to the introspection response of a bound token.',
    async run(on) {
      const { key } = await bound(on)
      const answer = await told(on)
      const { jkt } = (answer.json['cnf'] ?? {}) as { jkt?: unknown }
      return judge(answer, jkt === key.jkt, 'cnf has the thumbprint of the key', `cnf is ${JSON.stringify(answer.json['cnf'])}`)
    },
  },
  {
    id: 'dpop/introspection-type', clause: TEXT.toldType, ...OF_BOUND,
    change: 'Answer "token_type": "DPoP", or no token_type, to who introspects a bound token.',
    async run(on) {
      const answer = await told(on)
      const { token_type: type } = answer.json
      if (type === undefined) return notApplicable('the introspection response has no token_type', answer)
      return judge(answer, /^"dpop"$/i.test(JSON.stringify(type)), 'token_type is DPoP', `token_type is ${JSON.stringify(type)}`)
    },
  },
  {
    id: 'dpop/invalid-proof', clause: TEXT.algorithms, ...OF_SYMMETRIC,
    change: 'Verify the proof of a token request. Issue nothing without a key that signed.',
    run: async (on) => nothingFor(await symmetric(on), 'a proof with HS256'),
  },
  {
    id: 'dpop/token-proof', clause: TEXT.valid, ...OF_BOUND, creates: { authorizations: WRONG.length },
    change: 'Verify the proof of a token request by the function that verifies those at your API: its time, its type, its method and its URL.',
    async run(on) {
      await bound(on)
      const key = await newKey(on)
      const other = await newKey(on)
      return firstNotHeld(WRONG, async ([what, changesOf]) => {
        const fields = on.redemption(await on.code())
        const changes = changesOf(other)
        const { answer, nonce } = await askWithNonce(on, 'token_endpoint', fields, key, changes)
        const isTimeInNonce = nonce !== null && changes.claims?.['iat'] !== undefined
        return isTimeInNonce ? held(answer, `${what} has a nonce, which tells its time`) : nothingFor(answer, what)
      })
    },
  },
  {
    id: 'dpop/invalid-proof-error', clause: TEXT.error, ...OF_SYMMETRIC,
    change: 'Answer 400 and invalid_dpop_proof to a token request whose proof is not right.',
    async run(on) {
      const answer = await symmetric(on)
      const found = `a proof with HS256 is answered by ${answer.status} ${errorOf(answer)}`
      if (answer.status < 400) return notApplicable(`${found}: there is no error`, answer)
      if (answer.status >= 500) return notReached(found, answer)
      return judge(answer, errorOf(answer) === 'invalid_dpop_proof', found, found)
    },
  },
  {
    id: 'dpop/code-key', clause: TEXT.code, ...OF_BOUND, creates: { authorizations: 1 },
    change: STORE,
    async run(on) {
      await bound(on)
      const [own, other] = [await newKey(on), await newKey(on)]
      const code = await on.code({ changes: { dpop_jkt: own.jkt } })
      const answer = await ask(on, 'token_endpoint', on.redemption(code), other)
      return nothingFor(answer, 'a code with a proof of another key')
    },
  },
  {
    id: 'dpop/pushed-key', clause: TEXT.pushed, ...OF_BOUND, creates: { authorizations: 1 },
    change: STORE,
    async run(on) {
      await bound(on)
      const { request, answer } = await push(on, await newKey(on))
      const { request_uri: uri } = answer.json
      if (typeof uri !== 'string') return notReached(`a push with a proof is answered by ${answer.status} ${errorOf(answer)}`, answer)
      const instead = Object.fromEntries([...request.url.searchParams.keys()].map((name) => [name, null]))
      const changes = { ...instead, client_id: request.client.clientId, request_uri: uri }
      const ended = await on.authorize({ person: 0, changes })
      const code = receivedBy(request, ended.page)?.get('code') ?? null
      if (code === null) return notReached(`no code came: ${describe(ended)}`, ended)
      const fields = on.redemption({ ...ended, ...request, code })
      return nothingFor(await ask(on, 'token_endpoint', fields, await newKey(on)), 'the code of a push with a proof, with another key')
    },
  },
  {
    id: 'dpop/pushed-other-key', clause: TEXT.pushedBoth, ...OF_BOUND,
    change: 'Compare dpop_jkt of a pushed request with the key of its proof, if it has both.',
    async run(on) {
      await bound(on)
      const [own, other] = [await newKey(on), await newKey(on)]
      const right = (await push(on, own, { dpop_jkt: own.jkt })).answer
      if (right.status >= 400) return notReached(`a push with its key and a proof is answered by ${right.status} ${errorOf(right)}`, right)
      const { answer } = await push(on, other, { dpop_jkt: own.jkt })
      const found = `a push with dpop_jkt and a proof of another key is answered by ${answer.status} ${errorOf(answer)}`.trim()
      if (answer.status >= 500) return notReached(found, answer)
      return judge(answer, answer.json['request_uri'] === undefined, found, found)
    },
  },
  {
    id: 'dpop/refresh', clause: TEXT.refresh, ...OF_BOUND,
    change: 'Store the thumbprint with the refresh token of a public client, and require a proof of the same key each time.',
    async run(on) {
      const { key, tokens: { refreshToken, code, answer } } = await bound(on)
      if (refreshToken === null) return notApplicable('the server issued no refresh token', answer)
      if (!isPublic(code.client)) return notApplicable('the client authenticates, and its refresh tokens are bound to it')
      const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: code.client.clientId }
      const without = nothingFor(await on.form(await on.endpoint('token_endpoint'), fields), 'the refresh token without a proof')
      if (without.verdict !== 'held') return without
      const found = nothingFor(await ask(on, 'token_endpoint', fields, await newKey(on)), 'the refresh token with another key')
      // A refusal says nothing at a server at which no refresh works.
      if (found.verdict === 'held') on.tokensOf(await ask(on, 'token_endpoint', fields, key), code)
      return found
    },
  },
] // prettier-ignore

/** Introspects the bound token as the confidential client. Stops if it may not see it. */
const told = (on: Audit): Promise<Answer> =>
  on.once('introspection of a bound token', async () => {
    const answer = await on.introspect((await bound(on)).tokens.accessToken)
    if (answer.json['active'] === true) return answer
    throw new Stop(notApplicable('the confidential client may not see tokens of others', answer))
  })
