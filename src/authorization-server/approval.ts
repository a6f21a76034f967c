import { randomBase64url } from '../encoding/random.js'
import type { Outgoing } from '../http/exchange.js'
import type { AuthorizationRequest } from '../policy/authorization-request.js'
import type { Client } from '../policy/client.js'
import { consentKey, isSignInFresh, mayRememberConsent } from '../policy/consent.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { Person } from '../policy/person.js'
import { buildRedirect, type TrustedRedirect } from '../policy/redirect-uri.js'
import { decideApprover } from '../policy/role.js'
import { hashToken, newToken } from '../token/opaque.js'
import { describe } from '../http/respond.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import type { SignedIn } from './interact.js'

declare const approved: unique symbol

/**
 * An authorization request that a person has approved, now or by a remembered consent. Only
 * {@link approveByHand} and {@link approveByMemory} create one, and a code is issued only for one.
 */
export interface Approval {
  readonly [approved]: true
  readonly request: AuthorizationRequest
  readonly signedIn: SignedIn
  readonly remembered: boolean
  /** Key under which the consent is remembered; `null` if it must not be. */
  readonly consentKey: string | null
}

/** A person who signed in recently enough and may authorize this client. */
export interface Approver {
  readonly signedIn: SignedIn
  readonly person: Person
}

/**
 * Decides who may approve an authorization request.
 *
 * @param question - the person who is signed in, the client, the request, and when it was made in epoch
 *   seconds
 * @returns the person, or a refusal: `person_signed_out` or `sign_in_not_fresh` with the error
 *   `login_required`, or one of `decideApprover` with the error `access_denied`
 */
export async function findApprover(
  { findPerson, roles }: AuthorizationServerConfiguration,
  {
    signedIn,
    client,
    request,
    requestedAt,
  }: {
    signedIn: SignedIn | null
    client: Client
    request: Pick<AuthorizationRequest, 'prompt' | 'maxAge'>
    requestedAt: number
  },
): Promise<Decision<Approver> | (Refusal & { readonly approver: Approver })> {
  if (signedIn === null)
    return refuse('login_required', 'person_signed_out', 'the person is not signed in')
  const { prompt, maxAge } = request
  if (!isSignInFresh({ authTime: signedIn.authTime, requestedAt, prompt, maxAge }))
    return refuse('login_required', 'sign_in_not_fresh', 'the person must sign in again')
  const person = await findPerson(signedIn.subject)
  if (person === null)
    return refuse('login_required', 'person_signed_out', 'the person is not signed in')
  const decided = decideApprover({ roles: person.roles, client, table: roles })
  const approver = { signedIn, person }
  return decided.ok ? { ok: true, ...approver } : { ...decided, approver }
}

/** Creates the approval of a person who pressed Allow. The caller has already checked the CSRF token. */
export function approveByHand(
  { loopbackHosts }: AuthorizationServerConfiguration,
  {
    client,
    request,
    signedIn,
  }: { client: Client; request: AuthorizationRequest; signedIn: SignedIn },
): Approval {
  const { redirectUri } = request
  const remember = mayRememberConsent({ client, redirectUri, loopbackHosts })
  return {
    request,
    signedIn,
    remembered: false,
    consentKey: remember ? keyOf(client, request, signedIn) : null,
  } as Approval
}

/** Creates an approval from an earlier consent. Refuses if there is none, or if it may not be reused. */
export async function approveByMemory(
  { store, loopbackHosts }: AuthorizationServerConfiguration,
  {
    client,
    request,
    signedIn,
  }: { client: Client; request: AuthorizationRequest; signedIn: SignedIn },
): Promise<Decision<{ approval: Approval }>> {
  const { redirectUri, prompt } = request
  const key = keyOf(client, request, signedIn)
  const counts =
    !prompt.includes('consent') &&
    mayRememberConsent({ client, redirectUri, loopbackHosts }) &&
    (await store.hasConsent(key))
  if (!counts)
    return refuse('consent_required', 'consent_missing', 'the person must give consent first')
  return {
    ok: true,
    approval: { request, signedIn, remembered: true, consentKey: null } as unknown as Approval,
  }
}

function keyOf(
  client: Client,
  { clientId, redirectUri, scopes, resource }: AuthorizationRequest,
  { subject }: SignedIn,
): string {
  const documentDigest = client.document?.digest ?? null
  return consentKey({ subject, clientId, redirectUri, scopes, resource, documentDigest })
}

/**
 * Issues the authorization code for an approval.
 *
 * @param pendingIdHash - the pending request that the code completes; `null` if none was stored
 * @returns the redirect to the client; `null` if the pending request has already been completed
 */
export async function issueCode(
  configuration: AuthorizationServerConfiguration,
  approval: Approval,
  pendingIdHash: string | null,
): Promise<Outgoing | null> {
  const { store, now, randomBytes, codeSeconds, onEvent } = configuration
  const { request, signedIn, remembered } = approval
  const { clientId, scopes, resource, resourceSent, redirectUri } = request
  const { codeChallenge, nonce, prompt, maxAge } = request
  const issuedAt = now()
  const code = newToken('code', randomBytes)
  const outcome = await store.issueCode({
    pendingIdHash,
    consentKey: approval.consentKey,
    code: {
      codeHash: hashToken(code),
      grantId: `grant_${randomBase64url(randomBytes)}`,
      clientId,
      subject: signedIn.subject,
      scopes,
      resource,
      resourceSent,
      redirectUri,
      codeChallenge,
      nonce,
      authTime: maxAge !== null || prompt.includes('login') ? signedIn.authTime : null,
      issuedAt,
      expiresAt: issuedAt + codeSeconds,
      redeemedAt: null,
    },
  })
  if (outcome === 'gone') return null
  onEvent({
    type: 'oauth.authorization.approved',
    at: issuedAt,
    clientId,
    subject: signedIn.subject,
    scopes,
    remembered,
  })
  return redirectWith(configuration, request, { code })
}

/** Builds the redirect that reports a refusal to the client. */
export function redirectRefusal(
  configuration: AuthorizationServerConfiguration,
  to: { readonly redirectUri: TrustedRedirect; readonly state: string | null },
  refusal: Refusal,
): Outgoing {
  return redirectWith(configuration, to, {
    error: refusal.error,
    error_description: describe(refusal),
    error_uri: configuration.errorUris?.[refusal.error] ?? null,
  })
}

// RFC 9207: every authorization response has `iss`, and so do errors.
function redirectWith(
  { issuer }: AuthorizationServerConfiguration,
  { redirectUri, state }: { readonly redirectUri: TrustedRedirect; readonly state: string | null },
  parameters: Readonly<Record<string, string | null>>,
): Outgoing {
  return {
    status: 303,
    headers: [
      'location', buildRedirect(redirectUri, { ...parameters, state, iss: issuer }),
      'cache-control', 'no-store',
      'referrer-policy', 'no-referrer',
    ], // prettier-ignore
    body: null,
  }
}
