// Whether the server is well, and how it stops.
import { setTimeout as wait } from 'node:timers/promises'
import type { Site } from 'hallpass'
import type { GuardedServer } from 'hallpass/node'
import { createHealthEndpoints } from 'hallpass/operations'
import type { KeySource } from 'hallpass/token'
import { close, isMigrated } from './store.js'

let isStopping = false

/** `/livez` for what starts the process again, and `/readyz` for what sends it requests. */
export function healthOf(site: Site, keys: KeySource) {
  const checks = { schema: isMigrated }
  const { livez, readyz } = createHealthEndpoints(site, {
    keys,
    checks,
    isStopping: () => isStopping,
  })
  return { routes: { '/livez': livez, '/readyz': readyz } }
}

/**
 * Stops at Ctrl+C, at SIGTERM, and when its terminal is closed. Responses have ten seconds, and the database what is left
 * of 15. A second signal ends the process immediately.
 */
export function stopOnSignal({ drain }: GuardedServer): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      isStopping = true
      void Promise.race([drain().then(close), wait(15_000)]).finally(() => process.exit())
    })
}
