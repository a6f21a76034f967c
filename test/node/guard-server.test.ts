import { once } from 'node:events'
import {
  Agent,
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { OptionsError } from 'hallpass'
import { guardServer, toNodeHandler } from '../../src/node.js'
import { endpointFrom } from '../../src/http/exchange.js'
import { passTime, waitFor } from '../support/processes/wait.js'
import { openServer } from '../support/http/open-server.js'
import { head, json, open, ORIGIN, received, send } from './support.js'

async function listen(
  listener: RequestListener,
  options?: NonNullable<Parameters<typeof guardServer>[1]>,
) {
  const server = createServer(listener)
  const guarded = guardServer(server, options)
  const port = await openServer(server)
  return { ...guarded, server, port, url: `http://127.0.0.1:${port}/` }
}

/** A listener whose requests wait until they are let go. */
function held() {
  const waiting: (() => void)[] = []
  const endpoint = endpointFrom(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return json('done')
  })
  return {
    waiting,
    listener: toNodeHandler(endpoint, { origin: ORIGIN }),
    letAllGo: () => {
      for (const letGo of waiting.splice(0)) letGo()
    },
  }
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const FORM = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n'

type Asked = IncomingMessage & { readonly text: string; readonly port: number }

/** Sends GET over an agent that keeps connections. */
function ask(url: string, agent: Agent): Promise<Asked> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      const port = answer.socket.localPort!
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.once('end', () => resolve(Object.assign(answer, { text, port })))
      answer.once('error', reject)
    }).once('error', reject)
  })
}

function keepingAgent(): Agent {
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  return agent
}

describe('guardServer', () => {
  it('sends 503 at once beyond the bound, and works on the others [F-16, F-41]', async () => {
    const { listener, waiting, letAllGo } = held()
    const { url } = await listen(listener, { maxInFlight: 10 })
    const all = Array.from({ length: 100 }, () => fetch(url, { method: 'POST', body: 'a=b' }))
    const refused: Response[] = []
    for (const one of all)
      void one.then((response) => (response.status === 503 ? refused.push(response) : 0))
    await waitFor(() => refused.length === 90)
    expect([refused.length, waiting.length]).toEqual([90, 10])
    const answer = refused[0]!
    expect(await answer.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'the server is busy: try again shortly',
    })
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('content-length')).toBe('95')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    letAllGo()
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)

    // Afterwards it is as before.
    const again = fetch(url)
    await waitFor(() => waiting.length === 1)
    letAllGo()
    expect((await again).status).toBe(200)
  })

  it('sends 400 to a request with two Host lines, before it reaches the application', async () => {
    let reached = 0
    const { port } = await listen((_request, response) => response.end(`${++reached}`))
    const answer = await send(port, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*\r\nconnection: close\r\n/i)
    expect(answer).toContain('{"error":"invalid_request","error_description":"send Host once"}')
    expect(reached).toBe(0)
    expect(await send(port, head('GET / HTTP/1.1', 'Host: a'))).toMatch(/^HTTP\/1.1 200 /)
  })

  it('does not count clients that are still sending or have begun to receive [F-41]', async () => {
    let hold = true
    const { port, url } = await listen(
      (request, response) => {
        if (request.method === 'POST') request.resume()
        else if (hold) response.write('a part')
        else response.end('all')
      },
      { maxInFlight: 2 },
    )
    const sending = await Promise.all([open(port), open(port), open(port)])
    for (const socket of sending) socket.write(`${FORM}a`)
    const receiving = await Promise.all([fetch(url), fetch(url), fetch(url)])
    expect(receiving.map(({ status }) => status)).toEqual([200, 200, 200])
    hold = false
    expect(await (await fetch(url)).text()).toBe('all')

    // Once they have sent everything, they count.
    for (const socket of sending) socket.write('=b')
    await waitFor(async () => (await fetch(url)).status === 503)
    for (const { body } of receiving) await body?.cancel()
  })

  it('counts the work for clients that have left, until it is finished [F-41]', async () => {
    const { listener, waiting, letAllGo } = held()
    const { port, url, server } = await listen(listener, { maxInFlight: 3 })
    let closed = 0
    server.on('request', (_, response) => response.once('close', () => closed++))
    const leaving = await Promise.all([open(port), open(port), open(port)])
    for (const socket of leaving) socket.write(`${FORM}a=b`)
    await waitFor(() => waiting.length === 3)
    for (const socket of leaving) socket.destroy()
    await waitFor(() => closed === 3)
    expect((await fetch(url)).status).toBe(503)
    letAllGo()
    await new Promise((resolve) => setImmediate(resolve))
    const after = fetch(url)
    await waitFor(() => waiting.length === 1)
    letAllGo()
    expect((await after).status).toBe(200)
  })

  it('does not count clients that left before they had sent everything [F-41]', async () => {
    let closed = 0
    const { port, url } = await listen(
      (request, response) => {
        if (request.method === 'GET') response.end('ok')
        else response.once('close', () => closed++)
      },
      { maxInFlight: 2 },
    )
    const leaving = await Promise.all([open(port), open(port), open(port)])
    for (const socket of leaving) {
      socket.write(`${FORM}a`)
      socket.end()
    }
    await waitFor(() => closed === 3)
    expect((await fetch(url)).status).toBe(200)
  })

  it('forgets work that never ends, ten seconds after its client has left [F-41]', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    let begun = 0
    const { port, url, server } = await listen(() => begun++, { maxInFlight: 1 })
    let closed = 0
    server.on('request', (_, response) => response.once('close', () => closed++))
    const socket = await open(port)
    socket.write(`${FORM}a=b`)
    await waitFor(() => begun === 1)
    socket.destroy()
    await waitFor(() => closed === 1)
    expect((await fetch(url)).status).toBe(503)
    const [forget] = timers.mock.calls.findLast(([, delay]) => delay === 10_000)!
    forget()
    const next = await open(port)
    next.write(`${FORM}a=b`)
    await waitFor(() => begun === 2)
    expect(begun).toBe(2)
  })

  it('keeps no connection in memory after that has closed', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const { port, server } = await listen((_, response) => response.end('ok'))
    const seen: WeakRef<object>[] = []
    server.on('connection', (socket) => seen.push(new WeakRef(socket)))
    expect(await send(port, head('GET / HTTP/1.1', 'Host: a'))).toMatch(/^HTTP\/1.1 200 /)
    expect(seen).toHaveLength(1)
    // Between a collection and the look before, the event loop has to turn.
    await waitFor(() => {
      collectGarbage()
      return seen[0]!.deref() === undefined
    })
  })

  it('keeps idle connections longer than a proxy does, and unlike heads they may wait [F-42]', async () => {
    const { server, url } = await listen((_, response) => response.end('ok'))
    expect(server.keepAliveTimeout).toBe(65_000)
    // Node counts `headersTimeout` from the first byte of a request, so idle connections do not need a longer one.
    server.headersTimeout = 50
    const agent = keepingAgent()
    const first = await ask(url, agent)
    expect(first.headers['keep-alive']).toBe('timeout=65')
    await passTime(150)
    const second = await ask(url, agent)
    expect([second.statusCode, second.port]).toEqual([200, first.port])
  })

  it.each<[object, ...string[]]>([
    [{ maxInFlight: 0 }, 'maxInFlight must be a whole number of at least 1, not 0'],
    [{ maxInFlight: 1.5 }, 'maxInFlight must be a whole number of at least 1, not 1.5'],
    [
      { keepAliveMilliseconds: NaN, maxInFligth: 5 },
      'maxInFligth is not an option: did you mean maxInFlight?',
      'keepAliveMilliseconds must be a whole number of at least 1, not NaN',
    ],
    [{ max: 1 }, 'max is not an option'],
  ])('refuses the options %j', (options, ...mistakes) => {
    const wrong = (): unknown => guardServer(createServer(), options)
    expect(wrong).toThrow(new OptionsError('guardServer', mistakes))
  })

  it('takes the default for an option that is undefined', () => {
    const server = createServer()
    guardServer(server, { keepAliveMilliseconds: undefined } as object)
    expect(server.keepAliveTimeout).toBe(65_000)
  })
})

describe('drain', () => {
  it('finishes responses in progress with `Connection: close`, and accepts no connection [F-43]', async () => {
    const { listener, waiting, letAllGo } = held()
    const { drain, url, port, server } = await listen(listener)
    const agent = keepingAgent()
    const before = [ask(url, agent), ask(url, agent)]
    await waitFor(() => waiting.length === 2)
    const drained = drain()
    await waitFor(() => !server.listening)
    await expect(ask(url, new Agent())).rejects.toThrow('ECONNREFUSED')
    letAllGo()
    const answers = await Promise.all(before)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(answers.map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
    expect(await drained).toBe(0)
    await expect(open(port)).rejects.toThrow('ECONNREFUSED')
  })

  it('serves a request that arrives on an open connection, and then closes that [F-43]', async () => {
    const { drain, server, url } = await listen((_, response) => response.end('ok'))
    const agent = keepingAgent()
    const first = await ask(url, agent)
    expect(first.headers.connection).toBe('keep-alive')
    const drained = drain()
    await waitFor(() => !server.listening)
    const second = await ask(url, agent)
    expect([second.text, second.headers.connection]).toEqual(['ok', 'close'])
    expect(second.port).toBe(first.port)
    expect(await drained).toBe(0)
  })

  it('tells no client to connect anew while the listener is about to close [F-43]', async () => {
    const waiting: ServerResponse[] = []
    const { drain, server, url } = await listen((_, response) => void waiting.push(response))
    const answers = [ask(url, keepingAgent()), ask(url, keepingAgent())]
    await waitFor(() => waiting.length === 2)
    const seen: (readonly [boolean, unknown])[] = []
    const look = (): void => {
      seen.push([server.listening, waiting[0]!.getHeader('connection')])
    }
    const drained = drain()
    look()
    await waitFor(() => !server.listening)
    look()
    for (const response of waiting) response.end()
    await Promise.all(answers)
    expect(await drained).toBe(0)
    expect(seen).toEqual([
      [true, undefined],
      [false, 'close'],
    ])
  })

  it('closes connections that are silent, those without any request included [F-43]', async () => {
    const { drain, url, port } = await listen((_, response) => response.end('ok'))
    await ask(url, keepingAgent())
    const silent = await open(port)
    const closed = received(silent)
    // So late that it is not the deadline which closes them.
    expect(await drain({ deadlineMilliseconds: 3_600_000 })).toBe(0)
    expect(await closed).toBe('')
  })

  it('finishes a response that has begun, or that takes longer than a silent connection may [F-43]', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const waiting: ServerResponse[] = []
    const { drain, url } = await listen((request, response) => {
      if (request.url === '/begun') response.write('a part')
      waiting.push(response)
    })
    const begun = await fetch(`${url}begun`)
    const asked = fetch(url)
    await waitFor(() => waiting.length === 2)
    const drained = drain()
    const silence = () => timers.mock.calls.findLast(([, delay]) => delay === 1000)
    await waitFor(() => silence() !== undefined)
    silence()![0]()
    // After this one, what is silent is closed.
    await new Promise((resolve) => setImmediate(resolve))
    for (const response of waiting) response.end(' and the rest')
    expect(await begun.text()).toBe('a part and the rest')
    expect(await (await asked).text()).toBe(' and the rest')
    expect(await drained).toBe(0)
  })

  it('accepts all connections that wait, of which the system hands over one at a time [F-43]', async () => {
    const { drain, port } = await listen((_, response) => response.end('ok'))
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'))
    const texts = sockets.map((socket) => received(socket))
    for (const socket of sockets) socket.write(GET)
    // From here on they are in the queue of the kernel, and none of them is accepted.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    expect(await drain()).toBe(0)
    expect((await Promise.all(texts)).filter((text) => !text.includes('200 OK'))).toEqual([])
  })

  it('serves what has arrived while the process was too busy to read it [F-43]', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const { drain, port, server } = await listen((_, response) => response.end('ok'))
    let connections = 0
    server.on('connection', () => connections++)
    const sockets = [await open(port), await open(port)]
    const texts = sockets.map((socket) => received(socket))
    const [used] = sockets
    used!.write(GET)
    await once(used!, 'data')
    await waitFor(() => connections === 2)
    const drained = drain()
    const silences = () => timers.mock.calls.filter(([, delay]) => delay === 1000)
    await waitFor(() => silences().length === 1)
    for (const socket of sockets) socket.write(GET)
    // As after a blocked event loop: its timers come before what it reads.
    const [silence] = silences()[0]!
    silence()
    expect(await drained).toBe(0)
    const served = (await Promise.all(texts)).map((text) => text.split('200 OK').length - 1)
    expect(served).toEqual([2, 1])
  })

  it('cuts off what is not finished at the deadline, and says how much [F-43]', async () => {
    const { listener, waiting } = held()
    const { drain, url } = await listen(listener)
    const cut = Promise.allSettled([ask(url, new Agent()), ask(url, new Agent())])
    await waitFor(() => waiting.length === 2)
    const drained = drain({ deadlineMilliseconds: 20 })
    expect(drain()).toBe(drained)
    expect(await drained).toBe(2)
    expect((await cut).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('resolves for a server that does not listen, and refuses unknown options', async () => {
    const { drain } = guardServer(createServer())
    expect(() => drain({ deadline: 1 } as object)).toThrow(
      new OptionsError('drain', ['deadline is not an option']),
    )
    expect(await drain()).toBe(0)
  })
})
