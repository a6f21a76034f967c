import { type HTMLElement, parse } from 'node-html-parser'
import { notReached, Stop } from '../finding.js'
import type { Answer, Http } from './http.js'

/**
 * A page that a browser shows, or the address to which the site sent it.
 *
 * @group Sign-in
 */
export interface Page {
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
 * A form of a page.
 *
 * @group Sign-in
 */
export interface Form {
  readonly action: URL
  readonly method: 'GET' | 'POST'
  /** Its fields as they are filled in, without those of buttons. */
  readonly fields: Readonly<Record<string, string>>
  /** Names of fields that people do not see. */
  readonly hidden: readonly string[]
  /** Names of fields of type `password`. */
  readonly passwords: readonly string[]
  /** Names of fields of type `checkbox`. */
  readonly boxes: readonly string[]
  readonly buttons: readonly Button[]
}

/**
 * A button that sends a form.
 *
 * @group Sign-in
 */
export interface Button {
  readonly label: string
  readonly name: string | null
  readonly value: string
}

/**
 * The browser of one person, without script. It keeps cookies and follows redirects within the site.
 *
 * @group Sign-in
 */
export interface Browser {
  /** Opens an address, as if the person had typed it. */
  readonly open: (target: URL | string) => Promise<Page>
  /** Sends a form, as if the button was pressed. `fields` replace those of the form. */
  readonly submit: (
    page: Page,
    form: Form,
    button?: Button,
    fields?: Readonly<Record<string, string>>,
  ) => Promise<Page>
  /** Sends a form or JSON to a path of the site, as a page of it does. */
  readonly post: (
    target: URL | string,
    body: Readonly<Record<string, string>> | string,
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
  readonly cookies: () => readonly JarEntry[]
  /** Another browser, with those of the cookies for which `keep` is true. Default: all. */
  readonly copy: (keep?: (cookie: JarEntry) => boolean) => Browser
}

/**
 * A cookie that a browser keeps.
 *
 * @group Sign-in
 */
export interface JarEntry {
  readonly name: string
  readonly value: string
  /** The line of `Set-Cookie`. */
  readonly line: string
}

/** A cookie of the jar, with the path for which it is sent. */
interface Kept extends JarEntry {
  readonly path: string
}

const MOST_REDIRECTS = 12

/** The path of a page as a reason names it: without identifiers, so that the same reason has the same words. */
export const pathOfPage = ({ pathname }: URL): string =>
  pathname.replace(/(?=[\w~-]*[\dA-Z])[\w~-]{16,}/g, '…')

export function createBrowser(http: Http, origin: string, given: readonly Kept[] = []): Browser {
  const jar = new Map(given.map((cookie) => [cookie.name, cookie]))

  async function request(
    target: URL | string,
    { method = 'GET', headers = {}, body }: Parameters<Browser['request']>[1] = {},
  ): Promise<Answer> {
    const url = new URL(target, origin)
    const cookie = [...jar.values()]
      .filter(({ path }) => `${url.pathname}/`.startsWith(path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
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
    for (const line of answer.headers.getSetCookie()) keep(line, url)
    return answer
  }

  function keep(line: string, url: URL): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const value = pair.slice(pair.indexOf('=') + 1)
    const attribute = (wanted: string): string | undefined =>
      attributes.find((one) => one.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1)
    const path = attribute('path') ?? (url.pathname.replace(/\/[^/]*$/, '') || '/')
    if (attribute('max-age') === '0' || value === '') jar.delete(name)
    else jar.set(name, { name, value, line, path })
  }

  async function go(target: URL | string, options: Parameters<Browser['request']>[1] = {}) {
    let url = new URL(target, origin)
    let next = options
    const answers: Answer[] = []
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      // The browser has left the site. Nothing is sent there.
      if (url.origin !== origin) return leftTo(url, answers)
      const answer = await request(url, next)
      answers.push(answer)
      const { method = 'GET' } = next
      if (answer.location === null || answer.location.origin !== origin)
        return { ...pageOf(answer, answer.location, answers), method }
      // 307 and 308 keep the method and the body.
      next = answer.status === 307 || answer.status === 308 ? next : {}
      url = answer.location
    }
    throw new Stop(
      notReached(`more than ${MOST_REDIRECTS} redirects, the last to ${pathOfPage(url)}`),
    )
  }

  const OF_A_FORM = {
    origin,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  }
  return {
    open: (target) => go(target, { headers: { 'sec-fetch-site': 'none' } }),
    submit(_page, form, button, fields = {}) {
      const all = { ...form.fields, ...(button?.name != null && { [button.name]: button.value }), ...fields } // prettier-ignore
      const body = new URLSearchParams(all).toString()
      if (form.method === 'POST')
        return go(form.action, { method: 'POST', headers: OF_A_FORM, body })
      const url = new URL(form.action)
      url.search = body
      return go(url, { headers: { 'sec-fetch-site': 'same-origin' } })
    },
    post: (target, body, headers = {}) =>
      go(target, {
        method: 'POST',
        headers: {
          ...OF_A_FORM,
          ...(typeof body === 'string' && { 'content-type': 'application/json', accept: 'application/json' }), // prettier-ignore
          ...headers,
        },
        body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
      }),
    request,
    cookies: () => [...jar.values()],
    copy: (keep = () => true) => createBrowser(http, origin, [...jar.values()].filter(keep)),
  }
}

const leftTo = (url: URL, answers: readonly Answer[]): Page => ({ url, status: 0, headers: new Headers(), text: '', left: url, forms: [], answers }) // prettier-ignore

/** The page of an answer, with its forms. */
function pageOf(
  answer: Answer,
  left: URL | null = null,
  answers: readonly Answer[] = [answer],
): Page {
  const { url, status, headers, text } = answer
  return { url, status, headers, text, left, answers, forms: left === null ? formsOf(text, url) : [] } // prettier-ignore
}

function formsOf(text: string, url: URL): readonly Form[] {
  const page = parse(text)
  const isOf = (one: HTMLElement, form: HTMLElement): boolean => {
    const [id, named] = [form.getAttribute('id'), one.getAttribute('form')]
    return id !== undefined && named === id
  }
  return page
    .querySelectorAll('form')
    .flatMap((form) => {
      const action = form.getAttribute('action') ?? ''
      if (!URL.canParse(action, url)) return []
      const inputs = form.querySelectorAll('input, select, textarea').map((input) => ({
        type: (input.getAttribute('type') ?? 'text').toLowerCase(),
        name: input.getAttribute('name') ?? '',
        value: input.getAttribute('value') ?? '',
        isChecked: input.hasAttribute('checked'),
      }))
      const isButton = (type: string): boolean => type === 'submit' || type === 'image' || type === 'button' // prettier-ignore
      const named = inputs.filter(({ name, type }) => name !== '' && !isButton(type))
      const filled = named.filter(({ type, isChecked }) => isChecked || (type !== 'checkbox' && type !== 'radio')) // prettier-ignore
      const ofType = (wanted: string): readonly string[] =>
        named.filter(({ type }) => type === wanted).map(({ name }) => name)
      return [
        {
          action: new URL(action, url),
          method: form.getAttribute('method')?.toUpperCase() === 'POST' ? ('POST' as const) : ('GET' as const),
          fields: Object.fromEntries(filled.map(({ name, value }) => [name, value])),
          hidden: ofType('hidden'),
          passwords: ofType('password'),
          boxes: ofType('checkbox'),
          buttons: [
            // A button may be elsewhere on the page, and name its form.
            ...[...form.querySelectorAll('button'), ...page.querySelectorAll('button').filter((one) => isOf(one, form))].filter((one) => (one.getAttribute('type') ?? 'submit') === 'submit').map((one) => ({
              label: one.textContent.trim(),
              name: one.getAttribute('name') ?? null,
              value: one.getAttribute('value') ?? '',
            })),
            ...inputs.filter(({ type }) => type === 'submit').map(({ name, value }) => ({
              label: value,
              name: name === '' ? null : name,
              value,
            })),
          ],
        },
      ]
    }) // prettier-ignore
}
