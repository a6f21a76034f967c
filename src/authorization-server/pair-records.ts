import type { AuthenticatedClient } from '../policy/client-authentication.js'
import type { AccessToken, Grant, RefreshToken } from '../policy/grant.js'
import { earliestEnd } from '../time/seconds.js'
import { hashToken, type TokenPair } from '../token/opaque.js'
import type { AuthorizationServerConfiguration } from './configuration.js'

/**
 * Builds the records of a token pair that is about to be stored. Neither token outlives its grant, and the access token
 * does not outlive its client. A refresh token has no scopes of its own: a refresh starts from those of the grant.
 *
 * @param issue - `scopes`: those of the access token; `now`: epoch seconds
 */
export function recordsOf(
  {
    accessTokenSeconds,
    refreshIdleSeconds,
  }: Pick<AuthorizationServerConfiguration, 'accessTokenSeconds' | 'refreshIdleSeconds'>,
  pair: TokenPair,
  {
    grant: { grantId, expiresAt },
    scopes,
    client,
    now,
  }: {
    grant: Pick<Grant, 'grantId' | 'expiresAt'>
    scopes: readonly string[]
    client: AuthenticatedClient
    now: number
  },
): { readonly accessToken: AccessToken; readonly refreshToken: RefreshToken } {
  return {
    accessToken: {
      tokenHash: hashToken(pair.accessToken),
      grantId,
      scopes,
      issuedAt: now,
      expiresAt: earliestEnd(now + accessTokenSeconds, expiresAt, client.endsAt),
      revokedAt: null,
    },
    refreshToken: {
      tokenHash: hashToken(pair.refreshToken),
      grantId,
      issuedAt: now,
      expiresAt: Math.min(now + refreshIdleSeconds, expiresAt),
      rotation: null,
    },
  }
}
