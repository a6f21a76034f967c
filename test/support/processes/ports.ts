import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'

// Below the ports that Linux, macOS and Windows give to connections and to servers that name none: between the test and
// the start of its server, another program would get such a port now and then. Above 10080, which `fetch` refuses.
const LOWEST = 11_000
const BLOCK = 100
const BLOCKS = 110

/**
 * Two free ports, one after the other, for a process that is started with them. No connection gets them meanwhile, and
 * no other call gets them, here or in another test process.
 */
export async function freePorts(): Promise<number> {
  const { value } = await pairs.next()
  return value
}

const pairs = freePairs()

/** A process owns a block of ports while it listens on the first of them: the system ends that with the process. */
async function* freePairs(): AsyncGenerator<number, never> {
  const start = randomInt(BLOCKS)
  for (let turn = 0; turn < BLOCKS; turn++) {
    const first = LOWEST + BLOCK * ((start + turn) % BLOCKS)
    const guard = createServer()
    if (!(await isOpened(guard, first))) continue
    guard.unref()
    for (let port = first + 2; port < first + BLOCK; port += 2)
      if ((await isFree(port)) && (await isFree(port + 1))) yield port
  }
  throw new Error('no two free ports in a row')
}

const isOpened = (server: Server, port: number): Promise<boolean> =>
  openPort(server, { port }).then(
    () => true,
    () => false,
  )

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  if (!(await isOpened(server, port))) return false
  await once(server.close(), 'close')
  return true
}

/** Opens a server of the test's own process on a port that the system chooses, and returns the port. */
export async function openPort(
  server: Server,
  { port = 0, host = '127.0.0.1' }: { port?: number; host?: string } = {},
): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Whether somebody listens on a port. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
