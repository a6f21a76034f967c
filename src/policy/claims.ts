import type { Person } from './person.js'

/**
 * Returns the identity claims that these scopes allow. `sub` and `org_id` are always present.
 * `profile` adds `name`, `picture` and `roles`, and `email` adds `email`. A claim without a value
 * is left out. UserInfo and the ID token both use this function, so they cannot differ.
 *
 * @param of - `person`: whom the claims describe; `scopes`: the granted scopes
 * @returns the claims
 * @see [OpenID Connect Core, section 5.4](https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims)
 *
 * @example
 * ```ts
 * import { identityClaims } from 'hallpass/policy'
 *
 * const account = { subject: 'per_mei', orgId: 'school.example', email: 'mei@school.example' }
 * const person = { ...account, name: 'Mei-Ling', picture: null, roles: ['student'] }
 * identityClaims({ person, scopes: ['openid'] }) // => { sub: 'per_mei', org_id: 'school.example' }
 *
 * const claims = identityClaims({ person, scopes: ['openid', 'profile'] })
 * claims.name // => 'Mei-Ling'
 * claims.email // => undefined
 * ```
 *
 * @group Access tokens
 */
export function identityClaims({ person, scopes }: { person: Person; scopes: readonly string[] }): {
  readonly sub: string
  readonly org_id: string
  readonly name?: string
  readonly picture?: string
  readonly roles?: readonly string[]
  readonly email?: string
} {
  const profile = scopes.includes('profile')
  return {
    sub: person.subject,
    org_id: person.orgId,
    ...(profile && person.name !== null && { name: person.name }),
    ...(profile && person.picture !== null && { picture: person.picture }),
    ...(profile && { roles: person.roles }),
    ...(scopes.includes('email') && person.email !== null && { email: person.email }),
  }
}
