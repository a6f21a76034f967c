import { isGone } from '../http/exchange.js'
import { CLIENT_GONE, type Failure } from '../http/frame.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import { decideRedemption, type RedeemableCode } from '../policy/code-redemption.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import type { Person } from '../policy/person.js'
import { decideApprover } from '../policy/role.js'
import type { FoundCode, RedeemCode } from '../store/store.js'
import { mintIdToken } from '../token/id-token.js'
import { hashToken, newToken, type TokenPair } from '../token/opaque.js'
import { earliestEnd } from '../time/seconds.js'
import { detailOfExchange } from './refusal-details.js'
import { claimsOf } from './claims.js'
import type { AuthorizationServerConfiguration, ClientRequest } from './block.js'
import { boundBy, recordsOf, typeOf, useProof } from './pair-records.js'
import type { TokenResponse } from './token-response.js'

// One exchange is three events in an audit log.
const ISSUED = [
  'oauth.authorization.code_redeemed',
  'oauth.grant.created',
  'oauth.token.issued',
] as const

/** The code of a form. */
export interface LoadedCode {
  /** When the request arrived, in epoch seconds: before the code was read. */
  readonly now: number
  /** The code with its client; `null` if the form has none, or it is unknown. */
  readonly code: FoundCode | null
}

/** Loads the code of a form with its client. */
export async function loadCode({
  configuration: { store, now: clock },
  parameters,
}: Pick<ClientRequest, 'configuration' | 'parameters'>): Promise<LoadedCode> {
  const now = clock()
  const presented = parameters.single('code')
  return { now, code: presented === null ? null : await store.findCode(hashToken(presented)) }
}

/**
 * Exchanges an authorization code for tokens (RFC 6749, section 4.1.3). It takes the loaded code, checks the
 * request, then the person, signs the ID token, and commits last. Nothing is written before the commit, so
 * a refusal does not use up the code.
 *
 * Only a replay is different. It is a second use by the client of the code, with the correct verifier, more
 * than five seconds after the first. It revokes the grant of the first use (RFC 6749, section 4.1.2).
 *
 * The person is checked again, because roles can change between consent and exchange. Of concurrent
 * requests with one code, the store commits one, with its grant and both tokens in the same step.
 *
 * @returns the response; a failure, with the code unused, if the client has disconnected; or a refusal with
 *   `invalid_request`, `invalid_target` or `invalid_grant`. Every `invalid_grant` has the same description, so that a thief of a code does not learn which check failed.
 */
export async function exchangeCode(
  request: ClientRequest,
  client: AuthenticatedClient,
  loaded: LoadedCode,
  name = 'authorization code',
): Promise<Decision<{ response: TokenResponse }> | Failure> {
  const { configuration, context, parameters, proof } = request
  const { store, resource, findPerson, roles, keys } = configuration
  const presented = parameters.single('code')
  if (presented === null) return refuse('invalid_request', 'code_missing', 'code is required')
  const { now } = loaded
  const decide = (code: FoundCode | null) =>
    decideRedemption({
      code,
      client,
      redirectUri: parameters.single('redirect_uri'),
      codeVerifier: parameters.single('code_verifier'),
      resources: parameters.all('resource'),
      names: resource,
      now,
      key: proof?.key ?? null,
    })
  const redemption = decide(loaded.code)
  if (!redemption.ok) {
    context.detail = () => detailOfExchange(redemption, parameters)
    return refuseGrant(request, redemption, replayBy(client))
  }
  const { code } = redemption
  const person = await findPerson(code.subject)
  if (person === null) return refuse('invalid_grant', 'person_gone')
  const approver = decideApprover({ roles: person.roles, client, table: roles })
  if (!approver.ok) return refuse('invalid_grant', approver.reason)

  // Signed before the commit, so that the code remains valid if the signer fails.
  const idToken = code.scopes.includes('openid')
    ? await signIdToken(configuration, { code, person, now, signer: await keys.signer() })
    : null
  const issued = issueTokens(configuration, { code, client, proof, now })
  const first = await useProof(proof)
  if (!first.ok) return first
  if (isGone(context.incoming)) return CLIENT_GONE
  const { clientId, subject, grantId, scopes } = code
  const { events, tell } = context.announce(
    ...ISSUED.map((type) => ({ type, at: now, clientId, subject, grantId, scopes })),
  )
  context.uses.useWithChange(name)
  const outcome = await store.redeemCode(issued.redemption, events)
  if (outcome !== 'redeemed') {
    // Decided again by what the winner stored, as if this request had read the code after it.
    const lost = decide(await store.findCode(hashToken(presented)))
    if (lost.ok) return refuse('invalid_grant', 'code_lost_race')
    return refuseGrant(request, lost, replayBy(client))
  }
  tell()
  return {
    ok: true,
    response: {
      access_token: issued.pair.accessToken,
      token_type: typeOf(request),
      expires_in: issued.redemption.accessToken.expiresAt - now,
      refresh_token: issued.pair.refreshToken,
      scope: code.scopes.join(' '),
      ...(idToken !== null && { id_token: idToken }),
    },
  }
}

/** Creates the tokens and the records for one commit. */
function issueTokens(
  configuration: AuthorizationServerConfiguration,
  {
    code,
    client,
    proof,
    now,
  }: {
    code: RedeemableCode
    client: AuthenticatedClient
    proof: ClientRequest['proof']
    now: number
  },
): { pair: TokenPair; redemption: RedeemCode } {
  const { grantSeconds, randomBytes } = configuration
  const pair = {
    accessToken: newToken('accessToken', randomBytes),
    refreshToken: newToken('refreshToken', randomBytes),
  }
  const { grantId, clientId, subject, scopes, resource, redirectUri } = code
  const grant = {
    grantId,
    clientId,
    subject,
    scopes,
    resource,
    redirectUri,
    createdAt: now,
    expiresAt: earliestEnd(now + grantSeconds, code.grantEndsAt),
    revokedAt: null,
    revokedReason: null,
    ...boundBy(proof),
  }
  return {
    pair,
    redemption: {
      codeHash: code.codeHash,
      // Not `now`: finding the person and signing may have taken longer than a second use is forgiven.
      redeemedAt: configuration.now(),
      grant,
      ...recordsOf(configuration, pair, { grant, scopes, client, proof, now }),
    },
  }
}

/**
 * Signs the ID token with the claims that the person has now, not at the time of consent. While no key
 * signs, the response has no ID token, and the metadata lists no signing algorithm.
 */
async function signIdToken(
  configuration: AuthorizationServerConfiguration,
  {
    code,
    person,
    now,
    signer,
  }: {
    code: RedeemableCode
    person: Person
    now: number
    signer: Awaited<ReturnType<AuthorizationServerConfiguration['keys']['signer']>>
  },
): Promise<string | null> {
  if (signer === null) {
    await tellOfNoKey(configuration)
    return null
  }
  const { issuer } = configuration
  const { clientId, nonce, authTime, scopes } = code
  return mintIdToken({
    signer,
    facts: { issuer, clientId, nonce, authTime, now },
    claims: claimsOf(configuration, { person, scopes }),
  })
}

const warned = new WeakSet<AuthorizationServerConfiguration>()

/** Reports once that there is no key at all. Keys that are published and do not sign yet are a stage of their own. */
async function tellOfNoKey(configuration: AuthorizationServerConfiguration): Promise<void> {
  if (warned.has(configuration) || (await configuration.keys.jwks()).keys.length > 0) return
  warned.add(configuration)
  const message =
    'there is no signing key, so an exchange with the scope openid was answered without an id_token: call maintain(site, { keys }) at start-up and every few minutes, or serve(server)'
  configuration.notifyFault('token', new Error(message))
}

const replayBy = ({ clientId }: AuthenticatedClient): Reuse => ({
  type: 'oauth.authorization.code_replayed',
  clientId,
  revokedReason: 'code_replayed',
})

/** Why a grant is revoked whose code or refresh token was used again. */
interface Reuse {
  readonly type: 'oauth.authorization.code_replayed' | 'oauth.grant.reuse_detected'
  readonly clientId: string
  readonly revokedReason: string
}

/**
 * Refuses a code or refresh token. If the refusal names a grant, revokes it because of a second use, and reports that.
 * The event follows even if the grant was revoked before: an audit log needs every attempt. Then there is no change that
 * the store could keep it with, so only `onEvent` receives it.
 */
export async function refuseGrant(
  { configuration: { store, now }, context, proof }: ClientRequest,
  refusal: Refusal & { readonly revokeGrantId?: string },
  { type, clientId, revokedReason }: Reuse,
): Promise<Refusal> {
  const { revokeGrantId: grantId } = refusal
  if (grantId === undefined) return refusal
  // Who replays a request with its proof ends nothing.
  const first = await useProof(proof)
  if (!first.ok) return first
  const at = now()
  const event = { type, at, clientId, grantId }
  const { events, tell } = context.announce(event)
  const outcome = await store.revokeGrant({ grantId, revokedAt: at, revokedReason }, events)
  if (outcome === 'revoked') tell()
  else context.notifyEvent(event)
  return refusal
}
