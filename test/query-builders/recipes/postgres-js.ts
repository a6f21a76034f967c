import type { Execute } from 'hallpass/postgres'
import type postgres from 'postgres'

export const executeOf =
  (sql: postgres.ISql): Execute<readonly unknown[]> =>
  (text, values, name) =>
    sql.unsafe(text, values as postgres.ParameterOrJSON<never>[], { prepare: name !== undefined })

export const together = async (
  sql: postgres.Sql,
  { id, work }: { id: string; work: (execute: Execute<readonly unknown[]>) => Promise<void> },
): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx`insert into host_row values (${id})`
    await work(executeOf(tx))
  })
}
