import { connect, createServer, type Socket } from 'node:net'
import { openPort } from './ports.js'

/** What PgBouncer takes in the first message of a connection by its defaults. */
const KNOWN: ReadonlySet<string> = new Set(
  'user database client_encoding application_name datestyle timezone standard_conforming_strings'.split(
    ' ',
  ),
)

/** A pooler on loopback in front of a server on loopback. Like PgBouncer, it refuses a connection that names a setting. */
export async function startStrictPooler(
  target: number,
): Promise<{ readonly port: number; readonly close: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client.on('error', () => {}))
    client.once('data', (first: Buffer) => {
      const words = first.toString('latin1', 8).split('\0')
      const names = words.filter((_, index) => index % 2 === 0 && words[index] !== '')
      const unknown = names.find((name) => !KNOWN.has(name.toLowerCase()))
      if (unknown !== undefined) {
        client.end(refusal(`unsupported startup parameter: ${unknown}`))
        return
      }
      const upstream = connect(target, '127.0.0.1').on('error', () => client.destroy())
      sockets.add(upstream)
      upstream.write(first)
      client.pipe(upstream).pipe(client)
    })
  })
  const port = await openPort(server)
  return {
    port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** An `ErrorResponse` of the protocol of PostgreSQL, with the code of PgBouncer. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
