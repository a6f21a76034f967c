import { randomBase64url } from '../encoding/random.js'
import { queryOf } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Endpoint, Incoming, Outgoing } from '../http/exchange.js'
import { type Answer, createEndpoint } from '../http/frame.js'
import {
  type AuthorizationRequest,
  decideAuthorizationRequest,
} from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import { type Refusal, refuse } from '../policy/decision.js'
import { hashToken } from '../token/opaque.js'
import { approveByMemory, findApprover, issueCode, redirectRefusal } from './approval.js'
import {
  browserCookie,
  hashBrowserId,
  isLookAhead,
  newBrowserId,
  NOTHING,
  readBrowserId,
} from './browser.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import { createClientResolver } from './cimd-resolver.js'
import { pageErrors } from './error-format.js'
import { PATHS } from './paths.js'

const MAX_TARGET_LENGTH = 8192
const MAX_PARAMETERS = 100
const UNNAMED = { ok: true, client: null } as const

/**
 * The authorization endpoint. A valid request is kept and the browser goes on to the interaction
 * endpoint, where the person signs in and decides; with `prompt=none` the answer comes at once.
 *
 * @see RFC 6749 §4.1.1; OAuth 2.1 §4.1.1; OpenID Connect Core §3.1.2
 */
export function createAuthorizationEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { scopes: registry, resource, requireState, defaultScopes, loopbackHosts } = configuration
  const policy = { registry, resource, requireState, defaultScopes, loopbackHosts }
  const resolveClient = createClientResolver(configuration)

  async function authorize(context: Context): Promise<Answer> {
    const { incoming } = context
    if (isLookAhead(incoming)) return NOTHING
    const { target } = incoming
    if (
      target.length > MAX_TARGET_LENGTH ||
      target.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS
    )
      return refuse('invalid_request', 'request_too_long', 'the request is longer than 8192 characters or has more than 100 parameters')
    const parameters = queryOf(target)
    const clientId = parameters.single('client_id')
    context.clientId = clientId
    const found = clientId === null ? UNNAMED : await resolveClient(clientId)
    if (!found.ok) return found
    const { client } = found
    const decided = decideAuthorizationRequest({ parameters, client, policy })
    if (!decided.ok) {
      if (decided.redirect === null) return decided
      context.notifyRefusal(decided)
      return redirectRefusal(configuration, decided.redirect, decided)
    }
    const { request } = decided
    configuration.onEvent({
      type: 'oauth.authorization.requested',
      at: configuration.now(),
      clientId: request.clientId,
      scopes: request.scopes,
    })
    return request.prompt.includes('none')
      ? answerSilently(configuration, context, { client: client!, request })
      : keepPending(configuration, incoming, request)
  }

  const errors = pageErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'authorize', methods: ['GET'], cors: null, errors },
    authorize,
  )
}

async function answerSilently(
  configuration: AuthorizationServerConfiguration,
  context: Context,
  { client, request }: { client: Client; request: AuthorizationRequest },
): Promise<Outgoing> {
  const refusing = (refusal: Refusal): Outgoing => {
    context.notifyRefusal(refusal)
    return redirectRefusal(configuration, request, refusal)
  }
  const approver = await findApprover(configuration, {
    signedIn: await configuration.interact.currentPerson(context.incoming.request()),
    client,
    request,
    requestedAt: configuration.now(),
  })
  if (!approver.ok) return refusing(approver)
  const { signedIn } = approver
  const approved = await approveByMemory(configuration, { client, request, signedIn })
  if (!approved.ok) return refusing(approved)
  const redirect = await issueCode(configuration, approved.approval, null)
  // Nothing was kept that could be gone.
  return redirect ?? refusing(refuse('server_error', 'code_not_issued'))
}

async function keepPending(
  { store, now, randomBytes, interactionSeconds, issuer }: AuthorizationServerConfiguration,
  incoming: Incoming,
  request: AuthorizationRequest,
): Promise<Outgoing> {
  const createdAt = now()
  const id = randomBase64url(randomBytes)
  const browserId = readBrowserId(incoming, issuer) ?? newBrowserId(randomBytes)
  await store.savePending({
    ...request,
    idHash: hashToken(id),
    browserHash: hashBrowserId(browserId),
    createdAt,
    expiresAt: createdAt + interactionSeconds,
  })
  return {
    status: 303,
    headers: [
      'location', `${PATHS.interaction}/${id}`,
      'set-cookie', browserCookie(browserId, issuer),
      'cache-control', 'no-store',
      'referrer-policy', 'no-referrer',
    ], // prettier-ignore
    body: null,
  }
}
