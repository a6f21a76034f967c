import { describe, expect, test } from 'vitest'
import { passTime, waitFor } from '../support/processes/wait.js'
import { bodyOf, head, json, open, received, send, serve, serveFetch } from './support.js'

describe('a plain answer', () => {
  test('leaves with its length in bytes, not in chunks', async () => {
    const port = await serve(async () => ({ status: 201, headers: ['x-a', 'b'], body: 'é' }))
    const answer = await send(port, head('GET / HTTP/1.1', 'Host: a'))
    expect(answer).toMatch(/^HTTP\/1.1 201 Created\r\n/)
    expect(answer).toMatch(/\r\nx-a: b\r\ncontent-length: 2\r\n/i)
    expect(answer).not.toMatch(/transfer-encoding/i)
    expect(Buffer.from(bodyOf(answer), 'latin1').toString()).toBe('é')
  })

  test('is one write on the wire', async () => {
    const port = await serve(async () => json({ a: 1 }))
    const socket = await open(port)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write(head('GET / HTTP/1.1', 'Host: a'))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(chunks).toHaveLength(1)
  })

  test('without a body has length 0', async () => {
    const port = await serve(async () => ({ status: 302, headers: ['location', '/x'], body: null }))
    const answer = await send(port, head('GET / HTTP/1.1', 'Host: a'))
    expect(answer).toMatch(/\r\ncontent-length: 0\r\n/i)
  })

  test.each([204, 304])('with status %i has neither body nor length', async (status) => {
    const port = await serve(async () => ({ status, headers: [], body: 'x' }))
    const answer = await send(port, head('GET / HTTP/1.1', 'Host: a'))
    expect(answer).not.toMatch(/content-length|transfer-encoding/i)
    expect(bodyOf(answer)).toBe('')
  })

  test('to HEAD has the length of the body that it leaves out', async () => {
    const port = await serve(async () => json('four'))
    const answer = await send(port, head('HEAD / HTTP/1.1', 'Host: a'))
    expect(answer).toMatch(/\r\ncontent-length: 6\r\n/i)
    expect(bodyOf(answer)).toBe('')
  })

  test('repeats a header that comes again', async () => {
    const headers = ['set-cookie', 'a=1; Path=/', '__proto__', 'y', 'set-cookie', 'b=2, 3']
    const port = await serve(async () => ({ status: 200, headers, body: null }))
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect(answer.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2, 3'])
  })

  test('leaves its own headers object as it was, for the next request', async () => {
    const headers = Object.freeze(['content-type', 'text/plain'])
    const port = await serve(async () => ({ status: 200, headers, body: 'x' }))
    for (let index = 0; index < 2; index++)
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('x')
  })

  test('to a client that has gone is dropped', async () => {
    const errors: unknown[] = []
    let answered = false
    const port = await serve(
      async (incoming) => {
        const { signal } = incoming.request()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        setImmediate(() => (answered = true))
        return json('late')
      },
      (error) => errors.push(error),
    )
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    setImmediate(() => socket.destroy())
    await waitFor(() => answered)
    expect(errors).toEqual([])
  })
})

describe('a Response', () => {
  test('keeps status, headers and both cookies', async () => {
    const port = await serve(async () => {
      const headers = new Headers({ 'content-type': 'text/html' })
      headers.append('set-cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT')
      headers.append('set-cookie', 'b=2')
      return new Response('<p>', { status: 418, headers })
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      418,
      'text/html',
      '<p>',
    ])
    expect(answer.headers.getSetCookie()).toEqual([
      'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
      'b=2',
    ])
  })

  test('without a body has length 0', async () => {
    const port = await serveFetch(() => Response.redirect('https://school.example/x', 303))
    const answer = await send(port, head('GET / HTTP/1.1', 'Host: a'))
    expect(answer).toMatch(/^HTTP\/1.1 303 [^]*\r\ncontent-length: 0\r\n/i)
  })

  test('to HEAD is cancelled, its own length kept', async () => {
    let cancelled = false
    const port = await serveFetch(() => {
      const body = new ReadableStream({ cancel: () => void (cancelled = true) })
      return new Response(body, { headers: { 'content-length': '12' } })
    })
    const answer = await send(port, head('HEAD / HTTP/1.1', 'Host: a'))
    expect(answer).toMatch(/\r\ncontent-length: 12\r\n/i)
    expect([bodyOf(answer), cancelled]).toEqual(['', true])
  })

  test('is sent as it comes', async () => {
    let goOn = (): void => {}
    const port = await serveFetch(() => {
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(Buffer.from('first'))
          await new Promise<void>((resolve) => (goOn = resolve))
          controller.enqueue(Buffer.from('second'))
          controller.close()
        },
      })
      return new Response(body)
    })
    const reader = (await fetch(`http://127.0.0.1:${port}/`)).body!.getReader()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('first')
    goOn()
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('second')
    expect((await reader.read()).done).toBe(true)
  })

  test('is produced no faster than a slow client reads, and cancelled when it goes', async () => {
    let [produced, cancelled] = [0, false]
    const port = await serveFetch(() => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          produced += 1_000_000
          controller.enqueue(new Uint8Array(1_000_000))
          if (produced >= 500_000_000) controller.close()
        },
        cancel: () => void (cancelled = true),
      })
      return new Response(body)
    })
    const socket = await open(port)
    socket.pause()
    socket.write(head('GET / HTTP/1.1', 'Host: a'))
    let before = 0
    const standsStill = (): boolean => produced > 0 && produced === before
    do {
      before = produced
      await passTime(150)
    } while (!standsStill())
    // What the kernel's two socket buffers take.
    expect(produced).toBeLessThan(50_000_000)
    socket.destroy()
    await waitFor(() => cancelled)
  })

  test('arrives whole at a client that reads', async () => {
    const port = await serveFetch(() => {
      let left = 40
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array(1_000_000))
          if (--left === 0) controller.close()
        },
      })
      return new Response(body)
    })
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect((await answer.arrayBuffer()).byteLength).toBe(40_000_000)
  })

  test('to a client that has gone already is cancelled', async () => {
    let cancelled = false
    const port = await serveFetch(async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return new Response(new ReadableStream({ cancel: () => void (cancelled = true) }))
    })
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    setImmediate(() => socket.destroy())
    await waitFor(() => cancelled)
  })
})

describe('an exception', () => {
  const secret = new Error('database password is hunter2')

  test.each([
    ['an endpoint that rejects', () => Promise.reject(secret)],
    ['an endpoint that throws', () => { throw secret }],
    ['a header that cannot be sent', async () => ({ status: 200, headers: ['x-a', 'a\r\nb: c'], body: 'x' })],
    ['a status that does not exist', async () => ({ status: 42, headers: [], body: 'x' })],
  ])('from %s is a 500 that tells nothing', async (_, handle) => {
    const errors: unknown[] = []
    const port = await serve(handle, (error) => errors.push(error))
    const answer = await send(port, head('GET / HTTP/1.1', 'Host: a'))
    expect(answer).toMatch(/^HTTP\/1.1 500 Internal Server Error\r\n/)
    expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/)
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/)
    expect(answer).not.toMatch(/hunter2|x-a|\.ts/)
    expect(bodyOf(answer)).toBe('{"error":"server_error"}')
    expect(errors).toHaveLength(1)
  }) // prettier-ignore

  test('after the head was sent cuts the answer off', async () => {
    const errors: unknown[] = []
    let fail = (): void => {}
    const port = await serveFetch(
      () => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(Buffer.from('begun'))
            fail = () => controller.error(secret)
          },
        })
        return new Response(body)
      },
      (error) => errors.push(error),
    )
    const socket = await open(port)
    socket.once('data', () => fail())
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const answer = await received(socket)
    expect(answer).toMatch(/^HTTP\/1.1 200 [^]*begun/)
    expect(answer).not.toMatch(/hunter2|\r\n0\r\n\r\n$/)
    expect(errors).toEqual([secret])
  })
})
