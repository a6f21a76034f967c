import { createRouter } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { createHallpass } from './hallpass-core.mjs'

/** hallpass on bare `node:http`. */
export async function createSubject({ origin }) {
  const { server, ...rest } = await createHallpass({ origin })
  return { listener: toNodeHandler(createRouter(server), { origin }), ...rest }
}
