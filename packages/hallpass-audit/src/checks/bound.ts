import { type Finding, held, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Place, Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { createProofKey, type ProofChanges, type ProofKey, proofOf, withNonce } from '../engine/proof.js' // prettier-ignore
import { firstNotHeld } from './expect.js'

const LISTED = 'dpop_signing_alg_values_supported'

/** The algorithms of proofs. Stops if the server does not promise DPoP. */
export async function algorithmsOf(on: Audit): Promise<readonly string[]> {
  const listed = await on.listOf(LISTED)
  if (listed.length === 0) throw new Stop(notApplicable(`the metadata names no ${LISTED}`))
  return listed
}

/** Creates a key that the server verifies. */
export async function newKey(on: Audit): Promise<ProofKey> {
  const listed = await algorithmsOf(on)
  const key = await createProofKey(listed)
  if (key === null) throw new Stop(notReached(`no proof can be made with ${listed.join(', ')}`))
  return key
}

/** A grant whose tokens are bound to a key. */
export const BOUND = { name: 'bound tokens', authorizations: 1 } as const

/** Sends fields to an endpoint, with a proof. Returns the nonce that the server wanted in it as well. */
export async function askWithNonce(
  on: Audit,
  endpoint: string,
  fields: Readonly<Record<string, string>>,
  key: ProofKey,
  changes: ProofChanges = {},
): ReturnType<typeof withNonce> {
  const url = new URL(await on.endpoint(endpoint))
  return withNonce(async (nonce) =>
    on.form(url, fields, { dpop: await proofOf(key, { method: 'POST', url, nonce }, changes) }),
  )
}

/** Sends fields to an endpoint, with a proof. */
export const ask = async (...how: Parameters<typeof askWithNonce>): Promise<Answer> =>
  (await askWithNonce(...how)).answer

export interface Bound {
  readonly key: ProofKey
  readonly tokens: Tokens
}

/** The tokens of a client that proved its key when it asked for them, whatever their type. */
export const asked = (on: Audit): Promise<Bound> =>
  on.once(BOUND.name, async () => {
    const key = await newKey(on)
    const code = await on.code({ person: 0 })
    const answer = await ask(on, 'token_endpoint', on.redemption(code), key)
    return { key, tokens: on.tokensOf(answer, code) }
  })

export const typeOf = ({ tokens }: Bound): string => String(tokens.answer.json['token_type'])
export const isDpop = (issued: Bound): boolean => /^dpop$/i.test(typeOf(issued))

/** Tokens that are bound to a key. A server may issue others, and says so by their type. */
export async function bound(on: Audit): Promise<Bound> {
  const issued = await asked(on)
  if (isDpop(issued)) return issued
  const found = `token_type is ${typeOf(issued)}: the server did not bind the token`
  throw new Stop(notApplicable(found, issued.tokens))
}

interface Sent {
  readonly answer: Answer
  /** The nonce that the server wanted; `null` if it wanted none. */
  readonly nonce: string | null
}

/** Sends the bound token to a place, with as many proofs. */
export async function present(
  on: Audit,
  place: Place,
  changes: ProofChanges = {},
  proofs: number = 1,
): Promise<Sent> {
  const { key, tokens } = await bound(on)
  const { accessToken } = tokens
  const { method, url } = place
  return withNonce(async (nonce) => {
    const made = Array.from({ length: proofs }, async () =>
      proofOf(key, { method, url, accessToken, nonce }, changes),
    )
    const dpop = (await Promise.all(made)).join(', ')
    return place.send({ headers: { authorization: `DPoP ${accessToken}`, dpop } })
  })
}

export interface Tried extends Sent {
  readonly place: Place
  readonly isTaken: boolean
}

/** Sends the bound token with a right proof to each place and returns the answers. Stops if there is no place. */
export const tried = (on: Audit): Promise<readonly [Tried, ...Tried[]]> =>
  on.once('places of bound tokens', async () => {
    const found: Tried[] = []
    for (const place of await on.places()) {
      const { answer, nonce } = await present(on, place)
      found.push({ place, answer, nonce, isTaken: await place.isRead(answer) })
    }
    const [first, ...others] = found
    if (first !== undefined) return [first, ...others]
    await bound(on)
    throw new Stop(notApplicable('no path is known that takes tokens: give `surfaces` in the file of --sign-in')) // prettier-ignore
  })

/** The places that take the bound token with a right proof: there a refusal says something. */
export async function takers(on: Audit): Promise<readonly [Tried, ...Tried[]]> {
  const all = await tried(on)
  const [first, ...others] = all.filter(({ isTaken }) => isTaken)
  if (first === undefined)
    throw new Stop(notReached('no path accepts the bound token with a proof', all[0].answer))
  return [first, ...others]
}

/** Held if none of these places accepts the token so. */
export async function refusedAt(
  places: readonly Tried[],
  what: string,
  send: (place: Place) => Promise<Answer>,
): Promise<Finding> {
  return firstNotHeld(places, async ({ place }) => {
    const answer = await send(place)
    const found = `${place.surface} answers ${what} by ${answer.status}`
    if (await place.isRead(answer)) return violated(answer, `${found}, and accepts it`)
    return answer.status < 500 ? held(answer, found) : notReached(found, answer)
  })
}
