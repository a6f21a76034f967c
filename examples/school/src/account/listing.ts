import type { ListQuery, Place, Rows } from 'hallpass/account'
import type { Execute } from 'hallpass/postgres'
import type { Transaction } from '../platform/transaction.js'

/** The source of a member's rows. */
export interface SourceOptions {
  readonly execute: Execute
  readonly transaction: Transaction
  readonly site: string
  /** The origin of the links in a row. */
  readonly origin: string
  readonly now: () => number
}

/** Collects the parameters of one statement. */
export interface SqlParameters {
  readonly values: readonly unknown[]
  readonly text: (value: string) => string
  readonly integer: (value: number) => string
  /** Adds an array, for `= any(…)`. It is sent as JSON, because all drivers encode JSON in the same way. */
  readonly texts: (values: readonly string[]) => string
}

export function createSqlParameters(): SqlParameters {
  const values: unknown[] = []
  const add = (value: unknown, type: string): string => `$${values.push(value)}::${type}`
  return {
    values,
    text: (value) => add(value, 'text'),
    integer: (value) => add(value, 'bigint'),
    texts: (list) =>
      `array(select jsonb_array_elements_text(${add(JSON.stringify(list), 'text')}::jsonb))`,
  }
}

/** The definition of one kind of list. */
export interface Listing {
  /**
   * A query of the rows that match the filter, with the columns `id`, those that {@link key} names, and
   * `record`: the row that the source returns, as `jsonb`.
   */
  readonly matching: string
  /** The column of {@link matching} that determines the order. It may be null. */
  readonly key: string
  readonly keyType: 'text' | 'bigint'
  readonly descending: boolean
}

/** Loads a page in one statement, and counts all rows if the request needs it. */
export async function loadRows<Record>(
  execute: Execute,
  parameters: SqlParameters,
  { matching, key, keyType, descending }: Listing,
  { after, before, limit, fromEnd, count }: ListQuery<unknown, string>,
): Promise<Rows<Record>> {
  // The order does not depend on the locale of the server.
  const compared = keyType === 'text' ? `(${key}) collate "C"` : key
  const id = 'id collate "C"'
  const keyOf = (value: string | number): string =>
    keyType === 'text' ? parameters.text(String(value)) : parameters.integer(Number(value))

  const behind = (place: Place, isBehind: boolean): string => {
    const sameKeyOn = `${id} ${isBehind ? '>' : '<'} ${parameters.text(place.id)}`
    // Rows without a key come last.
    if (place.key === null)
      return isBehind ? `(${key} is null and ${sameKeyOn})` : `(${key} is not null or ${sameKeyOn})`
    const value = keyOf(place.key)
    const further = isBehind === descending ? '<' : '>'
    const withoutKey = isBehind ? `${key} is null or ` : ''
    return `(${withoutKey}${compared} ${further} ${value} or (${compared} = ${value} and ${sameKeyOn}))`
  }
  const conditions = [
    ...(after === null ? [] : [behind(after, true)]),
    ...(before === null ? [] : [behind(before, false)]),
  ]
  const forward = `order by (${key}) is null, ${compared} ${descending ? 'desc' : 'asc'}, ${id} asc`
  const backward = `order by (${key}) is null desc, ${compared} ${descending ? 'asc' : 'desc'}, ${id} desc`
  const { rows } = await execute(
    `with matching as (${matching}),
     page as (
       select * from matching
       ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`}
       ${fromEnd ? backward : forward}
       limit ${parameters.integer(limit)}
     )
     select coalesce(jsonb_agg(record ${forward}), '[]') as rows,
       ${count ? '(select count(*)::integer from matching)' : 'null'} as total
     from page`,
    [...parameters.values],
  )
  return rows[0] as Rows<Record>
}
