import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { describeFault, type Log } from './hooks.js'
import { namedSetting, settingFault } from './setting.js'

/** The codes of a failed connection while a server, or its network, is still being started. */
const NOT_YET: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'ETIMEDOUT',
  // cannot_connect_now, too_many_connections, read_only_sql_transaction
  '57P03', '53300', '25006',
]) // prettier-ignore

const ATTEMPT_MILLISECONDS = 2000
const PAUSE_MILLISECONDS = 250

/** How long nothing is said while the first attempt is in progress. */
const SILENCE_MILLISECONDS = 1500

/**
 * Waits until a PostgreSQL server accepts connections and writes, because both are often started at the same time.
 * Logs once that it waits: when the first attempt fails, or after a second and a half without a response.
 *
 * @param options - `patienceMilliseconds`: how long it waits. Default: 30,000. `pause`: waits so many milliseconds
 * @throws Error if the server is still not there, or immediately if it refuses the user or the database
 */
export async function waitForDatabase(
  url: string,
  {
    log,
    patienceMilliseconds = 30_000,
    pause = wait,
  }: { log: Log; patienceMilliseconds?: number; pause?: typeof wait },
): Promise<void> {
  const setting = { name: 'DATABASE_URL', url } as const
  const end = performance.now() + patienceMilliseconds
  let isSaid = false
  const say = (reason: string): void => {
    if (isSaid) return
    isSaid = true
    const named = namedSetting(setting)
    log({ type: 'waiting', for: 'the database', setting: named, reason, patienceMilliseconds })
  }
  const silence = new AbortController()
  pause(SILENCE_MILLISECONDS, undefined, { ref: false, signal: silence.signal }).then(
    () => say('no response so far'),
    () => {},
  )
  try {
    for (;;) {
      const fault = await connect(url)
      if (fault === null) return
      if (!isNotYet(fault)) throw settingFault(setting, fault)
      if (performance.now() >= end)
        throw settingFault(
          setting,
          fault,
          `nothing answered within ${patienceMilliseconds / 1000} seconds: `,
        )
      say(describeFault(fault))
      await pause(PAUSE_MILLISECONDS)
    }
  } finally {
    silence.abort()
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
