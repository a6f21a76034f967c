// Runs before the server, so that a port that cannot be used is said before anything is created.
import { once } from 'node:events'
import { connect, isIP } from 'node:net'
import { host, port } from './address.js'

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}

if (!Number.isInteger(port) || port < 1 || port > 65_535)
  stop(`PORT is "${process.env['PORT']}": set it to a number from 1 to 65535, such as 3000`)

if (isIP(host) === 0 && host !== 'localhost')
  stop(`HOST is "${host}": set it to an address of this computer, such as 0.0.0.0 in a container`)

const socket = connect({ port, host })
const isTaken = await once(socket, 'connect', { signal: AbortSignal.timeout(1000) }).then(
  () => true,
  () => false,
)
socket.on('error', () => {}).destroy()
if (isTaken) stop(`Port ${port} is in use: stop the program that listens there, or set PORT`)
