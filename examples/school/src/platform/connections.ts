import type { Server } from 'node:net'
import type { Log } from './hooks.js'

/** Descriptors for everything but connections of clients: the database, Redis, the log, and files. */
const RESERVED = 64
const PAUSE_MILLISECONDS = 60_000

/**
 * Lets the servers of a process take no more connections than leave it the descriptors that it needs itself. Without a
 * bound, Node.js closes what it cannot accept without a word, and no connection to the database can be opened. Logs the
 * connections that are closed, at most once a minute.
 *
 * @param options - `descriptors`: how many the process may open. Default: what the system allows
 */
export function boundConnections(
  servers: readonly Server[],
  { log, descriptors = openFiles() }: { log: Log; descriptors?: number | null },
): void {
  if (descriptors === null) return
  const each = Math.max(1, Math.floor((descriptors - RESERVED) / servers.length))
  let closed = 0
  let saidAt = -Infinity
  for (const server of servers) {
    server.maxConnections = each
    server.on('drop', () => {
      closed++
      if (performance.now() - saidAt < PAUSE_MILLISECONDS) return
      const remedy = `the process may open ${descriptors} files: raise that with ulimit -n, or LimitNOFILE of systemd`
      log({ type: 'full', connections: each, closed, remedy })
      saidAt = performance.now()
      closed = 0
    })
  }
}

/** Returns how many files the process may have open; `null` where the system has no such limit. */
function openFiles(): number | null {
  if (process.report === undefined) return null
  // Without it, the report looks up a name for each address of the computer. The types of Node 20 lack it.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const limit = userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : null
}
