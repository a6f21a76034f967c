import type { IdempotencyStore, StoredResponse } from '../admin/idempotency.js'
import { type Database, decide, query } from './batch.js'
import { parse } from './rows.js'
import { guard, insertion, type Row, statement, unless } from './statement.js'

/** Creates the storage of `Idempotency-Key`. Expired keys are deleted by `purge` of the store. */
export function createSqlIdempotency(database: Database): IdempotencyStore {
  const { site, dialect } = database
  const isRunning = 'site = ? and key_hash = ? and answer is null'
  return {
    async begin({ keyHash, requestHash, now, expiresAt }) {
      const known = guard('hallpass_idempotency where site = ? and key_hash = ?', site, keyHash)
      const row = { site, key_hash: keyHash, request_hash: requestHash, due_at: expiresAt }
      // After a lost answer, the row may be that of this request, and that of another one.
      const found = await decide<Row | null>(database, {
        turn: keyHash,
        look: statement(
          `select request_hash, answer, due_at from ${known.from} and due_at > ?${dialect.lock}`,
          ...known.parameters,
          now,
        ),
        outcomeOf: ([one]) => one ?? null,
        won: null,
        clearing: statement(`delete from ${known.from} and due_at <= ?`, ...known.parameters, now),
        writes: [insertion('hallpass_idempotency', row, unless(known))],
      })
      if (found === null) return { state: 'new' }
      const its = { requestHash: found['request_hash'] as string }
      return found['answer'] === null
        ? { ...its, state: 'running', expiresAt: Number(found['due_at']) }
        : { ...its, state: 'done', answer: parse(found['answer']) as StoredResponse }
    },
    async finish({ keyHash, answer }) {
      await query(
        database,
        `update hallpass_idempotency set answer = ? where ${isRunning}`,
        JSON.stringify(answer),
        site,
        keyHash,
      )
    },
    async abandon(keyHash) {
      await query(database, `delete from hallpass_idempotency where ${isRunning}`, site, keyHash)
    },
  }
}
