import type { AuthorizationServer } from 'hallpass'
import type { Endpoint, EndpointName } from 'hallpass/authorization-server'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import type { Limits, RateName } from './limits.js'
import { type RequestContext, withContext } from './request-context.js'
import { within } from './within.js'

/** An endpoint with its rate limit, which applies however the path of a request is spelled. */
export type LimitedEndpoint = (request: Request, context: RequestContext) => Promise<Response>

/**
 * Prepares to find the grant or the person that a credential of a request belongs to; `null` if it has none that is
 * known. Returns the request to pass on as well.
 */
type Identify = (request: Request) => Promise<{
  readonly findHolder: () => Promise<string | null>
  readonly request: Request
}>

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
  store: Tokens
  refusals: Refusals
}): Limiter {
  const person = personBy(store)
  const grant = grantBy(store)

  function limited(
    endpoint: Endpoint,
    [name, identify, refuse]: readonly [RateName, Identify, Refuse],
    isLimited: (request: Request) => boolean = () => true,
  ): LimitedEndpoint {
    if (ofEndpoint === null) return (request) => endpoint(request)
    return async (received, context) => {
      // A preflight has neither a token nor a body. The request after it is counted.
      if (received.method === 'OPTIONS' || !isLimited(received)) return endpoint(received)
      const { findHolder, request } = await identify(received)
      const { headers } = received
      const seconds = await ofEndpoint(name, { address: context.address, headers }, findHolder)
      return seconds === 0 ? endpoint(withContext(request, context)) : refuse(request, seconds)
    }
  }

  return {
    server: (server) => ({
      ...server,
      ...ofBlocks(server),
      token: limited(server.token, ['token', grant, refusals.json]),
      authorize: limited(server.authorize, ['authorize', nobody, refusals.page]),
      introspect: limited(server.introspect, ['introspect', grant, refusals.json]),
      revoke: limited(server.revoke, ['revoke', grant, refusals.json]),
      register: limited(server.register, ['register', nobody, refusals.json]),
      userinfo: limited(server.userinfo, ['userinfo', person, refusals.json]),
    }),
    graphql: (graphql) => limited(graphql, ['graphql', person, refusals.graphql]),
    mcp: (mcp) =>
      limited(
        mcp,
        ['anonymousMcp', nobody, refusals.mcp],
        ({ headers }) => !headers.has('authorization'),
      ),
  }
}

/** The endpoints of opt-in blocks, whose names are their paths. They limit themselves, by the sender of a request. */
const ofBlocks = (server: AuthorizationServer): Readonly<Record<string, LimitedEndpoint>> =>
  Object.fromEntries(
    Object.entries(server)
      .filter(([name]) => name.startsWith('/'))
      .map(([path, endpoint]) => [
        path,
        (request: Request, context: RequestContext) => endpoint(withContext(request, context)),
      ]),
  )

const nobody: Identify = async (request) => ({ findHolder: async () => null, request })

/** The methods of the store that the limits use. */
type Tokens = Pick<Store, 'findAccessToken' | 'findRefreshToken' | 'findCode'>

/** How long a limit waits for the store, to learn whose a token is. */
const PATIENCE_MILLISECONDS = 250

/** Waits for the store. If it fails or hangs, no holder is known, and the endpoint responds to that. */
const ask = <Found>(found: Promise<Found | null>): Promise<Found | null> =>
  within(PATIENCE_MILLISECONDS, found).catch(() => null)

/** Identifies the person behind an access token. */
const personBy =
  (store: Tokens): Identify =>
  async (request) => {
    const [, token] =
      /^(?:bearer|dpop) +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const findHolder = async (): Promise<string | null> => {
      if (token === undefined) return null
      return (await ask(store.findAccessToken(hashToken(token))))?.grant.subject ?? null
    }
    return { findHolder, request }
  }

/** Identifies the grant of the code or token in a form. */
const grantBy =
  (store: Tokens): Identify =>
  async (received) => {
    const { form, request } = await peek(received)
    const hashOf = (field: string): string | null => {
      const value = form?.get(field)
      return value ? hashToken(value) : null
    }
    const [code, refreshToken, token] = ['code', 'refresh_token', 'token'].map(hashOf)
    const find = async (): Promise<string | null> => {
      if (code) return (await store.findCode(code))?.grantId ?? null
      if (refreshToken) return (await store.findRefreshToken(refreshToken))?.grant.grantId ?? null
      if (!token) return null
      const found = (await store.findAccessToken(token)) ?? (await store.findRefreshToken(token))
      return found?.grant.grantId ?? null
    }
    return { findHolder: () => ask(find()), request }
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
