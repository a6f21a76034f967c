import { AsyncLocalStorage } from 'node:async_hooks'
import { createRouter } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { createHallpass } from '../subjects/hallpass-core.mjs'
import { openStore } from './store.mjs'

/**
 * hallpass without telemetry, in a process that uses `AsyncLocalStorage`, as the SDK and most applications do. On Node 20
 * its first use makes every promise of the process more expensive.
 */
export async function createSubject({ origin }) {
  new AsyncLocalStorage().run(null, () => {})
  const { server, ...rest } = await createHallpass({ origin, store: await openStore() })
  return { listener: toNodeHandler(createRouter(server), { origin }), ...rest }
}
