import type { Refusal } from '../policy/decision.js'
import { StorageFailure } from '../store/guard.js'
import { Context, type Witness } from './context.js'
import { type Endpoint, endpointFrom, type HeaderList, type Incoming, type Outgoing } from './exchange.js' // prettier-ignore

/** A method that an endpoint may have. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A no of HTTP itself: method, media type, size, load; or an outage. */
export interface Failure {
  readonly ok: false
  readonly status: 400 | 403 | 404 | 405 | 413 | 415 | 500 | 503
  /** One sentence for the client's developer. */
  readonly description: string
  /** What the answer says beside it. */
  readonly headers?: HeaderList
  /** With 405: the methods that are there, as `Allow` lists them. */
  readonly allow?: string
}

/** How an API says no. `Refused`: the refusals that its endpoints return. */
export interface ErrorFormat<in Refused extends Refusal = Refusal> {
  readonly refusal: (
    refusal: Refused,
    context: Context,
  ) => Outgoing | Response | Promise<Outgoing | Response>
  readonly failure: (failure: Failure, context: Context) => Outgoing
}

/** Which pages of other origins may call an endpoint from a browser. */
export interface CorsPolicy {
  /** Says with each answer who may read it; none = nobody. */
  readonly headersFor: (incoming: Incoming) => HeaderList
  /** What a page may send: the value of `access-control-allow-headers`. */
  readonly allowHeaders: string
}

/** What an endpoint's frame has to know. */
export interface Frame<in Refused extends Refusal = Refusal> {
  /** For the hooks. */
  readonly name: string
  /** `HEAD` comes with `GET`. `routed`: the endpoint goes by its path, and says {@link notAllowed} itself. */
  readonly methods: readonly Method[] | 'routed'
  readonly cors: CorsPolicy | null
  readonly errors: ErrorFormat<Refused>
  /** What it answers with success is for everybody and may be cached, so it names no request. */
  readonly isPublic?: boolean
}

/** What an endpoint hands to its frame. */
export type Answer<Refused extends Refusal = Refusal> = Outgoing | Response | Refused | Failure

/**
 * Lets pages read an answer, never with credentials: such endpoints know no cookies.
 *
 * @param origin - whose; by default, everybody's
 */
export const readableBy = (exposed: string, origin = '*'): HeaderList => [
  'access-control-allow-origin',
  origin,
  'access-control-expose-headers',
  exposed,
]

/** What pages of any origin may read of most endpoints. */
export const OPEN_HEADERS: HeaderList = readableBy('WWW-Authenticate, Retry-After, X-Request-Id')

/** What pages of any origin may send to most endpoints, and read. */
export const OPEN: CorsPolicy = {
  headersFor: () => OPEN_HEADERS,
  allowHeaders: 'Authorization, Content-Type, MCP-Protocol-Version',
}

/** The frame of what anybody may read and keep: one method, any origin. */
export const PUBLIC: Pick<Frame, 'methods' | 'cors' | 'isPublic'> = {
  methods: ['GET'],
  cors: OPEN,
  isPublic: true,
}

/**
 * Makes an endpoint: what `serve` does, in the frame that stands around all of them. The frame answers
 * preflights, `HEAD` and methods that are not there, tells the host of refusals and of what is thrown,
 * says both in the words of the API, and names the request.
 */
export function createEndpoint<Refused extends Refusal>(
  witness: Witness,
  frame: Frame<Refused>,
  serve: (context: Context) => Promise<Answer<Refused>>,
): Endpoint {
  return endpointFrom(async (incoming) => {
    const context = new Context(witness, frame.name, incoming)
    try {
      return finish(frame, context, await answer(frame, context, serve))
    } catch (fault) {
      context.notifyFault(fault)
      return finish(frame, context, failed(frame, context, failureOf(fault)))
    }
  })
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
  if ('body' in answered) return answered
  if (!('error' in answered)) return failed(frame, context, answered)
  context.notifyRefusal(answered)
  return frame.errors.refusal(answered, context)
}

function failed({ cors, errors }: Frame<never>, context: Context, failure: Failure): Outgoing {
  if (failure.allow !== undefined && cors !== null && context.incoming.method === 'OPTIONS')
    return preflight(cors, failure.allow)
  const { headers, ...said } = errors.failure(failure, context)
  return { ...said, headers: [...headers, ...(failure.headers ?? [])] }
}

/** Says of an answer who may read it and which request it is of. */
function finish(
  { cors, isPublic = false }: Frame<never>,
  context: Context,
  answered: Outgoing | Response,
): Outgoing | Response {
  const { incoming } = context
  const isHead = incoming.method === 'HEAD'
  const headers = [
    ...(cors?.headersFor(incoming) ?? []),
    ...(isPublic && answered.status < 400 ? [] : ['x-request-id', context.requestId]),
  ]
  if (answered instanceof Response) return extended(answered, headers, isHead)
  const { status, body } = answered
  return { status, headers: [...answered.headers, ...headers], body: isHead ? null : body }
}

/** The same response with further headers. Those of a redirect, or of a `fetch`, cannot be set. */
function extended(response: Response, more: HeaderList, isHead: boolean): Response {
  const headers = new Headers(response.headers)
  for (let index = 0; index < more.length; index += 2) headers.set(more[index]!, more[index + 1]!)
  const { status, statusText, body } = response
  return new Response(isHead ? null : body, { status, statusText, headers })
}

const isAmong = (method: string, methods: readonly string[]): boolean =>
  methods.includes(method) || (method === 'HEAD' && methods.includes('GET'))

/** The failure of a request whose method is not among these. */
export function notAllowed(methods: readonly Method[], hasCors: boolean = true): Failure {
  const more = [...(methods.includes('GET') ? ['HEAD'] : []), ...(hasCors ? ['OPTIONS'] : [])]
  const allow = [...methods, ...more].join(', ')
  const description = `use ${methods.join(', ').replace(/, (\w+)$/, ' or $1')}`
  return { ok: false, status: 405, description, headers: ['allow', allow], allow }
}

const preflight = ({ allowHeaders }: CorsPolicy, allow: string): Outgoing => ({
  status: 204,
  headers: [
    'access-control-allow-headers', allowHeaders,
    'access-control-allow-methods', allow,
    'access-control-max-age', '86400',
  ], // prettier-ignore
  body: null,
})

/** What a client is told of something thrown: no more than whether to try again. */
export const failureOf = (fault: unknown): Failure =>
  fault instanceof StorageFailure
    ? { ok: false, status: 503, description: 'the service is temporarily unavailable: try again shortly', headers: ['retry-after', '5'] }
    : { ok: false, status: 500, description: 'something went wrong here' }
