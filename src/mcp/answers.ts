import type { Outgoing } from '../http/exchange.js'
import type { MessageFault } from './message.js'

/** Headers of an answer. */
export type Headers = Outgoing['headers']

/** Headers that every answer has. Answers depend on the caller, so nobody keeps them. */
export function headersFor({
  origin,
  requestId,
}: {
  /** An origin that may read the answer; `null` = none asked. */
  origin: string | null
  requestId: string
}): Headers {
  return {
    ...(origin !== null && {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After, X-Request-Id',
    }),
    'cache-control': 'no-store',
    vary: 'Authorization, Origin',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  }
}

/** The answer to a browser that asks first. */
export const preflight = (headers: Headers): Outgoing => ({
  status: 204,
  headers: {
    ...headers,
    'access-control-allow-methods': 'POST',
    // Authorization has to be named, whatever the asterisk lets in.
    'access-control-allow-headers': 'Authorization, *',
    'access-control-max-age': '86400',
  },
  body: null,
})

/** A fault as JSON-RPC has it. */
export function rpcFault(
  status: number,
  { code, message }: MessageFault,
  headers: Headers,
  id: string | number | null = null,
): Outgoing {
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }),
  }
}

/** Adds headers to an answer, whoever made it. */
export async function withHeaders(
  answer: Outgoing | Response,
  headers: Headers,
): Promise<Outgoing | Response> {
  if (!(answer instanceof Response))
    return { ...answer, headers: { ...withoutCors(answer.headers), ...headers } }
  const own = { ...Object.fromEntries(answer.headers), ...headers }
  const type = answer.headers.get('content-type') ?? ''
  // One text is cheaper to send than a stream of one piece.
  if (!type.startsWith('text/event-stream'))
    return { status: answer.status, headers: own, body: (await answer.text()) || null }
  const { status, body } = answer
  return new Response(body, { status, headers: own as Record<string, string> })
}

// Which origins may read is said once, by the guard.
function withoutCors({
  'access-control-allow-origin': _origin,
  'access-control-expose-headers': _exposed,
  ...headers
}: Headers): Headers {
  return headers
}
