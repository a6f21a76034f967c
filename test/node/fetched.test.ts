import { describe, expect, it } from 'vitest'
import * as kinds from '../../src/site/fetch-document.js'
import { failure, fetcherFor, serveHttps, serveTls, type Surroundings } from './document-host.js'

const URL_OF_APP = 'https://app.example/asked'
const TLS_ONLY = { port: 0 }

describe.each(Object.values(kinds))('the fetcher, for a $kind', (asked) => {
  const fetcher = (host: { port: number }, surroundings: Surroundings = {}) => {
    const made = fetcherFor(host, surroundings)
    return { ...made, fetch: () => made.fetch(URL_OF_APP, asked) }
  }

  it('asks for its media types, and hands over as much as it may have', async () => {
    const accepts: (string | undefined)[] = []
    const host = await serveHttps((req, res) => {
      accepts.push(req.headers.accept)
      res.writeHead(200).end(Buffer.alloc(asked.limitBytes))
    })
    const answer = await fetcher(host).fetch()
    expect((await answer.arrayBuffer()).byteLength).toBe(asked.limitBytes)
    expect(accepts).toEqual([asked.accept])
  })

  it('reads no more than that [SAY-09]', async () => {
    const host = await serveHttps((_req, res) => res.end(Buffer.alloc(asked.limitBytes + 1)))
    expect(await failure(fetcher(host).fetch())).toBe(
      `app.example: the body is larger than ${asked.limitBytes} bytes`,
    )
  })

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1', '::ffff:192.168.0.1'])(
    'does not connect to %s [SAY-09]',
    async (address) => {
      const { fetch, connections } = fetcher(TLS_ONLY, { answers: [address] })
      expect(await failure(fetch())).toBe(`app.example: ${address} is not a public unicast address`)
      expect(connections).toEqual([])
    },
  )

  it('follows no redirect [SAY-09]', async () => {
    const paths: (string | undefined)[] = []
    const host = await serveHttps((req, res) => {
      paths.push(req.url)
      res.writeHead(302, { location: 'https://10.0.0.1/asked' }).end()
    })
    expect((await fetcher(host).fetch()).status).toBe(302)
    expect(paths).toEqual(['/asked'])
  })

  it('does not wait for a host that never ends [SAY-09]', async () => {
    const host = await serveTls((socket) => socket.write('HTTP/1.1 200 OK\r\n'))
    expect(await failure(fetcher(host, { deadlineMilliseconds: 50 }).fetch())).toBe(
      'app.example: no complete response within 50 ms',
    )
    await host.closed()
  })
})
