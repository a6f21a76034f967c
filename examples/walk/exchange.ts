import { pretty, shortened } from './text.js'

/** One request with its response, as text for people. Secrets are shortened. */
export interface Exchange {
  /** Method and path. */
  readonly title: string
  /** The status, or `null` if there was no response. */
  readonly status: number | null
  readonly request: string
  readonly response: string
}

/** A response, with the text to show. */
export interface Answer {
  readonly ok: boolean
  readonly json: Readonly<Record<string, unknown>>
  readonly exchange: Exchange
}

/** A request of the walk. */
export interface Asked {
  readonly method: 'GET' | 'POST'
  /** Path and query of this origin. */
  readonly path: string
  readonly accessToken?: string
  readonly accept?: string
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Returns what to show of a long response. */
  readonly outline?: (json: Readonly<Record<string, unknown>>) => unknown
}

const SHOWN_HEADERS = ['content-type', 'cache-control', 'www-authenticate', 'retry-after', 'link']

/** Sends a request to this origin as any app in a browser would: without cookies. */
export async function send(asked: Asked): Promise<Answer> {
  const { method, path, outline = (json) => json } = asked
  const response = await fetch(path, {
    method,
    headers: headersOf(asked),
    body: bodyOf(asked),
    credentials: 'omit',
    cache: 'no-store',
  })
  const json = readObject(await response.text())
  const shown = response.ok ? outline(json) : json
  return {
    ok: response.ok,
    json,
    exchange: {
      title: `${method} ${path}`,
      status: response.status,
      request: requestText(asked),
      response: responseText(response, json, shown),
    },
  }
}

/** Formats parameters for people: one on each line, decoded, with shortened secrets. */
export const parametersText = (parameters: Iterable<readonly [string, string]>): string =>
  [...parameters].map(([name, value]) => `${name}=${shortened(name, value)}`).join('\n&')

function headersOf({ accessToken, accept, body }: Asked): Record<string, string> {
  return {
    ...(accept !== undefined && { accept }),
    ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
}

function bodyOf({ form, body }: Asked): BodyInit | null {
  if (form !== undefined) return new URLSearchParams(form)
  return body === undefined ? null : JSON.stringify(body)
}

function requestText(asked: Asked): string {
  const { method, path, form, body } = asked
  const headers = Object.entries(headersOf(asked)).map(([name, value]) =>
    name === 'authorization'
      ? `authorization: Bearer ${shortened('access_token', value.slice('Bearer '.length))}`
      : `${name}: ${value}`,
  )
  const type = form === undefined ? [] : ['content-type: application/x-www-form-urlencoded']
  const content = form === undefined ? body && pretty(body) : parametersText(Object.entries(form))
  const head = [`${method} ${path}`, ...headers, ...type].join('\n')
  return typeof content === 'string' ? `${head}\n\n${content}` : head
}

/**
 * Formats a response for people.
 *
 * @param shown - what to show of its content
 */
export const responseText = (
  { status, statusText, headers }: Response,
  json: object,
  shown: unknown,
): string =>
  [
    `HTTP ${status} ${statusText}`.trim(),
    ...SHOWN_HEADERS.flatMap((name) => headerLine(headers, name)),
    ...(Object.keys(json).length === 0 ? [] : ['', pretty(shown)]),
  ].join('\n')

function headerLine(headers: Headers, name: string): readonly string[] {
  const value = headers.get(name)
  return value === null ? [] : [`${name}: ${value}`]
}

/** Reads a JSON object, or returns an empty one. */
export function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
