import { getRequestListener } from '@hono/node-server'
import { createRouter } from 'hallpass/authorization-server'
import { createHallpass } from './hallpass-core.mjs'

/** hallpass as a function from `Request` to `Response`, with light classes for the two. */
export async function createSubject({ origin }) {
  const { server, ...rest } = await createHallpass({ origin })
  return { listener: getRequestListener(createRouter(server)), ...rest }
}
