import { createServer } from 'node:http'
import { openPort } from '../processes/ports.js'
import { attribute, filledIn } from './forms.js'

/** A browser without script: keeps cookies of one origin with their paths, follows redirects, fills in forms. */
export interface FormBrowser {
  readonly open: (url: string | URL) => Promise<Page>
  /** Fills in the page's form and presses a button. */
  readonly submit: (
    page: Page,
    fields: Readonly<Record<string, string | readonly string[]>>,
    button?: string,
  ) => Promise<Page>
  readonly cookies: Map<string, string>
}

/** What the browser shows, or the address outside the site that it was sent to. */
export interface Page {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The site sent the browser away, to this address. */
  readonly left: URL | null
}

/** @param headers - sent with every request */
export function createFormBrowser(
  origin: string,
  headers: Readonly<Record<string, string>> = {},
): FormBrowser {
  const cookies = new Map<string, string>()
  const paths = new Map<string, string>()
  const isSentTo = (path: string, name: string): boolean =>
    `${path}/`.startsWith((paths.get(name) ?? '/').replace(/\/?$/, '/'))

  async function go(url: URL, init: RequestInit = {}): Promise<Page> {
    let [target, options] = [url, init]
    for (let hop = 0; hop < 10; hop++) {
      if (target.origin !== origin)
        return { url: target, status: 0, headers: new Headers(), text: '', left: target }
      const response = await fetch(target, {
        ...options,
        redirect: 'manual',
        headers: {
          ...headers,
          ...options.headers,
          cookie: [...cookies]
            .filter(([name]) => isSentTo(target.pathname, name))
            .map(([name, value]) => `${name}=${value}`)
            .join('; '),
        },
      })
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';', 1)
        const name = pair.slice(0, pair.indexOf('='))
        cookies.set(name, pair.slice(pair.indexOf('=') + 1))
        paths.set(name, /;\s*path=([^;]*)/i.exec(line)?.[1] ?? '/')
      }
      const { status, headers: received } = response
      const location = received.get('location')
      if (location === null)
        return {
          url: target,
          status,
          headers: received,
          text: await response.text(),
          left: null,
        }
      await response.body?.cancel()
      ;[target, options] = [new URL(location, target), {}]
    }
    throw new Error(`too many redirects from ${url.href}`)
  }

  return {
    cookies,
    open: (url) => go(new URL(url, origin)),
    submit(page, fields, button) {
      const forms = page.text.match(/<form[^]*?<\/form>/g) ?? []
      const form = forms.find(
        (one) =>
          Object.keys(fields).every((name) => one.includes(`name="${name}"`)) &&
          (button === undefined || new RegExp(`>\\s*${button}\\s*<`).test(one)),
      )
      if (form === undefined) throw new Error(`no such form on ${page.url.href}: ${page.text}`)
      const body = filledIn(form, fields)
      for (const tag of form.match(/<button[^>]*>[^<]*/g) ?? []) {
        const name = attribute(tag, 'name')
        const label = tag.slice(tag.indexOf('>') + 1).trim()
        if (name !== null && label === button) body.set(name, attribute(tag, 'value') ?? '')
      }
      return go(new URL(attribute(form, 'action') ?? '', page.url), {
        method: 'POST',
        body,
        headers: { origin, 'sec-fetch-site': 'same-origin' },
      })
    },
  }
}

/** Signs in where the page asks for it, and allows. Returns where the app's answer went. */
export async function signInAndAllow(
  browser: FormBrowser,
  url: URL | string,
  { email, password = 'hallpass-demo' }: { email: string; password?: string },
): Promise<URL> {
  let page = await browser.open(url)
  if (page.text.includes('name="password"'))
    page = await browser.submit(page, { email, password }, 'Sign in')
  if (page.left === null)
    page = await browser.submit(page, { csrf_token: formToken(page) }, 'Allow')
  if (page.left === null) throw new Error(`still at ${page.url.href}: ${page.text}`)
  return page.left
}

function formToken(page: Page): string {
  const form = (page.text.match(/<form[^]*?<\/form>/g) ?? []).find((one) => one.includes('Allow'))
  return attribute(/<input[^>]*name="csrf_token"[^>]*>/.exec(form ?? '')?.[0] ?? '', 'value') ?? ''
}

/**
 * An app on this computer that waits for its answer on a port of its own.
 *
 * @param next - where the app redirects the browser then; by default it shows a page
 */
export async function listenForCallback(
  path = '/callback',
  next: string | null = null,
): Promise<{
  readonly redirectUri: string
  /** Resolves to the address that a browser was sent to. */
  readonly called: Promise<URL>
  readonly close: () => void
}> {
  let resolveCalled: (url: URL) => void
  const called = new Promise<URL>((resolve) => (resolveCalled = resolve))
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', redirectUri)
    if (url.pathname === path) resolveCalled(url)
    res.setHeader('content-type', 'text/html')
    if (url.pathname === path && next !== null) res.writeHead(302, { location: next })
    res.end('<!doctype html><title>Done</title><h1>Back in the app</h1>')
  })
  const port = await openPort(server)
  const redirectUri = `http://127.0.0.1:${port}${path}`
  return {
    redirectUri,
    called,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
