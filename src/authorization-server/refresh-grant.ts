import { randomBase64url } from '../encoding/random.js'
import { isGone } from '../http/exchange.js'
import { CLIENT_GONE, type Failure } from '../http/frame.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import { type Decision, refuse } from '../policy/decision.js'
import { keyOf } from '../policy/grant.js'
import { refreshHolderOf, type RefreshPolicy } from '../policy/refresh-policy.js'
import { decideRefresh, type Refresh } from '../policy/refresh-rotation.js'
import { decideApprover } from '../policy/role.js'
import { parseScope } from '../policy/scope-audience.js'
import { UnusableValue } from '../store/guard.js'
import type { StoredEvent } from '../store/records.js'
import type { FoundRefreshToken, RotateRefreshToken } from '../store/store.js'
import { deriveSuccessors, hashToken, type TokenPair } from '../token/opaque.js'
import { earliestEnd, isBefore } from '../time/seconds.js'
import type { AuthorizationServerConfiguration, ClientRequest } from './block.js'
import type { Refreshed } from './exchanged.js'
import { refuseGrant } from './code-grant.js'
import { recordsOf, typeOf, useProof } from './pair-records.js'
import type { TokenResponse } from './token-response.js'

/** How many refreshes a token may be behind the newest one of its grant, which bounds the look-ups. */
const MAX_GENERATIONS = 500

/** The refresh token of a form. */
export interface LoadedRefreshToken {
  /** When the request arrived, in epoch seconds: before the token was read. */
  readonly now: number
  /** The token with its client; `null` if the form has none, or it is unknown. */
  readonly found: FoundRefreshToken | null
}

/** Loads the refresh token of a form with its client. */
export async function loadRefreshToken({
  configuration,
  parameters,
}: ClientRequest): Promise<LoadedRefreshToken> {
  const presented = parameters.single('refresh_token')
  return presented === null
    ? { now: configuration.now(), found: null }
    : findToken(configuration, presented)
}

async function findToken(
  { store, now: clock }: AuthorizationServerConfiguration,
  token: string,
): Promise<LoadedRefreshToken> {
  const now = clock()
  return { now, found: await store.findRefreshToken(hashToken(token)) }
}

/**
 * Exchanges a refresh token for new tokens (RFC 6749, section 6). It parses `scope`, takes the loaded token,
 * decides, checks the person, then commits.
 *
 * A token that was replaced is followed, as far as the policy allows, to the newest one of its grant: each
 * successor is derived from the one before. So the response is a pair that no one has used. A confidential client that
 * repeats its request with another key gets new tokens, which are bound to that key.
 *
 * Of concurrent requests with one token, the store commits one. The others decide again, with the rotation
 * that was stored, and repeat its response if they request the same scopes. With the policy `strict` they
 * are a replay, which revokes the grant (RFC 9700, section 4.14.2).
 *
 * @returns the response; a failure, with the token unused, if the client has disconnected; or a refusal with
 *   `invalid_request`, `invalid_scope`, `invalid_target` or `invalid_grant`. Any refusal other than a replay
 *   changes nothing.
 */
export async function exchangeRefreshToken(
  request: ClientRequest,
  client: AuthenticatedClient,
  loaded: LoadedRefreshToken,
): Promise<Decision<Refreshed> | Failure> {
  const { configuration, context, parameters, proof } = request
  const { resource, refreshPolicies, loopbackHosts, accessTokenSeconds } = configuration
  const presented = parameters.single('refresh_token')
  if (presented === null)
    return refuse('invalid_request', 'refresh_token_missing', 'refresh_token is required')
  const scope = parameters.single('scope')
  const asked = scope === null ? null : parseScope(scope)
  if (asked?.ok === false) return asked
  const policy = refreshPolicies[refreshHolderOf(client, loopbackHosts)]
  let token = presented
  let behind = 0
  let races = 0

  // A second race means that a third request rotated the token in between.
  while (races < 2 && behind <= MAX_GENERATIONS) {
    const { now, found } = behind + races === 0 ? loaded : await findToken(configuration, token)
    const decided = decideRefresh({
      found,
      client,
      scopes: asked?.scopes ?? null,
      resources: parameters.all('resource'),
      names: resource,
      registry: configuration.scopes,
      policy,
      now,
      key: proof?.key ?? null,
    })
    if (!decided.ok)
      return refuseGrant(request, decided, {
        type: 'oauth.grant.reuse_detected',
        clientId: client.clientId,
        revokedReason: 'refresh_token_reused',
      })
    if (isGone(context.incoming)) return CLIENT_GONE
    const { grant, scopes } = decided
    let pair: TokenPair | null = null
    if (decided.outcome !== 'rotate') {
      pair = deriveAgain(configuration, { presented: token, decided })
      if (decided.outcome === 'follow' || !(await isRepeatedBy(request, pair))) {
        token = pair.refreshToken
        behind++
        continue
      }
    }
    const entitled = await decidePerson(configuration, client, grant.subject)
    if (!entitled.ok) return entitled
    const first = await useProof(proof)
    if (!first.ok) return first
    if (isGone(context.incoming)) return CLIENT_GONE
    const facts = {
      at: now,
      clientId: client.clientId,
      subject: grant.subject,
      grantId: grant.grantId,
      scopes,
    }
    const recover = (count: number): Pick<Refreshed, 'again'> => {
      context.notifyEvent({ type: 'oauth.grant.reuse_recovered', ...facts, behind: count })
      // Processes that share a token come as late as their access tokens last: others do not.
      return isBefore(policy.catchUpSeconds, accessTokenSeconds) ? { again: grant } : {}
    }
    if (decided.outcome === 'repeat') {
      const response = repeatRotation(decided, { request, pair: pair!, client, now })
      return { ok: true, response, ...recover(behind + 1) }
    }
    context.uses.useWithChange('authorization code')
    const { events, tell } = context.announce({ type: 'oauth.token.refreshed', ...facts })
    const scopesOmitted = asked === null
    const rotation = { presented: token, client, policy, now, scopesOmitted, events }
    const response = await rotate(request, decided, rotation)
    if (response === null) {
      races++
      continue
    }
    const again = behind > 0 ? recover(behind) : {}
    tell()
    return { ok: true, response, ...again }
  }
  if (behind > MAX_GENERATIONS) return refuse('invalid_grant', 'refresh_token_stale')
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
 * Derives the pair of an earlier rotation again, with the secret that it was derived with.
 *
 * @throws UnusableValue if no process gave that secret to this one. Then no one gets a token that is not stored, and
 *   the grant does not end
 */
function deriveAgain(
  { keys }: AuthorizationServerConfiguration,
  {
    presented,
    decided: { rotation },
  }: { presented: string; decided: Exclude<Refresh, { outcome: 'rotate' }> },
): TokenPair {
  const { salt, successorHash } = rotation
  for (const secret of keys.refreshSecrets()) {
    const pair = deriveSuccessors({ presented, salt, secret })
    if (hashToken(pair.refreshToken) === successorHash) return pair
  }
  throw new UnusableValue(
    'cannot repeat a refresh: sealingSecret is not the secret that it was answered with, and previousSealingSecrets does not contain it',
  )
}

/**
 * Whether the tokens of an earlier rotation are bound to the key of this request. A confidential client may have another
 * one by now, or may have had none: it could not use them, and refreshes with their refresh token instead.
 */
async function isRepeatedBy(
  { configuration: { senderConstraint, store }, proof }: ClientRequest,
  { accessToken }: TokenPair,
): Promise<boolean> {
  if (senderConstraint === null) return true
  const found = await store.findAccessToken(hashToken(accessToken))
  return found === null || keyOf(found) === (proof?.key ?? null)
}

/**
 * Builds the response of an earlier rotation again, and writes nothing. `expires_in` is the remaining
 * lifetime: a repetition does not extend the access token.
 */
function repeatRotation(
  { rotation }: Extract<Refresh, { outcome: 'repeat' }>,
  {
    request,
    pair,
    client,
    now,
  }: { request: ClientRequest; pair: TokenPair; client: AuthenticatedClient; now: number },
): TokenResponse {
  return tokenResponse(request, pair, {
    scopes: rotation.scopes,
    expiresIn: earliestEnd(rotation.accessTokenExpiresAt, client.endsAt) - now,
  })
}

/**
 * Replaces a refresh token. The new pair is derived from the presented token, a new salt and a secret, so that a
 * repetition can derive it again although only hashes are stored. Salts that no one can use any more are deleted.
 *
 * Neither token outlives the grant, however often it is refreshed. The access token issued before remains
 * valid until it expires.
 *
 * @returns the response; `null` if another request replaced the token or revoked its grant first
 */
async function rotate(
  request: ClientRequest,
  { refreshToken, grant, scopes }: Extract<Refresh, { outcome: 'rotate' }>,
  {
    presented,
    client,
    policy,
    now,
    scopesOmitted,
    events,
  }: {
    presented: string
    client: AuthenticatedClient
    policy: RefreshPolicy
    now: number
    scopesOmitted: boolean
    events: readonly StoredEvent[]
  },
): Promise<TokenResponse | null> {
  const { configuration, proof } = request
  const { store, keys, randomBytes } = configuration
  const salt = randomBase64url(randomBytes)
  // The configuration has read that there is one.
  const secret = keys.refreshSecrets()[0]!
  const pair = deriveSuccessors({ presented, salt, secret })
  const records = recordsOf(configuration, pair, { grant, scopes, client, proof, now })
  const { accessToken, refreshToken: successor } = records
  const rotated: RotateRefreshToken = {
    tokenHash: refreshToken.tokenHash,
    rotation: {
      rotatedAt: now,
      salt,
      scopes,
      ...(scopesOmitted && { scopesOmitted }),
      successorHash: successor.tokenHash,
      accessTokenExpiresAt: accessToken.expiresAt,
    },
    successor,
    accessToken,
    // The successor of every earlier token has been used, so that none can be repeated, but only caught up.
    forgetSaltsUntil: now - policy.catchUpSeconds,
  }
  return (await store.rotateRefreshToken(rotated, events)) === 'rotated'
    ? tokenResponse(request, pair, { scopes, expiresIn: accessToken.expiresAt - now })
    : null
}

/**
 * Builds the response of a refresh. It never has an ID token, which OpenID Connect Core 1.0, section 12.2,
 * leaves to the server.
 */
function tokenResponse(
  request: ClientRequest,
  { accessToken, refreshToken }: { accessToken: string; refreshToken: string },
  { scopes, expiresIn }: { scopes: readonly string[]; expiresIn: number },
): TokenResponse {
  return {
    access_token: accessToken,
    token_type: typeOf(request),
    expires_in: expiresIn,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  }
}
