import fastify from 'fastify'
import { accountSchema } from 'hallpass/account'
import mercurius from 'mercurius'
import { contextOf, PATH, scenariosOf } from './common.mjs'

/** @param jit - after how many runs a document is compiled; 0 = never */
export async function createMercurius(jit) {
  const app = fastify()
  app.register(mercurius, { schema: accountSchema(), context: contextOf, path: PATH, jit })
  await app.ready()
  return { listener: app.routing, scenarios: scenariosOf() }
}
