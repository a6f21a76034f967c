/**
 * An end user as the host application knows them at one site. hallpass needs no other data. If
 * `findPerson` returns `null`, the person was deleted or suspended, and everything that was issued
 * for them stops working.
 *
 * @group Records and refusals
 */
export interface Person {
  /**
   * The `sub` claim: a stable identifier at this site. It is never reused and never an email
   * address.
   */
  readonly subject: string
  /** The `org_id` claim: the identifier of the site. */
  readonly orgId: string
  /** The names of the roles that the person has at this site. */
  readonly roles: readonly string[]
  readonly name: string | null
  readonly email: string | null
  /** Absolute https URL of a picture. `null` if there is none. */
  readonly picture: string | null
}
