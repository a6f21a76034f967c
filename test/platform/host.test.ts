import { createServer as createHttpServer } from 'node:http'
import { connect } from 'node:net'
import { toNodeHandler } from 'hallpass/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPort } from '../support/processes/ports.js'
import { platformOf, rowOf } from './platform-of.js'

const { platform, rows, asked, opened } = platformOf([
  'art.example',
  'music.example',
  'art.example:8443',
  'xn--mnchen-3ya.example',
  '127.0.0.1:3000',
])
rows.set('closed.example', null as never)
rows.set('mixed.example', rowOf('music.example'))
const server = createHttpServer(toNodeHandler(platform))
let port = 0

beforeAll(async () => {
  port = await openPort(server)
})
afterAll(() => void server.close())

/** Sends the lines of a request as they are, and returns the status, and the school that answered. */
async function send(lines: readonly string[]): Promise<{ status: number; school: string | null }> {
  const socket = connect(port, '127.0.0.1')
  socket.end(`${lines.join('\r\n')}\r\n\r\n`, 'utf8')
  let text = ''
  for await (const part of socket) text += String(part)
  const [, status = '0'] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? []
  const [, school = null] = /\r\n\r\n(?:[\da-f]+\r\n)?(\S+) 1 http/.exec(text) ?? []
  return { status: Number(status), school }
}
const GET = 'GET / HTTP/1.1'
const CLOSE = 'connection: close'
const at = (host: string, ...more: string[]) => send([GET, `host: ${host}`, CLOSE, ...more])

describe('the host of a request', () => {
  it.each([
    ['art.example', 'art.example'],
    ['ART.Example', 'art.example'],
    ['art.example:443', 'art.example'],
    ['  art.example  ', 'art.example'],
    ['art.example:8443', 'art.example:8443'],
    ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['XN--MNCHEN-3YA.EXAMPLE', 'xn--mnchen-3ya.example'],
    ['127.0.0.1:3000', '127.0.0.1:3000'],
  ])('%j is that of the school %s', async (host, school) => {
    expect(await at(host)).toEqual({ status: 200, school })
  })

  // Each has no school, or is no host at all: never the answer of one.
  it.each([
    'art.example.',
    'art.example:80',
    'art.example:0443',
    'art.example:',
    'art.example:8444',
    'art.example:99999999',
    'art.example:443:443',
    'art.example:-443',
    'art.example:+443',
    'art.example: 443',
    'art.example:443 ,music.example',
    'art.example@music.example',
    'music.example@art.example',
    'user:pass@art.example',
    '@art.example',
    'music.example#art.example',
    'music.example?art.example',
    'music.example/art.example',
    'art.example/',
    '/art.example',
    '//art.example',
    'https://art.example',
    'http:art.example',
    'music.example\\art.example',
    'art.example, music.example',
    'art.example,music.example',
    'art.example;music.example',
    'art.example music.example',
    'art.example\tmusic.example',
    'art..example',
    '.art.example',
    '-art.example',
    'art-.example',
    'art_.example',
    '_art.example',
    '*.example',
    '*',
    '',
    '.',
    'null',
    'undefined',
    'art',
    'example',
    'sub.art.example',
    'art.example.evil.example',
    'evilart.example',
    'art%2eexample',
    '%61rt.example',
    'art.example%00',
    'art.example%0d%0ahost:music.example',
    'аrt.example',
    'art。example',
    'ａrt.example',
    'ſart.example',
    'münchen.example',
    'xn--mnchen-3ya.example.',
    '[::1]',
    '[::ffff:127.0.0.1]:3000',
    '127.1:3000',
    '2130706433:3000',
    '0x7f.0.0.1:3000',
    '127.0.0.1',
    'localhost:3000',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    'closed.example',
    'mixed.example',
    '__proto__',
    'constructor',
    'toString',
  ])('%j is that of no school', async (host) => {
    const answer = await at(host)
    expect(answer.school).toBeNull()
    expect([400, 421, 503]).toContain(answer.status)
    if (host !== 'mixed.example') expect(answer.status).not.toBe(503)
  })

  it.each([
    ['two lines', [GET, 'host: art.example', 'host: music.example', CLOSE]],
    ['two equal lines', [GET, 'host: art.example', 'host: art.example', CLOSE]],
    ['none', [GET, CLOSE]],
    [
      'another one in the request line',
      ['GET http://music.example/ HTTP/1.1', 'host: art.example', CLOSE],
    ],
    [
      'a user in the request line',
      ['GET http://music.example@art.example/ HTTP/1.1', 'host: art.example', CLOSE],
    ],
    [
      'another scheme in the request line',
      ['GET ftp://music.example/ HTTP/1.1', 'host: art.example', CLOSE],
    ],
    ['a folded line', [GET, 'host: art.example', ' music.example', CLOSE]],
    ['a blank before the colon', [GET, 'host : art.example', CLOSE]],
  ])('that is %s serves no school', async (_, lines) => {
    const { status, school } = await send(lines)
    expect([status, school]).toEqual([400, null])
  })

  it.each([
    ['x-forwarded-host', 'music.example'],
    ['x-host', 'music.example'],
    ['x-original-host', 'music.example'],
    ['x-forwarded-server', 'music.example'],
    ['forwarded', 'host=music.example;proto=https'],
    ['x-original-url', 'https://music.example/'],
    ['x-rewrite-url', '//music.example/'],
    ['origin', 'https://music.example'],
    ['referer', 'https://music.example/'],
    [':authority', 'music.example'],
  ])('is not that of %s', async (name, value) => {
    const answer = await at('art.example', `${name}: ${value}`)
    expect(answer.school === 'art.example' || answer.status === 400).toBe(true)
  })

  it.each(['//music.example/', '/\\music.example/', '/@music.example', '/%2f%2fmusic.example'])(
    'is not that of the path %s',
    async (path) => {
      const { school } = await send([`GET ${path} HTTP/1.1`, 'host: art.example', CLOSE])
      expect([null, 'art.example']).toContain(school)
    },
  )

  it('was never asked for in another form than that of an issuer', () => {
    for (const host of asked)
      expect(host).toMatch(/^[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::[1-9]\d{0,4})?$/)
    const schools = ['127.0.0.1:3000', 'art.example', 'art.example:8443', 'xn--mnchen-3ya.example']
    expect(opened.toSorted()).toEqual(schools.map((host) => `https://${host} 1`))
  })
})

describe('a proxy that replaces Host', () => {
  it('names the school by its own header, and Host by none', async () => {
    const behind = platformOf(['art.example', 'music.example'], { hostHeader: 'x-forwarded-host' })
    const status = async (headers: Record<string, string>) => {
      const response = await behind.platform(new Request('https://music.example/', { headers }))
      return `${response.status} ${(await response.text()).split(' ')[0]}`
    }
    expect(await status({ 'x-forwarded-host': 'art.example', host: 'music.example' })).toBe(
      '200 art.example',
    )
    expect(await status({ host: 'music.example' })).toMatch(/^400/)
    expect(await status({ 'x-forwarded-host': 'art.example, music.example' })).toMatch(/^400/)
  })
})
