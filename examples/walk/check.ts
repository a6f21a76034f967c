import type { Refusal } from 'hallpass/policy'

/** A section of a standard. */
export interface Section {
  readonly label: string
  readonly href: string
}

/** A check, with its result. */
export interface Check {
  /** The question. */
  readonly said: string
  readonly ok: boolean
  /** The function of the library that ran on the same values, or `null` if the client compared them itself. */
  readonly decision: string | null
  /** The result, as text. */
  readonly answer: string
  readonly section: Section
}

/** A section of an RFC. */
export const rfc = (number: number, section: string): Section => ({
  label: `RFC ${number} §${section}`,
  href: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
})

/** A section of the draft about client ID metadata documents. */
export const cimd = (section: string): Section => ({
  label: `Client ID Metadata Document §${section}`,
  href: `https://datatracker.ietf.org/doc/html/draft-ietf-oauth-client-id-metadata-document#section-${section}`,
})

/** A section of OpenID Connect Core. */
export const oidc = (section: string, fragment: string): Section => ({
  label: `OpenID Connect Core §${section}`,
  href: `https://openid.net/specs/openid-connect-core-1_0.html#${fragment}`,
})

/**
 * Shows a decision of the library, run here on the values that the server received.
 *
 * @param granted - returns what to show of a decision that allows the request
 */
export function decided<Decided extends { readonly ok: true } | Refusal>(
  said: string,
  [name, decision]: readonly [name: string, decision: Decided],
  section: Section,
  granted: (decision: Extract<Decided, { readonly ok: true }>) => string = () => '',
): Check {
  const answer = decision.ok
    ? ['ok: true', granted(decision as Extract<Decided, { readonly ok: true }>)]
        .filter((part) => part !== '')
        .join(', ')
    : `ok: false, error: '${decision.error}', reason: '${decision.reason}'`
  return { said, ok: decision.ok, decision: name, answer: `{ ${answer} }`, section }
}

/** A comparison that the client makes itself. */
export const compared = (
  said: string,
  [found, wanted]: readonly [found: unknown, wanted: string | boolean],
  section: Section,
): Check => {
  const ok = found === wanted
  const answer = ok ? inShort(wanted) : `${inShort(found)}, not ${inShort(wanted)}`
  return { said, ok, decision: null, answer, section }
}

// Random values are long, and no one reads them.
const inShort = (value: unknown): string => {
  if (typeof value !== 'string') return value === true ? 'true' : 'nothing'
  return /^[\w-]{32,}$/.test(value) ? `${value.slice(0, 16)}…` : value
}
