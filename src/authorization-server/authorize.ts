import { randomBase64url } from '../encoding/random.js'
import { FORM_BODY, queryOf, readText } from '../http/body.js'
import type { Context } from '../http/context.js'
import type { Endpoint, Incoming, Outgoing } from '../http/exchange.js'
import { type Answer, createEndpoint } from '../http/frame.js'
import {
  type AuthorizationRequest,
  decideAuthorizationRequest,
  mayRedirectUnasked,
} from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import { type Refusal, refuse } from '../policy/decision.js'
import type { Spent } from '../site/budget.js'
import { hashHinted, subjectOfHint } from '../token/id-token-hint.js'
import { hashToken } from '../token/opaque.js'
import {
  approveByMemory,
  CONSENT_MISSING,
  grantIdOf,
  issueCode,
  redirectRefusal,
} from './approval.js'
import { findApprover, findSignedIn } from './approver.js'
import {
  browserCookie,
  embeddingOf,
  isLookAhead,
  newBrowserId,
  NOTHING,
  seeOther,
  withBrowserCookie,
} from './browser.js'
import type { AuthorizationServerConfiguration, PresentedRequest } from './block.js'
import { pageErrors } from './error-format.js'
import { PATHS } from '../site/paths.js'
import { detailOfRequest } from './refusal-details.js'
import { hashBrowserId, readBrowserId } from '../site/browser-id.js'
import { memoryOf } from './memory.js'

/** Longest path and query of a request, in characters. It is checked before the query is parsed. */
const MAX_TARGET_LENGTH = 8192
const MAX_PARAMETERS = 100
const TOO_LONG = refuse(
  'invalid_request',
  'request_too_long',
  'the request is longer than 8192 characters or has more than 100 parameters',
)
const EMBEDDED = refuse(
  'invalid_request',
  'request_embedded',
  'a page asked for this as a part of itself, such as a frame or an image: open it in a window',
)
/** The client of a request without a single `client_id`: the policy refuses it. */
const UNNAMED = { ok: true, client: null } as const

/**
 * Creates the authorization endpoint.
 *
 * It stores a valid request and redirects the browser to the interaction endpoint, where the person signs
 * in and decides. With `prompt=none` it redirects to the client immediately, with a code or an error.
 *
 * If the client or the redirect URI is not valid, the person sees the error page of `interact`. The browser
 * is not redirected then, because the target could belong to an attacker. Both are checked before every
 * other parameter, whose errors the client receives by a redirect. A refusal of a client with an unreviewed
 * metadata document is a page as well.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @returns an endpoint for `GET`: a redirect to the interaction endpoint or to the client, or your error page.
 *   A form by `POST` is redirected to the `GET` with the same parameters.
 * @see [RFC 6749, section 4.1.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1)
 * @see [RFC 6749, section 4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1)
 * @see [RFC 9207, section 2](https://www.rfc-editor.org/rfc/rfc9207#section-2)
 * @see [RFC 9700, section 4.11.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2)
 * @see [OpenID Connect Core 1.0, section 3.1.2](https://openid.net/specs/openid-connect-core-1_0.html#AuthorizationEndpoint)
 * @group Authorization
 * @example An unknown client: the person sees your error page
 * ```ts
 * import { configureAuthorizationServer, createAuthorizationEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site, refusals } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const configuration = configureAuthorizationServer(site, { keys, interact })
 * const authorize = createAuthorizationEndpoint(configuration)
 *
 * const url = 'https://school.example/oauth/authorize?client_id=unknown&response_type=code'
 * const response = await authorize(new Request(url))
 * await response.text() // => 'your page'
 * refusals.at(-1)?.reason // => 'client_unknown'
 * ```
 */
export function createAuthorizationEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { scopes: registry, resource, requireState, defaultScopes, loopbackHosts } = configuration
  const policy = { registry, resource, requireState, defaultScopes, loopbackHosts }
  const { pushedRequests } = configuration

  /**
   * Decides one request. A prefetch gets 204 before anything else, because it must neither store a request
   * nor issue a code that the person never sees.
   *
   * The client is resolved before the policy runs, since its redirect URIs decide whether an error may be
   * redirected. A redirected refusal is reported here, because the frame reports only those that it
   * receives. The event is emitted before anyone signs in.
   */
  async function authorize(context: Context): Promise<Answer> {
    const { incoming } = context
    if (isLookAhead(incoming)) return NOTHING
    if (incoming.method === 'POST') return repeatAsGet(incoming)
    let id = randomBase64url(configuration.randomBytes)
    context.flow = grantIdOf(hashToken(id))
    const { target } = incoming
    if (
      target.length > MAX_TARGET_LENGTH ||
      target.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS
    )
      return TOO_LONG
    let parameters = queryOf(target)
    const clientId = parameters.single('client_id')
    context.clientId = clientId
    const pushed =
      (await pushedRequests?.forServer.find(configuration, context, parameters)) ?? null
    if (pushed !== null) {
      if (!('gone' in pushed)) return pushed
      ;({ id, parameters } = pushed)
      context.flow = grantIdOf(hashToken(id))
    }
    const embedding = embeddingOf(incoming)
    const isSilent = parameters.single('prompt') === 'none'
    if (embedding !== null && !(embedding === 'frame' && isSilent)) return EMBEDDED
    await configuration.clock.assertAgrees()
    const found =
      clientId === null
        ? UNNAMED
        : await memoryOf(configuration).resolveClient(clientId, context, {
            knownOnly: embedding !== null,
          })
    if (!found.ok) return found
    const { client } = found
    context.client = client
    const asked = decideAuthorizationRequest({ parameters, client, policy })
    const decided =
      (pushed === null && pushedRequests?.forServer.decideUnpushed(asked, client)) || asked
    if (!decided.ok) {
      context.detail = () => detailOfRequest(decided, { parameters, client, policy })
      return refuseUnasked(configuration, context, client, decided.redirect, decided)
    }
    const named = configuration.senderConstraint?.named(parameters)
    if (named?.ok === false)
      return refuseUnasked(configuration, context, client, decided.request, named)
    const request = named?.boundTo
      ? { ...decided.request, boundTo: named.boundTo }
      : decided.request
    context.resource = request.resource
    const hint = parameters.single('id_token_hint')
    const hinted = hint === null ? null : await subjectOfHint(hint, configuration)
    const hintedHash = pushed?.hintedHash ?? (hinted === null ? null : hashHinted(id, hinted))
    context.notifyEvent({
      type: 'oauth.authorization.requested',
      at: configuration.now(),
      clientId: request.clientId,
      scopes: request.scopes,
    })
    return request.prompt.includes('none')
      ? answerSilently(configuration, context, { client: client!, request, id, hintedHash, pushed })
      : keepPending(configuration, context, { id, request, hintedHash, pushed })
  }

  const errors = pageErrors(configuration)
  /**
   * Makes the browser of a window known where its request is refused as well. A page of anyone may lead a window from one
   * address to the next. All but the first then spend the browser's part of what its network has.
   */
  const refusal: typeof errors.refusal = async (refused, visit) => {
    const answer = await errors.refusal(refused, visit)
    const { issuer, randomBytes } = configuration
    const isOfUnknown =
      embeddingOf(visit.incoming) === null && readBrowserId(visit.incoming, issuer) === null
    return isOfUnknown ? withBrowserCookie(answer, newBrowserId(randomBytes), issuer) : answer
  }
  return createEndpoint(
    configuration,
    {
      name: 'authorize',
      methods: ['GET', 'POST'],
      cors: null,
      errors: { ...errors, refusal },
    },
    authorize,
  )
}

/**
 * Redirects a form to the same request as `GET`. Browsers withhold `SameSite=Lax` cookies from a form that
 * another site posts. The person would seem signed out, and a new browser cookie would replace the old one.
 */
async function repeatAsGet(incoming: Incoming): Promise<Answer> {
  const form = await readText(incoming, FORM_BODY)
  if (!form.ok) return form
  const location = `${PATHS.authorize}?${new URLSearchParams(form.text).toString()}`
  return location.length > MAX_TARGET_LENGTH ? TOO_LONG : seeOther(location)
}

/**
 * Reports a refusal that no person has seen: to the client, or on a page if only a person may send the browser there.
 * The client receives `sent` instead of a refusal that would tell it about the person.
 */
function refuseUnasked(
  configuration: AuthorizationServerConfiguration,
  context: Context,
  client: Client | null,
  to: Parameters<typeof redirectRefusal>[1] | null,
  refusal: Refusal,
  sent = refusal,
): Outgoing | Refusal {
  if (to === null || !mayRedirectUnasked(client!)) return refusal
  context.notifyRefusal(refusal)
  return redirectRefusal(configuration, to, sent)
}

/**
 * Responds to `prompt=none` without a page (OpenID Connect Core 1.0, section 3.1.2.6). The request may come
 * from a hidden frame, so a refusal is a redirect to the client. For an unreviewed document it is an error page.
 *
 * The client receives `login_required`, or `consent_required` for every other cause: the response for a
 * person whose role is not sufficient must not reveal the role. No pending request is stored.
 */
async function answerSilently(
  configuration: AuthorizationServerConfiguration,
  context: Context,
  {
    client,
    request,
    id,
    hintedHash,
    pushed,
  }: {
    client: Client
    request: AuthorizationRequest
    id: string
    hintedHash: string | null
    pushed: PresentedRequest | null
  },
): Promise<Outgoing | Refusal> {
  const pendingIdHash = pushed?.idHash ?? null
  if (pushed !== null) context.uses.useWithChange(PUSHED)
  /** A refusal uses a pushed request up as well. */
  const ending = async (answer: () => Outgoing | Refusal): Promise<Outgoing | Refusal> =>
    pushed !== null && (await configuration.store.endPending(pushed.idHash)) === 'gone'
      ? pushed.gone()
      : answer()
  const refusing = (refusal: Refusal, sent = refusal): Promise<Outgoing | Refusal> =>
    ending(() => refuseUnasked(configuration, context, client, request, refusal, sent))
  const who = await findApprover(configuration, context.incoming, {
    client,
    request,
    requestedAt: configuration.now(),
    hintedHash,
    interactionId: id,
  })
  if (!who.ok) return refusing(who)
  if (who.blocked !== null) return refusing(who.blocked, CONSENT_MISSING)
  const { signedIn } = who
  const approved = await approveByMemory(configuration, { client, request, signedIn })
  if (!approved.ok) return refusing(approved)
  const redirect = await issueCode(configuration, context, approved.approval, {
    grantId: grantIdOf(hashToken(id)),
    pendingIdHash,
  })
  if (redirect !== null) return redirect
  // Without a pending request, none can have been completed.
  return pushed?.gone() ?? refusing(refuse('server_error', 'code_not_issued'))
}

const PACED = refuse(
  'temporarily_unavailable',
  'request_paced',
  'too many authorization requests came from this network: try again later',
)

/** The name of a pushed request in the answer to a browser that has to fetch it anew from its client. */
const PUSHED = 'pushed request'

/**
 * Stores a valid request and redirects the browser to it. All later steps read the parameters from the
 * store, so the person cannot continue with others than were checked.
 *
 * The cookie binds the URL to this browser, so that an attacker cannot have another person complete the
 * request (RFC 9700, section 4.7). An existing cookie is kept: requests in several tabs share it.
 *
 * The store receives only hashes of both identifiers, with which no one can continue the request.
 */
async function keepPending(
  configuration: AuthorizationServerConfiguration,
  context: Context,
  {
    id,
    request,
    hintedHash,
    pushed,
  }: {
    id: string
    request: AuthorizationRequest
    hintedHash: string | null
    pushed: PresentedRequest | null
  },
): Promise<Outgoing | Refusal> {
  const { store, now, randomBytes, interactionSeconds, issuer } = configuration
  const known = readBrowserId(context.incoming, issuer)
  const spent = await spendRequest(configuration, context, known)
  if (!spent.ok) return { ...PACED, retryAfterSeconds: spent.retryAfterSeconds }
  const createdAt = now()
  const browserId = known ?? newBrowserId(randomBytes)
  const pending = {
    idHash: hashToken(id),
    browserHash: hashBrowserId(browserId),
    hintedHash,
    createdAt,
    expiresAt: createdAt + interactionSeconds,
    ...request,
  }
  if (pushed === null) await store.savePending(pending)
  else {
    context.uses.useWithChange(PUSHED)
    if ((await store.endPending(pushed.idHash, [], pending)) === 'gone') return pushed.gone()
  }
  const cookie = ['set-cookie', browserCookie(browserId, issuer)]
  return seeOther(`${PATHS.interaction}/${id}`, cookie)
}

/**
 * Spends a request: first from what its own browser has, then from its network's. When others have spent that, a
 * person who is signed in has an allowance of their own.
 */
async function spendRequest(
  configuration: AuthorizationServerConfiguration,
  { incoming, payer }: Context,
  browserId: string | null,
): Promise<Spent> {
  const browser = browserId === null ? null : hashBrowserId(browserId)
  const own = await payer.spend(['requestsOfBrowser', browser])
  if (!own.ok) return own
  const spent = await payer.spend(['requestsOfNetwork'])
  if (spent.ok) return spent
  const person = await findSignedIn(configuration, incoming)
  return person.ok ? payer.spend(['requestsOfPerson', person.signedIn.subject]) : spent
}
