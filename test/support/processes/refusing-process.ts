import { createServer } from 'node:http'
import { openPort } from './ports.js'

// A server that answers each body before it has read it, and closes the connection: at once, or after what it reads.

const server = createServer((request, response) => {
  const limit = Number(new URL(request.url!, 'http://127.0.0.1').searchParams.get('limit'))
  let length = 0
  const refuse = (): void => {
    request.removeAllListeners('data').pause()
    response.writeHead(413, { connection: 'close' }).end('too large')
  }
  if (limit === 0) refuse()
  else
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limit) refuse()
    })
})
process.on('disconnect', () => process.exit())
process.send!(await openPort(server))
