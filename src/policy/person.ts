/**
 * A person as the host's own tables know them at one site. The protocol needs no more than this;
 * `null` from the host's lookup means "gone or suspended" and ends what depends on the person.
 */
export interface Person {
  /** Stable identifier at this site, never an e-mail address, never reused: the `sub` claim. */
  readonly subject: string
  /** The site's identifier: the `org_id` claim. */
  readonly orgId: string
  /** Role names at this site. */
  readonly roles: readonly string[]
  readonly name: string | null
  readonly email: string | null
  /** Absolute https URL of a picture. */
  readonly picture: string | null
}
