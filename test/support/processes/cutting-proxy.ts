import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { openPort } from './ports.js'

/** `up` is what clients send, `down` what the server sends. */
export type Direction = 'up' | 'down'

/** A proxy in front of a server that cuts connections after a number of bytes. */
export interface CuttingProxy {
  readonly url: string
  /** How many bytes went in each direction since the last call of `cut` or `restart`. */
  readonly bytes: Readonly<Record<Direction, number>>
  /** Counts from zero again, and cuts nothing. */
  readonly restart: () => void
  /** Passes so many bytes more in a direction, then cuts the connection; again and again, if `times` says so. */
  readonly cut: (cut: { direction: Direction; after: number; times?: number }) => void
  readonly stop: () => Promise<void>
}

/** Starts a proxy on loopback in front of the server of a database. */
export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const bytes = { up: 0, down: 0 }
  let armed: { direction: Direction; after: number; times: number } | null = null

  function pass(direction: Direction, from: Socket, to: Socket): void {
    from.on('data', (chunk) => {
      const left = armed?.direction === direction ? armed.after - bytes[direction] : Infinity
      bytes[direction] += chunk.length
      if (left > chunk.length) {
        to.write(chunk)
        return
      }
      armed!.times--
      if (armed!.times === 0) armed = null
      else bytes[direction] = 0
      // What was let through arrives, and the rest never does.
      to.write(chunk.subarray(0, left), () => to.destroy())
      from.destroy()
    })
  }

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.end()
      })
    }
    pass('up', client, upstream)
    pass('down', upstream, client)
  })
  const inFront = new URL(url)
  inFront.host = `127.0.0.1:${await openPort(server)}`

  const restart = (): void => {
    armed = null
    bytes.up = 0
    bytes.down = 0
  }
  return {
    url: inFront.href,
    bytes,
    restart,
    cut({ direction, after, times = 1 }) {
      restart()
      armed = { direction, after, times }
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
