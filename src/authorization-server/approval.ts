import { sha256Base64url } from '../encoding/hash.js'
import type { Context } from '../http/context.js'
import type { Outgoing } from '../http/exchange.js'
import type { AuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import { consentKey, endedConsentKey, mayRememberConsent } from '../policy/consent.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import { buildRedirect, type TrustedRedirect } from '../policy/redirect-uri.js'
import { NOT_APPROVED } from '../policy/role.js'
import type { Site } from '../site/site.js'
import type { Asked } from './approver.js'
import { hashToken, newToken } from '../token/opaque.js'
import { describe } from '../http/respond.js'
import { seeOther } from './browser.js'
import type { AuthorizationServerConfiguration } from './block.js'
import type { SignedIn } from './interact.js'

/**
 * The refusal of an unknown, an expired and a completed request: the store keeps no completed ones, so
 * they cannot be distinguished.
 */
export const EXPIRED: Refusal<'interaction_expired'> = refuse(
  'invalid_request',
  'interaction_expired',
  'this request has expired or has already been completed: go back to the app and start again',
)

const APPROVED: unique symbol = Symbol('approved')

/**
 * An authorization request that a person has approved, now or by a remembered consent. Only
 * {@link decideApproval} makes one, and a code is issued only for one.
 */
export interface Approval {
  readonly [APPROVED]: true
  /** After a consent by hand, `scopes` are those that the person allowed, not all that were requested. */
  readonly request: AuthorizationRequest
  readonly signedIn: SignedIn
  /**
   * Whether an earlier consent approved the request, so that no page was shown. Only the event needs it.
   */
  readonly remembered: boolean
  /** Key under which the consent is to be remembered; `null` if it must not be, or already is. */
  readonly consentKey: string | null
  /** Epoch seconds of the end that the person chose for the grant; `null` if none was chosen. */
  readonly grantEndsAt: number | null
}

/**
 * Makes the approval of a person who pressed Allow, or did so before. The caller has checked the form, and narrowed the
 * scopes of `request` to what it allows, or has found the earlier consent.
 *
 * A consent with an end is not remembered. What is remembered instead is that this person chose an end for this client,
 * so that no earlier consent, which had none, is used again.
 *
 * The consent key is made from these scopes. If the client sends its original request again after a
 * narrowed consent, the person is therefore asked again.
 */
export function decideApproval({
  client,
  request,
  signedIn,
  grantEndsAt = null,
  remembered = false,
}: Consented & { grantEndsAt?: number | null; remembered?: boolean }): Approval {
  const isKept = !remembered && mayRememberConsent(client)
  const key = grantEndsAt === null ? keyOf : endKeyOf
  const consentKey = isKept ? key(request, signedIn) : null
  return { [APPROVED]: true, request, signedIn, remembered, grantEndsAt, consentKey }
}

interface Consented {
  readonly client: Client
  readonly request: AuthorizationRequest
  readonly signedIn: SignedIn
}

/** The refusal of a request that only a consent page can answer. */
export const CONSENT_MISSING: Refusal<'consent_missing'> = refuse(
  'consent_required',
  'consent_missing',
  'the person must give consent first',
)

/**
 * Creates an approval from an earlier consent.
 *
 * The rules of `mayRememberConsent` are applied again, although they applied when the consent was stored:
 * the client may have become public since. The store is read last, so a client whose consent is never
 * remembered costs no look-up.
 *
 * @returns the approval, or `consent_missing` with the error `consent_required` (OpenID Connect Core 1.0,
 *   section 3.1.2.6). Only `prompt=none` reports it to the client; the interaction endpoint shows the
 *   consent page instead.
 */
export async function approveByMemory(
  { store }: Site,
  consented: Consented,
): Promise<Decision<{ approval: Approval }>> {
  const { client, request, signedIn } = consented
  const counts =
    !request.prompt.includes('consent') &&
    mayRememberConsent(client) &&
    (await store.hasConsent(keyOf(request, signedIn))) &&
    !(await store.hasConsent(endKeyOf(request, signedIn)))
  if (!counts) return CONSENT_MISSING
  return { ok: true, approval: decideApproval({ ...consented, remembered: true }) }
}

const keyOf = (
  { clientId, redirectUri, scopes, resource }: AuthorizationRequest,
  { subject }: SignedIn,
): string => consentKey({ subject, clientId, redirectUri, scopes, resource })

const endKeyOf = ({ clientId }: AuthorizationRequest, { subject }: SignedIn): string =>
  endedConsentKey({ subject, clientId })

/**
 * Returns the identifier of the grant to which an authorization request leads. It is a hash of that of the
 * request, so the request, its code and its tokens belong together without a stored link.
 */
export const grantIdOf = (requestIdHash: string): string =>
  `grant_${sha256Base64url(`grant ${requestIdHash}`)}`

/** The parts of a configuration that issue a code. */
export type Issuer = Site & Pick<AuthorizationServerConfiguration, 'codeSeconds' | 'errorUris'>

const PACED = refuse(
  'temporarily_unavailable',
  'code_paced',
  'this person authorized the client too often: use the refresh token, or try again later',
)

/**
 * Issues the authorization code for an approval (RFC 6749, section 4.1.2).
 *
 * One call of the store ends the pending request, stores the hash of the code and remembers the consent.
 * Of two forms that are sent at the same time, only one gets a code.
 *
 * No grant exists yet: the code reserves the identifier under which the token endpoint creates it. The
 * time of the sign-in is stored only if the request asked for it, with `max_age` or `prompt=login`.
 *
 * A person who authorizes the same client over and over is refused, because each grant is kept for months.
 * The client then receives `temporarily_unavailable`, and the pending request ends.
 *
 * @param context - the request, to report the event or a refusal
 * @param request - `grantId`: the grant that the code reserves, from {@link grantIdOf}; `pendingIdHash`: the
 *   pending request that the code completes, `null` if none was stored
 * @returns the redirect to the client; `null` if the pending request has already been completed
 */
export async function issueCode(
  configuration: Issuer,
  context: Context,
  approval: Approval,
  of: { grantId: string; pendingIdHash: string | null },
): Promise<Outgoing | null> {
  const code = newToken('code', configuration.randomBytes)
  const kept = await keepCode(configuration, context, approval, {
    ...of,
    codeHash: hashToken(code),
    seconds: configuration.codeSeconds,
  })
  if (kept === 'gone') return null
  if (kept === 'kept') return redirectWith(configuration, approval.request, { code })
  context.notifyRefusal(kept)
  return redirectRefusal(configuration, approval.request, kept)
}

/**
 * Stores the code of an approval under its hash, as {@link issueCode} does.
 *
 * @param code - as there, with the lifetime of the code in seconds. `ends`: what is needed anew if the answer is lost
 * @returns `gone` if the pending request has already been completed; the refusal of a person who authorizes too often
 */
export async function keepCode(
  configuration: Site,
  context: Context,
  approval: Approval,
  {
    grantId,
    pendingIdHash,
    codeHash,
    seconds,
    ends = 'authorization request',
  }: {
    grantId: string
    pendingIdHash: string | null
    codeHash: string
    seconds: number
    ends?: string
  },
): Promise<'kept' | 'gone' | Refusal> {
  const { store, now, clock } = configuration
  await clock.assertAgrees()
  const { request, signedIn, remembered } = approval
  const { clientId, scopes, resource, resourceSent, redirectUri } = request
  const { codeChallenge, nonce, prompt, maxAge } = request
  const spent = await context.payer.spend(['codesOfPerson', `${signedIn.subject} ${clientId}`])
  if (!spent.ok)
    return pendingIdHash !== null && (await store.endPending(pendingIdHash)) === 'gone'
      ? 'gone'
      : PACED
  const issuedAt = now()
  const issue = {
    pendingIdHash,
    consentKey: approval.consentKey,
    code: {
      codeHash,
      grantId,
      clientId,
      subject: signedIn.subject,
      scopes,
      resource,
      resourceSent,
      redirectUri,
      codeChallenge,
      nonce,
      grantEndsAt: approval.grantEndsAt,
      authTime: maxAge !== null || prompt.includes('login') ? signedIn.authTime : null,
      issuedAt,
      expiresAt: issuedAt + seconds,
      redeemedAt: null,
      ...(request.boundTo && { boundTo: request.boundTo }),
    },
  }
  const { events, tell } = context.announce({
    type: 'oauth.authorization.approved',
    at: issuedAt,
    clientId,
    subject: signedIn.subject,
    scopes,
    remembered,
  })
  if (pendingIdHash !== null) context.uses.useWithChange(ends)
  if ((await store.issueCode(issue, events)) === 'gone') return 'gone'
  tell()
  return 'kept'
}

/** The refusal of a person who pressed Cancel. */
export const DENIED: Refusal<'person_denied'> = refuse(
  'access_denied',
  'person_denied',
  NOT_APPROVED,
)

/**
 * Ends a pending request that was denied, or whose person may not approve it.
 *
 * @param denied - `ends`: what is needed anew if the answer is lost
 * @returns `null`, or the refusal if it has already been completed
 */
export async function denyPending(
  { store, now }: Site,
  context: Context,
  { signedIn, blocked }: Asked,
  { idHash, clientId, ends }: { idHash: string; clientId: string; ends: string },
): Promise<Refusal | null> {
  const { events, tell } = context.announce({
    type: 'oauth.authorization.denied',
    at: now(),
    clientId,
    subject: signedIn.subject,
  })
  context.uses.useWithChange(ends)
  if ((await store.endPending(idHash, events)) === 'gone') return EXPIRED
  context.notifyRefusal(blocked ?? DENIED)
  tell()
  return null
}

/**
 * Builds the redirect that reports a refusal to the client (RFC 6749, section 4.1.2.1). The client
 * receives the error and its description, never the reason.
 *
 * The caller must report the reason with `notifyRefusal`: the frame of the endpoint sees only a redirect.
 */
export function redirectRefusal(
  configuration: Issuer,
  to: { readonly redirectUri: TrustedRedirect; readonly state: string | null },
  refusal: Refusal,
): Outgoing {
  return redirectWith(configuration, to, {
    error: refusal.error,
    error_description: describe(refusal),
    error_uri: configuration.errorUris?.[refusal.error] ?? null,
  })
}

/**
 * Builds an authorization response. Errors have `iss` too, so that a client of several servers can detect
 * a mix-up attack (RFC 9207, section 2).
 */
function redirectWith(
  { issuer }: Site,
  { redirectUri, state }: { readonly redirectUri: TrustedRedirect; readonly state: string | null },
  parameters: Readonly<Record<string, string | null>>,
): Outgoing {
  return seeOther(buildRedirect(redirectUri, { ...parameters, state, iss: issuer }))
}
