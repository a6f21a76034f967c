import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, isPublic, type Place, type Tokens } from '../engine/audit.js'
import { challengesOf } from '../engine/challenge.js'
import type { Answer } from '../engine/http.js'
import {
  createProofKey,
  hashOf,
  type ProofChanges,
  type ProofKey,
  proofOf,
  withNonce,
} from '../engine/proof.js'
import { newSecret } from '../engine/random.js'
import { nothingFor, openedBy, refusalOf } from './expect.js'

const LISTED = 'dpop_signing_alg_values_supported'
const DAY = 86_400
const now = (): number => Math.floor(Date.now() / 1000)

/** A grant whose tokens are bound to a key. */
const BOUND = 'bound tokens'
const OF_BOUND = { depth: 'people', shares: [{ name: BOUND, authorizations: 1 }] } as const

const VERIFY =
  'Verify each proof by all twelve rules of RFC 9449, section 4.3, at every path that takes tokens. One function for all paths forgets none.'

/** The clause of one rule about proofs. */
const rule = (says: string, section = '4.3') =>
  ({ document: 'RFC 9449', section, level: 'MUST', says }) as const

/** Creates a key that the server verifies. Stops if the server does not promise DPoP. */
async function newKey(on: Audit): Promise<ProofKey> {
  const listed = await on.listOf(LISTED)
  if (listed.length === 0) throw new Stop(notApplicable(`the metadata names no ${LISTED}`))
  const key = await createProofKey(listed)
  if (key === null) throw new Stop(notReached(`no proof can be made with ${listed.join(', ')}`))
  return key
}

/** Sends fields to the token endpoint, with a proof. */
async function ask(on: Audit, fields: Readonly<Record<string, string>>, key: ProofKey, changes: ProofChanges = {}): Promise<Answer> {
  const url = new URL(await on.endpoint('token_endpoint'))
  const { answer } = await withNonce(async (nonce) =>
    on.form(url, fields, { dpop: await proofOf(key, { method: 'POST', url, nonce }, changes) }),
  )
  return answer
} // prettier-ignore

interface Bound {
  readonly key: ProofKey
  readonly tokens: Tokens
}

/** The tokens of a client that proved its key when it asked for them, whatever their type. */
const asked = (on: Audit): Promise<Bound> =>
  on.once(BOUND, async () => {
    const key = await newKey(on)
    const code = await on.code({ person: 0 })
    return { key, tokens: on.tokensOf(await ask(on, on.redemption(code), key), code) }
  })

const isDpop = ({ tokens }: Bound): boolean =>
  /^dpop$/i.test(String(tokens.answer.json['token_type']))

/** Tokens that are bound to a key. A server may issue others, and says so by their type. */
async function bound(on: Audit): Promise<Bound> {
  const issued = await asked(on)
  if (!isDpop(issued)) throw new Stop(notApplicable(`token_type is ${String(issued.tokens.answer.json['token_type'])}: the server did not bind the token`))
  return issued
} // prettier-ignore

/** Sends the bound token to a place, with a proof. */
async function present(on: Audit, place: Place, changes: ProofChanges = {}, signer?: ProofKey) {
  const { key, tokens: { accessToken } } = await bound(on)
  const { method, url } = place
  return withNonce(async (nonce) =>
    place.send({
      headers: {
        authorization: `DPoP ${accessToken}`,
        dpop: await proofOf(signer ?? key, { method, url, accessToken, nonce }, changes),
      },
    }),
  )
} // prettier-ignore

interface Taking {
  readonly place: Place
  readonly nonce: string | null
}

/** The places that take the bound token with a right proof: there a refusal says something. */
const taking = (on: Audit): Promise<readonly Taking[]> =>
  on.once('places of bound tokens', async () => {
    const found: Taking[] = []
    for (const place of await on.places()) {
      const { answer, nonce } = await present(on, place)
      if (await place.isRead(answer)) found.push({ place, nonce })
    }
    return found
  })

/** Stops if no path is known that takes tokens. */
async function requirePlaces(on: Audit): Promise<void> {
  const { length } = await on.places()
  if (length === 0) throw new Stop(notApplicable('no path is known that takes tokens: give `surfaces` in the file of --sign-in'))
} // prettier-ignore

async function takers(on: Audit): Promise<readonly Taking[]> {
  await requirePlaces(on)
  const found = await taking(on)
  if (found.length === 0) throw new Stop(notReached('no path accepts the bound token with a proof'))
  return found
}

/** Held if none of these places accepts the token so. */
async function refusedAt(
  on: Audit,
  places: readonly Taking[],
  what: string,
  send: (place: Place) => Promise<Answer>,
): Promise<Finding> {
  const answered: string[] = []
  for (const { place } of places) {
    const answer = await send(place)
    if (await place.isRead(answer)) {
      on.show(answer)
      return violated(`${place.surface} accepts ${what} (${answer.status})`)
    }
    if (answer.status >= 500)
      return notReached(`${place.surface} answers ${what} by ${answer.status}`)
    answered.push(`${place.surface} ${answer.status}`)
  }
  return held(`${what} is refused: ${answered.join(', ')}`)
}

const refusedEverywhere = async (
  on: Audit,
  what: string,
  send: (place: Place) => Promise<Answer>,
): Promise<Finding> => refusedAt(on, await takers(on), what, send)

/** Held if no place accepts a proof with these changes. */
const refusedProof = async (on: Audit, what: string, changes: ProofChanges | ((of: Bound) => ProofChanges), signer?: ProofKey): Promise<Finding> => {
  const of = await bound(on)
  return refusedEverywhere(on, what, async (place) =>
    (await present(on, place, typeof changes === 'function' ? changes(of) : changes, signer)).answer,
  )
} // prettier-ignore

/** Returns the same for a proof of another time. A nonce tells when a proof was made, so one that is wanted makes the time not matter. */
async function refusedTime(on: Audit, what: string, iat: number): Promise<Finding> {
  const { key, tokens: { accessToken } } = await bound(on)
  const timed = (await takers(on)).filter(({ nonce }) => nonce === null)
  if (timed.length === 0) return notApplicable('the server tells the time of a proof by its nonce')
  return refusedAt(on, timed, what, async ({ method, url, send }) => {
    const dpop = await proofOf(key, { method, url, accessToken }, { claims: { iat } })
    return send({ headers: { authorization: `DPoP ${accessToken}`, dpop } })
  })
} // prettier-ignore

/** Tokens that are bound to a key of the client (DPoP): who has copied one has nothing. */
export const dpop: readonly Check[] = [
  {
    id: 'dpop/algorithms',
    clause: {
      document: 'RFC 9449',
      section: '4.2',
      level: 'MUST NOT',
      says: 'Proofs are signed with a private key: neither none nor a shared secret is an algorithm for them.',
    },
    depth: 'passive',
    change: `Remove none and every HS algorithm from ${LISTED}.`,
    async run(on) {
      const listed = await on.listOf(LISTED)
      if (listed.length === 0) return notApplicable(`the metadata names no ${LISTED}`)
      const wrong = listed.filter((one) => /^(?:none|HS\d+)$/i.test(one))
      return judge(wrong.length === 0, `it lists ${listed.join(', ')}`, `it lists ${wrong.join(', ')}`)
    },
  },
  {
    id: 'dpop/token-type',
    clause: {
      document: 'RFC 9449',
      section: '5',
      level: 'MUST',
      says: 'The type of a token that is bound to a key is DPoP, so that its client knows.',
    },
    ...OF_BOUND,
    change: 'Answer a token request with a proof by "token_type": "DPoP".',
    async run(on) {
      const issued = await asked(on)
      const { answer, accessToken } = issued.tokens
      on.show(answer)
      const type = String(answer.json['token_type'])
      if (isDpop(issued)) return held(`token_type is ${type}`)
      // A server may leave the token unbound, and then says so. Where the token works as it says, it is.
      if ((await openedBy(on, accessToken)).length > 0)
        return notApplicable(`token_type is ${type}, and the token needs no proof: the server did not bind it`)
      return violated(`token_type is ${type}, and no path accepts the token so`)
    },
  },
  {
    id: 'dpop/accepted',
    clause: rule('A bound token is accepted with the scheme DPoP and a proof of its key.', '7.1'),
    ...OF_BOUND,
    change: 'Read the token from Authorization: DPoP, and the proof from the DPoP header.',
    async run(on) {
      await requirePlaces(on)
      const found = await taking(on)
      return judge(
        found.length > 0,
        `accepted by ${found.map(({ place }) => place.surface).join(', ')}`,
        'no path accepts the bound token with a proof of its key',
      )
    },
  },
  {
    id: 'dpop/as-bearer',
    clause: rule('A bound token is refused with the scheme Bearer, which proves nothing.', '7.2'),
    ...OF_BOUND,
    change: 'Refuse a token that is bound to a key unless the request has a proof, at every path: UserInfo, /mcp and your API.',
    async run(on) {
      const { accessToken } = (await bound(on)).tokens
      return refusedEverywhere(on, 'the bound token as a Bearer token', (place) =>
        place.send({ headers: { authorization: `Bearer ${accessToken}` }, session: accessToken }))
    },
  },
  {
    id: 'dpop/no-proof',
    clause: rule('A bound token is refused without a proof.', '7.1'),
    ...OF_BOUND,
    change: 'Refuse the scheme DPoP without the DPoP header.',
    async run(on) {
      const { accessToken } = (await bound(on)).tokens
      return refusedEverywhere(on, 'the bound token without a proof', (place) => place.send({ headers: { authorization: `DPoP ${accessToken}` } }))
    },
  },
  {
    id: 'dpop/challenge',
    clause: {
      document: 'RFC 9449',
      section: '7.1',
      level: 'SHOULD',
      says: 'A challenge with the scheme DPoP lists the algorithms of proofs that are accepted.',
    },
    ...OF_BOUND,
    change: `Add algs="ES256 …" to the DPoP challenge: the algorithms of ${LISTED}.`,
    async run(on) {
      const { accessToken } = (await bound(on)).tokens
      const [{ place }] = (await takers(on)) as [Taking]
      const answer = await place.send({ headers: { authorization: `DPoP ${accessToken}` } })
      if (await place.isRead(answer)) return notReached(`${place.surface} wants no proof`)
      const { headers, status } = answer
      const challenge = challengesOf(headers).find(({ scheme }) => scheme === 'dpop')
      if (challenge === undefined) return notApplicable(`no challenge of ${place.surface} (${status}) has the scheme DPoP`)
      const algs = challenge.parameters.find(([name]) => name === 'algs')?.[1]
      return judge(algs !== undefined, `algs is ${algs}`, `the challenge of ${place.surface} has no algs`)
    },
  },
  {
    id: 'dpop/other-key',
    clause: rule('A proof of another key does not open what is bound to this one.', '7.1'),
    ...OF_BOUND,
    change: 'Compare the thumbprint of the key in the proof with the one that the token is bound to.',
    run: async (on) => refusedProof(on, 'a proof of another key', {}, await newKey(on)),
  },
  {
    id: 'dpop/signature',
    clause: rule('The signature is verified with the key that the proof names.'),
    ...OF_BOUND,
    change: VERIFY,
    run: async (on) => refusedProof(on, 'a proof that another key signed', { signedBy: await newKey(on) }),
  },
  {
    id: 'dpop/unsigned',
    clause: rule('A proof with the algorithm none is refused.'),
    ...OF_BOUND,
    change: VERIFY,
    run: (on) => refusedProof(on, 'an unsigned proof', { header: { alg: 'none' }, signedBy: null }),
  },
  {
    id: 'dpop/type',
    clause: rule('The type of a proof is dpop+jwt, so that no other JWT of the client is taken for one.'),
    ...OF_BOUND,
    change: VERIFY,
    run: (on) => refusedProof(on, 'a proof with the type JWT', { header: { typ: 'JWT' } }),
  },
  {
    id: 'dpop/private-key',
    clause: rule('A proof that contains its private key is refused: everyone on the way has it.'),
    ...OF_BOUND,
    change: 'Refuse a proof whose jwk has a private member, such as d.',
    run: (on) => refusedProof(on, 'a proof with its private key', ({ key }) => ({ header: { jwk: key.privateJwk } })),
  },
  {
    id: 'dpop/method',
    clause: rule('A proof for another method is refused.'),
    ...OF_BOUND,
    change: 'Compare htm with the method of the request.',
    run: (on) => refusedProof(on, 'a proof for PUT', { claims: { htm: 'PUT' } }),
  },
  {
    id: 'dpop/uri',
    clause: rule('A proof for another URI is refused, also for another path of the server.'),
    ...OF_BOUND,
    change: 'Compare htu with the URL of the request: scheme, host, port and path.',
    run: async (on) => {
      const path = await refusedProof(on, 'a proof for another path', { claims: { htu: `${on.origin}/audit` } })
      if (path.verdict !== 'held') return path
      return refusedEverywhere(on, 'a proof for another host', async (place) => {
        const htu = `https://audit.invalid${place.url.pathname}`
        return (await present(on, place, { claims: { htu } })).answer
      })
    },
  },
  {
    id: 'dpop/token-hash',
    clause: rule('The hash of the token is in the proof, and is that of the token that was sent.'),
    ...OF_BOUND,
    change: 'Require ath in proofs that come with a token, and compare it with the hash of that token.',
    async run(on) {
      const missing = await refusedProof(on, 'a proof without ath', { claims: { ath: undefined } })
      if (missing.verdict !== 'held') return missing
      return refusedProof(on, 'a proof with the hash of another token', { claims: { ath: hashOf(newSecret()) } })
    },
  },
  {
    id: 'dpop/claims',
    clause: rule('A proof without its identifier or its time is refused.'),
    ...OF_BOUND,
    change: 'Require jti, htm, htu and iat in each proof.',
    async run(on) {
      const first = await refusedProof(on, 'a proof without jti', { claims: { jti: undefined } })
      if (first.verdict !== 'held') return first
      return refusedProof(on, 'a proof without iat', { claims: { iat: undefined } })
    },
  },
  {
    id: 'dpop/old-proof',
    clause: rule('A proof is accepted for a short time only: one of yesterday is refused.', '11.1'),
    ...OF_BOUND,
    change: 'Refuse a proof whose iat is more than a minute or so ago.',
    run: (on) => refusedTime(on, 'a proof of yesterday', now() - DAY),
  },
  {
    id: 'dpop/future-proof',
    clause: rule('A proof of tomorrow is refused: it could be made today, and used for as long.', '11.1'),
    ...OF_BOUND,
    change: 'Refuse a proof whose iat is more than a minute or so ahead.',
    run: (on) => refusedTime(on, 'a proof of tomorrow', now() + DAY),
  },
  {
    id: 'dpop/two-proofs',
    clause: rule('A request with two proofs is refused.'),
    ...OF_BOUND,
    change: 'Refuse a DPoP header with a comma, as HTTP joins several headers of a name.',
    async run(on) {
      const { key, tokens: { accessToken } } = await bound(on)
      return refusedEverywhere(on, 'a request with two proofs', async (place) => {
        const { answer } = await withNonce(async (nonce) => {
          const of = { method: place.method, url: place.url, accessToken, nonce }
          const dpop = `${await proofOf(key, of)}, ${await proofOf(key, of)}`
          return place.send({ headers: { authorization: `DPoP ${accessToken}`, dpop } })
        })
        return answer
      })
    },
  },
  {
    id: 'dpop/replay',
    clause: {
      document: 'RFC 9449',
      section: '11.1',
      level: 'SHOULD',
      says: 'A proof is accepted once: who has seen it cannot send it again.',
    },
    ...OF_BOUND,
    change: 'Store the jti of each proof for as long as the proof is accepted, and refuse a second one.',
    async run(on) {
      const { key, tokens: { accessToken } } = await bound(on)
      return refusedEverywhere(on, 'a proof for the second time', async (place) => {
        let headers: Readonly<Record<string, string>> = {}
        const { answer } = await withNonce(async (nonce) => {
          const dpop = await proofOf(key, { method: place.method, url: place.url, accessToken, nonce })
          headers = { authorization: `DPoP ${accessToken}`, dpop }
          return place.send({ headers })
        })
        if (!(await place.isRead(answer))) throw new Stop(notReached(`${place.surface} refused a right proof (${answer.status})`))
        return place.send({ headers })
      })
    },
  },
  {
    id: 'dpop/nonce',
    clause: rule('Where the server gives nonces, a proof with another one is refused.', '9'),
    ...OF_BOUND,
    change: 'Compare the nonce of each proof with those that you gave lately.',
    async run(on) {
      const { key, tokens: { accessToken } } = await bound(on)
      const wanting = (await takers(on)).filter(({ nonce }) => nonce !== null)
      if (wanting.length === 0) return notApplicable('the server wants no nonce')
      for (const { place: { surface, method, url, send, isRead } } of wanting) {
        const dpop = await proofOf(key, { method, url, accessToken, nonce: newSecret() })
        const answer = await send({ headers: { authorization: `DPoP ${accessToken}`, dpop } })
        if (await isRead(answer)) return violated(`${surface} accepts a nonce that it did not give (${answer.status})`)
      }
      return held('a nonce that the server did not give is refused')
    },
  },
  {
    id: 'dpop/introspection',
    clause: rule('Introspection tells which key a token is bound to, so that an API can ask for its proof.', '6.2'),
    ...OF_BOUND,
    change: 'Add "cnf": { "jkt": "…" } to the introspection response of a bound token, and "token_type": "DPoP" if it names the type.',
    async run(on) {
      const { key, tokens: { accessToken } } = await bound(on)
      const { json, status } = await on.introspect(accessToken)
      if (json['active'] !== true) return notApplicable(`the confidential client may not see tokens of others (${status})`)
      const { jkt } = (json['cnf'] ?? {}) as { jkt?: unknown }
      const type = (json['token_type'] as string | undefined) ?? 'DPoP'
      return judge(jkt === key.jkt && /^dpop$/i.test(type), 'cnf has the thumbprint of the key', `cnf is ${JSON.stringify(json['cnf'])}, and token_type ${JSON.stringify(json['token_type'])}`)
    },
  },
  {
    id: 'dpop/invalid-proof',
    clause: rule('A token request with an invalid proof is answered by invalid_dpop_proof, such as one that a shared secret signed.', '5'),
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Verify the proof of a token request, and answer 400 and invalid_dpop_proof. Issue nothing without a key that signed.',
    async run(on) {
      const key = await newKey(on)
      const code = await on.code()
      const secret = Buffer.from(newSecret())
      const jwk = { kty: 'oct', k: secret.toString('base64url') }
      const answer = await ask(on, on.redemption(code), key, { header: { alg: 'HS256', jwk }, signedBy: secret })
      return refusalOf(answer, ['invalid_dpop_proof'], 'a proof with HS256')
    },
  },
  {
    id: 'dpop/code-key',
    clause: rule('A code that was requested for one key is not redeemed with another.', '10'),
    ...OF_BOUND,
    creates: { authorizations: 1 },
    change: 'Store dpop_jkt with the code, and compare it with the thumbprint of the key in the proof.',
    async run(on) {
      await bound(on)
      const [own, other] = [await newKey(on), await newKey(on)]
      const code = await on.code({ changes: { dpop_jkt: own.jkt } })
      const answer = await ask(on, on.redemption(code), other)
      return nothingFor(answer, 'a code with a proof of another key')
    },
  },
  {
    id: 'dpop/refresh',
    clause: rule('A refresh token of a public client is bound to the key as well.', '5'),
    ...OF_BOUND,
    change: 'Store the thumbprint with the refresh token of a public client, and require a proof of the same key each time.',
    async run(on) {
      const { key, tokens: { refreshToken, code } } = await bound(on)
      if (refreshToken === null) return notApplicable('the server issued no refresh token')
      if (!isPublic(code.client)) return notApplicable('the client authenticates, and its refresh tokens are bound to it')
      const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: code.client.clientId }
      const without = nothingFor(await on.form(await on.endpoint('token_endpoint'), fields), 'the refresh token without a proof')
      if (without.verdict !== 'held') return without
      const found = nothingFor(await ask(on, fields, await newKey(on)), 'the refresh token with another key')
      // A refusal says nothing at a server at which no refresh works.
      if (found.verdict === 'held') on.tokensOf(await ask(on, fields, key), code)
      return found
    },
  },
] // prettier-ignore
