import { type Exchange, notReached, Stop } from '../finding.js'
import { type Answer, answerOf, readText } from './answer.js'
import { clock } from './clock.js'
import { createElsewhere } from './elsewhere.js'
import { createMask, type Mask } from './mask.js'
import { showAnswer, showRequest } from './show.js'
import { createLookup, type Handler, sendOverNetwork } from './network.js'

export { type Answer, readObject } from './answer.js'

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
  /** Sends it also after the end, to remove what an audit created. It is not counted. Default: `false`. */
  readonly isLast?: boolean
  /** Makes a request anew that is sent again, if it has what is used once. Default: none. */
  readonly renewed?: () => Promise<SendOptions>
}

/** Thrown where the server was slow or closed the connection: what was only so now may be answered later. */
export class Unanswered extends Stop {}

/** Sends requests, one at a time unless a check sends several together. */
export interface Http {
  readonly send: (target: URL | string, options?: SendOptions) => Promise<Answer>
  /** Whether requests may go to the origin of a URL. */
  readonly reaches: (url: URL) => boolean
  /** Milliseconds after which a request is unanswered. */
  readonly timeout: number
  /** How many were sent, without those of the end. */
  readonly sent: () => number
  /** Sends nothing more but what removes what there is. */
  readonly close: () => void
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
  /** Called before a wait for a limit, with its seconds. Default: none. */
  readonly onWait?: ((seconds: number) => void) | undefined
}

/** How often a request waits because the server limits requests, and the most seconds: once, and of a whole audit. */
const MOST_WAITS = 3
const LONGEST_WAIT = 60
const MOST_WAITED = 300
/** Requests in a row that are unanswered before the audit waits less for the next ones. */
const MOST_SILENCES = 3

export function createHttp({
  handler,
  origins,
  pause,
  timeout,
  most,
  mask = createMask(),
  onWait,
}: HttpOptions): Http {
  let sent = 0
  let waited = 0
  let silences = 0
  let isClosed = false
  let turn: Promise<unknown> = Promise.resolve()
  const lookup = createLookup()
  const usual: Handler = handler ?? ((request) => sendOverNetwork(request, { lookup }))
  const elsewhere = createElsewhere(usual, {
    isHandler: handler !== undefined,
    isLoopback: [...origins].every((one) => /^http:\/\/(?:127\.0\.0\.1|localhost)(?::|$)/.test(one)), // prettier-ignore
  })

  /** Resolves when the next request may be sent. */
  function next(): Promise<void> {
    const mine = turn.then(() => (pause > 0 ? clock.wait(pause) : undefined))
    turn = mine
    return mine
  }

  async function once(
    url: URL,
    { method = 'GET', headers = {}, body, isElsewhere = false, isLast = false }: SendOptions,
  ) {
    if (!origins.has(url.origin))
      throw new Stop(
        notReached(
          `${url.origin} was not named, and nothing is sent there: if it belongs to the server, give --origin ${url.origin}`,
        ),
      )
    if (url.username !== '' || url.password !== '')
      throw new Stop(notReached(`${url.pathname} is named by a URL with a user name or a password`))
    if (sent >= most && !isLast)
      throw new Stop(notReached(`the audit has sent its ${most} requests`))
    await next()
    if (isClosed && !isLast) throw new Stop(notReached('the audit has ended'))
    if (!isLast) sent += 1
    // At a server that hangs, each check would wait as long as the first one.
    const patience = silences < MOST_SILENCES ? timeout : timeout / 10
    const late = new AbortController()
    const request = new Request(url, {
      method,
      headers: { ...(handler !== undefined && { host: url.host }), ...headers },
      redirect: 'manual',
      signal: late.signal,
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
      silences = 0
      const answer = answerOf(url, response.given, response.text)
      const exchange = { request: showRequest(shown, mask), answer: showAnswer(answer, mask) }
      return { ...answer, exchange }
    } catch (error) {
      const isLate = error === LATE
      if (isLate) {
        silences += 1
        late.abort()
      }
      const why = isLate ? `no whole answer came within ${patience / 1000} s` : causeOf(error)
      const exchange: Exchange = { request: showRequest(shown, mask), answer: `no answer: ${why}` }
      const found = notReached(`${method} ${url.pathname} was not answered: ${why}`, { exchange })
      throw isLate || codeOf(error) === 'ECONNRESET'
        ? new Unanswered(found, { cause: error })
        : new Stop(found, { cause: error })
    }
  }

  /** Asks again once, if the server was slow and the request changes nothing. */
  async function patiently(url: URL, options: SendOptions): Promise<Answer> {
    try {
      return await once(url, options)
    } catch (error) {
      const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(options.method ?? 'GET')
      if (!isSafe || !(error instanceof Unanswered) || silences >= MOST_SILENCES) throw error
      return once(url, (await options.renewed?.()) ?? options)
    }
  }

  return {
    async send(target, options = {}) {
      const url = new URL(target)
      for (let waits = 0; ; waits++) {
        const again = waits === 0 ? undefined : await options.renewed?.()
        const answer = await patiently(url, again ?? options)
        const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
        if (answer.status !== 429 || options.keepsLimit === true) return answer
        const isBrief = seconds <= LONGEST_WAIT && waited + seconds <= MOST_WAITED
        if (!isBrief || waits === MOST_WAITS)
          throw new Stop(
            notReached(`the server limits requests: ${answer.status} at ${url.pathname}`, answer),
          )
        waited += seconds
        onWait?.(seconds)
        await clock.wait(seconds * 1000)
      }
    },
    reaches: ({ origin }) => origins.has(origin),
    timeout,
    sent: () => sent,
    close() {
      isClosed = true
    },
    isApart: elsewhere.isApart,
  }
}

/** The error that `within` rejects with. */
export const LATE: Error = new Error('it took too long')

/** Rejects if the promise takes longer, since a handler in this process need not listen to a signal. */
export const within = <Value>(milliseconds: number, promise: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(LATE), milliseconds)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })

/** The code of an error of the system, such as `ECONNRESET`. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as NodeJS.ErrnoException
  return code ?? (cause as NodeJS.ErrnoException | undefined)?.code
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  // OpenSSL names the thread, the number and the line of its own code as well.
  if (message.includes(':SSL routines:')) return `TLS: ${message.split(':')[5]}`
  if (/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(codeOf(error) ?? ''))
    return `TLS: ${message}: name the file with the certificate of its authority in NODE_EXTRA_CA_CERTS`
  if (!(cause instanceof Error)) return message
  // A name with two addresses fails with two errors, and with no message of its own.
  const { code } = cause as NodeJS.ErrnoException
  return `${message}: ${cause.message === '' ? (code ?? cause.name) : cause.message}`
}
