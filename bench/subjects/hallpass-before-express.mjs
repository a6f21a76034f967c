import express from 'express'
import { createRouter, routesOf } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { createHallpass } from './hallpass-core.mjs'

/** hallpass in front of Express, which serves every other path. */
export async function createSubject({ origin }) {
  const { server, ...rest } = await createHallpass({ origin })
  const app = express()
  const handle = toNodeHandler(createRouter(server), { origin })
  const paths = new Set(routesOf(server).map(([path]) => path))
  const listener = (req, res) => (paths.has(req.url.split('?', 1)[0]) ? handle : app)(req, res)
  return { listener, ...rest }
}
