import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http'
import { attribute, decode, filledIn } from '../support/http/forms.js'
import { openPort } from '../support/processes/ports.js'

/** A page, or an address at which the person stops: that of an app. */
interface Page {
  readonly url: URL
  readonly status: number
  readonly html: string
}

/** A person in front of a browser that stays signed in, as at home. */
export interface Person {
  /**
   * Opens an address, signs in and allows where that is asked, and goes on until nothing is left to do.
   *
   * @param stopAt - an address that begins so is not opened
   * @param press - the label of the button that begins it, on the first page
   */
  readonly open: (url: string, more?: { stopAt?: string; press?: string }) => Promise<Page>
  /** Opens a page, fills in its form and presses the button of that label. */
  readonly send: (
    url: string,
    label: RegExp,
    fields: Readonly<Record<string, string | readonly string[]>>,
  ) => Promise<Page>
}

/** What a page says, on one line. */
export const wordsOf = (html: string): string =>
  decode(html.replaceAll(/<(style|script|nav|header|footer)[^]*?<\/\1>|<[^>]+>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()

/** How a browser navigates. `fetch` would say that it is none. */
const NAVIGATION = {
  accept: 'text/html',
  'accept-language': 'en',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
  'sec-fetch-site': 'none',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
}

interface Sent {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

function send(url: URL, { body, headers }: Sent): Promise<IncomingMessage & { text: string }> {
  return new Promise((resolve, reject) => {
    const form = body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = httpRequest(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        timeout: 30_000,
        headers: { ...NAVIGATION, ...form, ...headers },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.once('end', () => resolve(Object.assign(response, { text })))
        response.once('error', reject)
      },
    )
    sent.once('timeout', () => sent.destroy(new Error(`no response of ${url.href}`)))
    sent.once('error', reject).end(body)
  })
}

/** @param school - the origin whose pages the person knows how to use */
function createPerson(school: string, email: string): Person {
  const cookies = new Map<string, Map<string, string>>()
  let signedIn: Promise<Page> | undefined

  async function go(to: URL, first: Sent, stopAt?: string): Promise<Page> {
    let [url, sent] = [to, first]
    for (let hop = 0; hop < 20; hop++) {
      if (url.protocol !== 'http:' || (stopAt !== undefined && url.href.startsWith(stopAt)))
        return { url, status: 0, html: '' }
      const jar = cookies.get(url.origin) ?? new Map<string, string>()
      cookies.set(url.origin, jar)
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const {
        statusCode = 0,
        headers,
        text,
      } = await send(url, {
        ...sent,
        headers: { ...sent.headers, ...(cookie !== '' && { cookie }) },
      })
      for (const line of headers['set-cookie'] ?? []) {
        const [pair = ''] = line.split(';', 1)
        const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
        if (/max-age=0|expires=thu, 01.jan.1970/i.test(line)) jar.delete(name)
        else jar.set(name, value)
      }
      if (headers.location === undefined) return { url, status: statusCode, html: text }
      ;[url, sent] = [new URL(headers.location, url), {}]
    }
    throw new Error(`too many redirects from ${to.href}`)
  }

  /** Presses the first button of that label, with what its form has. */
  async function press(
    { url, html }: Page,
    label: RegExp,
    {
      fields = {},
      stopAt,
    }: { fields?: Readonly<Record<string, string | readonly string[]>>; stopAt?: string } = {},
  ): Promise<Page | null> {
    for (const form of html.match(/<form[^]*?<\/form>/g) ?? []) {
      const button = (form.match(/<button[^>]*>[^]*?<\/button>/g) ?? []).find((one) =>
        label.test(wordsOf(one)),
      )
      if (button === undefined) continue
      const body = filledIn(form, fields)
      const name = attribute(button, 'name')
      if (name !== null) body.set(name, attribute(button, 'value') ?? '')
      const action = new URL(attribute(form, 'action') ?? '', url)
      const headers = { origin: action.origin, 'sec-fetch-site': 'same-origin', referer: url.href }
      return go(action, { body: body.toString(), headers }, stopAt)
    }
    return null
  }

  async function signIn(): Promise<Page> {
    const page = await go(new URL('/sign-in', school), {})
    const fields = { email, password: 'hallpass-demo' }
    return (await press(page, /^sign in/i, { fields })) ?? page
  }

  // One thing after the other: two pages at the same moment would overwrite each other's cookies.
  let last: Promise<unknown> = Promise.resolve()

  async function openNow(
    url: string,
    { stopAt, press: label }: { stopAt?: string; press?: string },
  ): Promise<Page> {
    // Once: of each person the school takes thirty sign-ins in ten minutes.
    await (signedIn ??= signIn())
    const limit = stopAt === undefined ? {} : { stopAt }
    let page = await go(new URL(url), {}, stopAt)
    if (label !== undefined) page = (await press(page, new RegExp(label, 'i'), limit)) ?? page
    for (let step = 0; step < 4 && page.url.origin === school && page.status < 400; step++) {
      const next = await press(page, /^(?:allow|continue)/i, limit)
      if (next === null) break
      page = next
    }
    return page
  }

  function inTurn(work: () => Promise<Page>): Promise<Page> {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  return {
    open: (url, more = {}) => inTurn(() => openNow(url, more)),
    send: (url, label, fields) =>
      inTurn(async () => {
        const page = await openNow(url, {})
        const sent = await press(page, label, { fields })
        if (sent === null) throw new Error(`no such button: ${wordsOf(page.html)}`)
        return sent
      }),
  }
}

/**
 * Opens the people's browsers to other processes, on loopback: `GET /callback?email=…&url=…` answers with the address
 * that the app gets, `GET /follow` with the last page. Where the person is left on a page, both answer with its words.
 */
export async function servePeople(
  school: string,
): Promise<{ readonly url: string; readonly of: (email: string) => Person; close: () => void }> {
  const people = new Map<string, Person>()
  const of = (email: string): Person => {
    const known = people.get(email) ?? createPerson(school, email)
    people.set(email, known)
    return known
  }
  async function answer({
    pathname,
    searchParams,
  }: URL): Promise<{ status: number; text: string }> {
    const [email, url] = [searchParams.get('email')!, searchParams.get('url')!]
    const press = searchParams.get('press')
    if (pathname === '/follow') {
      const page = await of(email).open(url, { ...(press !== null && { press }) })
      return {
        status: 200,
        text: JSON.stringify({ url: page.url.href, status: page.status, html: page.html }),
      }
    }
    const redirect = new URL(new URL(url).searchParams.get('redirect_uri') ?? 'none:')
    const page = await of(email).open(url, { stopAt: redirect.href.split('?')[0]! })
    return page.status === 0
      ? { status: 200, text: page.url.href }
      : {
          status: 422,
          text: `left on ${page.url.pathname} (${page.status}): ${wordsOf(page.html)}`,
        }
  }
  const server: Server = createServer((request, response) => {
    answer(new URL(request.url ?? '', 'http://people')).then(
      ({ status, text }) => response.writeHead(status).end(text),
      (fault: unknown) => response.writeHead(500).end(String(fault)),
    )
  })
  const port = await openPort(server)
  return {
    url: `http://127.0.0.1:${port}`,
    of,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
