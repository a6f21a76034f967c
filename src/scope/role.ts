/** What one role may do at a site. */
export interface RoleDefinition {
  /** Staff may approve operator clients. */
  readonly staff: boolean
  /** The operator scopes that have an effect in this role's hands. */
  readonly scopes: 'all' | readonly string[]
  /** Whether the role creates, reviews and ends clients of the site. Default: no. */
  readonly managesClients?: boolean
}

/** Role name to what it may do. A role that is not in the table may do nothing. */
export type RoleTable = Readonly<Record<string, RoleDefinition>>
