import express from 'express'
import { describe, expect, test } from 'vitest'
import { endpointFrom, isGone } from '../../src/http/exchange.js'
import { toNodeHandler } from '../../src/node.js'
import { waitFor } from '../support/processes/wait.js'
import { bodyOf, head, json, listen, open, ORIGIN, send, serve, serveFetch } from './support.js'

const target = async (requestLine: string, ...headers: string[]): Promise<unknown> => {
  const port = await serve(async (incoming) =>
    json({ target: incoming.target, url: incoming.request().url }),
  )
  return JSON.parse(bodyOf(await send(port, head(requestLine, ...headers))))
}

describe('the target', () => {
  test('is path and query exactly as sent', async () => {
    expect(await target('GET /a/../b%2f?x=%7e&x=+ HTTP/1.1', 'Host: school.example')).toEqual({
      target: '/a/../b%2f?x=%7e&x=+',
      url: `${ORIGIN}/b%2f?x=%7e&x=+`,
    })
  })

  test.each([
    ['http://evil.example/x?y=1', '/x?y=1', '/x?y=1'],
    ['http://evil.example', '/', '/'],
    ['http://evil.example?y=1', '/?y=1', '/?y=1'],
    ['https://user:pass@evil.example:8443//x', '//x', '//x'],
    ['//evil.example/x', '//evil.example/x', '//evil.example/x'],
    ['/\\evil.example/x', '/\\evil.example/x', '//evil.example/x'],
    ['/@evil.example', '/@evil.example', '/@evil.example'],
  ])('takes no host from the request line %s', async (line, expected, path) => {
    expect(await target(`GET ${line} HTTP/1.1`, 'Host: school.example')).toEqual({
      target: expected,
      url: ORIGIN + path,
    })
  })

  test.each(['evil.example', 'evil.example/path?', '@evil.example', 'a b', ''])(
    'takes nothing from the header Host: %s',
    async (host) => {
      expect(await target('GET /x HTTP/1.1', `Host: ${host}`)).toEqual({
        target: '/x',
        url: `${ORIGIN}/x`,
      })
    },
  )

  test.each([
    [['Host: a', 'Host: a']],
    [['Host: a', 'hOST: b']],
    [['Host: a', 'X-Host: c', 'Host:']],
  ])('has one Host: %s get 400, and reach nothing', async (lines) => {
    let reached = 0
    const port = await serve(async () => json(++reached))
    for (const [start, body] of [
      ['GET / HTTP/1.1', ''],
      ['POST / HTTP/1.1\r\nContent-Length: 1', 'x'],
    ]) {
      const answer = await send(port, [start, ...lines, '', body].join('\r\n'))
      expect(answer).toMatch(/^HTTP\/1.1 400 [^]*\r\nconnection: close\r\n/i)
      expect(bodyOf(answer)).toBe(
        '{"error":"invalid_request","error_description":"send Host once"}',
      )
    }
    expect(reached).toBe(0)
    expect(bodyOf(await send(port, head('GET / HTTP/1.1', 'Host: a', 'X-Host: b')))).toBe('1')
  })

  test.each(['http://127.0.0.1:3000', 'https://localhost', 'http://school.localhost:3000', 'http://[::1]:3000'])(
    'at %s is not for a page of another site that calls it by a name of its own [RUNG-04]',
    async (origin) => {
      let reached = 0
      const handle = async () => json(++reached)
      const port = await listen(toNodeHandler(endpointFrom(handle), { origin }))
      for (const host of ['evil.example', 'evil.example:3000', '127.0.0.1.evil.example', 'localhost.evil.example', 'notlocalhost', '127.0.0.1@evil.example', '[::1].evil.example', '127.1.evil', 'upstream'])
        expect([host, await send(port, head('POST / HTTP/1.1', `Host: ${host}`, 'Content-Length: 0'))]).toEqual([
          host,
          expect.stringMatching(/^HTTP\/1.1 421 [^]*\r\nconnection: close\r\n[^]*open the origin of the site/i),
        ])
      expect(reached).toBe(0)
    },
  ) // prettier-ignore

  test('at a loopback origin may be any address of this computer, and any name in localhost', async () => {
    const origin = 'http://127.0.0.1:3000'
    const port = await listen(toNodeHandler(() => new Response(), { origin }))
    const lines = ['127.0.0.1', 'LOCALHOST:9', 'a.localhost', '[::1]:3000', '10.77.0.20:3000', '127.0.0.1:'].map((host) => `Host: ${host}`) // prettier-ignore
    for (const line of lines)
      expect(await send(port, head('GET / HTTP/1.1', line))).toMatch(/^HTTP\/1.1 200 /)
    // A health check of HAProxy sends none.
    expect(await send(port, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /)
  })

  test('of OPTIONS * is the root', async () => {
    expect(await target('OPTIONS * HTTP/1.1', 'Host: school.example')).toEqual({
      target: '/',
      url: `${ORIGIN}/`,
    })
  })

  test('keeps the path that an Express router is mounted under', async () => {
    const app = express()
    const school = express.Router()
    school.use(
      '/token',
      toNodeHandler(
        endpointFrom(async ({ target }) => json(target)),
        { origin: ORIGIN },
      ),
    )
    app.use('/api/oauth', school)
    const port = await listen(app)
    const answer = await fetch(`http://127.0.0.1:${port}/api/oauth/token/x?y=1`)
    expect(await answer.json()).toBe('/api/oauth/token/x?y=1')
    const absolute = head('GET http://evil.example/api/oauth/token?y=1 HTTP/1.1', 'Host: a')
    expect(bodyOf(await send(port, absolute))).toBe('"/api/oauth/token?y=1"')
  })
})

describe('a header', () => {
  const header = async (name: string, ...lines: string[]): Promise<unknown> => {
    const port = await serve(async (incoming) =>
      json([incoming.header(name), incoming.request().headers.get(name)]),
    )
    const [own, fetched] = JSON.parse(
      bodyOf(await send(port, head('GET / HTTP/1.1', 'Host: a', ...lines))),
    ) as [string | null, string | null]
    expect(own).toBe(fetched)
    return own
  }

  test('is found in any letter case', async () => {
    expect(await header('authorization', 'AUTHORIZATION: Bearer x')).toBe('Bearer x')
  })

  test('that is absent is null', async () => {
    expect(await header('authorization')).toBeNull()
  })

  test('that is sent empty is the empty string', async () => {
    expect(await header('authorization', 'Authorization:')).toBe('')
  })

  test('that is sent twice shows both values', async () => {
    const lines = ['Authorization: Bearer x', 'X-Other: z', 'authorization: Bearer y']
    expect(await header('authorization', ...lines)).toBe('Bearer x, Bearer y')
    expect(await header('content-type', 'Content-Type: a/b', 'Content-Type: c/d')).toBe('a/b, c/d')
  })

  test('that holds cookies is joined as cookies are', async () => {
    expect(await header('cookie', 'Cookie: a=1', 'Cookie: b=2')).toBe('a=1; b=2')
  })

  test.each(['__proto__', 'constructor', 'tostring', 'hasownproperty'])(
    'named %s is like any other',
    async (name) => {
      expect(await header(name)).toBeNull()
      expect(await header(name, `${name}: x`)).toBe('x')
    },
  )
})

describe('the request', () => {
  test('has method, headers and body of the message', async () => {
    const port = await serveFetch(async (request) =>
      Response.json([request.method, request.headers.get('x-a'), await request.text()]),
    )
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'PUT',
      headers: { 'X-A': 'b' },
      body: 'äöü'.repeat(100_000),
    })
    expect(await answer.json()).toEqual(['PUT', 'b', 'äöü'.repeat(100_000)])
  })

  test('is the same one each time', async () => {
    const port = await serve(async (incoming) => json(incoming.request() === incoming.request()))
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).json()).toBe(true)
  })

  test('has no body once the body was read', async () => {
    const port = await serve(async (incoming) => {
      await incoming.body(100)
      return json(incoming.request().body)
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x' })
    expect(await answer.json()).toBeNull()
  })

  test('is aborted when the client goes away', async () => {
    let reason: unknown
    const port = await serveFetch(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      reason = signal.reason
      return new Response('too late')
    })
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    setImmediate(() => socket.destroy())
    await waitFor(() => reason !== undefined)
    expect(reason).toMatchObject({ name: 'AbortError' })
  })

  test('is gone when the client goes away, also for who asks without a signal', async () => {
    const asked: boolean[] = []
    let isOver = false
    const port = await serve(async (incoming) => {
      asked.push(isGone(incoming))
      await waitFor(() => isGone(incoming))
      asked.push(isGone(incoming), incoming.signal.aborted)
      isOver = true
      return json('too late')
    })
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n', () => socket.destroy())
    await waitFor(() => isOver)
    expect(asked).toEqual([false, true, true])
  })

  test('is not aborted by an answer that arrived', async () => {
    const signals: AbortSignal[] = []
    const port = await serveFetch((request) => {
      signals.push(request.signal)
      return new Response('x')
    })
    await (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text()
    await (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  })

  test('with the method TRACE, which the Fetch API cannot express, is not implemented', async () => {
    const port = await serveFetch(() => new Response('x'))
    expect(await send(port, head('TRACE / HTTP/1.1', 'Host: a'))).toMatch(/^HTTP\/1.1 501 /)
  })
})
