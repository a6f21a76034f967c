import type { Execute } from 'hallpass/postgres'

/** Rows that one statement deletes, so that it ends within the time limits of the pool. */
const ROWS = 1000
/** Statements of one call; the next maintenance continues. */
const ROUNDS = 100

/**
 * Deletes rows of a table of the school that are older than a time, the oldest first, in small steps.
 *
 * @param rows - `time`: the column of an index on `(site, time)`; `before`: exclusive
 * @returns how many were deleted; 100,000 if more are left
 */
export async function purgeRows(
  execute: Execute,
  {
    table,
    key,
    time,
    site,
    before,
  }: { table: string; key: string; time: string; site: string; before: number },
): Promise<number> {
  for (let round = 0; round < ROUNDS; round++) {
    const { rows } = await execute(
      `delete from ${table} where site = $1 and ${key} = any(array(
         select ${key} from ${table} where site = $1 and ${time} < $2
         order by ${time} limit $3 for update skip locked
       )) returning 1`,
      [site, before, ROWS],
    )
    if (rows.length < ROWS) return round * ROWS + rows.length
  }
  return ROUNDS * ROWS
}
