import type { RequestListener } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createHttpServer, SEND_LIMITS } from '../../examples/express/src/server.js'
import { readSource } from '../support/source/compile.js'
import { openServer, openSocket } from '../support/http/open-server.js'

const echo: RequestListener = (req, res) =>
  void textOf(req).then(
    (body) => res.end(body),
    () => {},
  )

async function listen(limits?: Parameters<typeof createHttpServer>[1]) {
  const server = createHttpServer(echo, limits)
  const port = await openServer(server)
  return { server, url: `http://127.0.0.1:${port}/`, open: () => openSocket(port) }
}

/** A hundredth of the limits, so that a test need not wait for them. */
const QUICK = Object.fromEntries(
  Object.entries(SEND_LIMITS).map(([name, milliseconds]) => [name, milliseconds / 100]),
)

describe('the server of the Express example', () => {
  it('has the limits that it gives to Node [LIM-04]', async () => {
    const { server } = await listen()
    const { headersTimeout, requestTimeout } = server
    expect({ headersTimeout, requestTimeout }).toEqual({
      headersTimeout: 10_000,
      requestTimeout: 20_000,
    })
    expect(readSource('examples/express/src/main.ts')).toContain('createHttpServer(app)')
    // The end of a request is noticed at the first look after its time.
    const { connectionsCheckingInterval } = SEND_LIMITS
    expect(requestTimeout + connectionsCheckingInterval).toBeLessThan(30_000)
  })

  it.each([
    ['headers', 'POST / HTTP/1.1\r\na: '],
    ['a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n'],
  ])(
    'ends a request that sends %s a byte at a time [LIM-04]',
    async (_, begin) => {
      const { open } = await listen(QUICK)
      const socket = await open()
      let answer = ''
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
      socket.write(begin)
      const timer = setInterval(() => socket.write('x'), 10)
      // Not `once`, which would fail with the reset of the connection.
      await new Promise((resolve) => socket.once('close', resolve))
      clearInterval(timer)
      expect(answer).toContain('HTTP/1.1 408 Request Timeout')
    },
    // If Node looked as rarely as it does by default, this would be 30 seconds.
    25_000,
  )

  it('serves others while 2,000 connections are idle [LIM-04]', async () => {
    const { open, url } = await listen()
    const idle = await Promise.all(Array.from({ length: 2000 }, open))
    const response = await fetch(url, { method: 'POST', body: 'alive' })
    expect(await response.text()).toBe('alive')
    expect(idle.filter(({ destroyed }) => destroyed)).toEqual([])
  })
})
