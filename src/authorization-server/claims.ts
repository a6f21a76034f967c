import { identityClaims } from '../policy/claims.js'
import type { Person } from '../policy/person.js'
import { isProtocolClaim } from '../token/id-token.js'
import type { AuthorizationServerConfiguration } from './configuration.js'

/**
 * What a client is told about a person: the host's further claims, which cannot name a protocol
 * claim, and over them the identity claims. UserInfo and the ID token both come from here.
 */
export function claimsOf(
  { extraClaims }: AuthorizationServerConfiguration,
  question: { person: Person; scopes: readonly string[] },
): Readonly<Record<string, unknown>> {
  const further = Object.entries(extraClaims(question)).filter(([name]) => !isProtocolClaim(name))
  return { ...Object.fromEntries(further), ...identityClaims(question) }
}
