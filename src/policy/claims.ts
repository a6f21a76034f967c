import type { Person } from './person.js'

/** Identity claims as UserInfo and the ID token carry them. */
export interface IdentityClaims {
  readonly sub: string
  readonly org_id: string
  readonly name?: string
  readonly picture?: string
  readonly roles?: readonly string[]
  readonly email?: string
}

/**
 * The identity claims that these scopes open: `sub` and `org_id` always; `profile` adds `name`,
 * `picture` and `roles`; `email` adds `email`. What the person does not have is left out. UserInfo and
 * the ID token both come from here, so they cannot differ.
 *
 * @see OpenID Connect Core §5.4
 */
export function identityClaims({
  person,
  scopes,
}: {
  person: Person
  scopes: readonly string[]
}): IdentityClaims {
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
