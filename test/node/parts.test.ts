import { generateKeyPairSync } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createNodeSigner, toNodeHandler } from '../../src/node.js'
import { parsedBody, readBody, streamBody } from '../../src/node/body.js'
import { NodeIncoming } from '../../src/node/incoming.js'
import { writeFault, writeOutgoing, writeResponse } from '../../src/node/outgoing.js'
import { fetcherFor, pem, serveHttps } from './document-host.js'

/** A request of Node that sends what the test says, and notes what was done to it. */
class Req extends EventEmitter {
  readonly did: string[] = []
  constructor(members: object = {}) {
    super()
    Object.assign(this, { destroyed: false, readableDidRead: false, readableEnded: false })
    Object.assign(this, { rawHeaders: [], method: 'POST', url: '/' }, members)
  }
  pause(): void {
    this.did.push('pause')
  }
  resume(): void {
    this.did.push('resume')
  }
  get message(): IncomingMessage {
    return this as unknown as IncomingMessage
  }
}

/** A response of Node that notes what was written. */
class Res extends EventEmitter {
  readonly did: unknown[][] = []
  writableEnded = false
  destroyed = false
  headersSent = false
  statusMessage = 'half'
  readonly takes: boolean
  constructor(members: Partial<Res> = {}) {
    super()
    this.takes = members.takes ?? true
    Object.assign(this, members)
  }
  writeHead(...head: unknown[]): void {
    this.did.push(['head', ...head])
  }
  write(chunk: unknown): boolean {
    this.did.push(['write', chunk])
    return this.takes
  }
  end(chunk?: unknown): void {
    this.did.push(['end', chunk])
  }
  flushHeaders(): void {
    this.did.push(['flush'])
  }
  destroy(): void {
    this.did.push(['destroy'])
  }
  get response(): ServerResponse {
    return this as unknown as ServerResponse
  }
}

const ORIGIN = 'https://school.example'
const incomingOf = (req: Req = new Req(), res: Res = new Res()): NodeIncoming =>
  new NodeIncoming(req.message, res.response, ORIGIN)
const bytes = (text: string): Buffer => Buffer.from(text)
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a body that is read', () => {
  it('is the one chunk it came in, not a copy', async () => {
    const req = new Req()
    const body = readBody(req.message, 3)
    const chunk = bytes('abc')
    req.emit('data', chunk)
    req.emit('end')
    expect(await body).toBe(chunk)
    expect(req.listenerCount('close')).toBe(0)
  })

  it('is every chunk in order', async () => {
    const req = new Req()
    const body = readBody(req.message, 3)
    for (const text of ['a', 'b', 'c']) req.emit('data', bytes(text))
    req.emit('end')
    expect(String(await body)).toBe('abc')
  })

  it('ends where it is too large, and holds the rest back', async () => {
    const req = new Req()
    const body = readBody(req.message, 2)
    req.emit('data', bytes('ab'))
    req.emit('data', bytes('c'))
    expect(await body).toBeNull()
    expect([req.listenerCount('data'), req.did]).toEqual([0, ['pause']])
  })

  it('breaks off with the connection, before and after it began', async () => {
    const fault = new Error('the connection closed before the end of the request body')
    await expect(readBody(new Req({ destroyed: true }).message, 1)).rejects.toEqual(fault)
    const req = new Req()
    const body = readBody(req.message, 9)
    req.emit('data', bytes('a'))
    req.emit('close')
    await expect(body).rejects.toEqual(fault)
  })
})

describe('a body that is streamed', () => {
  function stream(req: Req = new Req()) {
    const res = new Res()
    let cancelled = 0
    const body = streamBody(req.message, res.response, { onCancel: () => (cancelled += 1) })
    return { req, res, reader: body.getReader(), cancelled: () => cancelled }
  }

  it('is asked for when somebody reads, and not before', async () => {
    const { req, reader } = stream()
    await turn()
    expect(req.did).toEqual(['pause'])
    const read = reader.read()
    expect(req.did).toEqual(['pause', 'resume'])
    req.emit('data', bytes('a'))
    expect(await read).toEqual({ done: false, value: bytes('a') })
    expect(req.did).toEqual(['pause', 'resume', 'pause'])
    req.emit('end')
    expect(await reader.read()).toEqual({ done: true, value: undefined })
  })

  it('is whole where the connection ends behind it, before it was read', async () => {
    const { req, reader } = stream()
    req.emit('data', bytes('a'))
    req.emit('end')
    req.emit('close')
    expect(await reader.read()).toEqual({ done: false, value: bytes('a') })
    expect(await reader.read()).toEqual({ done: true, value: undefined })
  })

  it('breaks off with the connection', async () => {
    const fault = new Error('the connection closed before the end of the request body')
    for (const breakOff of [
      ({ req }: ReturnType<typeof stream>) => req.emit('close'),
      ({ res }: ReturnType<typeof stream>) => res.emit('close'),
    ]) {
      const streamed = stream()
      breakOff(streamed)
      await expect(streamed.reader.read()).rejects.toEqual(fault)
    }
    await expect(stream(new Req({ destroyed: true })).reader.read()).rejects.toEqual(fault)
  })

  it('tells that its consumer gave up, once, and takes no more', async () => {
    const { req, reader, cancelled } = stream()
    await reader.cancel()
    expect(cancelled()).toBe(1)
    expect(req.did).toEqual(['pause', 'pause'])
    req.emit('data', bytes('late'))
    req.emit('close')
    expect([cancelled(), req.did]).toEqual([1, ['pause', 'pause']])
  })

  it('lets the next request through once the answer is over', () => {
    const { req, res } = stream()
    res.emit('close')
    expect(req.did).toEqual(['pause', 'resume'])
  })
})

describe('a body that a parser has read', () => {
  const parsed = (body: unknown, contentType: string | null): string =>
    String(parsedBody(new Req({ readableDidRead: true, body }).message, contentType))

  it('is a form again where it was one', () => {
    const form = { a: null, list: ['1', '2'], deep: { x: 'y' } }
    expect(parsed(form, 'application/x-www-form-urlencoded; charset=utf-8')).toBe(
      'a=null&list=1&list=2&deep%5Bx%5D=y',
    )
  })

  it('is a form again where it was left as URLSearchParams', () => {
    const form = new URLSearchParams('a=1&a=2&b=%2B')
    expect(parsed(form, 'application/x-www-form-urlencoded')).toBe('a=1&a=2&b=%2B')
  })

  it.each([null, 'application/json', 'x-application/x-www-form-urlencoded'])(
    'is JSON again where it came as %j',
    (contentType) => {
      expect(parsed({ a: 1 }, contentType)).toBe('{"a":1}')
    },
  )
})

describe('a request of Node', () => {
  it('is a GET of / where it does not say', () => {
    const incoming = incomingOf(new Req({ method: undefined, url: undefined }))
    expect([incoming.method, incoming.target]).toEqual(['GET', '/'])
  })

  it.each([
    ['/a://b', '/a://b'],
    ['https://evil.example/a?b', '/a?b'],
    ['?a=https://evil.example/b', '/?a=https://evil.example/b'],
    ['a/b', '/'],
    ['*', '/'],
  ])('for %s is for %s', (url, target) => {
    expect(incomingOf(new Req({ url })).target).toBe(target)
  })

  it('has its headers by their names alone, repeated ones joined', () => {
    const rawHeaders = ['Vary', 'a', 'Date', 'b', 'X', 'vary', 'VARY', 'c', 'Cookie', 'd=e']
    const incoming = incomingOf(new Req({ rawHeaders: [...rawHeaders, 'cookie', 'f=g'] }))
    expect(['vary', 'date', 'cookie', 'none'].map((name) => incoming.header(name))).toEqual([
      'a, c',
      'b',
      'd=e; f=g',
      null,
    ])
  })

  it('takes a parsed body up to the limit', async () => {
    const req = () => new Req({ readableDidRead: true, body: 'abc' })
    const [fits, tooLarge] = [incomingOf(req()), incomingOf(req())]
    expect(String(await fits.body(3))).toBe('abc')
    expect(await tooLarge.body(2)).toBeNull()
    expect([fits.abandoned, tooLarge.abandoned]).toEqual([false, false])
  })

  it('gives a body up that is announced as too large, and keeps one that fits', async () => {
    const rawHeaders = ['Content-Length', '3']
    const [req, other] = [new Req({ rawHeaders }), new Req({ rawHeaders })]
    const [fits, tooLarge] = [incomingOf(req), incomingOf(other)]
    const body = fits.body(3)
    req.emit('data', bytes('abc'))
    req.emit('end')
    expect(String(await body)).toBe('abc')
    expect(await tooLarge.body(2)).toBeNull()
    expect([fits.abandoned, tooLarge.abandoned]).toEqual([false, true])
  })

  it('gives its body up where the consumer of a Request does', async () => {
    const incoming = incomingOf()
    await incoming.request().body!.cancel()
    expect(incoming.abandoned).toBe(true)
  })

  it('throws away what is left, and says when the connection is over', () => {
    let done = 0
    const req = new Req()
    incomingOf(req).discard(() => (done += 1))
    expect([done, req.did]).toEqual([0, ['resume']])
    req.emit('close')
    expect(done).toBe(1)
    incomingOf(new Req({ destroyed: true })).discard(() => (done += 1))
    expect(done).toBe(2)
  })

  it('is aborted from the start where the client is gone already', () => {
    const gone = incomingOf(new Req({ method: 'GET' }), new Res({ destroyed: true }))
    expect(gone.request().signal.aborted).toBe(true)
    expect(incomingOf(new Req({ method: 'GET' })).request().signal.aborted).toBe(false)
  })
})

describe('an answer in one piece', () => {
  const write = (
    method: string,
    answer: Partial<Parameters<typeof writeOutgoing>[2]>,
    res: Res = new Res(),
  ): unknown[][] => {
    const incoming = incomingOf(new Req({ method }), res)
    writeOutgoing(incoming, res.response, { status: 200, headers: [], body: null, ...answer })
    return res.did
  }

  it.each([
    ['GET', { headers: ['a', 'b'], body: 'é' }, 200, ['a', 'b', 'content-length', 2], 'é'],
    ['GET', {}, 200, ['content-length', 0], ''],
    [
      'GET',
      { headers: ['a', 'b', 'c', 'a', 'a', 'd', 'a', 'e'] },
      200,
      ['a', ['b', 'd', 'e'], 'c', 'a', 'content-length', 0],
      '',
    ],
    ['HEAD', { body: 'abc' }, 200, ['content-length', 3], ''],
    ['HEAD', {}, 200, [], ''],
    ['GET', { status: 204 }, 204, [], ''],
    ['GET', { status: 304, body: 'abc' }, 304, [], ''],
  ])('to %s is written with its length: %j', (method, answer, status, headers, body) => {
    expect(write(method, answer)).toEqual([
      ['head', status, headers],
      ['end', body],
    ])
  })

  it('is left out after another', () => {
    expect(write('GET', {}, new Res({ writableEnded: true }))).toEqual([])
  })

  it('is only ended if the client has left, to say that the work is finished [F-41]', () => {
    expect(write('GET', { body: 'abc' }, new Res({ destroyed: true }))).toEqual([
      ['end', undefined],
    ])
  })

  it.each([
    ['x', ['write', 'x']],
    ['', ['flush']],
  ])('of %j waits for a client that is still sending to go', (body, written) => {
    const [req, res] = [new Req(), new Res()]
    const incoming = incomingOf(req, res)
    incoming.abandoned = true
    writeOutgoing(incoming, res.response, { status: 413, headers: [], body })
    const headers = ['content-length', body.length, 'connection', 'close']
    expect(res.did).toEqual([['head', 413, headers], written])
    req.emit('close')
    expect(res.did.slice(2)).toEqual([['end', undefined]])
  })
})

describe('an answer in many pieces', () => {
  const streamOf = (...texts: string[]): Response =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const text of texts) controller.enqueue(bytes(text))
          controller.close()
        },
      }),
      { headers: { a: 'b' } },
    )

  it('leaves at the pace of the client', async () => {
    const res = new Res({ takes: false })
    const written = writeResponse(incomingOf(new Req(), res), res.response, streamOf('a', 'b'))
    const pieces = (): unknown[] => res.did.filter(([what]) => what === 'write')
    for (let round = 0; round < 5; round++) await turn()
    expect(pieces()).toHaveLength(1)
    expect([res.listenerCount('drain'), res.listenerCount('close')]).toEqual([1, 2])
    res.emit('drain')
    for (let round = 0; round < 5; round++) await turn()
    expect(pieces()).toHaveLength(2)
    res.emit('drain')
    await written
    expect(res.did.at(-1)).toEqual(['end', ''])
    expect([res.listenerCount('drain'), res.listenerCount('close')]).toEqual([0, 0])
  })

  it('ends where the client goes between two pieces', async () => {
    for (const leave of [(res: Res) => res.emit('close'), () => {}]) {
      const res = new Res({ takes: false })
      const written = writeResponse(incomingOf(new Req(), res), res.response, streamOf('a', 'b'))
      for (let round = 0; round < 5; round++) await turn()
      res.destroyed = true
      leave(res)
      if (res.listenerCount('drain') > 0) res.emit('drain')
      await written
      expect(res.did.filter(([what]) => what === 'write')).toHaveLength(1)
    }
  })

  it('does not wait for a client that has gone while it was written to', async () => {
    const res = new Res({ takes: false })
    res.write = () => {
      res.destroyed = true
      return false
    }
    await writeResponse(incomingOf(new Req(), res), res.response, streamOf('a', 'b'))
    expect(res.listenerCount('drain')).toBe(0)
  })

  it('says that the connection closes where a body was given up', async () => {
    const [req, res] = [new Req(), new Res()]
    const incoming = incomingOf(req, res)
    incoming.abandoned = true
    await writeResponse(incoming, res.response, streamOf('a'))
    expect(res.did[0]).toEqual(['head', 200, ['a', 'b', 'connection', 'close']])
    req.emit('close')
  })
})

describe('a fault', () => {
  it('cuts off an answer that has begun, and leaves one alone that has ended', () => {
    const begun = new Res({ headersSent: true })
    writeFault(incomingOf(), begun.response)
    const ended = new Res({ headersSent: true, writableEnded: true })
    writeFault(incomingOf(), ended.response)
    expect([begun.did, ended.did]).toEqual([[['destroy']], []])
  })

  it('is answered with 500 and no reason phrase', () => {
    const res = new Res()
    writeFault(incomingOf(new Req(), res), res.response)
    expect(res.statusMessage).toBe('')
    expect(res.did[0]!.slice(0, 2)).toEqual(['head', 500])
  })
})

describe('the options of a handler', () => {
  const respond = async (): Promise<Response> => new Response()

  it.each(['http://127.0.0.1:3000', 'https://school.example'])('take the origin %s', (origin) => {
    expect(toNodeHandler(respond, { origin })).toBeTypeOf('function')
  })

  it.each(['ws://school.example', 'https://school.example/', 'https://School.example'])(
    'do not take %s',
    (origin) => {
      expect(() => toNodeHandler(respond, { origin })).toThrow(
        `origin must be an origin such as https://school.example, without a path, not "${origin}"`,
      )
    },
  )
})

it('a document is fetched by a list of authorities as by one', async () => {
  const host = await serveHttps((_req, res) => res.end('{}'))
  expect((await fetcherFor(host, { ca: [pem('authority')] }).fetch()).status).toBe(200)
})

it('a signing key on another curve is refused', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  expect(() => createNodeSigner({ kid: 'k', privateKey })).toThrow(
    'privateKey must be a private key on the curve P-256, not a',
  )
})
