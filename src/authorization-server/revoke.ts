import type { Endpoint, Outgoing } from '../http/exchange.js'
import type { Context } from '../http/context.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { refuse } from '../policy/decision.js'
import { hashToken } from '../token/opaque.js'
import { readAuthenticatedForm } from './client-form.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { clientErrors } from './error-format.js'

// RFC 7009 leaves the body open, and some clients parse every response as JSON.
const DONE: Outgoing = json(200, {})

/**
 * Creates the revocation endpoint. Revoking a refresh token revokes its grant with all of its tokens;
 * revoking an access token revokes only that token. For an unknown token, and for the token of another
 * client, the response is the same as for a revoked one.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @returns an endpoint for `POST`: 200 whether or not there was such a token, 401 for a failed
 *   authentication, or 400
 * @see [RFC 7009, section 2](https://www.rfc-editor.org/rfc/rfc7009#section-2)
 * @group Token endpoints
 * @example
 * ```ts
 * import { configureAuthorizationServer, createRevocationEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site, tokenFor, events } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const revoke = createRevocationEndpoint(configureAuthorizationServer(site, { keys, interact }))
 *
 * const token = await tokenFor({ roles: ['owner'] }, 'courses:read')
 * const body = new URLSearchParams({ client_id: 'test-loopback', token })
 * const response = await revoke(new Request('https://school.example/api/oauth/revoke', { method: 'POST', body }))
 * response.status // => 200
 * events.at(-1)?.type // => 'oauth.token.revoked'
 * ```
 */
export function createRevocationEndpoint(
  configuration: AuthorizationServerConfiguration,
): Endpoint {
  const { store, now } = configuration

  /**
   * Revokes a token of this client. A refresh token is recognized after its rotation too, so a client that
   * lost the last response can still end its grant.
   *
   * Of concurrent revocations, one reports the event. An unknown token, one of another client and one that
   * is already revoked change nothing, and the response is the same (RFC 7009, section 2.2).
   */
  async function revoke(context: Context, tokenHash: string, clientId: string): Promise<void> {
    // `token_type_hint` is not needed, because both look-ups are by hash.
    const refresh = await store.findRefreshToken(tokenHash)
    const found = refresh ?? (await store.findAccessToken(tokenHash))
    if (found?.grant.clientId !== clientId) return
    const { grantId, subject } = found.grant
    const revokedAt = now()
    const event = context.announce({
      type: refresh === null ? 'oauth.token.revoked' : 'oauth.grant.revoked',
      at: revokedAt,
      clientId,
      subject,
      grantId,
    })
    const outcome =
      refresh === null
        ? await store.revokeAccessToken({ tokenHash, revokedAt }, event.events)
        : await store.revokeGrant(
            { grantId, revokedAt, revokedReason: 'client_revoked' },
            event.events,
          )
    if (outcome === 'revoked') event.tell()
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
      await revoke(context, hashToken(token), client.clientId)
      return DONE
    },
  )
}
