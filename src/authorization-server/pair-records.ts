import type { AuthenticatedClient } from '../policy/client-authentication.js'
import type { Decision } from '../policy/decision.js'
import type { AccessToken, Grant, RefreshToken } from '../policy/grant.js'
import { earliestEnd } from '../time/seconds.js'
import { hashToken, type TokenPair } from '../token/opaque.js'
import type { AuthorizationServerConfiguration, ClientRequest } from './block.js'

/**
 * Builds the records of a token pair that is about to be stored. Neither token outlives its grant, and the access token
 * does not outlive its client. A refresh token has no scopes of its own: a refresh starts from those of the grant.
 *
 * @param issue - `scopes`: those of the access token; `proof`: of the key to which it is bound; `now`: epoch seconds
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
    proof,
    now,
  }: {
    grant: Pick<Grant, 'grantId' | 'expiresAt'>
    scopes: readonly string[]
    client: AuthenticatedClient
    proof: ClientRequest['proof']
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
      ...boundBy(proof),
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

/** Returns the member of a record that is bound to a key; none without a proof. */
export const boundBy = (proof: ClientRequest['proof']): { readonly boundTo?: string } =>
  proof ? { boundTo: proof.key } : {}

/** Returns the `token_type` of a response. */
export const typeOf = ({
  configuration,
  proof,
}: Pick<ClientRequest, 'configuration' | 'proof'>): 'Bearer' | 'DPoP' =>
  proof ? configuration.senderConstraint!.scheme : 'Bearer'

/** Uses up the proof of a request, if it has one. Called last, before something is written. */
export const useProof = async (proof: ClientRequest['proof']): Promise<Decision> =>
  proof ? proof.use() : PROVED

const PROVED = { ok: true } as const
