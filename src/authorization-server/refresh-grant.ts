import { randomBase64url } from '../encoding/random.js'
import type { Context } from '../http/context.js'
import { CLIENT_GONE, type Failure } from '../http/frame.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import { type Decision, refuse } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import { decideRefresh, type Refresh } from '../policy/refresh-rotation.js'
import { decideApprover } from '../policy/role.js'
import { parseScope } from '../policy/scope-audience.js'
import { deriveSuccessors, hashToken } from '../token/opaque.js'
import { endGrant } from './code-grant.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import type { TokenResponse } from './token-response.js'

/**
 * Exchanges a refresh token for new tokens (RFC 6749, section 6). It parses `scope`, loads the token,
 * decides, checks the person, then commits.
 *
 * Of concurrent requests with one token, the store commits one. The others decide again, with the rotation
 * that was stored, and repeat its response if they request the same scopes. With a `refreshRetrySeconds`
 * of 0 they are a replay, which revokes the grant (RFC 9700, section 4.14.2).
 *
 * @returns the response; a failure, with the token unused, if the client has disconnected; or a refusal with
 *   `invalid_request`, `invalid_scope`, `invalid_target` or `invalid_grant`. Any refusal other than a replay
 *   changes nothing.
 */
export async function exchangeRefreshToken(
  configuration: AuthorizationServerConfiguration,
  client: AuthenticatedClient,
  parameters: FormParameters,
  context: Context,
): Promise<Decision<{ response: TokenResponse }> | Failure> {
  const { store, resource, refreshRetrySeconds } = configuration
  const presented = parameters.single('refresh_token')
  if (presented === null)
    return refuse('invalid_request', 'refresh_token_missing', 'refresh_token is required')
  const scope = parameters.single('scope')
  const asked = scope === null ? null : parseScope(scope)
  if (asked?.ok === false) return asked
  const tokenHash = hashToken(presented)

  // The second round runs only if another request rotated the same token in between.
  for (let round = 0; round < 2; round++) {
    const now = configuration.now()
    const decided = decideRefresh({
      found: await store.findRefreshToken(tokenHash),
      client,
      scopes: asked?.scopes ?? null,
      resources: parameters.all('resource'),
      names: resource,
      registry: configuration.scopes,
      retrySeconds: refreshRetrySeconds,
      now,
    })
    if (!decided.ok) {
      if (decided.revokeGrantId !== undefined)
        await endGrant(configuration, context, {
          type: 'oauth.grant.reuse_detected',
          clientId: client.clientId,
          grantId: decided.revokeGrantId,
          revokedReason: 'refresh_token_reused',
        })
      return decided
    }
    const entitled = await decidePerson(configuration, client, decided.grant.subject)
    if (!entitled.ok) return entitled
    if (context.incoming.signal.aborted) return CLIENT_GONE
    const response =
      decided.outcome === 'repeat'
        ? repeatRotation(decided, { presented, now })
        : await rotate(configuration, decided, { presented, now })
    if (response === null) continue
    context.notifyEvent({
      type: decided.outcome === 'repeat' ? 'oauth.grant.reuse_recovered' : 'oauth.token.refreshed',
      at: now,
      clientId: client.clientId,
      subject: decided.grant.subject,
      grantId: decided.grant.grantId,
      scopes: decided.scopes,
    })
    return { ok: true, response }
  }
  return refuse('invalid_grant', 'refresh_token_lost_race')
}

/**
 * Checks that the person still exists and may still authorize this client. The grant is kept, so a person
 * who gets the role back need not sign in again.
 *
 * The error is `invalid_grant`, because RFC 6749, section 5.2, has no `access_denied` for the token
 * endpoint.
 */
async function decidePerson(
  { findPerson, roles }: AuthorizationServerConfiguration,
  client: AuthenticatedClient,
  subject: string,
): Promise<Decision> {
  const person = await findPerson(subject)
  if (person === null) return refuse('invalid_grant', 'person_gone')
  const approver = decideApprover({ roles: person.roles, client, table: roles })
  return approver.ok ? approver : refuse('invalid_grant', approver.reason)
}

/**
 * Builds the response of an earlier rotation again, and writes nothing. `expires_in` is the remaining
 * lifetime: a repetition does not extend the access token.
 */
function repeatRotation(
  { rotation }: Extract<Refresh, { outcome: 'repeat' }>,
  { presented, now }: { presented: string; now: number },
): TokenResponse {
  return tokenResponse(deriveSuccessors({ presented, salt: rotation.salt }), {
    scopes: rotation.scopes,
    expiresIn: Math.max(rotation.accessTokenExpiresAt - now, 0),
  })
}

/**
 * Replaces a refresh token. The new pair is derived from the presented token and a new salt, so that a
 * repetition can derive it again although only hashes are stored.
 *
 * Neither token outlives the grant, however often it is refreshed. The access token issued before remains
 * valid until it expires.
 *
 * @returns the response; `null` if another request replaced the token or revoked its grant first
 */
async function rotate(
  { store, randomBytes, accessTokenSeconds, refreshIdleSeconds }: AuthorizationServerConfiguration,
  { refreshToken, grant, scopes }: Extract<Refresh, { outcome: 'rotate' }>,
  { presented, now }: { presented: string; now: number },
): Promise<TokenResponse | null> {
  const salt = randomBase64url(randomBytes)
  const pair = deriveSuccessors({ presented, salt })
  const successorHash = hashToken(pair.refreshToken)
  const accessTokenExpiresAt = Math.min(now + accessTokenSeconds, grant.expiresAt)
  const { grantId } = grant
  const outcome = await store.rotateRefreshToken({
    tokenHash: refreshToken.tokenHash,
    rotation: { rotatedAt: now, salt, scopes, successorHash, accessTokenExpiresAt },
    successor: {
      tokenHash: successorHash,
      grantId,
      issuedAt: now,
      expiresAt: Math.min(now + refreshIdleSeconds, grant.expiresAt),
      rotation: null,
    },
    accessToken: {
      tokenHash: hashToken(pair.accessToken),
      grantId,
      scopes,
      issuedAt: now,
      expiresAt: accessTokenExpiresAt,
      revokedAt: null,
    },
  })
  return outcome === 'rotated'
    ? tokenResponse(pair, { scopes, expiresIn: accessTokenExpiresAt - now })
    : null
}

/**
 * Builds the response of a refresh. It never has an ID token, which OpenID Connect Core 1.0, section 12.2,
 * leaves to the server.
 */
function tokenResponse(
  { accessToken, refreshToken }: { accessToken: string; refreshToken: string },
  { scopes, expiresIn }: { scopes: readonly string[]; expiresIn: number },
): TokenResponse {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
}
