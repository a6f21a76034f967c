/** Fields of a form; an array = ticked boxes of one name, `null` = not sent. */
export type FieldChanges = Readonly<Record<string, string | readonly string[] | null>>

/** What a browser without script shows, or the address outside the site that it was sent to. */
export interface ShownPage {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A browser without script for a site in this process: keeps cookies, follows redirects, fills in forms. */
export interface PageBrowser {
  readonly cookies: Map<string, string>
  readonly open: (path: string, headers?: Readonly<Record<string, string>>) => Promise<ShownPage>
  /** Presses the button with these words, in the form that has it. */
  readonly press: (page: ShownPage, label: string, changes?: FieldChanges) => Promise<ShownPage>
  /** Sends a form as this site's own page would, to whatever path; redirects are not followed. */
  readonly post: (
    path: string,
    fields: FieldChanges,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>
}

const NAMED: Readonly<Record<string, string>> = { quot: '"', lt: '<', gt: '>', amp: '&' }

const decode = (text: string): string =>
  text.replace(/&(?:#(\d+)|(quot|lt|gt|amp));/g, (_, code: string | undefined, name: string) =>
    code === undefined ? NAMED[name]! : String.fromCodePoint(Number(code)),
  )

const attribute = (tag: string, name: string): string | null => {
  const match = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)
  return match === null ? null : decode(match[1]!)
}

const wordsOf = (markup: string): string =>
  decode(markup.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

/** The forms of a page, in order. */
export const formsOf = (page: ShownPage): readonly string[] =>
  page.text.match(/<form[^]*?<\/form>/g) ?? []

const buttonsIn = (form: string): readonly { tag: string; label: string }[] =>
  [...form.matchAll(/(<button[^>]*>)([^]*?)<\/button>/g)].map(([, tag, label]) => ({
    tag: tag!,
    label: wordsOf(label!),
  }))

/** What a form would send if nothing was typed. */
export function fieldsOf(form: string): readonly (readonly [name: string, value: string])[] {
  const inputs = (form.match(/<input[^>]*>/g) ?? []).flatMap((tag) => {
    const isBox = /\stype="(?:checkbox|radio)"/.test(tag)
    const isSent = !/\sdisabled[\s/>]/.test(tag) && (!isBox || /\schecked[\s/>]/.test(tag))
    const name = attribute(tag, 'name')
    return name === null || !isSent ? [] : [[name, attribute(tag, 'value') ?? ''] as const]
  })
  const areas = [...form.matchAll(/(<textarea[^>]*>)([^]*?)<\/textarea>/g)].flatMap(
    ([, tag, text]) => {
      const name = attribute(tag!, 'name')
      return name === null ? [] : [[name, decode(text!.replace(/^\n/, ''))] as const]
    },
  )
  const selects = [...form.matchAll(/(<select[^>]*>)([^]*?)<\/select>/g)].flatMap(
    ([, tag, body]) => {
      const options = body!.match(/<option[^>]*>/g) ?? []
      const chosen = options.find((option) => /\sselected[\s>]/.test(option)) ?? options[0] ?? ''
      return [[attribute(tag!, 'name')!, attribute(chosen, 'value') ?? ''] as const]
    },
  )
  return [...inputs, ...areas, ...selects]
}

const encode = (
  fields: readonly (readonly [string, string])[],
  changes: FieldChanges,
): URLSearchParams => {
  const body = new URLSearchParams()
  for (const [name, value] of fields) if (!Object.hasOwn(changes, name)) body.append(name, value)
  for (const [name, value] of Object.entries(changes))
    for (const one of value === null ? [] : [value].flat()) body.append(name, one)
  return body
}

/** Opens a browser. */
export function createPageBrowser({
  origin,
  fetch,
}: {
  origin: string
  fetch: (request: Request) => Promise<Response>
}): PageBrowser {
  const cookies = new Map<string, string>()

  async function send(url: URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(new Request(url, { ...init, headers }))
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return response
  }

  async function go(url: URL, init: RequestInit = {}): Promise<ShownPage> {
    let [target, options] = [url, init]
    for (let hop = 0; hop < 10; hop++) {
      if (target.origin !== origin)
        return { url: target, status: 0, headers: new Headers(), text: '' }
      const response = await send(target, options)
      const { status, headers } = response
      const location = headers.get('location')
      if (location === null) return { url: target, status, headers, text: await response.text() }
      ;[target, options] = [new URL(location, target), {}]
    }
    throw new Error(`too many redirects from ${url.href}`)
  }

  const formHeaders = { origin, 'sec-fetch-site': 'same-origin' }
  return {
    cookies,
    open: (path, headers = {}) => go(new URL(path, origin), { headers }),
    press(page, label, changes = {}) {
      const form = formsOf(page).find((one) =>
        buttonsIn(one).some((button) => button.label === label),
      )
      if (form === undefined) throw new Error(`no "${label}" at ${page.url.href}: ${page.text}`)
      const { tag } = buttonsIn(form).find((button) => button.label === label)!
      const name = attribute(tag, 'name')
      const fields = fieldsOf(form)
      if (name !== null) changes = { ...changes, [name]: attribute(tag, 'value') }
      const action = new URL(attribute(form, 'action') ?? '', page.url)
      if (/^<form[^>]*\smethod="get"/.test(form)) {
        action.search = encode(fields, changes).toString()
        return go(action)
      }
      return go(action, { method: 'POST', body: encode(fields, changes), headers: formHeaders })
    },
    post: (path, fields, headers = {}) =>
      send(new URL(path, origin), {
        method: 'POST',
        body: encode([], fields),
        headers: { ...formHeaders, ...headers },
      }),
  }
}
