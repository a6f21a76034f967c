export type Value = string | number | null
export type Row = Readonly<Record<string, unknown>>

/** The most values of one list: D1 and Durable Objects allow 100 parameters. */
export const MOST_VALUES = 90

export interface Statement {
  readonly sql: string
  readonly parameters: readonly Value[]
  /** The same, where all that it depends on has been decided. Default: it looks in any case. */
  readonly decided?: Statement
}

/** A statement of a batch, or what follows from the rows of one, within the same transaction. */
export type Step =
  Statement | ((run: (statement: Statement) => Promise<readonly Row[]>) => Promise<readonly Row[]>)

export const statement = (sql: string, ...parameters: readonly Value[]): Statement => ({
  sql,
  parameters,
})

/** The rows that an insertion selects, so that it inserts nothing if there are none. */
export interface Guard {
  readonly from: string
  readonly parameters: readonly Value[]
}

export const guard = (from: string, ...parameters: readonly Value[]): Guard => ({
  from,
  parameters,
})

/** One row. Each guard ends with a condition, so that another one can follow. */
export const ALWAYS: Guard = { from: '(select 1 as one) base where 1 = 1', parameters: [] }

/** One row if there is none of another guard. */
export const unless = ({ from, parameters }: Guard): Guard => ({
  from: `${ALWAYS.from} and not exists (select 1 from ${from})`,
  parameters,
})

/** Inserts a row once for each row of a guard. */
export function insertion(
  table: string,
  values: Readonly<Record<string, Value>>,
  { from, parameters }: Guard = ALWAYS,
  word = 'insert',
): Statement {
  const columns = Object.keys(values)
  const into = `${word} into ${table} (${columns.join(', ')}) select ${columns.map(() => '?').join(', ')}`
  const all = Object.values(values)
  return {
    ...statement(`${into} from ${from}`, ...all, ...parameters),
    decided: statement(`${into} where 1 = 1`, ...all),
  }
}

/**
 * Inserts rows, each with a value for every column: as many as a statement may have values, and the others one by one. So
 * there are two texts for a table.
 */
export function insertions(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): readonly Statement[] {
  const each = Math.floor(MOST_VALUES / columns.length)
  const whole = rows.length - (rows.length % each)
  const some = Array.from({ length: whole / each }, (_, part) =>
    rows.slice(part * each, (part + 1) * each),
  )
  const one = `(${columns.map(() => '?').join(', ')})`
  return [...some, ...rows.slice(whole).map((row) => [row])].map((its) =>
    statement(
      `insert into ${table} (${columns.join(', ')}) values ${its.map(() => one).join(', ')}`,
      ...its.flat(),
    ),
  )
}

/** Columns, each compared with a parameter. */
export const comparedWith = (row: Readonly<Record<string, Value>>): readonly string[] =>
  Object.keys(row).map((column) => `${column} = ?`)

/** The columns of an update, each with a parameter. */
export const setsOf = (row: Readonly<Record<string, Value>>): string => comparedWith(row).join(', ')
