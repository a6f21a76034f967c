import type { IdempotencyStore, IdempotencyState, StoredAnswer } from '../admin/idempotency.js'
import { type Execute, type QueryResult, rowsOf } from './execute.js'

const ATTEMPTS = 3

/**
 * The keys of `Idempotency-Key` on PostgreSQL, in a table of {@link migratePostgres}. The store's `purge`
 * removes those that have expired.
 *
 * @param options - `execute`: runs a statement; `site`: the key under which this site's rows stand
 */
export function createPostgresIdempotency({
  execute,
  site,
}: {
  execute: Execute<QueryResult>
  site: string
}): IdempotencyStore {
  /** Takes the key, if it is there to be taken. */
  async function take(entry: Parameters<IdempotencyStore['begin']>[0]): Promise<boolean> {
    const { keyHash, requestHash, now, expiresAt } = entry
    const rows = rowsOf(
      await execute(
        `insert into hallpass_idempotency as known (site, key_hash, request_hash, expires_at)
       values ($1, $2, $3, $4)
       on conflict (site, key_hash) do update
         set request_hash = excluded.request_hash, expires_at = excluded.expires_at, answer = null
         where known.expires_at <= $5
       returning 1`,
        [site, keyHash, requestHash, expiresAt, now],
      ),
    )
    return rows.length > 0
  }
  async function find(keyHash: string): Promise<IdempotencyState | null> {
    const rows = rowsOf(
      await execute(
        'select request_hash, answer from hallpass_idempotency where site = $1 and key_hash = $2',
        [site, keyHash],
      ),
    )
    const [row] = rows as readonly { request_hash: string; answer: StoredAnswer | null }[]
    if (row === undefined) return null
    const { request_hash: requestHash, answer } = row
    return answer === null
      ? { state: 'running', requestHash }
      : { state: 'done', requestHash, answer }
  }

  return {
    async begin(entry) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (await take(entry)) return { state: 'new' }
        const known = await find(entry.keyHash)
        if (known !== null) return known
        // It was abandoned or purged in between, so it is there to be taken again.
      }
      // Others take it and give it up all the time: somebody is at it.
      return { state: 'running', requestHash: entry.requestHash }
    },
    async finish({ keyHash, answer }) {
      await execute(
        `update hallpass_idempotency set answer = $3::text::jsonb
         where site = $1 and key_hash = $2 and answer is null`,
        [site, keyHash, JSON.stringify(answer)],
      )
    },
    async abandon(keyHash) {
      await execute(
        'delete from hallpass_idempotency where site = $1 and key_hash = $2 and answer is null',
        [site, keyHash],
      )
    },
  }
}
