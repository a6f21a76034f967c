import { queryOf } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Endpoint, Outgoing } from '../http/exchange.js'
import type { Answer } from '../http/frame.js'
import { refuse } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import {
  approveByMemory,
  DENIED,
  denyPending,
  EXPIRED,
  issueCode,
  type Issuer,
  redirectRefusal,
} from './approval.js'
import { type Asked, findApprover } from './approver.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { createPageEndpoint } from './error-format.js'
import { viewOf } from './client-view.js'
import { approveByHand, type ConsentParts, decideAnswer, loadConsentView } from './consent-form.js'
import type { SignInView } from './interact.js'
import { PATHS } from '../site/paths.js'
import { loadWaiting, type Waiting } from './waiting.js'

/** One visit of the page of a pending request. */
interface Visit {
  readonly context: Context
  readonly waiting: Waiting
}

/** A visit of a person who is signed in, and may be asked. */
type AskedVisit = Visit & { readonly who: Asked }

/** The parts of a configuration that ask a person, and end a request. */
type Parts = ConsentParts & Issuer

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
  const { interact, stepUpLinks } = configuration
  const stepUp = stepUpLinks ? interact.stepUp!.createPage(configuration) : null

  // A form passes the same checks as a visit before its decision is read, so a sign-out or a lost role applies to it too.
  return createPageEndpoint(configuration, 'interaction', async (context, form) => {
    const { incoming } = context
    if (stepUp !== null && queryOf(incoming.target).has('add')) return stepUp(context, form)
    const found = await loadWaiting(configuration, context)
    if (!found.ok) return found
    const { waiting } = found
    const who = await findApprover(configuration, incoming, waiting)
    if (!who.ok) return showSignIn(configuration, { context, waiting, cause: who.cause })
    const asked = { context, waiting, who }
    return form === null
      ? showConsent(configuration, asked)
      : answer(configuration, { ...asked, form })
  })
}

/** Shows the sign-in page, to which the browser of a person who cannot sign in is not sent for ever. */
async function showSignIn(
  configuration: Parts,
  { context, waiting, cause }: Visit & Pick<SignInView, 'cause'>,
): Promise<Answer> {
  const { client, request, interactionId, pendingIdHash } = waiting
  context.note({ type: 'page', page: 'sign_in', blocked: null })
  const page = await configuration.interact.signIn(context.incoming.request(), {
    returnTo: `${PATHS.interaction}/${interactionId}`,
    client: viewOf(client, request.redirectUri, configuration),
    cause,
    loginHint: request.loginHint,
    uiLocales: request.uiLocales,
  })
  // If the session of a sign-in never arrives, the browser would be sent back and forth for ever. Where the page
  // is the response itself, it also comes after each wrong password.
  const cost = page.headers.has('location') ? REDIRECT_COST : 1
  const spent = await context.payer.spend(['signInsOfRequest', pendingIdHash, { cost }])
  return spent.ok ? page : cause === 'suspended' ? SUSPENDED : REPEATED
}

/**
 * Continues with a remembered consent, or shows the consent page.
 *
 * A person without the necessary role still sees the page, which explains it. The form then reports that cause to the
 * client, not `person_denied`.
 */
async function showConsent(configuration: Parts, asked: AskedVisit): Promise<Answer> {
  const { context, waiting, who } = asked
  const { signedIn, blocked } = who
  const approved = blocked ?? (await approveByMemory(configuration, { ...waiting, signedIn }))
  if (approved.ok)
    return (await issueCode(configuration, context, approved.approval, waiting)) ?? EXPIRED
  const shown = blocked && { error: blocked.error, reason: blocked.reason }
  context.note({ type: 'page', page: 'consent', blocked: shown })
  return consentPage(configuration, asked)
}

/** Shows the consent page, also again to a person who left no scope. */
async function consentPage(
  configuration: Parts,
  { context, waiting, who }: AskedVisit,
  notice: 'nothing_left' | null = null,
): Promise<Response> {
  const view = await loadConsentView(configuration, waiting, who, notice)
  return configuration.interact.consent(context.incoming.request(), view)
}

/**
 * Reads the decision of a consent form and ends the request. Of two forms that are sent at the same time, the store
 * ends the request for one, and the other gets the error page.
 */
async function answer(
  configuration: Parts,
  asked: AskedVisit & { form: FormParameters },
): Promise<Answer> {
  const { context, waiting: question, who, form } = asked
  const decided = decideAnswer(configuration, { incoming: context.incoming, form, question, who })
  if (!decided.ok)
    return decided.reason === 'consent_empty'
      ? consentPage(configuration, asked, 'nothing_left')
      : decided
  const { scopes, pastes } = decided
  const { client, request, pendingIdHash: idHash } = question
  if (scopes === null || who.blocked !== null) {
    const { clientId } = client
    const denied = { idHash, clientId, ends: 'authorization request' }
    const gone = await denyPending(configuration, context, who, denied)
    return gone ?? redirectRefusal(configuration, request, who.blocked ?? DENIED)
  }
  const approved = await approveByHand(configuration, question, who, {
    request: { ...request, scopes },
    until: form.all('until'),
  })
  if (!approved.ok) return approved
  const redirect = await issueCode(configuration, context, approved.approval, question)
  if (redirect === null) return EXPIRED
  return pastes ? showAddress(configuration, { ...asked, redirect }) : redirect
}

/** Shows the address of a redirect. The page has a code, so nothing may store it. */
async function showAddress(
  configuration: Parts,
  { context, waiting: { client, request }, redirect }: Visit & { redirect: Outgoing },
): Promise<Response> {
  const page = await configuration.interact.pasteAddress!(context.incoming.request(), {
    client: viewOf(client, request.redirectUri, configuration),
    address: redirect.headers[redirect.headers.indexOf('location') + 1]!,
    codeSeconds: configuration.codeSeconds,
    uiLocales: request.uiLocales,
  })
  const headers = new Headers(page.headers)
  headers.set('cache-control', 'no-store')
  return new Response(page.body, { status: page.status, headers })
}
