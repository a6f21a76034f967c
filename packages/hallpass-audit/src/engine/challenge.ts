/** One challenge of `WWW-Authenticate`. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string
  /** Its parameters in order, with names in lower case. A wrong challenge may repeat one. */
  readonly parameters: readonly (readonly [string, string])[]
}

/** A token, and what may follow it: the value of a parameter, quoted or not. */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+)))?/g

/** Reads the challenges of an answer, of which one header may have several (RFC 9110, section 11.6.1). */
export function challengesOf(headers: Headers): readonly Challenge[] {
  const challenges: { scheme: string; parameters: [string, string][] }[] = []
  for (const [, name = '', quoted, plain] of (headers.get('www-authenticate') ?? '').matchAll(PART)) {
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: [] })
    else challenges.at(-1)?.parameters.push([name.toLowerCase(), value])
  }
  return challenges
} // prettier-ignore

/** The first value of a parameter in any challenge that a client with access tokens answers; `null` if there is none. */
export function challenged(headers: Headers, parameter: string): string | null {
  for (const { scheme, parameters } of challengesOf(headers)) {
    const found = parameters.find(([name]) => name === parameter)
    if (found !== undefined && (scheme === 'bearer' || scheme === 'dpop')) return found[1]
  }
  return null
}

/** Whether a client with access tokens is asked for one. */
export const asksForToken = (headers: Headers): boolean =>
  challengesOf(headers).some(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
