/** Whom a client acts for: a site operator (admin API) or a signed-in member (own data). */
export type Audience = 'operator' | 'member'

/** What a scope opens: who somebody is, reading, or changing. */
export type ScopeAccess = 'identity' | 'read' | 'write'

/** One row of a scope table whose scopes have these names. */
export interface ScopeDefinition<out Scope extends string = string> {
  /** The audience whose clients may ask for it; `any` = identity scopes. */
  readonly audience: Audience | 'any'
  readonly access: ScopeAccess
  /** Heading under which people see it. */
  readonly group: string
  /** What the client may do, for the consent page. `{school}` stands for the site's name. */
  readonly consent: string
  /** It shows other people's personal data. */
  readonly personalData?: boolean
  /** Narrower scopes that this one satisfies too. `x:write` implies nothing unless it says so. */
  readonly implies?: readonly Scope[]
}

/** Scope name to row. What a row implies stands in the same table. */
export type ScopeTable<Scope extends string = string> = {
  readonly [Name in Scope]: ScopeDefinition<NoInfer<Scope>>
}

/** A checked scope table. Made by {@link defineScopes}. */
export interface ScopeRegistry<out Scope extends string = string> {
  /** Every scope, in the order of the table. */
  readonly names: readonly Scope[]
  /** The row of a scope; `undefined` = unknown. Safe for any string a request chose. */
  get(scope: string): ScopeDefinition | undefined
}

/**
 * The names of a registry, as a type.
 *
 * ```ts
 * type Scope = ScopeOf<typeof scopes>
 * ```
 */
export type ScopeOf<Registry extends ScopeRegistry> = Registry['names'][number]

// RFC 6749 §3.3: 1*( %x21 / %x23-5B / %x5D-7E )
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Checks a scope table and makes it a registry: the one place where a scope's audience, effect and
 * words are written. Its type knows the names, so a gate, an operation, a tool, a role or a vendor that
 * names another scope does not compile.
 *
 * @param table - scope name to row; the order is kept wherever scopes are listed
 * @throws TypeError - for a name outside RFC 6749 §3.3, a row without words, or `implies` that names
 *   an unknown scope or another audience's; every fault is named at once
 */
export function defineScopes<Scope extends string>(table: ScopeTable<Scope>): ScopeRegistry<Scope> {
  const rows = new Map(Object.entries<ScopeDefinition>(table))
  const faults: string[] = []
  for (const [scope, row] of rows) {
    if (!SCOPE_TOKEN.test(scope)) faults.push(`"${scope}" is not a scope token`)
    if (row.consent.trim() === '') faults.push(`"${scope}" has no consent text`)
    if (row.group.trim() === '') faults.push(`"${scope}" has no group`)
    for (const implied of row.implies ?? []) {
      const other = rows.get(implied)
      if (other === undefined)
        faults.push(`"${scope}" implies "${implied}", which is not in the table`)
      else if (other.audience !== row.audience)
        faults.push(`"${scope}" implies "${implied}" of another audience`)
    }
  }
  if (faults.length > 0) throw new TypeError(`scope table: ${faults.join('; ')}`)
  return { names: [...rows.keys()] as Scope[], get: (scope) => rows.get(scope) }
}

/**
 * A scope table without some of its rows, and without these names in what the others imply.
 *
 * ```ts
 * const scopes = defineScopes(omitScopes(schoolScopeTable, ['coupons:read', 'coupons:write']))
 * ```
 *
 * @throws TypeError - for names that are not in the table, all of them at once
 */
export function omitScopes<Scope extends string, Omitted extends Scope>(
  table: ScopeTable<Scope>,
  names: readonly Omitted[],
): ScopeTable<Exclude<Scope, Omitted>> {
  const strangers = names.filter((name) => !Object.hasOwn(table, name))
  if (strangers.length > 0)
    throw new TypeError(`omitScopes: "${strangers.join('", "')}" is not in the table`)
  const isKept = (scope: string): boolean => !(names as readonly string[]).includes(scope)
  const kept = Object.entries<ScopeDefinition>(table)
    .filter(([scope]) => isKept(scope))
    .map(([scope, { implies, ...row }]) => [
      scope,
      implies === undefined ? row : { ...row, implies: implies.filter(isKept) },
    ])
  return Object.fromEntries(kept) as ScopeTable<Exclude<Scope, Omitted>>
}
