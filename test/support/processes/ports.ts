import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that Linux, macOS and Windows give to connections and to servers that name none: between the test and
// the start of its server, another program would get such a port now and then. Above 10080, which `fetch` refuses. A node
// of a Redis Cluster also needs the port 10,000 above its own.
const LOWEST = 11_000
const PAIRS = 5500
let nextPair = randomInt(PAIRS)

/** Two free ports, one after the other, that no connection gets meanwhile, and that no other call here gets. */
export async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = LOWEST + 2 * (nextPair++ % PAIRS)
    if ((await isFree(port)) && (await isFree(port + 1))) return port
  }
  throw new Error('no two free ports in a row')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  if (!(await once(server, 'listening').catch(() => false))) return false
  await once(server.close(), 'close')
  return true
}
