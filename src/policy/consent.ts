import { sha256Base64url } from '../encoding/hash.js'
import type { ScopeAccess, ScopeRegistry } from '../scope/scope-registry.js'
import type { Client } from './client.js'
import { type Decision, refuse } from './decision.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'

/**
 * The key under which a consent is remembered: person, client, redirect URI, scope set and resource.
 * Any change makes another key, so the person is asked again. Sites have stores of their own.
 *
 * @param consent - `documentDigest`: of a client that has its data from a document, so that consent to
 *   an earlier one does not count; `null` = another kind of client
 * @returns 43 base64url characters
 */
export function consentKey({
  subject,
  clientId,
  redirectUri,
  scopes,
  resource,
  documentDigest = null,
}: {
  subject: string
  clientId: string
  redirectUri: string
  scopes: readonly string[]
  resource: string
  documentDigest?: string | null
}): string {
  return sha256Base64url(
    JSON.stringify([
      subject,
      clientId,
      redirectUri,
      [...scopes].sort(),
      resource,
      ...(documentDigest === null ? [] : [documentDigest]),
    ]),
  )
}

/** How much of what was asked a person allows. */
export type ConsentChoice = 'all' | 'read' | 'choose'

/**
 * Decides which scopes a person allows of those that were asked for. Identity scopes stay whatever is
 * chosen: without them a client does not know who it acts for.
 *
 * @param choice - `access`: the field as sent, `null` = absent, which is everything; `chosen`: the
 *   scopes that were ticked, which count with `choose` alone
 * @returns in the order asked. Refusals are `invalid_request`: `consent_empty` where nothing but who
 *   the person is would be left of a request for more
 * @see RFC 6749 §3.3: the authorization server may issue fewer scopes than were asked for
 */
export function decideConsent({
  asked,
  access,
  chosen,
  registry,
}: {
  asked: readonly string[]
  access: string | null
  chosen: readonly string[]
  registry: ScopeRegistry
}): Decision<{ scopes: readonly string[] }, 'consent_choice_malformed' | 'consent_empty'> {
  if (access === null || access === 'all') return { ok: true, scopes: asked }
  if (access !== 'read' && access !== 'choose')
    return refuse('invalid_request', 'consent_choice_malformed', 'choose how much it may do')
  const accessOf = (scope: string): ScopeAccess | undefined => registry.get(scope)?.access
  const scopes = asked.filter(
    (scope) =>
      accessOf(scope) === 'identity' ||
      (access === 'read' ? accessOf(scope) === 'read' : chosen.includes(scope)),
  )
  const isEmpty = scopes.every((scope) => accessOf(scope) === 'identity')
  return isEmpty && scopes.length < asked.length
    ? refuse('invalid_request', 'consent_empty', 'nothing is left that it may do: choose or cancel')
    : { ok: true, scopes }
}

/**
 * Whether a consent given to this client may answer for a later request. It may not where nothing
 * proves that the same program asks again: self-registered and unreviewed clients, and public clients
 * behind a loopback address, which any program on the computer can listen on.
 *
 * @see RFC 8252 §8.6; OAuth 2.1 §8
 */
export function mayRememberConsent({
  client,
  redirectUri,
  loopbackHosts = LOOPBACK_HOSTS,
}: {
  client: Client
  redirectUri: string
  loopbackHosts?: readonly string[]
}): boolean {
  if (client.kind === 'loopback') return false
  if (client.kind === 'document' && client.scopes === null) return false
  return (
    client.tokenEndpointAuthMethod !== 'none' ||
    parseLoopbackUri(redirectUri, loopbackHosts) === null
  )
}

/**
 * Whether a sign-in is recent enough for a request.
 *
 * @param question - `authTime`: when the person proved who they are; `requestedAt`: when the request
 *   arrived; both epoch seconds
 * @see OpenID Connect Core §3.1.2.1 (`prompt`, `max_age`)
 */
export function isSignInFresh({
  authTime,
  requestedAt,
  prompt,
  maxAge,
}: {
  authTime: number
  requestedAt: number
  prompt: readonly string[]
  maxAge: number | null
}): boolean {
  if (prompt.includes('login') || prompt.includes('select_account')) return authTime >= requestedAt
  return maxAge === null || authTime >= requestedAt - maxAge
}
