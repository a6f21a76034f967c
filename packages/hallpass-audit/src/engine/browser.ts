import { type Exchange, notReached, type Shown, Stop } from '../finding.js'
import { type Cookie, createJar } from './cookies.js'
import { bodyOf, type Button, entriesOf, type Form, formsOf, queryOf, type Values } from './form.js'
import { elementsIn } from './html.js'
import type { Answer, Http } from './http.js'

/**
 * A page that a browser shows, or the address to which the site sent it.
 *
 * @group Sign-in
 */
export interface Page extends Shown {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The address outside the site to which the browser was sent, such as a redirect URI; `null` if it shows a page. */
  readonly left: URL | null
  /** The answers since the person acted: the redirects, and the last one. */
  readonly answers: readonly Answer[]
  readonly forms: readonly Form[]
  /** The method of the request that was answered by this. Default: unknown, where a page and not an answer led there. */
  readonly method?: string
}

/**
 * The browser of one person, without script. It keeps cookies and follows redirects within the site.
 *
 * @group Sign-in
 */
export interface Browser {
  /** Opens an address, as if the person had typed it. */
  readonly open: (target: URL | string) => Promise<Page>
  /** Sends a form, as if the button was pressed. `values` replace the fields of their names. */
  readonly submit: (
    page: Page,
    form: Form,
    button?: Button,
    values?: Values,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Page>
  /** Sends a form or JSON to a path of the site, as a page of it does. */
  readonly post: (
    target: URL | string,
    body: Values | string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Page>
  /** One request, whose redirect is not followed. */
  readonly request: (
    target: URL | string,
    options?: {
      readonly method?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    },
  ) => Promise<Answer>
  /** The cookies that it keeps. */
  readonly cookies: () => readonly Cookie[]
  /** Keeps cookies, such as those of a browser that runs script. Default: for all paths of the site, until the session ends. */
  readonly setCookies: (
    cookies: readonly (Partial<Cookie> & Pick<Cookie, 'name' | 'value'>)[],
  ) => void
  /** Another browser, with those of the cookies for which `keep` is true. Default: all. */
  readonly copy: (keep?: (cookie: Cookie) => boolean) => Browser
}

const MOST_REDIRECTS = 12

/** The header that says whether a page sends a request to its own origin. */
const siteOf = (page: URL, target: URL) => ({
  'sec-fetch-site': page.origin === target.origin ? 'same-origin' : 'same-site',
})

/** The path of a page as a reason names it: without identifiers, so that the same reason has the same words. */
export const pathOfPage = ({ pathname }: URL): string =>
  pathname.replace(/(?=[\w~-]*[\dA-Z])[\w~-]{16,}/g, '…')

export function createBrowser(http: Http, origin: string, given: readonly Cookie[] = []): Browser {
  const jar = createJar()
  const { hostname: domain } = new URL(origin)
  const setCookies: Browser['setCookies'] = (cookies) => {
    for (const one of cookies)
      jar.set({ domain, path: '/', expires: -1, httpOnly: false, secure: false, ...one })
  }
  setCookies(given)
  let last: Exchange | null = null

  async function request(
    target: URL | string,
    { method = 'GET', headers = {}, body }: Parameters<Browser['request']>[1] = {},
  ): Promise<Answer> {
    const url = new URL(target, origin)
    const cookie = jar.header(url)
    const answer = await http.send(url, {
      method,
      headers: {
        accept: 'text/html,application/xhtml+xml',
        'sec-fetch-dest': 'document',
        'sec-fetch-mode': 'navigate',
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    })
    last = answer.exchange
    jar.read(answer.headers, url)
    return answer
  }

  async function go(target: URL | string, options: Parameters<Browser['request']>[1] = {}) {
    let url = new URL(target, origin)
    let next = options
    const answers: Answer[] = []
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      // The browser has left the site. Nothing is sent there.
      if (!http.reaches(url)) return leftTo(url, answers, last)
      const answer = await request(url, next)
      answers.push(answer)
      const { method = 'GET' } = next
      if (answer.location === null || !http.reaches(answer.location))
        return { ...pageOf(answer, answer.location, answers), method }
      // 307 and 308 keep the method and the body.
      next = answer.status === 307 || answer.status === 308 ? next : {}
      url = answer.location
    }
    throw new Stop(
      notReached(`more than ${MOST_REDIRECTS} redirects, the last to ${pathOfPage(url)}`),
    )
  }

  return {
    open: (target) => go(target, { headers: { 'sec-fetch-site': 'none' } }),
    submit(page, form, button, values, headers = {}) {
      const { action, method, enctype } = { ...form, ...button }
      const entries = entriesOf(form, button, values)
      const site = siteOf(page.url, action)
      if (method === 'GET') {
        const url = new URL(action)
        url.search = queryOf(entries)
        return go(url, { headers: { ...site, ...headers } })
      }
      const { body, type } = bodyOf(entries, enctype)
      const own = { origin: page.url.origin, ...site, 'content-type': type }
      return go(action, { method, headers: { ...own, ...headers }, body })
    },
    post(target, given, headers = {}) {
      const isText = typeof given === 'string'
      const type = isText ? 'application/json' : 'application/x-www-form-urlencoded'
      const url = new URL(target, origin)
      const own = { origin: url.origin, ...siteOf(url, url), 'content-type': type }
      const body = isText ? given : queryOf(entriesOf({ fields: [] }, undefined, given))
      return go(url, {
        method: 'POST',
        headers: { ...own, ...(isText && { accept: type }), ...headers },
        body,
      })
    },
    request,
    cookies: jar.list,
    setCookies,
    copy: (keep = () => true) => createBrowser(http, origin, jar.list().filter(keep)),
  }
}

function leftTo(url: URL, answers: readonly Answer[], last: Exchange | null): Page {
  if (last === null) throw new Stop(notReached(`${url.origin} is outside of the site`))
  return { url, status: 0, headers: new Headers(), text: '', left: url, forms: [], answers, exchange: last } // prettier-ignore
}

/** The page of an answer, with its forms. */
function pageOf(
  answer: Answer,
  left: URL | null = null,
  answers: readonly Answer[] = [answer],
): Page {
  const { url, status, headers, text, exchange } = answer
  return { url, status, headers, text, left, answers, exchange, forms: left === null ? formsOf(elementsIn(answer), url) : [] } // prettier-ignore
}
