import { describe, expect, it } from 'vitest'
import { createBrowser } from '../src/engine/browser.js'
import { createJar } from '../src/engine/cookies.js'
import { createHttp } from '../src/engine/http.js'

const AUTH = 'https://auth.school.example/oauth/authorize'
const API = 'https://api.school.example/courses'

/** The cookies that a second request gets, after an answer to the first one has set some. */
function sentAfter(lines: readonly string[], to: string, from = AUTH): string {
  const jar = createJar()
  jar.read(new Headers(lines.map((line) => ['set-cookie', line])), new URL(from))
  return jar.header(new URL(to))
}

describe('a browser sends a cookie', () => {
  it.each([
    ['to its host, with any value', ['a=1', 'b=', 'c="x=y"'], `${AUTH}?x`, 'a=1; b=; c="x=y"'],
    ['to no other host', ['a=1'], API, ''],
    ['to the hosts of its domain', ['a=1; Domain=school.example; Path=/'], API, 'a=1'],
    ['to no domain but its own', ['a=1; Domain=other.example'], 'https://other.example/', ''],
    ['to no domain of everyone', ['a=1; Domain=co.uk'], 'https://b.co.uk/', '', 'https://a.co.uk/'],
    ['to its path', ['a=1; Path=/oauth', 'b=1; Path=/o', 'c=1; Path=/'], AUTH, 'a=1; c=1'],
    ['to the folder of its page', ['a=1'], 'https://auth.school.example/sign-in', ''],
    ['of each path', ['a=1; Path=/', 'a=2; Path=/oauth'], AUTH, 'a=2; a=1'],
    ['with TLS, if it is secure', ['a=1; Secure; Path=/'], 'http://auth.school.example/', ''],
    ['to this computer, if it is secure', ['a=1; Secure'], 'http://127.0.0.1:3000/', 'a=1', 'http://127.0.0.1:3000/'],
    ['to an address of IPv6', ['a=1'], 'http://[::1]:3000/', 'a=1', 'http://[::1]:3000/'],
    ['to a name below localhost', ['a=1'], 'http://school.localhost:3000/', 'a=1', 'http://school.localhost:3000/'],
    ['until it is deleted', ['a=1', 'b=1', 'c=1', 'a=; Max-Age=0', 'b=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'c=2'], AUTH, 'c=2'],
    ['of a host only where that is true', ['__Host-a=1; Secure; Path=/', '__Host-b=1; Secure; Path=/x', '__Host-c=1; Path=/'], AUTH, '__Host-a=1'],
    ['that can be read', ['', '=', 'a=1'], AUTH, 'a=1'],
  ])('%s', (_, lines, to, sent, from = AUTH) => {
    expect(sentAfter(lines, to, from)).toBe(sent)
  })
}) // prettier-ignore

describe('the cookies of a browser', () => {
  const lines = ['id=1; Path=/; Secure; HttpOnly; SameSite=None', 'csrf=2; Path=/; Domain=school.example; Expires=Fri, 01 Jan 2100 00:00:00 GMT']
  const asked: (string | null)[] = []
  const handler = (request: Request): Response => {
    asked.push(request.headers.get('cookie'))
    return new Response('', { headers: lines.map((line) => ['set-cookie', line]) })
  }
  const { origin } = new URL(AUTH)
  const open = () => createBrowser(createHttp({ handler, origins: new Set([origin]), pause: 0, timeout: 5000, most: 99 }), origin)

  it('are written as Playwright writes them, and can be given to another browser', async () => {
    const browser = open()
    await browser.open('/')
    expect(browser.cookies()).toEqual([
      { name: 'id', value: '1', domain: 'auth.school.example', path: '/', expires: -1, httpOnly: true, secure: true, sameSite: 'None' },
      { name: 'csrf', value: '2', domain: '.school.example', path: '/', expires: 4_102_444_800, httpOnly: false, secure: false },
    ])
    const other = open()
    other.setCookies(browser.cookies())
    expect(other.cookies()).toEqual(browser.cookies())
    expect(browser.copy(({ httpOnly }) => !httpOnly).cookies()).toEqual([browser.cookies()[1]])
  })

  it('may be set by a name and a value, and deleted', async () => {
    const browser = open()
    browser.setCookies([{ name: 'session', value: 'abc' }])
    await browser.open('/a/b')
    expect(asked.at(-1)).toBe('session=abc')
    browser.setCookies([{ name: 'session', value: '', expires: 1 }, { name: 'csrf', value: '3', domain: '.school.example' }])
    expect(browser.cookies().map(({ name, value }) => name + value)).toEqual(['id1', 'csrf3'])
    await browser.open('/a/b')
    expect(asked.at(-1)).toBe('id=1; csrf=3')
  })
}) // prettier-ignore

it('a browser of several origins sends each form as one of its page, and each cookie to its host', async () => {
  const asked: string[] = []
  const handler = (request: Request): Response => {
    const { host, pathname } = new URL(request.url)
    asked.push([request.method, host + pathname, ...['origin', 'sec-fetch-site', 'cookie'].map((name) => request.headers.get(name))].join(' '))
    return new Response('<form method="post"><button>Here</button><button formaction="https://api.school.example/b">There</button></form>', { headers: { 'set-cookie': `${pathname.slice(1)}=1; Path=/` } })
  }
  const origins = new Set([new URL(AUTH).origin, new URL(API).origin])
  const browser = createBrowser(createHttp({ handler, origins, pause: 0, timeout: 5000, most: 99 }), 'https://api.school.example')
  const page = await browser.open('https://auth.school.example/a')
  for (const button of page.forms[0]!.buttons) await browser.submit(page, page.forms[0]!, button)
  await browser.post('https://auth.school.example/c', {})
  expect(asked).toEqual([
    'GET auth.school.example/a  none ',
    'POST auth.school.example/a https://auth.school.example same-origin a=1',
    'POST api.school.example/b https://auth.school.example same-site ',
    'POST auth.school.example/c https://auth.school.example same-origin a=1',
  ])
}) // prettier-ignore
