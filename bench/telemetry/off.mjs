import { createRouter } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { createHallpass } from '../subjects/hallpass-core.mjs'
import { openStore } from './store.mjs'

/** hallpass without telemetry. */
export async function createSubject({ origin }) {
  const { server, ...rest } = await createHallpass({ origin, store: await openStore() })
  return { listener: toNodeHandler(createRouter(server), { origin }), ...rest }
}
