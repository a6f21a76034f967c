import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import express from 'express'
import { describe, expect, test, vi } from 'vitest'
import { toNodeHandler } from '../../src/node.js'
import { waitFor } from '../support/processes/wait.js'
import {
  bodyOf, echo, head, json, listen, open, ORIGIN, received, send, serve, serveFetch,
} from './support.js' // prettier-ignore

describe('the body', () => {
  const port = (limit?: number): Promise<number> =>
    listen(toNodeHandler(echo(limit), { origin: ORIGIN }))
  const post = (port: number, body: string, type = 'text/plain'): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: { 'content-type': type } })

  test('arrives unchanged, in one piece or many', async () => {
    const at = await port(1_000_000)
    for (const text of ['', 'x', 'grant_type=x&code=%00', 'é'.repeat(400_000)])
      expect(await (await post(at, text)).text()).toBe(text)
  })

  test('of a request without one is empty', async () => {
    expect(bodyOf(await send(await port(), head('GET / HTTP/1.1', 'Host: a')))).toBe('')
    expect(
      await (await fetch(`http://127.0.0.1:${await port()}/`, { method: 'POST' })).text(),
    ).toBe('')
  })

  test('may have exactly as many bytes as the limit', async () => {
    const at = await port(10)
    expect((await post(at, 'x'.repeat(10))).status).toBe(200)
    expect((await post(at, 'x'.repeat(11))).status).toBe(413)
    const chunked = (size: string, text: string): string =>
      head('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked') +
      `${size}\r\n${text}\r\n0\r\n\r\n`
    expect(await send(at, chunked('a', 'x'.repeat(10)))).toMatch(/^HTTP\/1.1 200 /)
    expect(await send(at, chunked('b', 'x'.repeat(11)))).toMatch(/^HTTP\/1.1 413 /)
  })

  test('cannot be read twice', async () => {
    const errors: unknown[] = []
    const at = await serve(
      async (incoming) => json([await incoming.body(9), await incoming.body(9)]),
      (error) => errors.push(error),
    )
    expect((await post(at, 'x')).status).toBe(500)
    expect(errors).toEqual([new TypeError('the body of a request can be read only once')])
  })

  test('that is never read does not hold up the next request', async () => {
    const at = await serve(async () => json('unread'))
    const socket = await open(at)
    const answers = received(socket)
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`,
    )
    socket.write(head('GET / HTTP/1.1', 'Host: a'))
    expect((await answers).match(/"unread"/g)).toHaveLength(2)
  })

  test('that a Request left half read does not hold up the next request', async () => {
    const at = await serveFetch(async (request) => {
      const first = await request.body?.getReader().read()
      return Response.json(first?.done ?? 'no body')
    })
    const socket = await open(at)
    const answers = received(socket)
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n${'x'.repeat(900_000)}`,
    )
    socket.write(head('GET / HTTP/1.1', 'Host: a'))
    expect((await answers).match(/(false|"no body")/g)).toEqual(['false', '"no body"'])
  })
})

describe('a body above the limit', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void

  // The second run frees the buffers that the first one found unused.
  async function collect(): Promise<void> {
    collectGarbage()
    await new Promise(setImmediate)
    collectGarbage()
  }

  /** Sends without end until the server closes; tells what came back and how memory grew. */
  async function flood(port: number, headers: string[], frame: (chunk: Buffer) => Buffer[]) {
    const socket = await open(port)
    const answer = received(socket)
    const chunk = Buffer.alloc(65_536, 'x')
    await collect()
    const before = process.memoryUsage().arrayBuffers
    let [peak, sent, rounds] = [0, 0, 0]
    let goOn = (): void => {}
    socket.on('drain', () => goOn())
    socket.on('close', () => goOn())
    socket.write(['POST / HTTP/1.1', 'Host: a', ...headers, '', ''].join('\r\n'))
    while (!socket.destroyed && sent < 1_000_000_000) {
      for (const part of frame(chunk)) {
        sent += part.length
        if (!socket.write(part) && !socket.destroyed && !socket.closed)
          await new Promise<void>((resolve) => (goOn = resolve))
      }
      if (++rounds % 200 !== 0) continue
      await collect()
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
    }
    socket.destroy()
    return { answer: await answer, peak }
  }

  test('with a Content-Length is refused before a byte of it was sent', async () => {
    const at = await listen(toNodeHandler(echo(10), { origin: ORIGIN }))
    const socket = await open(at)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n')
    const answer = await received(socket)
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
  })

  test.each([
    ['with a Content-Length', ['Content-Length: 4000000000'], (chunk: Buffer) => [chunk]],
    [
      'in chunks',
      ['Transfer-Encoding: chunked'],
      (chunk: Buffer) => [Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')],
    ],
  ])('%s is answered 413, then the connection closes, memory flat', async (_, headers, frame) => {
    const at = await listen(toNodeHandler(echo(1000), { origin: ORIGIN }))
    const { answer, peak } = await flood(at, headers, frame)
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    expect(bodyOf(answer)).toBe('{"error":"too_large"}')
    expect(peak).toBeLessThan(4_000_000)
  })

  test('that a Request gave up is answered, then the connection closes', async () => {
    const at = await serveFetch(async (request) => {
      await request.body?.cancel()
      return new Response('enough', { status: 413 })
    })
    const { answer } = await flood(at, ['Content-Length: 4000000000'], (chunk) => [chunk])
    expect(answer).toMatch(/^HTTP\/1.1 413 [^]*\r\nconnection: close\r\n[^]*enough/i)
  })
})

describe('an upload that breaks off', () => {
  test('500 times leaves no unhandled rejection and a server that answers', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>()
    process.on('unhandledRejection', unhandled)
    const errors: unknown[] = []
    const handlers = {
      plain: toNodeHandler(echo(), { origin: ORIGIN, onError: (error) => errors.push(error) }),
      fetch: toNodeHandler(async (request) => new Response(await request.text()), {
        origin: ORIGIN,
        onError: (error) => errors.push(error),
      }),
    }
    const at = await listen((req, res) =>
      handlers[req.url === '/plain' ? 'plain' : 'fetch'](req, res),
    )
    for (let round = 0; round < 10; round++) {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => open(at)))
      for (const [index, socket] of sockets.entries()) {
        const path = index % 2 === 0 ? '/plain' : '/fetch'
        socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nsome`, () => {
          if (index % 3 === 0) socket.resetAndDestroy()
          else socket.destroy()
        })
      }
    }
    await waitFor(() => errors.length === 500)
    process.off('unhandledRejection', unhandled)
    expect(new Set(errors.map(String))).toEqual(
      new Set(['Error: the connection closed before the end of the request body']),
    )
    expect(unhandled).not.toHaveBeenCalled()
    const answer = await fetch(`http://127.0.0.1:${at}/plain`, { method: 'POST', body: 'alive' })
    expect(await answer.text()).toBe('alive')
  })
})

const DRAINED = new Error(
  'the body of this request has already been read: mount the handler before the body parser, or keep the parsed value in req.body',
)

describe('a body that a parser has read already', () => {
  const parsers: express.Express = express()
  parsers.use(express.json(), express.urlencoded({ extended: true }), express.text(), express.raw())
  const handlers = {
    plain: toNodeHandler(echo(1000), { origin: ORIGIN }),
    fetch: toNodeHandler(async (request) => new Response(await request.text()), { origin: ORIGIN }),
  }
  parsers.post('/plain', handlers.plain)
  parsers.post('/fetch', handlers.fetch)

  describe.each(['plain', 'fetch'] as const)('read in the %s way', (way) => {
    const post = async (type: string, body: string): Promise<string> => {
      const port = await listen(parsers)
      const headers = { 'content-type': type }
      return (
        await fetch(`http://127.0.0.1:${port}/${way}`, { method: 'POST', headers, body })
      ).text()
    }
    const form = 'application/x-www-form-urlencoded'

    test.each([
      ['a form', form, 'code=a%2Bb+c&state=%C3%A9'],
      ['a form with a charset', `${form}; charset=utf-8`, 'code=a%2Bb+c'],
      ['a form with a repeated name', form, 'resource=https%3A%2F%2Fa&resource=https%3A%2F%2Fb&x='],
      ['a form with brackets', form, 'a%5Bb%5D=c&a%5Bd%5D=e&a%5Bd%5D=f'],
      ['JSON', 'application/json', '{"client_name":"Zoë","redirect_uris":["https://a"]}'],
      ['a JSON array', 'application/json; charset=utf-8', '[{"a":null},1]'],
      ['text', 'text/plain', 'a&b=c'],
      ['bytes', 'application/octet-stream', 'a\u0000b'],
      ['a type that no parser took', 'application/jose', 'a.b.c'],
      ['an empty form', form, ''],
      ['empty JSON', 'application/json', ''],
    ])('%s comes back as sent', async (_, type, body) => {
      expect(await post(type, body)).toBe(body)
    })
  })

  test('counts towards the limit', async () => {
    const port = await listen(parsers)
    const body = new URLSearchParams({ code: 'x'.repeat(1000) })
    const answer = await fetch(`http://127.0.0.1:${port}/plain`, { method: 'POST', body })
    expect(answer.status).toBe(413)
    expect(answer.headers.get('connection')).toBe('keep-alive')
  })

  test('hides headers that no longer fit from the Request', async () => {
    const app = express()
    app.use(express.json())
    app.use(
      toNodeHandler(
        async (request) =>
          Response.json([request.headers.get('content-length'), await request.json()]),
        { origin: ORIGIN },
      ),
    )
    const answer = await fetch(`http://127.0.0.1:${await listen(app)}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{  "a"  :  1  }',
    })
    expect(await answer.json()).toEqual([null, { a: 1 }])
  })

  test('is taken as the bytes that the host keeps beside what it parsed', async () => {
    const app = express()
    app.use(
      express.json({ verify: (req, _res, bytes) => void Object.assign(req, { rawBody: bytes }) }),
    )
    app.post('/', handlers.plain)
    const body = '{ "a": 1, "a": 2 }'
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${await listen(app)}/`, {
      method: 'POST',
      headers,
      body,
    })
    expect(await answer.text()).toBe(body)
  })

  test.each(['plain', 'fetch'] as const)('and was empty is empty (%s)', async (way) => {
    const port = await listen((req, res) => {
      req.resume()
      req.on('end', () => handlers[way](req, res))
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  test.each(['plain', 'fetch'] as const)(
    'and left nothing of is a fault that says what to do, not an empty body (%s)',
    async (way) => {
      const faults: unknown[] = []
      const options = { origin: ORIGIN, onError: (fault: unknown) => faults.push(fault) }
      const handle = {
        plain: toNodeHandler(echo(1000), options),
        fetch: toNodeHandler(async (request) => new Response(await request.text()), options),
      }[way]
      const port = await listen((req, res) => {
        req.resume()
        req.on('end', () => handle(req, res))
      })
      const url = `http://127.0.0.1:${port}/`
      const chunked = new Blob(['x=y']).stream()
      for (const body of ['x=y', chunked]) {
        const answer = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)
        expect([answer.status, await answer.text()]).toEqual([500, '{"error":"server_error"}'])
      }
      expect(faults).toEqual([DRAINED, DRAINED])
    },
  )

  test('and left nothing of is no fault for a function that reads no body', async () => {
    const handle = toNodeHandler(async (request) => new Response(request.method), {
      origin: ORIGIN,
    })
    const port = await listen((req, res) => {
      req.resume()
      req.on('end', () => handle(req, res))
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x=y' })
    expect([answer.status, await answer.text()]).toEqual([200, 'POST'])
  })

  test('is left in the stream by a parser that only sets the property', async () => {
    const port = await listen((req, res) => handlers.plain(Object.assign(req, { body: {} }), res))
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'still here' })
    expect(await answer.text()).toBe('still here')
  })
})
