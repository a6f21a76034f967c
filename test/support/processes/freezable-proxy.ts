import { connect, createServer, type Socket } from 'node:net'
import { openPort } from './ports.js'

/** A server as a client sees it through a network that may hang: connections stay open, and nothing arrives. */
export interface FreezableProxy {
  readonly port: number
  readonly freeze: () => void
  readonly thaw: () => void
  readonly close: () => Promise<void>
}

/** Starts a proxy on loopback to a server on loopback. */
export async function startFreezableProxy(target: number): Promise<FreezableProxy> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // prettier-ignore
      sockets.add(from)
      from.on('data', (chunk: Buffer) => to.write(chunk))
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('error', () => {})
      if (isFrozen) from.pause()
    }
  })
  const port = await openPort(server)
  return {
    port: port,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
