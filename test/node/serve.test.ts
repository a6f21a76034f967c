import { once } from 'node:events'
import { createServer as createHttpServer, request as send } from 'node:http'
import { connect } from 'node:net'
import { createServer, type Server } from 'hallpass'
import { networkOf, serve } from 'hallpass/node'
import type { Platform } from 'hallpass/platform'
import { testSite } from 'hallpass/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { platformOf } from '../platform/platform-of.js'
import { send as sendTo } from '../support/attack/wire.js'
import { openServer, openSocket } from '../support/http/open-server.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'

const page = (): Response => new Response('your page')
const OPTIONS = {
  sealingSecret: 'use at least 32 random characters here',
  interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
}

function schoolAt(issuer: string, routes = {}) {
  const school = testSite({ issuer, networkOf })
  return { ...school, server: createServer(school.site, { ...OPTIONS, routes }) }
}

/** Serves until the test is over. */
async function opened(
  server: Server | Platform,
  options: NonNullable<Parameters<typeof serve>[1]> = { port: 0 },
) {
  const serving = await serve(server, options)
  onTestFinished(() => {
    vi.useRealTimers()
    // A test that failed may have left a maintenance that does not end.
    void serving.stop({ deadlineMilliseconds: 1 })
  })
  return { ...serving, url: `http://127.0.0.1:${serving.port}` }
}

/** The same server with another maintenance. */
const maintainedBy = <Served extends Server | Platform>(
  server: Served,
  maintain: () => Promise<unknown>,
): Served =>
  Object.assign((request: Request) => server(request), server, { maintain: maintain as never })

describe('serve', () => {
  it('maintains the site, then listens on the host and port of its issuer', async () => {
    const port = await freePorts()
    const { server } = schoolAt(`http://127.0.0.1:${port}`)
    const { url } = await opened(server, {})
    expect(url).toBe(`http://127.0.0.1:${port}`)
    const jwks = await (await fetch(`${url}/.well-known/jwks.json`)).json()
    expect(jwks).toEqual({ keys: [expect.objectContaining({ alg: 'ES256' })] })
  })

  it('listens on an IPv6 host', async () => {
    const port = await freePorts()
    const { server } = schoolAt(`http://[::1]:${port}`)
    await opened(server, {})
    expect((await fetch(`http://[::1]:${port}/.well-known/jwks.json`)).status).toBe(200)
  })

  it('listens on loopback for a name below localhost', async () => {
    const port = await freePorts()
    const { server } = schoolAt(`http://art.localhost:${port}`)
    const { url } = await opened(server, {})
    const metadata = await (await fetch(`${url}/.well-known/openid-configuration`)).json()
    expect(metadata).toMatchObject({ issuer: `http://art.localhost:${port}` })
  })

  it('serves an https issuer on loopback, on the port that a proxy calls', async () => {
    const { server } = schoolAt('https://school.example', {
      'GET /where': ({ url }: Request) => new Response(url),
    })
    await expect(serve(server)).rejects.toThrow(
      'serve: port is missing: the issuer is https, so name the port that your proxy calls, such as 3000',
    )
    const { url } = await opened(server)
    expect(await (await fetch(`${url}/where`)).text()).toBe('https://school.example/where')
  })

  it('tells a function of routes who sent a request with a body', async () => {
    const { server, site } = schoolAt('https://school.example', {
      'POST /whence': async (request: Request) =>
        new Response(`${site.networkOf(() => request)} ${await request.text()}`),
    })
    const { url } = await opened(server)
    const response = await fetch(`${url}/whence`, { method: 'POST', body: 'hello' })
    expect(await response.text()).toBe('127.0.0.1 hello')
  })

  it.each([
    ['a length of 1 GB', 'Content-Length: 1000000000\r\n\r\n'],
    ['chunks without end', 'Transfer-Encoding: chunked\r\n\r\n'],
  ])('refuses a body with %s before a function of routes is called', async (_, head) => {
    let called = 0
    const { server } = schoolAt('https://school.example', {
      'POST /sign-in': () => (called++, page()),
    })
    const { port } = await opened(server)
    const socket = await openSocket(port)
    let received = ''
    socket.on('data', (bytes: Buffer) => (received += bytes.toString()))
    socket.write(`POST /sign-in HTTP/1.1\r\nHost: a\r\n${head}`)
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    for (let sent = 0; sent < 5; sent++) socket.write(chunk)
    await waitFor(() => received.includes('\r\n\r\n'), { what: 'a response' })
    expect(received).toMatch(/^HTTP\/1\.1 413 /)
    await once(socket, 'close')
    expect(called).toBe(0)
  })

  it('names the port that another program has, and what to do', async () => {
    const port = await openServer(createHttpServer())
    const { server } = schoolAt(`http://127.0.0.1:${port}`)
    await expect(serve(server)).rejects.toThrow(
      `serve cannot listen on 127.0.0.1:${port}: another program listens there. Stop it, or choose another port, such as PORT=3001`,
    )
  })

  it('says that a computer does not have an address', async () => {
    const { server } = schoolAt('https://school.example')
    await expect(serve(server, { port: 0, host: '192.0.2.1' })).rejects.toThrow(
      'this computer has no such address',
    )
  })

  it.each([
    [{ prot: 1 }, 'prot is not an option: did you mean port?'],
    [{ port: 70_000 }, 'port must be a whole number from 0 to 65535, not 70000'],
    [{ host: '' }, 'host must be a string such as "0.0.0.0", not a blank one'],
  ])('refuses %j', async (options, message) => {
    const { server } = schoolAt('https://school.example')
    await expect(
      serve(server, options as NonNullable<Parameters<typeof serve>[1]>),
    ).rejects.toThrow(message)
  })

  it('refuses what createServer did not create', async () => {
    await expect(serve({} as never)).rejects.toThrow('created by createServer from hallpass')
  })

  it('does not listen if the first maintenance fails', async () => {
    const port = await freePorts()
    const { server } = schoolAt(`http://127.0.0.1:${port}`)
    const failing = maintainedBy(server, () => Promise.reject(new Error('no database')))
    await expect(serve(failing)).rejects.toThrow('no database')
    const socket = connect(port, '127.0.0.1')
    const [fault] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    expect(fault.code).toBe('ECONNREFUSED')
  })

  it('maintains again five minutes after each maintenance, never twice at once, and no more once stopped', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { server, faults } = schoolAt('https://school.example')
    const runs: PromiseWithResolvers<void>[] = []
    let started = 0
    const maintained = maintainedBy(server, () => {
      if (started++ === 0) return server.maintain()
      const run = withResolvers()
      runs.push(run)
      return run.promise
    })
    const { port, stop } = await opened(maintained)
    await vi.advanceTimersByTimeAsync(299_999)
    expect(started).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(started).toBe(2)
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(started).toBe(2)
    runs[0]!.reject(new Error('no database'))
    await vi.advanceTimersByTimeAsync(0)
    expect(faults).toMatchObject([{ endpoint: 'maintain', fault: { message: 'no database' } }])
    await vi.advanceTimersByTimeAsync(300_000)
    expect(started).toBe(3)

    let isStopped = false
    const stopped = stop().then(() => (isStopped = true))
    await waitFor(async () => !(await accepts(port)))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(isStopped).toBe(false)
    runs[1]!.resolve()
    await stopped
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(started).toBe(3)
  })

  it('finishes a response before it stops, and stops once', async () => {
    const held = withResolvers()
    let isCalled = false
    const { server } = schoolAt('https://school.example', {
      'GET /slow': async () => {
        isCalled = true
        await held.promise
        return page()
      },
    })
    const { url, stop } = await opened(server)
    const asked = fetch(`${url}/slow`)
    await waitFor(() => isCalled)
    const stopped = stop()
    held.resolve()
    expect(await (await asked).text()).toBe('your page')
    expect(await stopped).toBe(0)
    expect(await stop()).toBe(0)
  })

  it('reports a response that breaks off', async () => {
    const { server, faults } = schoolAt('https://school.example', {
      'GET /broken': () =>
        new Response(
          new ReadableStream({ pull: (controller) => controller.error(new Error('it broke')) }),
        ),
    })
    const { url } = await opened(server)
    await new Promise((resolve) =>
      send(`${url}/broken`).on('error', resolve).on('response', resolve).end(),
    )
    await waitFor(() => faults.length === 1)
    expect(faults).toMatchObject([{ endpoint: 'serve', fault: { message: 'it broke' } }])
  })
})

describe('serve with a platform', () => {
  const HOSTS = ['art.example', 'music.example']
  const path = '/.well-known/openid-configuration'

  it('needs a port, and says so', async () => {
    await expect(serve(platformOf(HOSTS).platform)).rejects.toThrow(
      'serve: port is missing: the issuer is that of each school, so name the port that your proxy calls, such as 3000',
    )
  })

  it('serves each school on loopback, and maintains all before it listens', async () => {
    const port = await freePorts()
    const { platform } = platformOf(HOSTS)
    let wasOpen: boolean | null = null
    const maintained = maintainedBy(platform, async () => {
      wasOpen = await accepts(port)
      return platform.maintain()
    })
    const serving = await opened(maintained, { port })
    expect([serving.port, wasOpen]).toEqual([port, false])
    for (const host of HOSTS) {
      const { text } = await sendTo(port, { path, headers: { host } })
      expect(JSON.parse(text)).toMatchObject({ issuer: `https://${host}` })
    }
  })

  it('does not listen if the first maintenance fails', async () => {
    const port = await freePorts()
    const failing = maintainedBy(platformOf(HOSTS).platform, () => Promise.reject(new Error('no database'))) // prettier-ignore
    await expect(serve(failing, { port })).rejects.toThrow('no database')
    expect(await accepts(port)).toBe(false)
  })

  it('maintains again every five minutes, reports what fails, and waits for it when it stops', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { platform, faults } = platformOf(HOSTS)
    const held = withResolvers()
    let started = 0
    const maintained = maintainedBy(platform, async () => {
      started += 1
      if (started === 2) throw new Error('no database')
      if (started === 3) await held.promise
    })
    const { stop } = await opened(maintained)
    await vi.advanceTimersByTimeAsync(300_000)
    expect(faults).toMatchObject([{ at: 'maintain', fault: { message: 'no database' } }])
    await vi.advanceTimersByTimeAsync(300_000)
    expect(started).toBe(3)
    let isStopped = false
    const stopped = stop().then(() => (isStopped = true))
    await vi.advanceTimersByTimeAsync(600_000)
    expect([isStopped, started]).toEqual([false, 3])
    held.resolve()
    await stopped
  })

  it('reports a response that breaks off', async () => {
    const stream = new ReadableStream({ pull: (one) => one.error(new Error('it broke')) })
    const { platform, faults } = platformOf([], { fallback: () => new Response(stream) })
    const { url } = await opened(platform)
    await new Promise((resolve) => send(url).on('error', resolve).on('response', resolve).end())
    await waitFor(() => faults.length === 1)
    expect(faults).toMatchObject([{ at: 'serve', host: null, fault: { message: 'it broke' } }])
  })
})

interface PromiseWithResolvers<Value> {
  readonly promise: Promise<Value>
  readonly resolve: () => void
  readonly reject: (fault: Error) => void
}

function withResolvers(): PromiseWithResolvers<void> {
  let [resolve, reject] = [() => {}, (_fault: Error) => {}]
  const promise = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]))
  return { promise, resolve, reject }
}
