import { setTimeout as wait } from 'node:timers/promises'
import { notReached, Stop } from '../finding.js'
import { createElsewhere } from './elsewhere.js'
import { createMask, type Mask } from './mask.js'
import { createLookup, type Handler, sendOverNetwork } from './network.js'

/** A request and what the server answered, without secrets, as a report shows them. */
export interface Exchange {
  readonly request: string
  readonly answer: string
}

/**
 * An answer of the server, whose body was read.
 *
 * @group Sign-in
 */
export interface Answer {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, or the response in a stream of events, if it is an object; otherwise an empty one. */
  readonly json: Readonly<Record<string, unknown>>
  /** The address to which the answer redirects; `null` if to none. */
  readonly location: URL | null
}

/** A request without its address. */
export interface SendOptions {
  /** Default: `GET`. */
  readonly method?: string
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: none. */
  readonly body?: string
  /** Returns an answer of 429 as it is. Default: `false`, which sends the request again when the answer says. */
  readonly keepsLimit?: boolean
  /** Sends it from another network, where that is possible. Default: `false`. */
  readonly isElsewhere?: boolean
  /** Makes a request anew that is sent again, if it has what is used once. Default: none. */
  readonly renewed?: () => Promise<SendOptions>
}

/** Sends requests, one at a time unless a check sends several together. */
export interface Http {
  readonly send: (target: URL | string, options?: SendOptions) => Promise<Answer>
  /** Says that an answer decided, whatever was sent after it. */
  readonly decide: (answer: Answer) => void
  /** Forgets what was recorded, before the next check. */
  readonly begin: () => void
  /** Says that a check uses what an earlier exchange led to: that is shown unless the check sends a request of its own. */
  readonly recall: (exchange: Exchange) => void
  /** The requests of the check: the last of them decided. */
  readonly exchanges: () => readonly Exchange[]
  /** Milliseconds after which a request is unanswered. */
  readonly timeout: number
  /** How many were sent in all. */
  readonly sent: () => number
  /** Whether requests from elsewhere come from another network. */
  readonly isApart: () => boolean
}

export interface HttpOptions {
  /** The server in this process. Default: the network. */
  readonly handler?: Handler
  /** The origins to which requests may go. */
  readonly origins: ReadonlySet<string>
  /** Milliseconds between two requests. */
  readonly pause: number
  /** Milliseconds after which a request is unanswered. */
  readonly timeout: number
  /** The most requests of one audit. */
  readonly most: number
  /** Default: one that knows secrets by the names of their fields. */
  readonly mask?: Mask
}

/** The most bytes of a body that are read. */
const MOST_BYTES = 1024 * 1024
/** The longest that an audit waits because a server asks it to, in seconds, and how often it does. */
const LONGEST_WAIT = 20
const MOST_WAITS = 3
/** Requests in a row that are unanswered before the audit waits less for the next ones. */
const MOST_SILENCES = 3

export function createHttp({
  handler,
  origins,
  pause,
  timeout,
  most,
  mask = createMask(),
}: HttpOptions): Http {
  let exchanges: Exchange[] = []
  let recalled: Exchange | null = null
  const shownOf = new WeakMap<Answer, Exchange>()
  let sent = 0
  let silences = 0
  let turn: Promise<unknown> = Promise.resolve()
  const lookup = createLookup()
  const usual: Handler = handler ?? ((request) => sendOverNetwork(request, { lookup }))
  const elsewhere = createElsewhere(usual, {
    isHandler: handler !== undefined,
    isLoopback: [...origins].every((origin) =>
      /^http:\/\/(?:127\.0\.0\.1|localhost)(?::|$)/.test(origin),
    ),
  })

  /** Resolves when the next request may be sent. */
  function next(): Promise<void> {
    const mine = turn.then(() => (pause > 0 ? wait(pause) : undefined))
    turn = mine
    return mine
  }

  async function once(
    url: URL,
    { method = 'GET', headers = {}, body, isElsewhere = false }: SendOptions,
  ) {
    if (!origins.has(url.origin))
      throw new Stop(
        notReached(
          `${url.origin} is another origin than the one that is audited: if both are one server, audit it by the origin of its metadata`,
        ),
      )
    if (url.username !== '' || url.password !== '')
      throw new Stop(notReached(`${url.pathname} is named by a URL with a user name or a password`))
    if (sent >= most) throw new Stop(notReached(`the audit has sent its ${most} requests`))
    await next()
    sent += 1
    // At a server that hangs, each check would wait as long as the first one.
    const patience = silences < MOST_SILENCES ? timeout : timeout / 10
    const signal = AbortSignal.timeout(patience)
    const request = new Request(url, {
      method,
      headers: { ...(handler !== undefined && { host: url.host }), ...headers },
      redirect: 'manual',
      signal,
      ...(body !== undefined && { body }),
    })
    const shown = { method, url, headers, body }
    try {
      const response = await within(
        patience,
        Promise.resolve((isElsewhere ? elsewhere.send : usual)(request)).then(async (given) => {
          if ((given as Response | undefined) === undefined)
            throw new Error('the handler returned nothing')
          return { given, text: await readText(given, method) }
        }),
      )
      const answer = answerOf(url, response.given, response.text)
      const exchange = { request: showRequest(shown, mask), answer: showAnswer(answer, mask) }
      silences = 0
      shownOf.set(answer, exchange)
      exchanges.push(exchange)
      return answer
    } catch (error) {
      const isLate = error === LATE || signal.aborted
      if (isLate) silences += 1
      const why = isLate ? `no whole answer came within ${patience / 1000} s` : causeOf(error)
      exchanges.push({ request: showRequest(shown, mask), answer: `no answer: ${why}` })
      throw new Stop(notReached(`${method} ${url.pathname} was not answered: ${why}`), {
        cause: error,
      })
    }
  }

  return {
    async send(target, options = {}) {
      const url = new URL(target)
      for (let waits = 0; ; waits++) {
        const again = waits === 0 ? undefined : await options.renewed?.()
        const answer = await once(url, again ?? options)
        const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
        if (answer.status !== 429 || options.keepsLimit === true) return answer
        if (!(seconds <= LONGEST_WAIT) || waits === MOST_WAITS)
          throw new Stop(
            notReached(`the server limits requests: ${answer.status} at ${url.pathname}`),
          )
        await wait(seconds * 1000)
      }
    },
    decide: (answer) => {
      const exchange = shownOf.get(answer)
      if (exchange !== undefined)
        exchanges = [...exchanges.filter((one) => one !== exchange), exchange]
    },
    begin: () => {
      exchanges = []
      recalled = null
    },
    recall: (exchange) => {
      recalled = exchange
    },
    exchanges: () => (exchanges.length > 0 || recalled === null ? exchanges : [recalled]),
    timeout,
    sent: () => sent,
    isApart: elsewhere.isApart,
  }
}

/** The error that `within` rejects with. */
export const LATE: Error = new Error('it took too long')

/** Rejects if the promise takes longer, since a handler in this process need not listen to a signal. */
export async function within<Value>(milliseconds: number, promise: Promise<Value>): Promise<Value> {
  const ends = new AbortController()
  try {
    return await Promise.race([
      promise,
      wait(milliseconds, undefined, { signal: ends.signal }).then(() => {
        throw LATE
      }),
    ])
  } finally {
    ends.abort()
    // If it lost the race.
    promise.catch(() => undefined)
  }
}

async function readText(response: Response, method: string): Promise<string> {
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

function answerOf(url: URL, { status, headers }: Response, text: string): Answer {
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

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  // OpenSSL names the thread, the number and the line of its own code as well.
  if (message.includes(':SSL routines:')) return `TLS: ${message.split(':')[5]}`
  if (!(cause instanceof Error)) return message
  // A name with two addresses fails with two errors, and with no message of its own.
  const { code } = cause as NodeJS.ErrnoException
  return `${message}: ${cause.message === '' ? (code ?? cause.name) : cause.message}`
}

/** Header lines that say something of most requests and answers, and of no requirement. */
const DULL = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'server',
  'transfer-encoding',
])

/** Headers that say the most: a report may show the first lines only. */
const FIRST = ['location', 'www-authenticate']

const showHeaders = (headers: Iterable<readonly [string, string]>): string =>
  [...headers]
    .filter(([name]) => !DULL.has(name.toLowerCase()))
    .toSorted(([one], [other]) => Number(FIRST.includes(other)) - Number(FIRST.includes(one)))
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')

function showRequest(
  {
    method,
    url,
    headers,
    body = '',
  }: {
    method: string
    url: URL
    headers: Readonly<Record<string, string>>
    body: string | undefined
  },
  mask: Mask,
): string {
  const head = `${method} ${url.pathname}${url.search}\n${showHeaders(Object.entries(headers))}`
  return mask.hide(head) + showBody(body, mask)
}

const showAnswer = ({ status, headers, text }: Answer, mask: Mask): string =>
  mask.hide(`${status}\n${showHeaders(headers)}`) + showBody(text, mask)

/** Characters of a body that are shown, and those in which secrets are looked for before. */
const SHOWN = 1500
const SEARCHED = 64 * 1024

function showBody(text: string, mask: Mask): string {
  if (text === '') return ''
  const hidden = mask.hide(text.slice(0, SEARCHED))
  return `\n${hidden.length > SHOWN ? `${hidden.slice(0, SHOWN)}… (${text.length} characters)` : hidden}`
}
