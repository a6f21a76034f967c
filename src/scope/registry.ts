/** Whom a client acts for: a site operator (admin API) or a signed-in member (own data). */
export type Audience = 'operator' | 'member'

/** What a scope opens: who somebody is, reading, or changing. */
export type ScopeAccess = 'identity' | 'read' | 'write'

/** One row of a scope table. */
export interface ScopeDefinition {
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
  readonly implies?: readonly string[]
}

/** A checked scope table. Made by {@link defineScopes}. */
export interface ScopeRegistry {
  /** Every scope, in the order of the table. */
  readonly names: readonly string[]
  /** The row of a scope; `undefined` = unknown. Safe for any string a request chose. */
  get(scope: string): ScopeDefinition | undefined
}

// RFC 6749 §3.3: 1*( %x21 / %x23-5B / %x5D-7E )
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Checks a scope table and makes it a registry: the one place where a scope's audience, effect and
 * words are written.
 *
 * @param table - scope name to row; the order is kept wherever scopes are listed
 * @throws TypeError - for a name outside RFC 6749 §3.3, a row without words, or `implies` that names
 *   an unknown scope or another audience's; every fault is named at once
 */
export function defineScopes(table: Readonly<Record<string, ScopeDefinition>>): ScopeRegistry {
  const rows = new Map(Object.entries(table))
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
  return { names: [...rows.keys()], get: (scope) => rows.get(scope) }
}
