import { grantIdOf } from '../authorization-server/approval.js'
import type { ClientRequest } from '../authorization-server/block.js'
import { boundBy, typeOf, useProof } from '../authorization-server/pair-records.js'
import type { Refreshed } from '../authorization-server/exchanged.js'
import { randomBase64url } from '../encoding/random.js'
import { isGone } from '../http/exchange.js'
import { CLIENT_GONE, type Failure } from '../http/frame.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import { type Decision, refuse } from '../policy/decision.js'
import { earliestEnd } from '../time/seconds.js'
import { hashToken, newToken } from '../token/opaque.js'

/** The access that a grant without a code gives to its client. */
export interface Opening {
  readonly subject: string
  readonly scopes: readonly string[]
  /** The resource in canonical form. */
  readonly resource: string
  /** Lifetime of the access token and of its grant, in seconds. */
  readonly seconds: number
  /** Issuer of the identity provider that decided in place of the person, for the audit log. */
  readonly provider?: string
}

/**
 * Opens a grant without a person in a browser: an access token until the end of the grant, and no refresh token. In
 * place of a refresh token, a hash of random bytes is stored, to which nothing hashes.
 *
 * The store has no method for it. A code that no one knows is issued and redeemed, in two changes. So an erased
 * person gets nothing, and the end of all grants of a client ends the code too.
 *
 * @returns the response; a refusal if the grant was ended in between
 */
export async function openGrant(
  request: Pick<ClientRequest, 'configuration' | 'context' | 'proof'>,
  client: AuthenticatedClient,
  { subject, scopes, resource, seconds, provider }: Opening,
): Promise<Decision<Refreshed> | Failure> {
  const { configuration, context, proof } = request
  const { store, now: clock, randomBytes } = configuration
  const { clientId } = client
  const spent = await context.payer.spend(['codesOfPerson', `${subject} ${clientId}`])
  if (!spent.ok) return { ...PACED, retryAfterSeconds: spent.retryAfterSeconds }
  const first = await useProof(proof)
  if (!first.ok) return first
  if (isGone(context.incoming)) return CLIENT_GONE
  const now = clock()
  const accessToken = newToken('accessToken', randomBytes)
  const codeHash = hashToken(randomBase64url(randomBytes))
  const grantId = grantIdOf(codeHash)
  const expiresAt = earliestEnd(now + seconds, client.endsAt)
  const bound = { grantId, clientId, subject, scopes, resource, redirectUri: '' }
  const key = boundBy(proof)
  const code = {
    ...bound,
    codeHash,
    resourceSent: true,
    codeChallenge: codeHash,
    nonce: null,
    grantEndsAt: expiresAt,
    authTime: null,
    issuedAt: now,
    expiresAt,
    redeemedAt: null,
  }
  const issued = await store.issueCode({ code, pendingIdHash: null, consentKey: null })
  if (issued === 'gone') return refuse('invalid_grant', 'person_gone')
  const token = { grantId, issuedAt: now, expiresAt }
  const facts = { at: now, clientId, subject, grantId, scopes }
  const { events, tell } = context.announce(
    { type: 'oauth.grant.created', ...facts, ...(provider !== undefined && { provider }) },
    { type: 'oauth.token.issued', ...facts },
  )
  const redeemed = await store.redeemCode(
    {
      codeHash,
      redeemedAt: now,
      grant: { ...bound, createdAt: now, expiresAt, revokedAt: null, revokedReason: null, ...key },
      accessToken: { ...token, tokenHash: hashToken(accessToken), scopes, revokedAt: null, ...key },
      refreshToken: {
        ...token,
        tokenHash: hashToken(randomBase64url(randomBytes)),
        rotation: null,
      },
    },
    events,
  )
  // The grants of the client were ended in between, and the code with them.
  if (redeemed !== 'redeemed') return refuse('invalid_grant', 'grant_revoked')
  tell()
  return {
    ok: true,
    response: {
      access_token: accessToken,
      token_type: typeOf(request),
      expires_in: expiresAt - now,
      scope: scopes.join(' '),
    },
  }
}

const PACED = /* @__PURE__ */ refuse(
  'temporarily_unavailable',
  'code_paced',
  'this client asked for too many tokens of one subject: use those that it has, or try again later',
)
