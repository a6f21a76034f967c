import { identityClaims } from '../policy/claims.js'
import type { Person } from '../policy/person.js'
import { readClaims } from '../site/returned.js'
import { isProtocolClaim } from '../token/id-token.js'
import type { AuthorizationServerConfiguration } from './block.js'

/**
 * Returns the claims about a person for UserInfo and the ID token. Identity claims override those of
 * `extraClaims`, from which protocol claims are removed.
 *
 * If `extraClaims` throws or returns anything but an object, the response has the status 503. At the token endpoint the code
 * then remains valid, because the claims are read before it is redeemed.
 */
export function claimsOf(
  { extraClaims }: AuthorizationServerConfiguration,
  question: { person: Person; scopes: readonly string[] },
): Readonly<Record<string, unknown>> {
  const own = readClaims(() => extraClaims(question))
  const further = Object.entries(own).filter(([name]) => !isProtocolClaim(name))
  return { ...Object.fromEntries(further), ...identityClaims(question) }
}
