// stop.ts
import { setTimeout as wait } from 'node:timers/promises'
import type { GuardedServer } from 'hallpass/node'

/** For `isStopping` of `createHealthEndpoints`. */
export let isStopping = false

export function stopOnSignal({ drain }: GuardedServer, close: () => Promise<void>): void {
  const stop = async () => {
    isStopping = true
    await wait(4000)
    await Promise.race([drain().then(close), wait(15_000)])
  }
  const end = () => void stop().finally(() => process.exit())
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end)
}
