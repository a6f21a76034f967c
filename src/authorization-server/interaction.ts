import { equalText } from '../encoding/equal-text.js'
import { queryOf, readForm } from '../http/body.js'
import type { Context } from '../http/context.js'
import { type Endpoint, type Incoming, type Outgoing, pathOf } from '../http/exchange.js'
import { type Answer, createEndpoint } from '../http/frame.js'
import type { AuthorizationRequest } from '../policy/authorization-request.js'
import { disabledReason } from '../policy/client.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import { decideGrantEnd } from '../policy/consent.js'
import { decideRedirectUri } from '../policy/redirect-uri.js'
import type { RefusalReason } from '../policy/refusals.js'
import { NOT_APPROVED } from '../policy/role.js'
import { decideScopes } from '../policy/scope-audience.js'
import { hashHinted } from '../token/id-token-hint.js'
import { hashToken } from '../token/opaque.js'
import { hasEnded, isBefore } from '../time/seconds.js'
import {
  approveByHand,
  approveByMemory,
  type Approver,
  EXPIRED,
  findApprover,
  grantIdOf,
  issueCode,
  NOT_HINTED,
  redirectRefusal,
} from './approval.js'
import { isLookAhead, NOTHING } from './browser.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { pageErrors } from './error-format.js'
import { viewOf } from './client-view.js'
import { canPaste, consentView, decideAnswer, type Question } from './consent-form.js'
import type { GrantEnd, SignInView } from './interact.js'
import { PATHS } from '../site/paths.js'
import { hashBrowserId, readBrowserId } from '../site/browser-id.js'

/**
 * A pending request of this browser, with the current state of its client. {@link findWaiting} creates it
 * anew for every HTTP request, and the redirect URI and the scopes were checked again.
 */
interface Waiting extends Question {
  readonly idHash: string
  readonly createdAt: number
  readonly hintedHash: string | null
  readonly request: AuthorizationRequest
}

/** How much of `signInsOfRequest` a redirect to a sign-in page costs: three of them are all of it. */
const REDIRECT_COST = 4

const REPEATED = refuse(
  'invalid_request',
  'sign_in_repeated',
  'you have come back from the sign-in page again and again, and are still not signed in here: allow cookies for this site, or tell its administrators',
)

const SUSPENDED = refuse(
  'access_denied',
  'person_suspended',
  'the account that you are signed in with may not be used here: sign in with another one, or ask the administrators of this site',
)

const SIGN_IN_CAUSES: Readonly<Partial<Record<RefusalReason, SignInView['cause']>>> = {
  sign_in_not_fresh: 'again',
  scope_needs_sign_in: 'sensitive',
}

/**
 * Creates the interaction endpoint, at which a pending authorization request continues until the person
 * has decided. `GET` shows the sign-in or consent page, and `POST` receives the consent form.
 *
 * The path ends with the identifier of the request. It works only in the browser that started the request,
 * which has a cookie for it.
 *
 * The client, its redirect URI and its scopes are checked again on every visit. If two forms are sent at the
 * same time, one completes the request, and the other gets your error page with `interaction_expired`.
 *
 * With `add` in its query, it is a step-up link: the path ends with the identifier of a grant, and the person
 * can add these scopes to it. It needs `stepUpLinks` of the site and `stepUp` of `interact`.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @returns an endpoint for `GET` and `POST`: one of your pages, or a redirect to the client with a code or
 *   an error
 * @see [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2)
 * @see [RFC 6749, section 10.12](https://www.rfc-editor.org/rfc/rfc6749#section-10.12)
 * @group Authorization
 * @example An unknown request: the person sees your error page
 * ```ts
 * import { configureAuthorizationServer, createInteractionEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site, refusals } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const configuration = configureAuthorizationServer(site, { keys, interact })
 * const interaction = createInteractionEndpoint(configuration)
 *
 * const url = 'https://school.example/oauth/interaction/unknown'
 * const response = await interaction(new Request(url))
 * await response.text() // => 'your page'
 * refusals.at(-1)?.reason // => 'interaction_expired'
 * ```
 */
export function createInteractionEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { interact, store, stepUpLinks } = configuration
  const stepUp = stepUpLinks ? interact.stepUp!.createPage(configuration) : null

  /**
   * Continues one request. The order is: the pending request, the sign-in, the roles, then a remembered
   * consent or the page. A form passes the same checks before its decision is read, so a sign-out or a
   * lost role applies to it too.
   *
   * A person without the necessary role still sees the consent page, which explains it. The form then
   * reports that cause to the client, not `person_denied`.
   *
   * A remembered consent is used for `GET` only. Of two forms that are sent at the same time, the store
   * ends the request for one, and the other gets the error page.
   */
  async function interaction(context: Context): Promise<Answer> {
    const { incoming } = context
    if (isLookAhead(incoming)) return NOTHING
    // Read before the host application receives the request, because the body can be read only once.
    const form = incoming.method === 'POST' ? await readForm(incoming) : null
    if (form?.ok === false) return form
    if (stepUp !== null && queryOf(incoming.target).has('add'))
      return stepUp(context, form?.parameters ?? null)
    const grantId = grantIdOf(hashToken(interactionIdOf(incoming)))
    const found = await findWaiting(configuration, context, grantId)
    if (!found.ok) return found
    const { waiting } = found
    const { client, request } = waiting
    context.client = client

    const approver = await findApprover(configuration, {
      incoming,
      client,
      request,
      requestedAt: waiting.createdAt,
      isHinted: (subject) =>
        waiting.hintedHash === null ||
        waiting.hintedHash === hashHinted(waiting.interactionId, subject),
    })
    if (!approver.ok && approver.error === 'login_required') {
      context.note({ type: 'page', page: 'sign_in', blocked: null })
      const page = await interact.signIn(incoming.request(), {
        returnTo: `${PATHS.interaction}/${waiting.interactionId}`,
        client: viewOf(client, request.redirectUri, configuration),
        cause:
          approver === NOT_HINTED
            ? 'other_account'
            : 'cause' in approver
              ? approver.cause
              : (SIGN_IN_CAUSES[approver.reason] ?? 'signed_out'),
        loginHint: request.loginHint,
        uiLocales: request.uiLocales,
      })
      // If the session of a sign-in never arrives, the browser would be sent back and forth for ever. Where the page
      // is the response itself, it also comes after each wrong password.
      const isSuspended = 'cause' in approver && approver.cause === 'suspended'
      const cost = page.headers.has('location') ? REDIRECT_COST : 1
      const spent = await context.payer.spend(['signInsOfRequest', waiting.idHash, { cost }])
      return spent.ok ? page : isSuspended ? SUSPENDED : REPEATED
    }
    const who = approver.ok ? approver : 'approver' in approver ? approver.approver : null
    if (who === null) return approver as Refusal
    const blocked = approver.ok ? null : approver
    const shown = blocked && { error: blocked.error, reason: blocked.reason }

    if (form === null) {
      if (blocked === null) {
        const { signedIn } = who
        const approved = await approveByMemory(configuration, { client, request, signedIn })
        if (approved.ok) {
          const redirect = await issueCode(configuration, context, approved.approval, {
            grantId,
            pendingIdHash: waiting.idHash,
          })
          return redirect ?? EXPIRED
        }
      }
      context.note({ type: 'page', page: 'consent', blocked: shown })
      return showConsent(incoming, waiting, who, { blocked })
    }

    const answer = decideAnswer(
      configuration,
      incoming,
      form.parameters,
      waiting,
      who,
      canPaste(configuration, waiting),
    )
    if (!answer.ok)
      return answer.reason === 'consent_empty'
        ? showConsent(incoming, waiting, who, { blocked, notice: 'nothing_left' })
        : answer
    if (answer.scopes !== null && blocked === null) {
      const ended = decideGrantEnd({
        until: form.parameters.all('until'),
        offered: await grantEndsFor(configuration, waiting, who),
      })
      if (!ended.ok) return ended
      const approval = approveByHand({
        grantEndsAt: ended.grantEndsAt,
        client,
        request: { ...request, scopes: answer.scopes },
        signedIn: who.signedIn,
      })
      const redirect = await issueCode(configuration, context, approval, {
        grantId,
        pendingIdHash: waiting.idHash,
      })
      if (redirect === null) return EXPIRED
      return answer.pastes ? showAddress(incoming, waiting, redirect) : redirect
    }
    const { events, tell } = context.announce({
      type: 'oauth.authorization.denied',
      at: configuration.now(),
      clientId: client.clientId,
      subject: who.signedIn.subject,
    })
    context.uses.useWithChange('authorization request')
    if ((await store.endPending(waiting.idHash, events)) === 'gone') return EXPIRED
    const refusal = blocked ?? DENIED
    context.notifyRefusal(refusal)
    tell()
    return redirectRefusal(configuration, request, refusal)
  }

  async function showConsent(
    incoming: Incoming,
    waiting: Waiting,
    who: Approver,
    state: { blocked: Refusal | null; notice?: 'nothing_left' },
  ): Promise<Response> {
    const granted = await grantedScopes(configuration, waiting, who)
    const grantEnds = state.blocked === null ? await grantEndsFor(configuration, waiting, who) : []
    const view = consentView(configuration, waiting, who, {
      ...state,
      granted,
      grantEnds,
      mayPaste: canPaste(configuration, waiting),
    })
    return interact.consent(incoming.request(), view)
  }

  /** Shows the address of a redirect. The page has a code, so nothing may store it. */
  async function showAddress(
    incoming: Incoming,
    { client, request }: Waiting,
    redirect: Outgoing,
  ): Promise<Response> {
    const page = await interact.pasteAddress!(incoming.request(), {
      client: viewOf(client, request.redirectUri, configuration),
      address: redirect.headers[redirect.headers.indexOf('location') + 1]!,
      codeSeconds: configuration.codeSeconds,
      uiLocales: request.uiLocales,
    })
    const headers = new Headers(page.headers)
    headers.set('cache-control', 'no-store')
    return new Response(page.body, { status: page.status, headers })
  }

  const errors = pageErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'interaction', methods: ['GET', 'POST'], cors: null, errors },
    interaction,
  )
}

// Enough to find the scopes that a person has granted already; more grants rarely add any.
const MAX_GRANTS = 100

/** The refusal of a person who pressed Cancel. */
export const DENIED: Refusal<'person_denied'> = refuse(
  'access_denied',
  'person_denied',
  NOT_APPROVED,
)

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
async function findWaiting(
  {
    store,
    now,
    issuer,
    findClient,
    loopbackHosts,
    scopes: registry,
  }: AuthorizationServerConfiguration,
  context: Context,
  grantId: string,
): Promise<Decision<{ waiting: Waiting }>> {
  const { incoming } = context
  const interactionId = interactionIdOf(incoming)
  const idHash = hashToken(interactionId)
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
  // The client may have been changed, disabled or deleted while the person read the page.
  const client = await findClient(pending.clientId)
  if (client === null)
    return refuse('invalid_client', 'client_unknown', 'this app is no longer registered')
  if (client.disabled)
    return refuse('invalid_client', disabledReason(client), 'this app is turned off')
  const redirect = decideRedirectUri({
    redirectUri: pending.redirectUri,
    registered: client.redirectUris,
    loopbackHosts,
  })
  if (!redirect.ok) return redirect
  const scoped = decideScopes({ scopes: pending.scopes, client, registry })
  if (!scoped.ok) return scoped
  return {
    ok: true,
    waiting: {
      interactionId,
      idHash,
      browserId,
      createdAt: pending.createdAt,
      hintedHash: pending.hintedHash,
      client,
      request: { ...pending, redirectUri: redirect.redirectUri },
    },
  }
}

/** Returns the identifier at the end of the path. */
function interactionIdOf({ target }: Incoming): string {
  const path = pathOf(target)
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns the scopes that the person has granted to the client already. */
export async function grantedScopes(
  { store, now }: AuthorizationServerConfiguration,
  { client: { clientId } }: Question,
  { signedIn: { subject } }: Approver,
): Promise<ReadonlySet<string>> {
  const held = await store.listGrants({
    of: { clientId, subject },
    after: null,
    limit: MAX_GRANTS,
    now: now(),
  })
  return new Set(held.flatMap(({ grant }) => grant.scopes))
}

/** Returns the ends that this person may choose for the client and that have not passed. */
export async function grantEndsFor(
  configuration: AuthorizationServerConfiguration,
  { client, request }: Question,
  { person }: Approver,
): Promise<readonly GrantEnd[]> {
  const view = viewOf(client, request.redirectUri, configuration)
  const ends = await configuration.grantEnds({ client: view, person })
  return ends.filter(({ endsAt }) => !hasEnded(endsAt, configuration.now()))
}
