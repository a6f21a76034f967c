// The log of the server, whether it is well, and how it stops.
import { setTimeout as wait } from 'node:timers/promises'
import type { Site, SiteOptions } from 'hallpass'
import type { GuardedServer } from 'hallpass/node'
import { createHealthEndpoints } from 'hallpass/operations'
import type { KeySource } from 'hallpass/token'
import { close, isMigrated } from './store.js'

/** For your log: each step in one line, and what failed. Neither has a code, token, secret or cookie. */
export const log: Pick<SiteOptions, 'onEvent' | 'onFault'> = {
  onEvent: (event) => console.log(JSON.stringify(event)),
  onFault: ({ endpoint, fault }) => console.error(endpoint, fault),
}

let isStopping = false

/** `/livez` for what starts the process again, and `/readyz` for what sends it requests. */
export function healthOf(site: Site, keys: KeySource) {
  const options = { keys, checks: { schema: isMigrated }, isStopping: () => isStopping }
  const { livez, readyz } = createHealthEndpoints(site, options)
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
