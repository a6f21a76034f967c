import { readForm } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import { type Answer, createEndpoint, type ErrorFormat, type Failure } from '../http/frame.js'
import { describe, errorBody, failureBody, json } from '../http/respond.js'
import type { AccessRefusal } from '../policy/bearer.js'
import type { Refusal } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import { challengeFor } from '../protected-resource/gate.js'
import { isLookAhead, NOTHING } from './browser.js'
import type { AuthorizationServerConfiguration } from './block.js'

type Words = Pick<AuthorizationServerConfiguration, 'issuer' | 'errorUris'>
type ResourceWords = Words & Pick<AuthorizationServerConfiguration, 'senderConstraint'>

interface ClientErrors extends ErrorFormat {
  readonly failure: (failure: Failure) => Outgoing
}

/**
 * Builds the error responses of the endpoints that clients call: 401 for a failed authentication, 429 for a
 * spent budget, else 400 (RFC 6749, section 5.2).
 *
 * The reason is never sent. The description of `invalid_grant` is the same for every reason, and that of
 * `invalid_client` for all that have the same request, because details would help an attacker who guesses.
 */
export const clientErrors = ({ issuer, errorUris }: Words): ClientErrors => ({
  refusal(refusal, { incoming }) {
    const { error } = refusal
    const body = errorBody(error, describe(refusal), errorUris)
    if (refusal.retryAfterSeconds !== undefined) return json(429, body)
    if (error !== 'invalid_client') return json(400, body)
    // Only a client that sent the header gets a challenge, of its scheme. Others would take it as a request to use it.
    const sent = incoming.header('authorization')
    if (sent === null) return json(401, body)
    const scheme = /^[a-z]{1,16}(?= )/i.exec(sent)?.[0] ?? 'Basic'
    return json(401, body, ['www-authenticate', `${scheme} realm="${issuer}"`])
  },
  failure: (failure) => json(failure.status, failureBody(failure, errorUris)),
})

/**
 * Builds the error responses of UserInfo, which are those of a protected resource: each refusal has a
 * Bearer challenge (OpenID Connect Core 1.0, section 5.3.3).
 */
export const tokenErrors = (words: ResourceWords): ErrorFormat<AccessRefusal> => ({
  refusal: (refusal, { incoming }) =>
    challengeFor(refusal, { ...words, authorization: incoming.header('authorization') }),
  failure: clientErrors(words).failure,
})

/** Every refusal is a page of the host. */
interface PageErrors extends ErrorFormat {
  readonly refusal: (...of: Parameters<ErrorFormat['refusal']>) => Response | Promise<Response>
}

/**
 * Builds the error responses of the endpoints that people visit, with the error page of the host
 * application.
 *
 * An outage, which is 503, has that page too if the request accepts HTML. Every other failure is JSON, such
 * as 405, or 503 after an exception in the error page itself.
 */
export function pageErrors(configuration: AuthorizationServerConfiguration): PageErrors {
  const { interact, notifyFault } = configuration
  const { failure: asJson } = clientErrors(configuration)
  return {
    refusal(refusal, { incoming, requestId, labels }) {
      const { error, reason } = refusal
      // No secret can be guessed on this page, so it may show what is wrong with a client.
      const description = refusal.description ?? describe(refusal)
      const view = {
        status: statusOf(refusal),
        error,
        reason,
        description,
        requestId,
        ...labels,
      }
      return interact.error(incoming.request(), view)
    },
    async failure(failure, { endpoint, incoming, requestId, labels }) {
      const { status, description } = failure
      const acceptsHtml = incoming.header('accept')?.includes('text/html') === true
      if (status !== 503 || !acceptsHtml) return asJson(failure)
      const error = 'temporarily_unavailable'
      const reason = 'service_unavailable'
      const view = { status, error, reason, description, requestId, ...labels } as const
      try {
        return await interact.error(incoming.request(), view)
      } catch (fault) {
        notifyFault(endpoint, fault, requestId)
        return asJson(failure)
      }
    },
  }
}

/**
 * Returns the status of an error page. An unknown client gets 400, not 401, because the person at the
 * browser has no credentials of the client.
 */
function statusOf({ error, reason, retryAfterSeconds }: Refusal): number {
  if (reason === 'request_too_long') return 414
  if (retryAfterSeconds !== undefined) return 429
  return error === 'access_denied' ? 403 : 400
}

/**
 * Creates an endpoint that people visit: it answers no speculative request, and shows the error page of the host.
 *
 * @param serve - `form`: the form that was sent; `null` for `GET`. It is read before the host application receives the
 *   request, because the body can be read only once
 */
export const createPageEndpoint = (
  configuration: AuthorizationServerConfiguration,
  name: string,
  serve: (context: Context, form: FormParameters | null) => Promise<Answer>,
): Endpoint =>
  createEndpoint(
    configuration,
    { name, methods: ['GET', 'POST'], cors: null, errors: pageErrors(configuration) },
    async (context) => {
      const { incoming } = context
      if (isLookAhead(incoming)) return NOTHING
      if (incoming.method !== 'POST') return serve(context, null)
      const form = await readForm(incoming)
      return form.ok ? serve(context, form.parameters) : form
    },
  )
