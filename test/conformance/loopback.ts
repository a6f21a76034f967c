import { createServer, type Server } from 'node:http'
import { onTestFinished } from 'vitest'
import { openPort } from '../support/processes/ports.js'

/** A server on a port of its own, without an answer yet, until the test is over. */
export async function listenOnLoopback(): Promise<{
  readonly http: Server
  readonly issuer: string
}> {
  const http = createServer()
  const port = await openPort(http)
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { http, issuer: `http://127.0.0.1:${port}` }
}
