import { type Finding, held, judge, notReached, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import { isRead, type Metadata } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { listIn, mediaTypeOf } from './expect.js'

/** A host that no server has. */
const FORWARDED = 'audit.invalid'

/** Says why a document is wrong; `null` if it is right. */
export type Wrong = (document: Metadata, answer: Answer) => string | null

/** A value of a document in a sentence. */
export const quote = (value: unknown): string => JSON.stringify(value) ?? 'missing'

/** Held if no document is wrong. The first one that is decides. */
export function inEach(answers: readonly Answer[], good: string, wrong: Wrong): Finding {
  for (const answer of answers) {
    const why = wrong(answer.json, answer)
    if (why !== null) return violated(answer, `${answer.url.pathname}: ${why}`)
  }
  return held(answers[0]!, good)
}

/** The documents of the authorization server, at least one: that of RFC 8414, and that of OpenID Connect. */
export async function serverDocuments(on: Audit): Promise<readonly Answer[]> {
  // Stops if the server publishes nothing.
  await on.server()
  return [await on.serverAnswer(), await on.openidAnswer()].filter(isRead)
}

export const otherType: Wrong = (_, answer) => {
  const type = mediaTypeOf(answer)
  return type === 'application/json' ? null : `the media type is ${type || 'missing'}`
}

/** Wrong if a list is not there, or is empty. */
export const listed =
  (name: string): Wrong =>
  (document) =>
    listIn(document, name)?.[0] === undefined ? `${name} is ${quote(document[name])}` : null

export const emptyList: Wrong = (document) => {
  const name = Object.keys(document).find((one) => quote(document[one]) === '[]')
  return name === undefined ? null : `${name} is []`
}

/** Held if a document does not repeat a host that anyone can send. */
export async function withoutForwardedHost(on: Audit, document: Answer): Promise<Finding> {
  // No other request has this query, so no cache gives the answer to a client.
  const url = new URL(document.url)
  url.searchParams.set('audit', newSecret())
  const answer = await on.send(url, { headers: { 'x-forwarded-host': FORWARDED } })
  const { status, text, location } = answer
  if (status >= 400)
    return notReached(`${url.pathname} with a query is answered by ${status}`, answer)
  const names = `${location?.href ?? ''} ${text}`.includes(FORWARDED) ? 'names' : 'does not name'
  const found = `the answer (${status}) ${names} ${FORWARDED} of X-Forwarded-Host`
  return judge(answer, names !== 'names', found)
}
