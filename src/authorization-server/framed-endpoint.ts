import { type Endpoint, endpointFrom, type Incoming, type Outgoing } from '../http/exchange.js'
import { type Frame, framed } from '../http/respond.js'
import type { OAuthErrorCode } from '../policy/refusals.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import type { ErrorUris } from './error-uri.js'

/**
 * An endpoint of an authorization server in its frame: what it throws is told to the host, and the
 * body of each error names the page about it.
 *
 * @param options - `name`: for `onFault`
 * @see RFC 6749 §5.2
 */
export function createFramedEndpoint(
  { errorUris, notifyFault }: AuthorizationServerConfiguration,
  { name, ...frame }: Frame & { readonly name: string },
  handle: (incoming: Incoming) => Promise<Outgoing | Response>,
): Endpoint {
  const answer = framed(frame, handle, (fault) => notifyFault(name, fault))
  return endpointFrom(
    errorUris === null
      ? answer
      : async (incoming) => withErrorUri(await answer(incoming), errorUris),
  )
}

// Here rather than where an error is made: that may be a gate, the reader of a body or the frame,
// and each of them also serves APIs that have no such page. A `Response` is the host's own.
function withErrorUri(answer: Outgoing | Response, errorUris: ErrorUris): Outgoing | Response {
  if (answer instanceof Response || answer.status < 400 || answer.body === null) return answer
  const told = JSON.parse(answer.body) as { readonly error: OAuthErrorCode }
  return { ...answer, body: JSON.stringify({ ...told, error_uri: errorUris[told.error] }) }
}
