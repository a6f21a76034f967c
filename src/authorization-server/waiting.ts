import { equalText } from '../encoding/equal-text.js'
import type { Context } from '../http/context.js'
import { type Incoming, pathOf } from '../http/exchange.js'
import type { AuthorizationRequest } from '../policy/authorization-request.js'
import { type Client, disabledReason } from '../policy/client.js'
import { type Decision, refuse } from '../policy/decision.js'
import { parseLoopbackUri } from '../policy/loopback-redirect.js'
import { decideRedirectUri } from '../policy/redirect-uri.js'
import { decideScopes } from '../policy/scope-audience.js'
import { hashBrowserId, readBrowserId } from '../site/browser-id.js'
import type { Site } from '../site/site.js'
import type { PendingAuthorization } from '../store/records.js'
import { isBefore } from '../time/seconds.js'
import { hashToken } from '../token/opaque.js'
import { EXPIRED, grantIdOf } from './approval.js'
import type { SignInParts } from './approver.js'
import type { Question } from './consent-form.js'

/**
 * A pending request of this browser, with the current state of its client. {@link loadWaiting} creates it
 * anew for every HTTP request, and the redirect URI and the scopes were checked again.
 */
export interface Waiting extends Question {
  readonly pendingIdHash: string
  /** The grant to which the request leads. */
  readonly grantId: string
  readonly requestedAt: number
  readonly hintedHash: string | null
  readonly request: AuthorizationRequest
}

/**
 * Finds the pending request that the path names, and checks in this order: expiry, browser, client,
 * redirect URI, scopes. The browser is checked before the client, so a forwarded URL reveals nothing about
 * the request.
 *
 * The stored redirect URI is not trusted until it is compared with the client as it is now. Therefore
 * every refusal is shown on a page and none is redirected. A refusal ends nothing: the request remains
 * until it expires.
 *
 * Only a visit of the browser that started the request belongs to its flow, so that no one who has the URL changes
 * what a watcher records about it.
 */
export async function loadWaiting(
  configuration: SignInParts,
  context: Context,
): Promise<Decision<{ waiting: Waiting }>> {
  const { store, now, issuer, interact, loopbackHosts, scopes: registry } = configuration
  const { incoming } = context
  const interactionId = interactionIdOf(incoming)
  const idHash = hashToken(interactionId)
  const grantId = grantIdOf(idHash)
  const pending = await store.findPending(idHash)
  const browserId = readBrowserId(incoming, issuer)
  const isOfBrowser =
    browserId !== null &&
    pending !== null &&
    equalText(hashBrowserId(browserId), pending.browserHash)
  // The browser of a request that is over is not known any more.
  if (pending === null) context.operation = 'ended'
  if (pending === null || isOfBrowser) context.flow = grantId
  context.clientId = pending?.clientId ?? null
  if (pending === null || !isBefore(now(), pending.expiresAt)) return EXPIRED
  if (!isOfBrowser)
    return refuse(
      'access_denied',
      'interaction_of_other_browser',
      'this request was started in another browser: go back to the app and start again',
    )
  const asking = await findAsking(configuration, pending)
  if (!asking.ok) return asking
  const { client } = asking
  const redirect = decideRedirectUri({
    redirectUri: pending.redirectUri,
    registered: client.redirectUris,
    loopbackHosts,
  })
  if (!redirect.ok) return redirect
  const scoped = decideScopes({ scopes: pending.scopes, client, registry })
  if (!scoped.ok) return scoped
  context.client = client
  return {
    ok: true,
    waiting: {
      interactionId,
      pendingIdHash: idHash,
      grantId,
      browserId,
      requestedAt: pending.createdAt,
      hintedHash: pending.hintedHash,
      client,
      request: { ...pending, redirectUri: redirect.redirectUri },
      // Only of a loopback redirect URI: a redirect would leave it in the address bar, where no program of this computer
      // takes it.
      mayPaste:
        interact.pasteAddress !== undefined &&
        parseLoopbackUri(pending.redirectUri, loopbackHosts) !== null,
    },
  }
}

/** Finds the client of a page. It may have been changed, disabled or deleted while the person read the page. */
export async function findAsking(
  { findClient }: Site,
  { clientId }: PendingAuthorization,
): Promise<Decision<{ client: Client }>> {
  const client = await findClient(clientId)
  if (client === null)
    return refuse('invalid_client', 'client_unknown', 'this app is no longer registered')
  if (client.disabled)
    return refuse('invalid_client', disabledReason(client), 'this app is turned off')
  return { ok: true, client }
}

/** Returns the identifier at the end of the path. */
function interactionIdOf({ target }: Incoming): string {
  const path = pathOf(target)
  return path.slice(path.lastIndexOf('/') + 1)
}
