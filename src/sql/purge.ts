import { letOthersIn } from '../store/deadline.js'
import type { Purged } from '../store/store.js'
import type { Database } from './batch.js'
import { timeOf } from './keys.js'
import type { Verb } from './rows.js'
import { dueIndexOf } from './schema.js'
import { statement } from './statement.js'

const MARGIN_SECONDS = 60

/** Every table with the column `due_at`, and its key. */
export const DUE_TABLES: readonly (readonly [table: string, key: string])[] = [
  ['hallpass_pending', 'id_hash'],
  ['hallpass_access_token', 'token_hash'],
  ['hallpass_code', 'code_hash'],
  ['hallpass_refresh_token', 'token_hash'],
  ['hallpass_grant', 'grant_id'],
  ['hallpass_outbox', 'seq'],
  ['hallpass_idempotency', 'key_hash'],
  ['hallpass_use', 'use_key'],
  ['hallpass_erasure', 'subject_hash'],
  ['hallpass_client', 'client_id'],
]

/** The time by which rows are due. So a process with a wrong clock deletes nothing that is live for others. */
export const dueBy = async (database: Database, now: number): Promise<number> =>
  Math.min(now, (await timeOf(database)) - MARGIN_SECONDS)

/** Purges one part after the other. What is left of all has been due since the first of their times. */
export async function purgeEach<Part>(
  parts: readonly Part[],
  purgePart: (part: Part) => Promise<Purged>,
): Promise<Purged> {
  let rows = 0
  let dueSince = Infinity
  for (const part of parts) {
    const purged = await purgePart(part)
    rows += purged.rows
    dueSince = Math.min(dueSince, purged.dueSince ?? Infinity)
    await letOthersIn()
  }
  return { rows, dueSince: dueSince === Infinity ? null : dueSince }
}

/** Deletes what is due by the time of the caller, or by a minute before that of the database if that is earlier. */
export const purge: Verb<'purge'> = async (database, { now, limit }) => {
  const { site, dialect } = database
  const due = await dueBy(database, now)
  const where = 'site = ? and due_at <= ?'
  return purgeEach(DUE_TABLES, async ([table, key]) => {
    // Without it, a planner may read all rows of the site by another index.
    const by = dialect.by(dueIndexOf(table))
    const { results } = await database.run([
      statement(
        `select count(*) as number, max(due_at) as due_at from (
           select due_at from ${table}${by} where ${where} order by due_at limit ?) oldest`,
        site,
        due,
        limit,
      ),
      ...dialect.changing(
        { table, key, where, parameters: [site, due], first: { by, order: 'due_at', limit } },
        null,
      ),
    ])
    const [oldest] = results[0]!
    // More may be left if there were as many as were asked for.
    const isFull = Number(oldest!['number']) === limit
    return { rows: results.at(-1)!.length, dueSince: isFull ? Number(oldest!['due_at']) : null }
  })
}
