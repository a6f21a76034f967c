import type { AuthorizationServer } from 'hallpass'
import type { Endpoint, EndpointName } from 'hallpass/authorization-server'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import type { Limits, RateName } from './limits.js'
import { type RequestContext, withContext } from './request-context.js'
import { within } from './within.js'

/** An endpoint with its rate limit, which applies however the path of a request is spelled. */
export type LimitedEndpoint = (request: Request, context: RequestContext) => Promise<Response>

/** Who sent a request: its client or account, or `null`. Returns the request to pass on as well. */
type Identify = (
  request: Request,
) => Promise<{ readonly sender: string | null; readonly request: Request }>

/** Creates the response to a request that must wait. */
type Refuse = (request: Request, retryAfterSeconds: number) => Response

/** The responses of each endpoint to a request that must wait, in its own format. */
export interface Refusals {
  readonly json: Refuse
  readonly page: Refuse
  readonly graphql: Refuse
  readonly mcp: Refuse
}

/** The endpoints of the authorization server with their rate limits. */
export type LimitedServer = Readonly<Record<EndpointName, LimitedEndpoint>>

/** The functions that add the limits of {@link Limits.ofEndpoint} to the endpoints of one site. */
export interface Limiter {
  readonly server: (server: AuthorizationServer) => LimitedServer
  readonly graphql: (graphql: Endpoint) => LimitedEndpoint
  readonly mcp: (mcp: Endpoint) => LimitedEndpoint
}

/** Creates the limiter of one site. */
export function createLimiter({
  ofEndpoint,
  store,
  refusals,
}: {
  ofEndpoint: Limits['ofEndpoint']
  store: Pick<Store, 'findAccessToken'>
  refusals: Refusals
}): Limiter {
  const account = accountBy(store)

  function limited(
    endpoint: Endpoint,
    [name, identify, refuse]: readonly [RateName, Identify, Refuse],
    isLimited: (request: Request) => boolean = () => true,
  ): LimitedEndpoint {
    if (ofEndpoint === null) return (request) => endpoint(request)
    return async (received, context) => {
      // A preflight has neither a token nor a body. The request after it is counted.
      if (received.method === 'OPTIONS' || !isLimited(received)) return endpoint(received)
      const { sender, request } = await identify(received)
      const seconds = await ofEndpoint(name, { sender, address: context.address })
      return seconds === 0 ? endpoint(withContext(request, context)) : refuse(request, seconds)
    }
  }

  return {
    server: (server) => ({
      ...server,
      token: limited(server.token, ['token', clientOf, refusals.json]),
      authorize: limited(server.authorize, ['authorize', clientOf, refusals.page]),
      introspect: limited(server.introspect, ['introspect', clientOf, refusals.json]),
      revoke: limited(server.revoke, ['revoke', clientOf, refusals.json]),
      register: limited(server.register, ['register', nobody, refusals.json]),
      userinfo: limited(server.userinfo, ['userinfo', account, refusals.json]),
    }),
    graphql: (graphql) => limited(graphql, ['graphql', account, refusals.graphql]),
    mcp: (mcp) =>
      limited(
        mcp,
        ['anonymousMcp', nobody, refusals.mcp],
        ({ headers }) => !headers.has('authorization'),
      ),
  }
}

const nobody: Identify = async (request) => ({ sender: null, request })

/** Identifies the client by `client_id`, in the form or the query, or by its Basic credentials. */
const clientOf: Identify = async (received) => {
  const { form, request } = await peek(received)
  const fields = form ?? new URL(request.url).searchParams
  return { sender: fields.get('client_id') ?? basicName(request), request }
}

function basicName({ headers }: Request): string | null {
  const [, credentials] = /^basic +([\w+/=-]+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (credentials === undefined) return null
  return Buffer.from(credentials, 'base64').toString('utf8').split(':', 1)[0]!
}

/** How long a limit waits for the store, to learn whose a token is. */
const PATIENCE_MILLISECONDS = 250

/** Identifies the person behind an access token, or an unknown token by its hash. */
const accountBy =
  (store: Pick<Store, 'findAccessToken'>): Identify =>
  async (request) => {
    const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    if (token === undefined) return { sender: null, request }
    const tokenHash = hashToken(token)
    // If the store fails or hangs, the endpoint responds to that. The limit is then that of the token.
    const found = await within(PATIENCE_MILLISECONDS, store.findAccessToken(tokenHash)).catch(
      () => null,
    )
    return { sender: found?.grant.subject ?? tokenHash, request }
  }

/** The largest form that the endpoints accept. */
const MAX_FORM_BYTES = 16 * 1024

/** Reads a form, and returns a request with the same body. A longer body stays too long for the endpoint. */
async function peek(
  request: Request,
): Promise<{ readonly form: URLSearchParams | null; readonly request: Request }> {
  const { method, headers, signal, body } = request
  const type = headers.get('content-type') ?? ''
  if (body === null || !/^application\/x-www-form-urlencoded *(;|$)/i.test(type))
    return { form: null, request }
  const bytes = await readStart(body)
  return {
    form: new URLSearchParams(bytes.toString('utf8')),
    request: new Request(request.url, { method, headers, signal, body: bytes }),
  }
}

/** Reads a body until it is too long. A body that was cut off is as good as none. */
async function readStart(body: ReadableStream<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_FORM_BYTES) break
    }
  } catch {
    return Buffer.alloc(0)
  }
  return Buffer.concat(chunks)
}
