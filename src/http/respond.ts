import type { Refusal } from '../policy/decision.js'
import { StorageFailure } from '../store/guard.js'
import type { Incoming, Outgoing } from './exchange.js'

type Headers = Readonly<Record<string, string | readonly string[]>>

/** Any origin may call, never with credentials: these endpoints know no cookies. */
export const CORS: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After',
}

const PREFLIGHT: Headers = {
  ...CORS,
  'access-control-allow-headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  'access-control-max-age': '86400',
}

/** For answers that hold or depend on a secret (RFC 6749 §5.1). */
export const NO_STORE: Headers = { 'cache-control': 'no-store', pragma: 'no-cache' }

const JSON_HEADERS: Headers = {
  ...CORS,
  ...NO_STORE,
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

/** A JSON answer that is not cached. */
export function json(status: number, body: unknown, headers?: Headers): Outgoing {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: JSON.stringify(body),
  }
}

/** One text for each error that must not say more, lest it help somebody who guesses. */
const GENERIC: Readonly<Partial<Record<Refusal['error'], string>>> = {
  invalid_grant:
    'the grant is invalid, expired, revoked or was issued for another request: sign in again',
  invalid_client: 'the client is unknown or its authentication failed',
  invalid_token:
    'the access token is missing, malformed, expired, revoked or was issued for another resource',
}

/** What a client reads of a refusal. The reason stays inside. */
export function describe(refusal: Refusal): string {
  return GENERIC[refusal.error] ?? refusal.description ?? refusal.error.replaceAll('_', ' ')
}

/** A refusal as an RFC 6749 §5.2 body. */
export function refused(refusal: Refusal, status: number, headers?: Headers): Outgoing {
  return json(status, { error: refusal.error, error_description: describe(refusal) }, headers)
}

/** What an endpoint's frame needs to know. */
export interface Frame {
  /** Methods the endpoint answers; `HEAD` comes with `GET`. */
  readonly methods: readonly ('GET' | 'POST')[]
  /** Whether other origins may call it from a browser. */
  readonly cors: boolean
}

/**
 * Puts the parts that are the same everywhere around an endpoint: methods, preflight, `HEAD`, and
 * what happens when something throws.
 *
 * @param onFault - told of what was thrown; the answer never shows it
 */
export function framed(
  frame: Frame,
  handle: (incoming: Incoming) => Promise<Outgoing | Response>,
  onFault: (fault: unknown) => void,
): (incoming: Incoming) => Promise<Outgoing | Response> {
  const methods: readonly string[] = frame.methods
  const allow = [
    ...methods,
    ...(methods.includes('GET') ? ['HEAD'] : []),
    ...(frame.cors ? ['OPTIONS'] : []),
  ]
  const allowHeader = allow.join(', ')

  async function answer(incoming: Incoming): Promise<Outgoing | Response> {
    const { method } = incoming
    try {
      if (methods.includes(method)) return await handle(incoming)
      if (method === 'HEAD' && methods.includes('GET')) return withoutBody(await handle(incoming))
    } catch (fault) {
      onFault(fault)
      return answerFault(fault)
    }
    if (method === 'OPTIONS' && frame.cors)
      return {
        status: 204,
        headers: { ...PREFLIGHT, 'access-control-allow-methods': allowHeader },
        body: null,
      }
    return json(
      405,
      { error: 'invalid_request', error_description: `use ${methods.join(' or ')}` },
      { allow: allowHeader },
    )
  }
  return frame.cors ? answer : async (incoming) => withoutCors(await answer(incoming))
}

function withoutCors(answer: Outgoing | Response): Outgoing | Response {
  if (answer instanceof Response) return answer
  const headers = { ...answer.headers }
  for (const name of Object.keys(CORS)) delete headers[name]
  return { ...answer, headers }
}

function withoutBody(answer: Outgoing | Response): Outgoing | Response {
  return answer instanceof Response
    ? new Response(null, { status: answer.status, headers: answer.headers })
    : { ...answer, body: null }
}

/** The answer when something threw. It never shows what. */
export function answerFault(fault: unknown): Outgoing {
  return fault instanceof StorageFailure
    ? json(
        503,
        { error: 'temporarily_unavailable', error_description: 'try again shortly' },
        { 'retry-after': '5' },
      )
    : json(500, { error: 'server_error', error_description: 'something went wrong here' })
}
