import express from 'express'
import { routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { createHallpass } from './hallpass-core.mjs'

/** hallpass in Express, behind its form parser, as most hosts have it. */
export async function createSubject({ origin }) {
  const { server, ...rest } = await createHallpass({ origin })
  const app = express()
  app.disable('x-powered-by')
  app.use(express.urlencoded({ extended: false }))
  for (const [path, endpoint] of routesOf(server))
    app.all(path, toNodeHandler(endpoint, { origin }))
  return { listener: app, ...rest }
}
