import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { openPort } from '../processes/ports.js'

/** Opens a server on a port that the system chooses, until the test is over, and returns the port. */
export async function openServer(server: Server): Promise<number> {
  const port = await openPort(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return port
}

/** Opens a plain TCP connection, closed at the end of the test. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}
