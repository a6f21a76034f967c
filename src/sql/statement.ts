export type Value = string | number | null
export type Row = Readonly<Record<string, unknown>>

export interface Statement {
  readonly sql: string
  readonly parameters: readonly Value[]
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

/** One row. */
export const ALWAYS: Guard = { from: '(select 1 as one) base', parameters: [] }

/** One row if there is none of another guard. */
export const unless = ({ from, parameters }: Guard): Guard => ({
  from: `${ALWAYS.from} where not exists (select 1 from ${from})`,
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
  const marks = columns.map(() => '?').join(', ')
  return statement(
    `${word} into ${table} (${columns.join(', ')}) select ${marks} from ${from}`,
    ...Object.values(values),
    ...parameters,
  )
}

/** Columns, each compared with a parameter. */
export const comparedWith = (row: Readonly<Record<string, Value>>): readonly string[] =>
  Object.keys(row).map((column) => `${column} = ?`)

/** The columns of an update, each with a parameter. */
export const setsOf = (row: Readonly<Record<string, Value>>): string => comparedWith(row).join(', ')
