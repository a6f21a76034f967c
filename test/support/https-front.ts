import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pem } from '../node/document-host.js'

/** A proxy that speaks TLS, in front of a server on this computer. */
export interface HttpsFront {
  readonly port: number
  readonly close: () => void
}

/** Opens a proxy in front of a port of this computer. It passes everything on, `Host` included. */
export async function openHttpsFront(target: number): Promise<HttpsFront> {
  const options = { key: pem('host-key'), cert: pem('host') }
  const front = createServer(options, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const to = request({ host: '127.0.0.1', port: target, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    to.once('error', () => outgoing.destroy())
    incoming.pipe(to)
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (front.address() as AddressInfo).port,
    close: () => {
      front.close()
      front.closeAllConnections()
    },
  }
}
