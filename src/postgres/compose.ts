import type { Run, Single } from '../sql/batch.js'
import { type Row, statement, type Statement, type Value } from '../sql/statement.js'

/** The columns by which rows are replaced. */
const KEYS: Readonly<Record<string, string>> = {
  hallpass_consent: 'consent_key',
  hallpass_erasure: 'subject_hash',
}
const REPLACEMENT = /^replace into (\w+) \(([^)]*)\)/
/** Begins the end of an insertion, if a row may have the key. */
const CONFLICT = ' on conflict '

/** Inserts a row, or writes over the one that has its key. */
function inserted(sql: string): string {
  const [, table, columns] = REPLACEMENT.exec(sql) ?? []
  if (table === undefined) return sql
  const key = KEYS[table]!
  const others = columns!.split(', ').filter((column) => column !== key && column !== 'site')
  const sets = others.map((column) => `${column} = excluded.${column}`).join(', ')
  return `insert${sql.slice('replace'.length)}${CONFLICT}(${key}, site) do update set ${sets}`
}

/** A change with another condition behind its own one. It has as many rows as it changed. */
function changeIf(condition: string, sql: string): string {
  const [change = '', ...skip] = inserted(sql).split(CONFLICT)
  return [`${change}${condition}`, ...skip].join(CONFLICT) + ' returning 1 as one'
}

/** The same of the change that decides: of an insertion, the key does. */
const decisionIf = (condition: string, sql: string): string =>
  sql.startsWith('insert into ')
    ? `${sql}${condition}${CONFLICT}do nothing returning 1 as one`
    : changeIf(condition, sql)

/** The row of a statement that always has one. The driver of the host application may have lost it. */
function onlyOf([row]: readonly Row[]): Row {
  if (row === undefined)
    throw new TypeError('execute must resolve to the rows of a statement: one is missing')
  return row
}

const together = (
  parts: readonly (readonly [name: string, sql: string, parameters: readonly Value[]])[],
  selection: string,
): Statement =>
  statement(
    `with ${parts.map(([name, sql]) => `${name} as (${sql})`).join(', ')} select ${selection}`,
    ...parts.flatMap(([, , parameters]) => parameters),
  )

/**
 * Runs a change as one statement: each of its parts is a query of `with`. All of them see the rows before the change, so
 * they need no order. What decides waits for others, and sees the row that it changes as they left it.
 */
export const composed = (run: Run): Single => ({
  async decide({ gates, look, writes }) {
    const decided = writes.map((one) => one.decided ?? one)
    const last = decided.at(-1)!
    const others = decided.slice(0, -1)
    const isOpen = gates.map(
      (_, gate) => ` and not exists (select 1 from g${gate} where is_closed = 1)`,
    )
    const { results, lost } = await run([
      together(
        [
          ...gates.map(({ sql, parameters }, gate) => [`g${gate}`, sql, parameters] as const),
          ['won', decisionIf(isOpen.join(''), last.sql), last.parameters],
          ...others.map(
            ({ sql, parameters }, index) =>
              [`w${index}`, changeIf(' and exists (select 1 from won)', sql), parameters] as const,
          ),
          ['looked', `select 1 as is_found, it.* from (${look.sql}) it`, look.parameters],
        ],
        `(select count(*) from won) as is_won, looked.*
         from (select 1 as one) base left join looked on true`,
      ),
    ])
    const row = onlyOf(results[0]!)
    const looked = row['is_found'] === null ? [] : [row]
    return { looked, isWon: Number(row['is_won']) === 1, lost }
  },
  async count(parts) {
    const named = parts.map(([kind, change], index) => ({
      kind,
      change,
      name: kind ?? `p${index}`,
    }))
    const counted = named.filter(({ kind }) => kind !== null)
    // A query of `with` refers only to those before it.
    const ordered = [...counted, ...named.filter(({ kind }) => kind === null)]
    const { results, lost } = await run([
      together(
        ordered.map(({ name, change }) => [name, changeIf('', change.sql), change.parameters]),
        counted.map(({ name }) => `(select count(*) from ${name}) as ${name}`).join(', '),
      ),
    ])
    const row = onlyOf(results[0]!)
    return { counts: counted.map(({ name }) => [name, Number(row[name])] as const), lost }
  },
})

const castOf = (value: Value): string => (typeof value === 'number' ? 'bigint' : 'text')
const CHANGES = /^(?:insert|replace|update|delete) /
const texts = new Map<string, string>()

/**
 * The text of a statement with `$1`, `$2`, … and the type of each. Its command is SELECT, of which every driver and query
 * builder returns the rows: TypeORM returns those of a DELETE with their number.
 */
export function textOf({ sql, parameters }: Statement): string {
  const types = parameters.map((value) => (value === null ? '-' : castOf(value)[0])).join('')
  const key = `${types} ${sql}`
  const known = texts.get(key)
  if (known !== undefined) return known
  let [place, number] = [0, 0]
  const text = (
    CHANGES.test(sql) ? `with changed as (${changeIf('', sql)}) select 1 as one from changed` : sql
  )
    .replaceAll('instr(', 'strpos(')
    .replaceAll('?', () => {
      const value = parameters[place++]!
      return value === null ? 'null' : `$${++number}::${castOf(value)}`
    })
  texts.set(key, text)
  return text
}
