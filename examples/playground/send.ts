import { readObject, responseText } from '../walk/exchange.js'
import { pretty, shortened } from '../walk/text.js'
import {
  addressOf,
  type Draft,
  filled,
  headersOf,
  parametersOf,
  SECRETS,
  type Values,
  variablesOf,
} from './draft.js'
import type { Sent, Session, Why } from './session.js'

/** A response. */
export interface Reply {
  readonly ok: boolean
  readonly status: number
  /** The address that responded, after redirects. */
  readonly url: string
  readonly headers: Headers
  readonly json: Readonly<Record<string, unknown>>
  readonly sent: Sent
}

/** How long the page waits for a response. */
export const MAX_MILLISECONDS = 15_000

/** A request that would go to another server, or give a secret to one. */
export class Untrusted extends Error {
  /** `null`: the request as a whole. */
  readonly secret: string | null
  /** The origin, or for an address without one its scheme. */
  readonly origin: string
  constructor(secret: string | null, origin: string) {
    super(`${secret ?? 'the request'} must not go to ${origin}`)
    this.secret = secret
    this.origin = origin
  }
}

/**
 * Fills in a draft.
 *
 * @param schools - those of this demo, which may get the tokens of each other
 * @throws {@link Untrusted} if it would go to an origin that is neither that of the server nor named by its metadata.
 *   A link can prepare such a request. Also if a secret would go to an origin that the metadata does not name.
 */
export function readied(
  { target, values, trusted }: Session,
  draft: Draft,
  schools: readonly string[],
): Draft {
  const ready = filled(draft, values)
  const { origin, protocol } = new URL(ready.url)
  const secret = variablesOf(draft).find(
    (name) =>
      SECRETS.includes(name) && !(name === 'other_token' ? schools : trusted).includes(origin),
  )
  if (secret !== undefined) throw new Untrusted(secret, origin)
  const own = [target, values['client_id'] ?? '', ...schools].flatMap(originOf)
  // Anything but these protocols could run as a script when the browser goes there.
  if (!/^https?:$/.test(protocol) || ![...own, ...trusted].includes(origin))
    throw new Untrusted(null, origin === 'null' ? protocol : origin)
  return ready
}

const originOf = (url: string): readonly string[] =>
  URL.canParse(url) ? [new URL(url).origin] : []

/** Sends a request as any app in a browser would, without cookies, and waits for at most 15 seconds. */
export async function dispatch(ready: Draft, to: Sent['to'] = 'server'): Promise<Reply> {
  const { method, body } = ready
  const response = await fetch(addressOf(ready), {
    method,
    headers: headersOf(ready).map(([name, value]) => [name, value]),
    body: body ?? (method === 'POST' ? parametersOf(ready) : null),
    credentials: 'omit',
    cache: 'no-store',
    signal: AbortSignal.timeout(MAX_MILLISECONDS),
  })
  const text = await response.text()
  const json = readObject(text)
  return {
    ok: response.ok,
    status: response.status,
    url: response.url,
    headers: response.headers,
    json,
    sent: {
      ...shownOf(ready, to),
      status: response.status,
      response: responseText(response, json, outline(json)),
    },
  }
}

/** Returns what the page shows of a request. */
export const shownOf = (
  ready: Draft,
  to: Sent['to'] = 'server',
): Pick<Sent, 'to' | 'title' | 'request'> => ({
  to,
  title: `${ready.method} ${new URL(ready.url).pathname}`,
  request: requestText(ready),
})

/** Formats a request for people, with shortened secrets. */
function requestText(ready: Draft): string {
  const { method, url, fields, body } = ready
  const { pathname, search, host } = new URL(url)
  const pairs = fields.map(([name, value]) => `${name}=${shortened(name, value)}`)
  const isGet = method === 'GET'
  const lines = headersOf(ready).map(([name, value]) =>
    name === 'authorization'
      ? `authorization: ${value.replace(/\S{12,}$/, (token) => shortened('access_token', token))}`
      : `${name}: ${value}`,
  )
  const isForm = !isGet && body === null
  const head = [
    `${method} ${pathname}${search}`,
    ...(isGet ? queryLines(pairs) : []),
    `host: ${host}`,
    ...lines,
    ...(isForm ? ['content-type: application/x-www-form-urlencoded'] : []),
  ]
  const content = isGet ? '' : body === null ? pairs.join('\n&') : prettyBody(body)
  return content === '' ? head.join('\n') : `${head.join('\n')}\n\n${content}`
}

const queryLines = (pairs: readonly string[]): readonly string[] =>
  pairs.map((pair, index) => `${index === 0 ? '?' : '&'}${pair}`)

function prettyBody(body: string): string {
  try {
    return pretty(JSON.parse(body))
  } catch {
    return body
  }
}

/** A list of tools is long: its names are enough. */
function outline(json: Readonly<Record<string, unknown>>): unknown {
  const tools = (json['result'] as { tools?: readonly { name: string }[] } | undefined)?.tools
  return tools === undefined ? json : { ...json, result: { tools: tools.map(({ name }) => name) } }
}

/**
 * Asks a school of this demo for the reason in its log.
 *
 * @param of - the identifier of a request, or the address that a refused authorization request was redirected to
 * @returns the reason, or `null` for other servers, and if there is none
 */
export async function whyOf(
  { issuer }: Values,
  { of, schools }: { of: string | null; schools: readonly string[] },
): Promise<Why | null> {
  if (issuer === undefined || of === null || !schools.includes(issuer)) return null
  const query = new URLSearchParams({ of }).toString()
  try {
    const response = await fetch(`${issuer}/playground/why?${query}`, {
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(MAX_MILLISECONDS),
    })
    return response.ok ? ((await response.json()) as Why) : null
  } catch {
    return null
  }
}
