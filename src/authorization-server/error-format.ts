import type { ErrorFormat } from '../http/frame.js'
import { describe, errorBody, failureBody, json } from '../http/respond.js'
import type { AccessRefusal } from '../policy/bearer.js'
import type { Refusal } from '../policy/decision.js'
import { challengeFor } from '../protected-resource/gate.js'
import type { AuthorizationServerConfiguration } from './configuration.js'

type Words = Pick<AuthorizationServerConfiguration, 'issuer' | 'errorUris'>

/** How the endpoints that clients call say no: 401 where a client is not who it says, else 400. */
export const clientErrors = ({ issuer, errorUris }: Words): ErrorFormat => ({
  refusal(refusal, { incoming }) {
    const { error } = refusal
    const body = errorBody(error, describe(refusal), errorUris)
    if (error !== 'invalid_client') return json(400, body)
    // A challenge only for whoever tried the header: others would take it for an invitation.
    return incoming.header('authorization') === null
      ? json(401, body)
      : json(401, body, ['www-authenticate', `Basic realm="${issuer}"`])
  },
  failure: (failure) => json(failure.status, failureBody(failure, errorUris)),
})

/** How UserInfo says no: as every resource does. */
export const tokenErrors = (words: Words): ErrorFormat<AccessRefusal> => ({
  refusal: (refusal) => challengeFor(refusal, words),
  failure: clientErrors(words).failure,
})

/** How the endpoints that people visit say no: by the host's page. */
export const pageErrors = (configuration: AuthorizationServerConfiguration): ErrorFormat => ({
  refusal(refusal, { incoming, requestId }) {
    const { error, reason } = refusal
    // Nobody guesses secrets on this page, so it may say what is wrong with a client.
    const description = refusal.description ?? describe(refusal)
    const view = { status: statusOf(refusal), error, reason, description, requestId }
    return configuration.interact.error(incoming.request(), view)
  },
  failure: clientErrors(configuration).failure,
})

function statusOf({ error, reason }: Refusal): number {
  if (reason === 'request_too_long') return 414
  if (error === 'temporarily_unavailable') return 503
  return error === 'access_denied' ? 403 : 400
}
