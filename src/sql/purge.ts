import type { Database } from './batch.js'
import { timeOf } from './keys.js'
import type { Verb } from './rows.js'
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

/** Deletes what is due by the time of the caller, or by a minute before that of the database if that is earlier. */
export const purge: Verb<'purge'> = async (database, { now, limit }) => {
  const { site, dialect } = database
  const due = await dueBy(database, now)
  const where = 'site = ? and due_at <= ?'
  let rows = 0
  let dueSince = Infinity
  for (const [table, key] of DUE_TABLES) {
    const { results } = await database.run([
      statement(
        `select count(*) as number, max(due_at) as due_at from (
           select due_at from ${table} where ${where} order by due_at limit ?) oldest`,
        site,
        due,
        limit,
      ),
      ...dialect.changing(
        { table, key, where, parameters: [site, due], first: { order: 'due_at', limit } },
        null,
      ),
    ])
    rows += results.at(-1)!.length
    const [oldest] = results[0]!
    // More may be left if there were as many as were asked for.
    if (Number(oldest!['number']) === limit)
      dueSince = Math.min(dueSince, Number(oldest!['due_at']))
  }
  return { rows, dueSince: dueSince === Infinity ? null : dueSince }
}
