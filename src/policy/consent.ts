import { sha256Base64url } from '../encoding/hash.js'
import type { Client } from './client.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from './redirect-uri.js'

/**
 * The key under which a consent is remembered: person, client, redirect URI, scope set and resource.
 * Any change makes another key, so the person is asked again. Sites have stores of their own.
 *
 * @returns 43 base64url characters
 */
export function consentKey({
  subject,
  clientId,
  redirectUri,
  scopes,
  resource,
}: {
  subject: string
  clientId: string
  redirectUri: string
  scopes: readonly string[]
  resource: string
}): string {
  return sha256Base64url(
    JSON.stringify([subject, clientId, redirectUri, [...scopes].sort(), resource]),
  )
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
