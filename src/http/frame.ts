import type { Refusal } from '../policy/decision.js'
import { ClockSkew, StorageFailure } from '../store/guard.js'
import { Context, type SiteHooks } from './context.js'
import {
  type Endpoint,
  endpointFrom,
  type HeaderList,
  type Incoming,
  isOutgoing,
  type Outgoing,
  pathOf,
} from './exchange.js'
import { type Lost, NOTHING_LOST, wordsOf } from './uses.js'

/** A method that an endpoint may accept. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An expected failure of HTTP itself, such as method, media type or size, or an outage. */
export interface Failure {
  readonly ok: false
  readonly status: 400 | 403 | 404 | 405 | 413 | 415 | 500 | 503
  /** One sentence for the client's developer. */
  readonly description: string
  /** Further headers of the response. */
  readonly headers?: HeaderList
  /** With 405: the methods that the endpoint accepts, as `Allow` lists them. */
  readonly allow?: string
}

/** Builds the error responses of one API. `Refused`: the refusals that its endpoints return. */
export interface ErrorFormat<in Refused extends Refusal = Refusal> {
  readonly refusal: (
    refusal: Refused,
    context: Context,
  ) => Outgoing | Response | Promise<Outgoing | Response>
  /** Must not throw: it also builds the response to an exception. */
  readonly failure: (
    failure: Failure,
    context: Context,
  ) => Outgoing | Response | Promise<Outgoing | Response>
}

/** Which pages of other origins may call an endpoint from a browser (CORS). */
export interface CorsPolicy {
  /** Returns the CORS headers of a response. Without any, only pages of the same origin may read it. */
  readonly headersFor: (incoming: Incoming) => HeaderList
}

/** The properties of an endpoint that its frame needs. */
export interface Frame<in Refused extends Refusal = Refusal> {
  /** Name of the endpoint for the hooks. */
  readonly name: string
  /**
   * Accepted methods; `GET` includes `HEAD`. `routed`: they depend on the path, and the endpoint checks
   * them.
   */
  readonly methods: readonly Method[] | 'routed'
  readonly cors: CorsPolicy | null
  readonly errors: ErrorFormat<Refused>
  /** Whether a successful response is public and may be cached, so that it has no request identifier. */
  readonly isPublic?: boolean
}

/** The result of an endpoint, from which the frame makes the response. */
export type Answer<Refused extends Refusal = Refusal> = Outgoing | Response | Refused | Failure

/**
 * Builds the CORS headers with which pages may read a response. Credentials are never allowed, because
 * these endpoints do not use cookies.
 *
 * @param origin - the origin of the pages; by default, any
 */
export const readableBy = (exposed: string, origin = '*'): HeaderList => [
  'access-control-allow-origin',
  origin,
  'access-control-expose-headers',
  exposed,
]

/** The CORS headers of most endpoints: pages of any origin may read the response. */
export const OPEN_HEADERS: HeaderList = readableBy('WWW-Authenticate, Retry-After, X-Request-Id')

/** The CORS policy of most endpoints: pages of any origin may call them. */
export const OPEN: CorsPolicy = { headersFor: () => OPEN_HEADERS }

/** The frame of a public document: `GET` from any origin, with a response that may be cached. */
export const PUBLIC: Pick<Frame, 'methods' | 'cors' | 'isPublic'> = {
  methods: ['GET'],
  cors: OPEN,
  isPublic: true,
}

/**
 * Creates an endpoint from `serve`, within the frame that all endpoints share. The frame handles preflight
 * requests, `HEAD` and methods that are not allowed. It reports refusals and exceptions to the hooks of
 * the site, turns both into the error format of the API, and adds the request identifier.
 */
export function createEndpoint<Refused extends Refusal>(
  hooks: SiteHooks,
  frame: Frame<Refused>,
  serve: (context: Context) => Promise<Answer<Refused>>,
): Endpoint {
  const { around } = hooks.watcher
  return endpointFrom((incoming) => {
    const context = new Context(hooks, frame.name, incoming)
    return around === undefined
      ? respond(frame, context, serve)
      : respondWithin(around, context, () => respond(frame, context, serve))
  })
}

async function respond<Refused extends Refusal>(
  frame: Frame<Refused>,
  context: Context,
  serve: (context: Context) => Promise<Answer<Refused>>,
): Promise<Outgoing | Response> {
  try {
    return finish(frame, context, await answer(frame, context, serve))
  } catch (fault) {
    context.notifyFault(fault)
    const failure = failureOf(fault, context.incoming, await context.settle(fault))
    return finish(frame, context, await failed(frame, context, failure))
  }
}

/** Responds within a call of the watchers. The response waits for none of them, and they see only its status. */
function respondWithin(
  around: NonNullable<SiteHooks['watcher']['around']>,
  context: Context,
  run: () => Promise<Outgoing | Response>,
): Promise<Outgoing | Response> {
  let responded: Promise<Outgoing | Response> | null = null
  const once = (): Promise<Outgoing | Response> => (responded ??= run())
  around(context.visit, async () => (await once()).status)
  return once()
}

async function answer<Refused extends Refusal>(
  frame: Frame<Refused>,
  context: Context,
  serve: (context: Context) => Promise<Answer<Refused>>,
): Promise<Outgoing | Response> {
  const { methods, cors } = frame
  const answered =
    methods === 'routed' || isAmong(context.incoming.method, methods)
      ? await serve(context)
      : notAllowed(methods, cors !== null)
  if ('body' in answered) {
    if (frame.isPublic === true && context.isWatched)
      context.note({ type: 'document', path: pathOf(context.incoming.target) })
    return answered
  }
  if (!('error' in answered)) {
    // The client has disconnected, or its request could not be read.
    await context.settle()
    context.note({ type: 'failure', status: answered.status, description: answered.description })
    return failed(frame, context, answered)
  }
  if (answered.isReported !== true) context.notifyRefusal(answered)
  const { retryAfterSeconds, headers } = answered
  const refusal = retryAfterSeconds === undefined ? answered : await toRepeat(answered, context)
  const refused = await frame.errors.refusal(refusal, context)
  const more =
    retryAfterSeconds === undefined ? headers : ['retry-after', String(retryAfterSeconds)]
  return more === undefined ? refused : withHeaders(refused, more)
}

/** Gives back what a request has used up that may be sent again later. */
async function toRepeat<Refused extends Refusal>(
  refusal: Refused,
  context: Context,
): Promise<Refused> {
  const words = wordsOf(await context.settle())
  return words === '' ? refusal : { ...refusal, description: `${refusal.description}${words}` }
}

async function failed(
  { cors, errors }: Frame<never>,
  context: Context,
  failure: Failure,
): Promise<Outgoing | Response> {
  if (failure.allow !== undefined && cors !== null && context.incoming.method === 'OPTIONS')
    return preflight(failure.allow)
  return withHeaders(await errors.failure(failure, context), failure.headers ?? [])
}

/** Adds the CORS headers and the request identifier to a response. */
function finish(
  { cors, isPublic = false }: Frame<never>,
  context: Context,
  answered: Outgoing | Response,
): Outgoing | Response {
  const { incoming } = context
  const isHead = incoming.method === 'HEAD'
  const ofOrigin = cors?.headersFor(incoming) ?? []
  const isUnnamed = isPublic && answered.status < 400
  const headers = isUnnamed ? ofOrigin : ofOrigin.concat('x-request-id', context.requestId)
  if (!isOutgoing(answered)) return extended(answered, context.completed(headers), isHead)
  const { status, body } = answered
  const all = context.completed(answered.headers.concat(headers))
  return { status, headers: all, body: isHead ? null : body }
}

const withHeaders = (answered: Outgoing | Response, more: HeaderList): Outgoing | Response =>
  isOutgoing(answered)
    ? { ...answered, headers: [...answered.headers, ...more] }
    : extended(answered, more, false)

/** Copies a response with further headers, because those of a redirect or of a `fetch` are immutable. */
function extended(response: Response, more: HeaderList, isHead: boolean): Response {
  const headers = new Headers(response.headers)
  for (let index = 0; index < more.length; index += 2) headers.set(more[index]!, more[index + 1]!)
  const { status, statusText, body } = response
  return new Response(isHead ? null : body, { status, statusText, headers })
}

const isAmong = (method: string, methods: readonly string[]): boolean =>
  methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))

/** Returns the failure of a request whose method is not one of these. */
export function notAllowed(methods: readonly Method[], hasCors: boolean = true): Failure {
  const more = [...(methods.includes('GET') ? ['HEAD'] : []), ...(hasCors ? ['OPTIONS'] : [])]
  const allow = [...methods, ...more].join(', ')
  const description = `use ${methods.join(', ').replace(/, (\w+)$/, ' or $1')}`
  return { ok: false, status: 405, description, headers: ['allow', allow], allow }
}

/**
 * The failure of a request whose client has disconnected before something was written for it. No one receives
 * the response, and no hook is called.
 */
export const CLIENT_GONE: Failure = {
  ok: false,
  status: 400,
  description: 'the connection closed before the response',
}

/**
 * The response to a preflight, for any header: an endpoint with a CORS policy reads no cookies. The asterisk does not
 * cover Authorization (Fetch standard).
 */
const preflight = (allow: string): Outgoing => ({
  status: 204,
  headers: [
    'access-control-allow-headers',
    'Authorization, *',
    'access-control-allow-methods',
    allow,
    'access-control-max-age',
    '86400',
  ],
  body: null,
})

/**
 * Returns the failure for an exception. It tells the client only whether to try again, and what it has to fetch anew.
 *
 * @param incoming - a proof of a key is for one request, and is never given back (RFC 9449, section 4.2)
 */
export const failureOf = (
  fault: unknown,
  incoming: Pick<Incoming, 'header'> | null = null,
  { anew, doubtful }: Lost = NOTHING_LOST,
): Failure =>
  fault instanceof StorageFailure || fault instanceof ClockSkew
    ? {
        ok: false,
        status: 503,
        description: `the service is temporarily unavailable: try again shortly${wordsOf({
          anew: (incoming?.header('dpop') ?? null) === null ? anew : [...anew, 'DPoP proof'],
          doubtful,
        })}`,
        headers: ['retry-after', '5'],
      }
    : { ok: false, status: 500, description: 'an unexpected error occurred' }
