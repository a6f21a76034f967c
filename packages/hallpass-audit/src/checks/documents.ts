import { type Finding, judge, notReached } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Metadata } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { mediaTypeOf } from './expect.js'

/** A host that no server has. */
const FORWARDED = 'audit.invalid'

/** A value of a document in a sentence. */
export const quote = (value: unknown): string => JSON.stringify(value) ?? 'missing'

/** Why the answer with a metadata document has the wrong media type; `null` if it is right. */
export function otherType(answer: Answer): string | null {
  const type = mediaTypeOf(answer)
  return type === 'application/json' ? null : `the media type is ${type || 'missing'}`
}

/** The first member of a document that is an empty list; `null` if there is none. */
export function emptyList(document: Metadata): string | null {
  const name = Object.keys(document).find((one) => quote(document[one]) === '[]')
  return name === undefined ? null : `${name} is []`
}

/** Held if a document does not repeat a host that anyone can send. */
export async function withoutForwardedHost(on: Audit, document: URL): Promise<Finding> {
  // No other request has this query, so no cache gives the answer to a client.
  const url = new URL(document)
  url.searchParams.set('audit', newSecret())
  const { status, text, location } = await on.send(url, { headers: { 'x-forwarded-host': FORWARDED } }) // prettier-ignore
  const said = (names: string): string => `the answer (${status}) ${names} ${FORWARDED} of X-Forwarded-Host` // prettier-ignore
  if (status >= 400) return notReached(`${url.pathname} with a query is answered by ${status}`)
  return judge(
    !`${location?.href ?? ''} ${text}`.includes(FORWARDED),
    said('does not name'),
    said('names'),
  )
}
