import type { Endpoint, Outgoing } from '../http/exchange.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { NO_STORE } from '../http/respond.js'
import { refuse } from '../policy/decision.js'
import type { Grant } from '../policy/grant.js'
import { hashToken } from '../token/opaque.js'
import { readAuthenticatedForm } from './client-form.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import { clientErrors } from './error-format.js'

const DONE: Outgoing = { status: 200, headers: NO_STORE, body: null }

/**
 * Token revocation. A refresh token ends its grant with every token of it; an access token ends
 * alone. An unknown token, or another client's, is answered like one that was revoked.
 *
 * @see RFC 7009
 */
export function createRevocationEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { store, now, onEvent } = configuration

  async function revoke(tokenHash: string, clientId: string): Promise<void> {
    // token_type_hint is not needed: both look-ups are by hash.
    const refresh = await store.findRefreshToken(tokenHash)
    const own = (grant: Grant): boolean => grant.clientId === clientId
    if (refresh !== null) {
      if (!own(refresh.grant)) return
      const { grantId, subject } = refresh.grant
      const revokedAt = now()
      const outcome = await store.revokeGrant({
        grantId,
        revokedAt,
        revokedReason: 'client_revoked',
      })
      if (outcome === 'revoked')
        onEvent({ type: 'oauth.grant.revoked', at: revokedAt, clientId, subject, grantId })
      return
    }
    const access = await store.findAccessToken(tokenHash)
    if (access === null || !own(access.grant)) return
    const { grantId, subject } = access.grant
    const revokedAt = now()
    const outcome = await store.revokeAccessToken({ tokenHash, revokedAt })
    if (outcome === 'revoked')
      onEvent({ type: 'oauth.token.revoked', at: revokedAt, clientId, subject, grantId })
  }

  const errors = clientErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'revoke', methods: ['POST'], cors: OPEN, errors },
    async (context) => {
      const form = await readAuthenticatedForm(configuration, context)
      if (!form.ok) return form
      const { client, parameters } = form
      const token = parameters.single('token')
      if (token === null) return refuse('invalid_request', 'token_missing', 'token is required')
      await revoke(hashToken(token), client.clientId)
      return DONE
    },
  )
}
