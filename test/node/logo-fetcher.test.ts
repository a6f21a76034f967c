import { OptionsError } from 'hallpass'
import { createLogoFetcher } from 'hallpass/node'
import { describe, expect, it } from 'vitest'
import { failure, fetcherFor, serveHttps, serveTls, type Surroundings } from './document-host.js'

const LOGO = 'https://app.example/logo.png'
const fetcher = (host: { port: number }, surroundings: Surroundings = {}) =>
  fetcherFor(host, surroundings, createLogoFetcher)

describe('the fetcher of logos', () => {
  it('asks for images, and hands over up to 60,000 bytes', async () => {
    const asked: (string | undefined)[] = []
    const host = await serveHttps((req, res) => {
      asked.push(req.headers.accept)
      res.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(60_000))
    })
    const answer = await fetcher(host).fetch(LOGO)
    expect([answer.headers.get('content-type'), (await answer.arrayBuffer()).byteLength]).toEqual([
      'image/png',
      60_000,
    ])
    expect(asked).toEqual(['image/png, image/jpeg, image/webp'])
  })

  it('reads no more than that [SAY-09]', async () => {
    const host = await serveHttps((_req, res) => res.end(Buffer.alloc(60_001)))
    expect(await failure(fetcher(host).fetch(LOGO))).toBe(
      'app.example: the body is larger than 60000 bytes',
    )
  })

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1', '::ffff:192.168.0.1'])(
    'does not connect to %s [SAY-09]',
    async (address) => {
      const { fetch, connections } = fetcher({ port: 0 }, { answers: [address] })
      expect(await failure(fetch(LOGO))).toBe(
        `app.example: ${address} is not a public unicast address`,
      )
      expect(connections).toEqual([])
    },
  )

  it('follows no redirect [SAY-09]', async () => {
    const asked: (string | undefined)[] = []
    const host = await serveHttps((req, res) => {
      asked.push(req.url)
      res.writeHead(302, { location: 'https://10.0.0.1/logo.png' }).end()
    })
    expect((await fetcher(host).fetch(LOGO)).status).toBe(302)
    expect(asked).toEqual(['/logo.png'])
  })

  it('does not wait for a host that never ends [SAY-09]', async () => {
    const host = await serveTls((socket) => socket.write('HTTP/1.1 200 OK\r\n'))
    expect(await failure(fetcher(host, { deadlineMilliseconds: 50 }).fetch(LOGO))).toBe(
      'app.example: no complete response within 50 ms',
    )
    await host.closed()
  })

  it('names itself where an option is wrong', () => {
    expect(() => createLogoFetcher({ limit: 1 } as object)).toThrow(
      new OptionsError('createLogoFetcher', ['limit is not an option']),
    )
    expect(() => createLogoFetcher({ limitBytes: 60_001 })).toThrow(OptionsError)
  })
})
