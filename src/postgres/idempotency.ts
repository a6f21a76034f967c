import type { IdempotencyStore, IdempotencyState, StoredResponse } from '../admin/idempotency.js'
import { randomFraction } from '../encoding/random.js'
import { checkOptions } from '../options/check.js'
import { createAsk } from './ask.js'
import { POSTGRES_RULES, type PostgresOptions, selected } from './execute.js'

const ATTEMPTS = 3

const TAKE = selected(
  `insert into hallpass_idempotency as known (site, key_hash, request_hash, expires_at)
   values ($1, $2, $3, $4)
   on conflict (site, key_hash) do update
     set request_hash = excluded.request_hash, expires_at = excluded.expires_at, answer = null
     where known.expires_at <= $5
   returning 1`,
)
const FIND = `select request_hash, answer, expires_at from hallpass_idempotency
  where site = $1 and key_hash = $2`
const FINISH = selected(
  `update hallpass_idempotency set answer = $3::text::jsonb
   where site = $1 and key_hash = $2 and answer is null returning 1`,
)
const ABANDON = selected(
  `delete from hallpass_idempotency
   where site = $1 and key_hash = $2 and answer is null returning 1`,
)

interface Row {
  readonly request_hash: string
  readonly answer: StoredResponse | null
  readonly expires_at: number | string
}

/**
 * Creates the storage for `Idempotency-Key` values of the admin API on PostgreSQL, in a table that
 * {@link migratePostgres} creates. Of concurrent requests with one key, exactly one receives `new`.
 * Expired keys are deleted by `purge` of {@link createPostgresStore}.
 *
 * A statement that PostgreSQL rolls back because of a concurrent one is run again, as by
 * {@link createPostgresStore}.
 *
 * @param options - see {@link PostgresOptions}
 * @returns the storage to pass to `createAdminApi` from `hallpass/admin`
 * @throws OptionsError - if an option is missing, unknown or invalid
 * @example
 * ```ts
 * import { createPostgresIdempotency, type Execute } from 'hallpass/postgres'
 *
 * // In place of a database that has stored the key. With pg: (text, values, name) => pool.query({ name, text, values })
 * const execute: Execute = async () => ({ rows: [{ inserted: 1 }] })
 *
 * const idempotency = createPostgresIdempotency({ execute, site: 'school' })
 * await idempotency.begin({
 *   keyHash: 'RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o',
 *   requestHash: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
 *   now: 1795165200,
 *   expiresAt: 1795251600,
 * }) // => { state: 'new' }
 * ```
 *
 * @group Storage
 */
export function createPostgresIdempotency(options: PostgresOptions): IdempotencyStore {
  const {
    execute,
    site,
    chance = randomFraction,
  } = checkOptions('createPostgresIdempotency', options, POSTGRES_RULES)
  const ask = createAsk({ execute, chance })
  /** Takes the key if it is unknown or expired. Returns whether it did. */
  async function take(entry: Parameters<IdempotencyStore['begin']>[0]): Promise<boolean> {
    const { keyHash, requestHash, now, expiresAt } = entry
    const { rows, lost } = await ask({ verb: 'begin', sql: TAKE }, [
      site,
      keyHash,
      requestHash,
      expiresAt,
      now,
    ])
    // The lost attempt may have taken the key, and so may another request.
    if (rows.length === 0 && lost !== null) throw lost.fault
    return rows.length > 0
  }
  async function find(keyHash: string): Promise<IdempotencyState | null> {
    const { rows } = await ask<Row>({ verb: 'find', sql: FIND }, [site, keyHash])
    const [row] = rows
    if (row === undefined) return null
    const { request_hash: requestHash, answer } = row
    // Drivers return a bigint as text.
    const expiresAt = Number(row.expires_at)
    return answer === null
      ? { state: 'running', requestHash, expiresAt }
      : { state: 'done', requestHash, answer }
  }

  return {
    async begin(entry) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (await take(entry)) return { state: 'new' }
        const known = await find(entry.keyHash)
        if (known !== null) return known
        // The key was abandoned or purged between the two statements, so it can be taken again.
      }
      // Other requests keep taking and abandoning the key, so one of them is running.
      const { requestHash, expiresAt } = entry
      return { state: 'running', requestHash, expiresAt }
    },
    async finish({ keyHash, answer }) {
      await ask({ verb: 'finish', sql: FINISH }, [site, keyHash, JSON.stringify(answer)])
    },
    async abandon(keyHash) {
      await ask({ verb: 'abandon', sql: ABANDON }, [site, keyHash])
    },
  }
}
