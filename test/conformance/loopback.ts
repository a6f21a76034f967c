import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A server on a port of its own, without an answer yet, until the test is over. */
export async function listenOnLoopback(): Promise<{
  readonly http: Server
  readonly issuer: string
}> {
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { http, issuer: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
}
