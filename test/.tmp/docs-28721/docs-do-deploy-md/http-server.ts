// http-server.ts
import { createServer, type RequestListener, type Server } from 'node:http'

const limits = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 1000 }

export const listen = (app: RequestListener, port: number): Server =>
  createServer(limits, app).listen(port)
