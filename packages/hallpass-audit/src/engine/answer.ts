import type { Shown } from '../finding.js'

/**
 * An answer of the server, whose body was read.
 *
 * @group Sign-in
 */
export interface Answer extends Shown {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, or the response in a stream of events, if it is an object; otherwise an empty one. */
  readonly json: Readonly<Record<string, unknown>>
  /** The address to which the answer redirects; `null` if to none. */
  readonly location: URL | null
}

/** The most bytes of a body that are read. */
const MOST_BYTES = 1024 * 1024

/** Reads the body of a response. */
export async function readText(response: Response, method: string): Promise<string> {
  if (response.body === null) return ''
  const isStream = isEventStream(response.headers)
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  // A stream that was opened to listen may be silent for hours: that it opens is the answer.
  const isSilent = isStream && method === 'GET'
  for (;;) {
    const { done, value } = isSilent ? { done: false } : await reader.read()
    if (done) break
    if (value !== undefined) chunks.push(value)
    length += value?.byteLength ?? 0
    // A stream need not end after the answer.
    const isWhole = isStream && messageOf(Buffer.concat(chunks).toString('utf8')) !== null
    if (isSilent || isWhole || length > MOST_BYTES) {
      await reader.cancel()
      break
    }
  }
  return Buffer.concat(chunks).toString('utf8')
}

const isEventStream = (headers: Headers): boolean =>
  /^text\/event-stream/i.test(headers.get('content-type') ?? '')

/** The response of JSON-RPC in a stream of events. Before it may come requests and notifications of the server. */
function messageOf(stream: string): Readonly<Record<string, unknown>> | null {
  const events = stream.split(/\r\n\r\n|\n\n|\r\r/).slice(0, -1)
  for (const event of events) {
    const data = [...event.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n')
    const message = readObject(data)
    if ('result' in message || 'error' in message) return message
  }
  return null
}

export function answerOf(
  url: URL,
  { status, headers }: Response,
  text: string,
): Omit<Answer, 'exchange'> {
  const location = headers.get('location')
  return {
    url,
    status,
    headers,
    text,
    json: isEventStream(headers) ? (messageOf(text) ?? {}) : readObject(text),
    location:
      location !== null && status >= 300 && status < 400 && URL.canParse(location, url)
        ? new URL(location, url)
        : null,
  }
}

/** Reads a JSON object; an empty one from any other text. */
export function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}
