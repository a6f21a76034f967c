import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import net, { connect } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { passTime, waitFor } from '../support/processes/wait.js'
import { OptionsError } from 'hallpass'
import { createDocumentFetcher } from '../../src/node/document-fetcher.js'
import type { DocumentUrl } from '../../src/policy/cimd-url.js'
import { DOCUMENT as ASKED } from '../../src/site/fetch-document.js'
import {
  DOCUMENT,
  drip,
  failure,
  fetcherFor,
  head,
  pem,
  serveBytes,
  serveHttps,
  serveTcp,
  serveTls,
  V4,
  V6,
} from './document-host.js'

const NOWHERE = { port: 0 }

describe('an answer', () => {
  it('comes with its status, its headers and its body', async () => {
    const host = await serveHttps((_req, res) => {
      res.writeHead(200, ['Content-Type', 'application/json', 'Vary', 'a', 'Vary', 'b'])
      res.end('{"client_name":"Überblick"}')
    })
    const answer = await fetcherFor(host).fetch()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('vary')).toBe('a, b')
    expect(await answer.json()).toEqual({ client_name: 'Überblick' })
    await host.closed()
  })

  it('gets no Content-Type that the host did not send [CIMD-16]', async () => {
    const host = await serveHttps((_req, res) => res.end('{}'))
    expect((await fetcherFor(host).fetch()).headers.has('content-type')).toBe(false)
  })

  it('may have long headers', async () => {
    const host = await serveBytes(
      head('200 OK', `a: ${'x'.repeat(11_000)}`, 'Content-Length: 2') + '{}',
    )
    expect((await fetcherFor(host).fetch()).headers.get('a')).toHaveLength(11_000)
  })

  it('shows a Content-Type that was sent twice as sent twice', async () => {
    const lines = ['Content-Type: text/html', 'Content-Type: application/json']
    const host = await serveBytes(head('200 OK', ...lines, 'Content-Length: 2'), '{}')
    const { headers } = await fetcherFor(host).fetch()
    expect(headers.get('content-type')).toBe('text/html, application/json')
  })

  it('keeps every byte of the body, a byte order mark as well [CIMD-20]', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0xff])
    const host = await serveHttps((_req, res) => res.end(bytes))
    const answer = await fetcherFor(host).fetch()
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes)
  })

  test.each([206, 301, 302, 303, 307, 308, 400, 404, 500, 503])(
    'with status %i is handed over as it is, and nothing is followed [CIMD-15]',
    async (status) => {
      const asked: (string | undefined)[] = []
      const host = await serveHttps((req, res) => {
        asked.push(req.url)
        res.writeHead(status, { location: '/target', refresh: '0; url=/target' }).end('{}')
      })
      const { fetch, lookups } = fetcherFor(host)
      const answer = await fetch()
      expect([answer.status, answer.headers.get('location')]).toEqual([status, '/target'])
      expect(await answer.text()).toBe('{}')
      expect([asked, lookups]).toEqual([['/client.json'], ['app.example']])
    },
  )

  test.each(['204 No Content', '205 Reset Content', '304 Not Modified'])(
    'with status %s has no body [CIMD-15]',
    async (status) => {
      const host = await serveBytes(head(status, 'Content-Length: 0'))
      const answer = await fetcherFor(host).fetch()
      expect([answer.status, answer.body]).toEqual([Number.parseInt(status), null])
      await host.closed()
    },
  )

  test.each([
    ['099 Odd', 'the response has status 99'],
    ['600 Odd', 'the response has status 600'],
    ['999 Odd', 'the response has status 999'],
    ['101 Switching Protocols', 'no response'],
  ])('with status %s is none [CIMD-15]', async (status, message) => {
    const upgrade = ['Connection: upgrade', 'Upgrade: websocket', 'Content-Length: 0']
    const host = await serveBytes(head(status, ...upgrade))
    expect(await failure(fetcherFor(host).fetch())).toBe(`app.example: ${message}`)
    await host.closed()
  })

  it('may follow a few interim ones, not many', async () => {
    const interim = head('103 Early Hints', 'Link: </a>')
    const last = head('200 OK', 'Content-Length: 2') + '{}'
    const few = await serveBytes(interim.repeat(5) + last)
    expect((await fetcherFor(few).fetch()).status).toBe(200)
    const many = await serveBytes(interim.repeat(6) + last)
    expect(await failure(fetcherFor(many).fetch())).toBe('app.example: too many interim responses')
    await many.closed()
  })
})

describe('the request', () => {
  it('is a bare GET for path and query that names nobody', async () => {
    const lines: unknown[] = []
    const names: unknown[] = []
    const host = await serveHttps((req, res) => {
      const { method, url, rawHeaders } = req
      lines.push(`${method} ${url}`)
      for (let index = 0; index < rawHeaders.length; index += 2)
        lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
      const { servername, alpnProtocol } = req.socket as TLSSocket
      names.push(servername, alpnProtocol)
      res.end('{}')
    })
    const { fetch, connections } = fetcherFor(host)
    await fetch('https://app.example/a/client.json?b=%20c')
    expect(lines).toEqual([
      'GET /a/client.json?b=%20c',
      'host: app.example',
      'accept: application/json',
      'accept-encoding: identity',
      'user-agent: hallpass',
      'Connection: close',
    ])
    expect(names).toEqual(['app.example', 'http/1.1'])
    expect(connections).toEqual([`${V4} 443`])
  })

  it('goes to the port of the URL and names it', async () => {
    const hosts: unknown[] = []
    const host = await serveHttps((req, res) => {
      hosts.push(req.headers.host)
      res.end('{}')
    })
    const { fetch, connections } = fetcherFor(host)
    await fetch('https://app.example:8443/client.json')
    expect([hosts, connections]).toEqual([['app.example:8443'], [`${V4} 8443`]])
  })

  it('takes no user name and no password out of a URL', async () => {
    const seen: unknown[] = []
    const host = await serveHttps((req, res) => {
      seen.push(req.headers.authorization)
      res.end('{}')
    })
    await fetcherFor(host).fetch('https://user:secret@app.example/client.json')
    expect(seen).toEqual([undefined])
  })

  it('brings back no cookie that an answer set', async () => {
    const cookies: unknown[] = []
    const host = await serveHttps((req, res) => {
      cookies.push(req.headers.cookie)
      res.setHeader('set-cookie', 'a=b').end('{}')
    })
    const { fetch } = fetcherFor(host)
    await fetch()
    await fetch()
    expect(cookies).toEqual([undefined, undefined])
  })
})

describe('the address', () => {
  const answering = () => serveHttps((_req, res) => res.end('{}'))

  it('that was checked is the one connected to, and the name is looked up once [CIMD-26]', async () => {
    const rebinding = { answers: [[V4], ['127.0.0.1']] }
    const { fetch, lookups, connections } = fetcherFor(await answering(), rebinding)
    expect((await fetch()).status).toBe(200)
    expect([lookups, connections]).toEqual([['app.example'], [`${V4} 443`]])
    expect(await failure(fetch())).toBe('app.example: 127.0.0.1 is not a public unicast address')
    expect([lookups.length, connections.length]).toEqual([2, 1])
  })

  it('is looked up anew, and connected to anew, for every fetch [CIMD-26]', async () => {
    const host = await serveHttps((_req, res) =>
      res.setHeader('connection', 'keep-alive').end('{}'),
    )
    const { fetch, lookups, connections, sockets } = fetcherFor(host)
    await Promise.all([fetch(), fetch()])
    await fetch()
    expect([lookups.length, connections.length, host.sockets.length]).toEqual([3, 3, 3])
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, true])
    await host.closed()
  })

  test.each([
    ['a private one after a public one', [V4, '10.0.0.1'], '10.0.0.1'],
    ['a private one before a public one', ['10.0.0.1', V4], '10.0.0.1'],
    ['the cloud metadata service', ['169.254.169.254'], '169.254.169.254'],
    ['A public and AAAA loopback', [V4, '::1'], '::1'],
    ['A public and AAAA private', [V4, V6, 'fd00::1'], 'fd00::1'],
    ['A private and AAAA public', [V6, '192.168.1.1'], '192.168.1.1'],
    ['a private one in IPv6 clothes', [`::ffff:10.0.0.1`], '::ffff:10.0.0.1'],
    ['a third one that nobody would connect to', [V4, V6, V4, '127.0.0.1'], '127.0.0.1'],
    ['an address with a zone', [`${V6}%eth0`], `${V6}%eth0`],
    ['no address at all', ['cname.example'], 'cname.example'],
  ])('is refused for all when one answer is %s [CIMD-25]', async (_name, answers, culprit) => {
    const { fetch, connections } = fetcherFor(NOWHERE, { answers })
    expect(await failure(fetch())).toBe(`app.example: ${culprit} is not a public unicast address`)
    expect(connections).toEqual([])
  })

  it('must exist', async () => {
    const { fetch, connections } = fetcherFor(NOWHERE, { lookup: async () => [] })
    expect(await failure(fetch())).toBe('app.example: the host name has no address')
    expect(connections).toEqual([])
  })

  test.each([
    '127.0.0.1',
    '127.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '①②⑦.⓪.⓪.①',
    '169.254.169.254',
    V4,
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    `[${V6}]`,
  ])(
    'as a host, written as %s, is refused without asking anybody [CIMD-21] [CIMD-23]',
    async (name) => {
      const { fetch, lookups, connections } = fetcherFor(NOWHERE)
      const { host } = new URL(`https://${name}/`)
      expect(await failure(fetch(`https://${name}/client.json`))).toBe(
        `${host}: the host is an IP address`,
      )
      expect([lookups, connections]).toEqual([[], []])
    },
  )

  it('is connected to by TCP unless told otherwise, by its digits alone', async () => {
    const { port } = await answering()
    const original = net.connect
    onTestFinished(() => {
      net.connect = original
      syncBuiltinESMExports()
    })
    const asked: unknown[] = []
    net.connect = (to: unknown) => {
      asked.push(to)
      return original(port, '127.0.0.1')
    }
    syncBuiltinESMExports()
    const fetchDocument = createDocumentFetcher({ ca: pem('authority'), lookup: async () => [V6] })
    expect((await fetchDocument(DOCUMENT as DocumentUrl, ASKED)).status).toBe(200)
    expect(asked).toEqual([{ host: V6, port: 443 }])
  })

  it('may be reached through a relay that is connected already', async () => {
    const { port } = await answering()
    const relay = connect(port, '127.0.0.1')
    await once(relay, 'connect')
    expect((await fetcherFor(NOWHERE, { reach: () => relay }).fetch()).status).toBe(200)
    expect(relay.destroyed).toBe(true)
  })
})

describe('of several addresses', () => {
  const OTHER_V4 = '93.184.215.15'
  const OTHER_V6 = '2606:4700:4700::1111'
  const refused = () => connect(1, '127.0.0.1')
  // A socket that goes on connecting: its lookup never answers.
  const lost = () => connect({ host: 'lost.example', port: 1, lookup: () => {} })

  test.each([
    ['IPv6 after IPv4', [V4, OTHER_V4, V6], [V4, V6]],
    ['IPv4 after IPv6', [V6, OTHER_V6, V4], [V6, V4]],
    ['two of one family where there is no other', [V4, OTHER_V4, V4], [V4, OTHER_V4]],
    ['one where there is one', [V6], [V6]],
  ])('no more than two are tried: %s', async (_name, answers, tried) => {
    const { fetch, connections } = fetcherFor(NOWHERE, { answers, reach: refused })
    expect(await failure(fetch())).toBe('app.example: connect ECONNREFUSED 127.0.0.1:1')
    expect(connections).toEqual(tried.map((address) => `${address} 443`))
  })

  test.each([
    ['refuses', refused],
    ['is silent', lost],
  ])('the second one answers when the first %s', async (_name, reachFirst) => {
    const host = await serveHttps((_req, res) => res.end('{}'))
    const { fetch, sockets } = fetcherFor(host, {
      answers: [V6, V4],
      deadlineMilliseconds: 2000,
      reach: (address) => (address === V6 ? reachFirst() : connect(host.port, '127.0.0.1')),
    })
    expect((await fetch()).status).toBe(200)
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true])
  })

  it('one that is connected may take its time', async () => {
    const host = await serveHttps((_req, res) => void passTime(700).then(() => res.end('{}')))
    const { fetch, connections } = fetcherFor(host, {
      answers: [V4, V6],
      deadlineMilliseconds: 2400,
    })
    expect((await fetch()).status).toBe(200)
    expect(connections).toEqual([`${V4} 443`])
  })

  it('the second one is not asked for what the first refused to say', async () => {
    const host = await serveHttps((_req, res) => res.end('{}'), 'expired')
    const { fetch, connections } = fetcherFor(host, { answers: [V4, V6] })
    expect(await failure(fetch())).toBe('app.example: certificate has expired')
    expect(connections).toEqual([`${V4} 443`])
  })
})

describe('a certificate', () => {
  const hit = vi.fn<() => void>()
  const serve = (certificate?: 'expired') =>
    serveHttps((_req, res) => {
      hit()
      res.end('{}')
    }, certificate)

  test.each<
    [
      string,
      string,
      string,
      NonNullable<Parameters<typeof createDocumentFetcher>[0]>,
      'expired' | undefined,
    ]
  >([
    [
      'for another name',
      'other.example',
      "Hostname/IP does not match certificate's altnames: Host: other.example. is not in the cert's altnames: DNS:app.example",
      {},
      undefined,
    ],
    [
      'for the name above',
      'sub.app.example',
      "Hostname/IP does not match certificate's altnames: Host: sub.app.example. is not in the cert's altnames: DNS:app.example",
      {},
      undefined,
    ],
    ['that has expired', 'app.example', 'certificate has expired', {}, 'expired'],
    [
      'of an authority that is not trusted',
      'app.example',
      'unable to verify the first certificate',
      { ca: [] },
      undefined,
    ],
  ])(
    '%s is refused before anything is asked',
    async (_name, name, message, options, certificate) => {
      const host = await serve(certificate)
      const { fetch } = fetcherFor(host, options)
      // Newer lines of Node add advice behind a semicolon.
      const [said] = (await failure(fetch(`https://${name}/client.json`))).split(';', 1)
      expect(said).toBe(`${name}: ${message}`)
      await host.closed()
      expect(hit).not.toHaveBeenCalled()
    },
  )

  it('of an authority that is not trusted is refused by the list that Node has', async () => {
    const host = await serve()
    const fetchDocument = createDocumentFetcher({
      lookup: async () => [V4],
      connect: () => connect(host.port, '127.0.0.1'),
    })
    const [said] = (await failure(fetchDocument(DOCUMENT as DocumentUrl, ASKED))).split(';', 1)
    expect(said).toBe('app.example: unable to verify the first certificate')
    await host.closed()
  })

  it('is checked even where the environment says not to', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => void vi.restoreAllMocks())
    const { fetch } = fetcherFor(await serve('expired'))
    expect(await failure(fetch())).toBe('app.example: certificate has expired')
    expect(hit).not.toHaveBeenCalled()
  })

  it('is asked for: a host that speaks plain HTTP is refused', async () => {
    const host = await serveTcp((socket) => {
      socket.end(head('200 OK', 'Content-Length: 2') + '{}')
    })
    expect(await failure(fetcherFor(host).fetch())).toMatch(
      /^app\.example: .*wrong version number/s,
    )
    await host.closed()
  })
})

describe('a body', () => {
  const bytes = (count: number) => Buffer.alloc(count, 'x')
  const chunked = (body: Buffer) =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])

  const framings: [string, (size: number) => ReturnType<typeof serveBytes>][] = [
    ['a length', (size) => serveBytes(head('200 OK', `Content-Length: ${size}`), bytes(size))],
    [
      'chunks',
      (size) =>
        serveBytes(
          head('200 OK', 'Transfer-Encoding: chunked'),
          chunked(bytes(5000)),
          chunked(bytes(size - 5000)),
          '0\r\n\r\n',
        ),
    ],
    ['no length', (size) => serveTls((socket) => void socket.end(head('200 OK') + bytes(size)))],
  ]

  test.each(framings)(
    'of 5 KiB with %s is read, one byte more is not [CIMD-17]',
    async (_name, serve) => {
      const fits = await serve(5120)
      expect(await (await fetcherFor(fits).fetch()).text()).toHaveLength(5120)
      await fits.closed()
      const large = await serve(5121)
      expect(await failure(fetcherFor(large).fetch())).toBe(
        'app.example: the body is larger than 5120 bytes',
      )
      await large.closed()
    },
  )

  it('whose length is too large is not waited for [CIMD-17]', async () => {
    const host = await serveBytes(head('200 OK', 'Content-Length: 5121'))
    expect(await failure(fetcherFor(host).fetch())).toBe(
      'app.example: the body is larger than 5120 bytes',
    )
    await host.closed()
  })

  it('without an end is cut off where it is too large [CIMD-17]', async () => {
    const host = await serveTls((socket) => {
      const pump = (): void => {
        while (!socket.destroyed && socket.write(chunked(bytes(1000))));
      }
      socket.write(head('200 OK', 'Transfer-Encoding: chunked'))
      socket.on('drain', pump)
      pump()
    })
    expect(await failure(fetcherFor(host).fetch())).toBe(
      'app.example: the body is larger than 5120 bytes',
    )
    await host.closed()
  })

  it('that is longer than its length ends there [CIMD-17]', async () => {
    const host = await serveBytes(head('200 OK', 'Content-Length: 2'), '{}'.repeat(4000))
    expect(await (await fetcherFor(host).fetch()).text()).toBe('{}')
    await host.closed()
  })

  test.each([
    ['shorter than its length', ['Content-Length: 100'], '{}'],
    ['without its last chunk', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n'],
    ['with chunks that are none', ['Transfer-Encoding: chunked'], '2\r\n{}\r\nnonsense\r\n'],
  ])('%s is no answer [CIMD-17]', async (_name, headers, body) => {
    const host = await serveTls((socket) => void socket.end(head('200 OK', ...headers) + body))
    expect(await failure(fetcherFor(host).fetch())).toBe(
      'app.example: the connection closed before the end of the response',
    )
    await host.closed()
  })

  it('may be limited differently', async () => {
    const host = await serveHttps((_req, res) => res.end('{ }'))
    expect((await fetcherFor(host, { limitBytes: 3 }).fetch()).status).toBe(200)
    expect(await failure(fetcherFor(host, { limitBytes: 2 }).fetch())).toBe(
      'app.example: the body is larger than 2 bytes',
    )
  })

  const bomb = Buffer.alloc(2_000_000, ' ')
  test.each([
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    ['deflate', deflateSync(bomb)],
    ['GZIP', Buffer.from('{}')],
    ['identity, gzip', Buffer.from('{}')],
    ['', Buffer.from('{}')],
    ['unheard-of', Buffer.from('{}')],
  ])('with the content encoding "%s" is refused [CIMD-18]', async (encoding, body) => {
    const host = await serveHttps((_req, res) => {
      res.setHeader('content-encoding', encoding).end(body)
    })
    expect(await failure(fetcherFor(host).fetch())).toBe(
      'app.example: the response has a content encoding',
    )
    await host.closed()
  })

  it('is refused when the second of two Content-Encoding lines encodes it [CIMD-18]', async () => {
    const lines = ['Content-Encoding: identity', 'Content-Encoding: gzip', 'Content-Length: 2']
    const host = await serveBytes(head('200 OK', ...lines), '{}')
    expect(await failure(fetcherFor(host).fetch())).toBe(
      'app.example: the response has a content encoding',
    )
  })

  it('that says it is not encoded is never decoded [CIMD-18]', async () => {
    const zipped = gzipSync(Buffer.alloc(100_000, ' '))
    const host = await serveHttps((_req, res) => {
      res.setHeader('content-encoding', 'Identity').end(zipped)
    })
    const answer = await fetcherFor(host).fetch()
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(zipped)
  })
})

describe('the deadline [CIMD-19]', () => {
  const SHORT = { deadlineMilliseconds: 300 }
  const MESSAGE = 'app.example: no complete response within 300 ms'
  const OPEN = 'HTTP/1.1 200 OK\r\n'
  const LENGTH = head('200 OK', 'Content-Length: 5000')

  test.each<[string, () => ReturnType<typeof serveBytes>]>([
    ['does not begin with TLS', () => serveTcp((socket) => void socket.resume())],
    [
      'stops in the middle of TLS',
      () =>
        serveTcp(
          (socket) =>
            void socket.once('data', () => socket.write(Buffer.from([22, 3, 3, 0, 122, 2]))),
        ),
    ],
    ['does not answer', () => serveBytes()],
    ['stops in the status line', () => serveBytes('HTTP/1.1 2')],
    ['stops in the headers', () => serveBytes(`${OPEN}Content-Type: app`)],
    [
      'drips its headers',
      () =>
        serveTls((socket) => {
          socket.write(OPEN)
          drip(socket, 'a: b\r\n')
        }),
    ],
    ['stops before the body', () => serveBytes(LENGTH)],
    ['stops in the body', () => serveBytes(LENGTH, '{')],
    [
      'drips its body',
      () =>
        serveTls((socket) => {
          socket.write(LENGTH)
          drip(socket, 'x')
        }),
    ],
    [
      'drips its chunks',
      () =>
        serveTls((socket) => {
          socket.write(head('200 OK', 'Transfer-Encoding: chunked'))
          drip(socket, '1\r\nx\r\n')
        }),
    ],
    ['never ends a body without length', () => serveBytes(head('200 OK'), '{}')],
  ])('ends the wait for a host that %s, and the connection', async (_name, serve) => {
    const host = await serve()
    const { fetch, sockets } = fetcherFor(host, SHORT)
    expect(await failure(fetch())).toBe(MESSAGE)
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true])
    await waitFor(() => host.sockets.length === 1)
    await host.closed()
  })

  it('ends the wait for a connection', async () => {
    const lost = connect({ host: 'lost.example', port: 1, lookup: () => {} })
    const { fetch, connections } = fetcherFor(NOWHERE, { ...SHORT, reach: () => lost })
    expect(await failure(fetch())).toBe(MESSAGE)
    expect([lost.destroyed, connections]).toEqual([true, [`${V4} 443`]])
  })

  it('begins no second connection once it is over', async () => {
    // Without a patience of its own, so that nothing but the deadline ends it.
    const lost = () => {
      const socket = connect({ host: 'lost.example', port: 1, lookup: () => {} })
      socket.setTimeout = () => socket
      return socket
    }
    const { fetch, connections } = fetcherFor(NOWHERE, { ...SHORT, answers: [V4, V6], reach: lost })
    expect(await failure(fetch())).toBe(MESSAGE)
    await new Promise(setImmediate)
    expect(connections).toEqual([`${V4} 443`])
  })

  it('ends the wait for an address, and one that comes too late is not used', async () => {
    let answer: (addresses: readonly string[]) => void = () => {}
    const lookup = () => new Promise<readonly string[]>((resolve) => (answer = resolve))
    const { fetch, connections } = fetcherFor(NOWHERE, { ...SHORT, lookup })
    expect(await failure(fetch())).toBe(MESSAGE)
    answer([V4])
    await new Promise(setImmediate)
    expect(connections).toEqual([])
  })

  it('is five seconds unless told otherwise, and leaves no timer behind', async () => {
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    const set = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => void vi.restoreAllMocks())
    const host = await serveHttps((_req, res) => res.end('{}'))
    await fetcherFor(host).fetch()
    const index = set.mock.calls.findIndex(([, delay]) => delay === 5000)
    expect(clear).toHaveBeenCalledWith(set.mock.results[index]!.value)
  })
})

describe('of fetches at the same time', () => {
  /** A fetcher whose look-ups end when the test says so. */
  const waiting = (options?: NonNullable<Parameters<typeof createDocumentFetcher>[0]>) => {
    const open: { readonly host: string; readonly end: () => void }[] = []
    const { fetch } = fetcherFor(NOWHERE, {
      ...options,
      lookup: (host) =>
        new Promise((_resolve, reject) => {
          open.push({ host, end: () => reject(new Error('ended')) })
        }),
    })
    const ask = (host: string) => failure(fetch(`https://${host}/client.json`))
    return { ask, open, hosts: () => open.map(({ host }) => host) }
  }
  const named = (count: number) => Array.from({ length: count }, (_, index) => `a${index}.example`)

  it('16 run, and the next one begins when one of them ends [CIMD-38]', async () => {
    const { ask, open, hosts } = waiting()
    const names = named(18)
    const outcomes = names.map(ask)
    await new Promise(setImmediate)
    expect(hosts()).toEqual(names.slice(0, 16))
    open[5]!.end()
    expect(await outcomes[5]).toBe('a5.example: ended')
    await new Promise(setImmediate)
    expect(hosts()).toEqual(names.slice(0, 17))
    for (const { end } of open) end()
    await Promise.all(outcomes.slice(0, 17))
    open.at(-1)!.end()
    expect(await outcomes[17]).toBe('a17.example: ended')
  })

  it('4 are of one host, and others do not wait for them [CIMD-38]', async () => {
    const { ask, open, hosts } = waiting()
    const outcomes = ['a', 'a', 'a', 'a', 'a', 'b', 'a'].map((name) => ask(`${name}.example`))
    await new Promise(setImmediate)
    expect(hosts()).toEqual([...Array<string>(4).fill('a.example'), 'b.example'])
    open[4]!.end()
    await outcomes[5]
    await new Promise(setImmediate)
    expect(open).toHaveLength(5)
    open[0]!.end()
    await outcomes[0]
    await new Promise(setImmediate)
    expect(hosts().slice(5)).toEqual(['a.example'])
    for (let index = 1; index < 7; index++) {
      open[index]!.end()
      await new Promise(setImmediate)
    }
    await Promise.all(outcomes)
  })

  it('64 wait, no longer than their deadline, and a further one is refused [CIMD-38]', async () => {
    const { ask, open } = waiting({ deadlineMilliseconds: 300 })
    const outcomes = named(80).map(ask)
    expect(await ask('late.example')).toBe('late.example: too many fetches are waiting')
    const said = named(80).map((name) => `${name}: no complete response within 300 ms`)
    expect(await Promise.all(outcomes)).toEqual(said)
    // A look-up that does not end keeps its slot, and who waited has left the queue.
    const later = named(64).map(ask)
    expect(await ask('late.example')).toBe('late.example: too many fetches are waiting')
    expect(open).toHaveLength(16)
    open[0]!.end()
    await new Promise(setImmediate)
    expect(open).toHaveLength(17)
    await Promise.all(later)
  })

  it('a look-up is told by its signal that its time is over', async () => {
    const over = new Error('over')
    const { fetch } = fetcherFor(NOWHERE, {
      deadlineMilliseconds: 100,
      lookup: (_host, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(over))
        }),
    })
    const rounds = Array.from({ length: 4 * 5 }, () => failure(fetch()))
    const message = 'app.example: no complete response within 100 ms'
    expect(await Promise.all(rounds)).toEqual(Array<string>(20).fill(message))
  })
})

describe('a failure', () => {
  test.each<[string, () => ReturnType<typeof serveBytes>, RegExp]>([
    [
      'hangs up at once',
      () => serveTcp((socket) => void socket.destroy()),
      /disconnected before secure TLS|ECONNRESET/,
    ],
    [
      'hangs up after the request',
      () => serveTls((socket) => void socket.destroy()),
      /socket hang up|ECONNRESET/,
    ],
    [
      'speaks no HTTP',
      () => serveBytes('220 mail.example ESMTP\r\n'),
      /Parse Error: Expected HTTP/,
    ],
    [
      'has 16 KiB of headers',
      () => serveBytes(head('200 OK', `a: ${'x'.repeat(12_288)}`)),
      /Header overflow/,
    ],
    [
      'has headers without end',
      () =>
        serveTls((socket) => {
          socket.write('HTTP/1.1 200 OK\r\n')
          drip(socket, `a: ${'x'.repeat(4000)}\r\n`)
        }),
      /Header overflow/,
    ],
    [
      'has two lengths',
      () => serveBytes(head('200 OK', 'Content-Length: 2', 'Content-Length: 3'), '{}'),
      /Parse Error/,
    ],
  ])('names the host that %s, and what happened [CIMD-33]', async (_name, serve, message) => {
    const host = await serve()
    const error: unknown = await fetcherFor(host)
      .fetch()
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(Error)
    const { message: actual, cause } = error as Error
    expect(actual).toMatch(message)
    expect(actual).toBe(`app.example: ${(cause as Error).message}`)
    await host.closed()
  })

  it('of a relay in the middle of an answer is one of the fetch alone', async () => {
    let begun = false
    const host = await serveTls((socket) => {
      socket.write(head('200 OK', 'Content-Length: 2') + '{', () => (begun = true))
    })
    const relay = connect(host.port, '127.0.0.1')
    const outcome = failure(fetcherFor(host, { reach: () => relay }).fetch())
    await waitFor(() => begun)
    relay.destroy(new Error('the relay is gone'))
    expect(await outcome).toMatch(/^app\.example: /)
    await host.closed()
  })

  it('of the lookup is told with its cause [CIMD-33]', async () => {
    const cause = new Error('getaddrinfo ENOTFOUND app.example')
    const { fetch } = fetcherFor(NOWHERE, { lookup: () => Promise.reject(cause) })
    await expect(fetch()).rejects.toMatchObject({
      message: 'app.example: getaddrinfo ENOTFOUND app.example',
      cause,
    })
  })

  it('that is no error is told nevertheless', async () => {
    const { fetch } = fetcherFor(NOWHERE, { lookup: () => Promise.reject('no resolver') })
    expect(await failure(fetch())).toBe('app.example: no resolver')
  })
})

describe('createDocumentFetcher', () => {
  test.each<[NonNullable<Parameters<typeof createDocumentFetcher>[0]>, string]>([
    [
      { redirect: 'follow' } as NonNullable<Parameters<typeof createDocumentFetcher>[0]>,
      'redirect is not an option',
    ],
    [
      { deadlineMilliseconds: 0 },
      'deadlineMilliseconds must be a whole number from 1 to 60000, not 0',
    ],
    [
      { deadlineMilliseconds: Infinity },
      'deadlineMilliseconds must be a whole number from 1 to 60000, not Infinity',
    ],
    [
      { deadlineMilliseconds: 60_001 },
      'deadlineMilliseconds must be a whole number from 1 to 60000, not 60001',
    ],
    [{ limitBytes: 1.5 }, 'limitBytes must be a whole number from 1 to 60000, not 1.5'],
    [{ limitBytes: Number.NaN }, 'limitBytes must be a whole number from 1 to 60000, not NaN'],
    [
      { nameServers: ['192.0.2.53'], lookup: async () => [V4] },
      'nameServers has no effect with lookup: leave one of them out',
    ],
    ...['192.0.2.53:0', 'x192.0.2.53:53', '192.0.2.53:53x', '192.0.2.53:65536', 'ns.example'].map(
      (server): [NonNullable<Parameters<typeof createDocumentFetcher>[0]>, string] => [
        { nameServers: [server] },
        'nameServers must be IP addresses such as 192.0.2.53 or [2001:db8::53]:5353, not an array',
      ],
    ),
  ])('refuses %j', (options, message) => {
    expect(() => createDocumentFetcher(options)).toThrow(
      new OptionsError('createDocumentFetcher', [message]),
    )
  })
})
