import {
  checkOptions,
  flag,
  list,
  oneOf,
  optional,
  OptionsError,
  type Rules,
  shape,
  text,
} from '../options/check.js'
import { nearest } from '../options/nearest.js'

/**
 * For whom a client acts: an operator of the site (admin API), or a member who signs in (their own
 * data).
 *
 * @group Scope tables
 */
export type Audience = 'operator' | 'member'

/**
 * The kind of access that a scope gives: knowing who the person is, reading, or changing.
 *
 * @group Scope tables
 */
export type ScopeAccess = 'identity' | 'read' | 'write'

/**
 * One row of a scope table: for whom the scope is, what it allows, and how the consent page
 * describes it.
 *
 * @typeParam Scope - the scope names of the table
 *
 * @group Scope tables
 */
export interface ScopeDefinition<out Scope extends string = string> {
  /** The audience whose clients may request the scope. `any` is for identity scopes. */
  readonly audience: Audience | 'any'
  /**
   * The kind of access. Clients with an unreviewed metadata document may not request a `write`
   * scope.
   */
  readonly access: ScopeAccess
  /** The heading under which people see the scope. */
  readonly group: string
  /**
   * The rights of the client, as a phrase for the consent page. `{school}` is replaced by the name of
   * the site.
   */
  readonly consent: string
  /** Whether the scope shows other people's personal data. Default: `false`. */
  readonly personalData?: boolean
  /**
   * Whether an app could do great harm with the scope, such as locking people out. A person can then allow it
   * only after a sign-in of the last five minutes. Default: `false`.
   */
  readonly sensitive?: boolean
  /**
   * Narrower scopes that this one includes. `x:write` does not include `x:read` unless it is listed
   * here. Default: none.
   */
  readonly implies?: readonly Scope[]
}

/**
 * The rows of a scope table by scope name. A row may only imply scopes of the same table.
 *
 * @typeParam Scope - the scope names of the table
 *
 * @group Scope tables
 */
export type ScopeTable<Scope extends string = string> = {
  readonly [Name in Scope]: ScopeDefinition<NoInfer<Scope>>
}

/**
 * A checked scope table. Created by {@link defineScopes}.
 *
 * @typeParam Scope - the scope names of the table
 *
 * @group Scope tables
 */
export interface ScopeRegistry<out Scope extends string = string> {
  /** Every scope, in the order of the table. */
  readonly names: readonly Scope[]
  /**
   * Returns the row of a scope, or `undefined` if it is unknown. The name may be any string, such
   * as one from a request.
   */
  get(scope: string): ScopeDefinition | undefined
}

/**
 * The scope names of a registry, as a type: `type Scope = ScopeOf<typeof scopes>`.
 *
 * @typeParam Registry - the type of the registry
 *
 * @group Scope tables
 */
export type ScopeOf<Registry extends ScopeRegistry> = Registry['names'][number]

// RFC 6749 §3.3: 1*( %x21 / %x23-5B / %x5D-7E )
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Checks a scope table and returns it as a registry. The table is the only place that defines the
 * audience, the access and the consent text of a scope. The type of the registry knows the names. A
 * gate, operation, tool, role or vendor with any other scope does not compile.
 *
 * @param table - the rows by scope name. Their order is kept wherever scopes are listed.
 * @returns the registry, for the option `scopes` of a site
 * @throws OptionsError that lists every mistake: members of a row that are unknown, missing or invalid. If there are none,
 *   it lists names that RFC 6749 does not allow, and `implies` with a scope that is unknown or of another audience.
 * @see [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 *
 * @example
 * ```ts
 * import { defineScopes } from 'hallpass/scope'
 *
 * const read = { audience: 'operator', access: 'read', group: 'Library', consent: 'See books' } as const
 * const scopes = defineScopes({ 'library:read': read })
 * scopes.names // => ['library:read']
 * scopes.get('library:read')?.consent // => 'See books'
 * scopes.get('library:write') // => undefined
 *
 * defineScopes({ 'library read': read }) // throws OptionsError
 * ```
 *
 * @group Scope tables
 */
export function defineScopes<Scope extends string>(table: ScopeTable<Scope>): ScopeRegistry<Scope> {
  checkOptions<ScopeTable>('scope table', table, rowsLike(table), contradictionsOf)
  const rows = new Map(Object.entries<ScopeDefinition>(table))
  return { names: [...rows.keys()] as Scope[], get: (scope) => rows.get(scope) }
}

const rowsLike = (table: object): Rules<ScopeTable> =>
  Object.fromEntries(Object.keys(table).map((scope) => [scope, ROW]))

function contradictionsOf(table: ScopeTable): readonly string[] {
  const rows = new Map(Object.entries<ScopeDefinition>(table))
  const faults: string[] = []
  for (const [scope, row] of rows) {
    if (!SCOPE_TOKEN.test(scope))
      faults.push(`"${scope}" is not a valid scope name, such as courses:read`)
    for (const implied of row.implies ?? []) {
      const other = rows.get(implied)
      if (other === undefined)
        faults.push(`"${scope}" implies "${implied}", which is not in the table`)
      else if (other.audience !== row.audience)
        faults.push(`"${scope}" implies "${implied}" of another audience`)
    }
  }
  return faults
}

const ROW = shape<ScopeDefinition>('a row such as { audience, access, group, consent }', {
  audience: oneOf('operator', 'member', 'any'),
  access: oneOf('identity', 'read', 'write'),
  group: text('"Library"'),
  consent: text('"See books"'),
  personalData: optional(flag),
  sensitive: optional(flag),
  implies: optional(list(text('"courses:read"'))),
})

/**
 * Returns a scope table without some of its rows. The omitted names are also removed from `implies`
 * of the other rows.
 *
 * @param table - the rows by scope name, such as {@link schoolScopeTable}
 * @param names - the scopes to leave out
 * @returns a new table, for {@link defineScopes}
 * @throws OptionsError that lists every name that is not in the table
 *
 * @example
 * ```ts
 * import { defineScopes, omitScopes, schoolScopeTable } from 'hallpass/scope'
 *
 * const table = omitScopes(schoolScopeTable, ['coupons:read', 'coupons:write'])
 * const scopes = defineScopes(table)
 * scopes.get('coupons:read') // => undefined
 * scopes.names.length // => 36
 * ```
 *
 * @group Scope tables
 */
export function omitScopes<Scope extends string, Omitted extends Scope>(
  table: ScopeTable<Scope>,
  names: readonly Omitted[],
): ScopeTable<Exclude<Scope, Omitted>> {
  const unknown = names.filter((name) => !Object.hasOwn(table, name))
  if (unknown.length > 0)
    throw new OptionsError(
      'omitScopes',
      unknown.map((name) => strange(name, table)),
    )
  const isKept = (scope: string): boolean => !(names as readonly string[]).includes(scope)
  const kept = Object.entries<ScopeDefinition>(table)
    .filter(([scope]) => isKept(scope))
    .map(([scope, { implies, ...row }]) => [
      scope,
      implies === undefined ? row : { ...row, implies: implies.filter(isKept) },
    ])
  return Object.fromEntries(kept) as ScopeTable<Exclude<Scope, Omitted>>
}

function strange(name: string, table: object): string {
  const meant = nearest(name, Object.keys(table))
  return `"${name}" is not in the table${meant === null ? '' : `: did you mean "${meant}"?`}`
}
