import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from './hooks.js'
import { urlSetting } from './setting.js'

/** The codes of a failed connection while a server, or its network, is still being started. */
const NOT_YET: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'ETIMEDOUT',
  // cannot_connect_now, too_many_connections, read_only_sql_transaction
  '57P03', '53300', '25006',
]) // prettier-ignore

const ATTEMPT_MILLISECONDS = 2000
const PAUSE_MILLISECONDS = 250

/**
 * Waits until a PostgreSQL server accepts connections and writes, because both are often started at the same time.
 * Logs once that it waits.
 *
 * @param patienceMilliseconds - how long it waits. Default: 30,000
 * @throws Error if the server is still not there, or immediately if it refuses the user or the database
 */
export async function waitForDatabase(
  url: string,
  { log, patienceMilliseconds = 30_000 }: { log: Log; patienceMilliseconds?: number },
): Promise<void> {
  const end = performance.now() + patienceMilliseconds
  for (let attempt = 0; ; attempt++) {
    const fault = await connect(url)
    if (fault === null) return
    if (!isNotYet(fault)) throw new Error(urlSetting('DATABASE_URL', url), { cause: fault })
    if (performance.now() >= end)
      throw new Error(
        `${urlSetting('DATABASE_URL', url)}: not there within ${patienceMilliseconds / 1000} seconds`,
        { cause: fault },
      )
    if (attempt === 0)
      log({ type: 'waiting', for: 'the database', reason: fault.message, patienceMilliseconds })
    await wait(PAUSE_MILLISECONDS)
  }
}

/** A standby is promoted when its primary has failed, which may be why this process starts. */
const READ_ONLY = Object.assign(new Error('it is read-only, as a standby is'), { code: '25006' })

/** Tries to connect, and returns what prevents it. */
async function connect(url: string): Promise<Error | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ATTEMPT_MILLISECONDS,
    query_timeout: ATTEMPT_MILLISECONDS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('show transaction_read_only')
    // The server may hang now: the connection ends without it.
    void client.end().catch(() => {})
    return rows[0].transaction_read_only === 'on' ? READ_ONLY : null
  } catch (fault) {
    return fault as Error
  }
}

/** Whether the server may be there later. The driver gives its own two errors no code. */
const isNotYet = (fault: Error & { code?: unknown }): boolean =>
  NOT_YET.has(fault.code) ||
  (fault.code === undefined &&
    /^(?:timeout expired|Query read timeout|Connection terminated)/.test(fault.message))
