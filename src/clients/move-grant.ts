import { randomBase64url } from '../encoding/random.js'
import { list, OptionsError, optional, pattern, type Rules, text } from '../options/check.js'
import { disabledReason } from '../policy/client.js'
import { type Decision, type ReasonsOf, refuse } from '../policy/decision.js'
import { decideRedirectUri } from '../policy/redirect-uri.js'
import { decideApprover } from '../policy/role.js'
import { decideScopes, parseScope } from '../policy/scope-audience.js'
import { CLIENT_ID } from '../site/client-finder.js'
import { judged, time } from '../site/client-rules.js'
import { checkOwnOptions, currentRequestId, type Site } from '../site/site.js'
import type { FoundRefreshToken, RedeemCode } from '../store/store.js'
import { isBefore, secondsSince } from '../time/seconds.js'
import { hashToken } from '../token/opaque.js'

// 128 bits in base64url (RFC 6749, section 10.10), and half a form, which is the only place where a client sends it.
const TOKEN = /^[\x20-\x7e]{22,8192}$/
/** How far ahead a moved grant may end, in days: as far as `grantSeconds` allows. */
const MAX_MOVED_DAYS = 3650

const hash = (example: string): ReturnType<typeof judged<string>> =>
  judged(
    `${example}, which is 43 base64url characters`,
    (value) => typeof value === 'string' && /^[\w-]{43}$/.test(value),
  )

type Moved = Parameters<typeof moveGrant>[1]

const RULES: Rules<Moved> = {
  clientId: pattern('printable ASCII such as "study-app"', CLIENT_ID),
  subject: text('String(row.id)'),
  scopes: list(text('"account:read"')),
  redirectUri: text('"https://study.example/callback"'),
  refreshToken: optional(
    judged(
      'the token itself: 22 to 8,192 printable ASCII characters',
      (value) => typeof value === 'string' && TOKEN.test(value),
    ),
  ),
  refreshTokenHash: optional(hash('hashToken(token)')),
  expiresAt: time,
  grantEndsAt: optional(time),
  boundTo: optional(hash('a thumbprint of RFC 7638')),
}

const contradictionsAt =
  (now: number) =>
  ({
    refreshToken,
    refreshTokenHash,
    expiresAt,
    grantEndsAt = expiresAt,
  }: Moved): readonly string[] => [
    ...((refreshToken === undefined) === (refreshTokenHash === undefined)
      ? ['pass either refreshToken or refreshTokenHash']
      : []),
    ...(isBefore(grantEndsAt, expiresAt) ? ['grantEndsAt must not be before expiresAt'] : []),
    ...(isBefore(MAX_MOVED_DAYS * 86_400, secondsSince(now, grantEndsAt))
      ? [
          `${grantEndsAt === expiresAt ? 'expiresAt' : 'grantEndsAt'} must be at most ${MAX_MOVED_DAYS} days from now: choose an end for a token without one`,
        ]
      : []),
  ]

/**
 * Moves a refresh token of another server to this site, so that its client can continue without a sign-in. The client
 * sends its old token to the token endpoint, and from then on it has tokens of this site.
 *
 * The function checks what a sign-in would check: the client, its redirect URI and scopes, and the person with their
 * roles. A token that is stored already is left as it is, even if it was used or revoked since, so a script can run
 * again. The grant is one of this site: a second use of the old token is a reuse, and ends it.
 *
 * @param site - the site to which the grant moves
 * @param moved - one refresh token that is still valid, by its value or by its hash, and what the person allowed
 * @returns `moved`; `exists` if the token is stored already; or a refusal as of a sign-in, after which nothing
 *   is stored. `refresh_token_expired`: the token has expired already
 * @throws OptionsError - for a value of a wrong form, such as a time in milliseconds or a number as `subject`. Also for a
 *   token that is stored for another client or person
 * @example
 * ```ts
 * import { defineClient, moveGrant } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, people } = testSite()
 * const mei = { subject: 'mem_mei', orgId: site.id, roles: ['student'], name: null, email: null, picture: null }
 * people.set(mei.subject, mei)
 * const [clientId, redirectUri, scopes] = ['study-app', 'https://study.example/callback', ['account:read']]
 * const fields = { clientId, name: 'Study App', redirectUris: [redirectUri], scopes, createdAt: site.now() }
 * await site.store.insertClient(defineClient({ ...fields, kind: 'member' }))
 *
 * const old = { refreshToken: 'V1StGXR8Z5jdHi6BmyT0aZ9wQ4pLxE2c', expiresAt: site.now() + 86_400 }
 * const moved = { clientId, subject: 'mem_mei', scopes, redirectUri, ...old }
 * await moveGrant(site, moved) // => { ok: true, outcome: 'moved' }
 * await moveGrant(site, moved) // => { ok: true, outcome: 'exists' }
 * const refused = await moveGrant(site, { ...moved, clientId: 'other-app', refreshToken: `${old.refreshToken}2` })
 * refused.ok ? null : refused.reason // => 'client_unknown'
 * ```
 *
 * @group Move in
 */
export async function moveGrant(
  site: Site,
  moved: {
    readonly clientId: string
    /** The `sub` of the person at both servers. */
    readonly subject: string
    /** The scopes as this site names them. `offline_access` is left out. */
    readonly scopes: readonly string[]
    /** A redirect URI of the client. If the other server did not store it, that of a client with one. */
    readonly redirectUri: string
    /** The token as the client sends it: 22 to 8,192 printable ASCII characters, so that no one can guess it. */
    readonly refreshToken?: string
    /**
     * The SHA-256 hash of the token as the client sends it, as 43 base64url characters, as `hashToken` returns it. From a
     * hash no one can tell whether the token was long enough.
     */
    readonly refreshTokenHash?: string
    /** Epoch seconds at which the other server would have refused the unused token, at most 3,650 days from now. */
    readonly expiresAt: number
    /**
     * Epoch seconds at which the person has to sign in again, however often the client refreshes. Not before `expiresAt`.
     * Default: `expiresAt`.
     */
    readonly grantEndsAt?: number
    /**
     * The key to which the other server bound the token, as the thumbprint of RFC 7638, such as `jkt` of oidc-provider.
     * Default: the token is bound to no key.
     */
    readonly boundTo?: string
  },
): Promise<
  Decision<
    { readonly outcome: 'moved' | 'exists' },
    | 'client_unknown'
    | ReturnType<typeof disabledReason>
    | ReasonsOf<typeof decideRedirectUri | typeof parseScope | typeof decideScopes>
    | 'person_gone'
    | ReasonsOf<typeof decideApprover>
    | 'refresh_token_expired'
  >
> {
  const { store, scopes: registry, roles, loopbackHosts, randomBytes } = site
  const checked = checkOwnOptions('moveGrant', site, moved, RULES, (right) =>
    contradictionsAt(site.now())(right),
  )
  const { clientId, subject, expiresAt, grantEndsAt = expiresAt, boundTo } = checked
  const tokenHash = checked.refreshTokenHash ?? hashToken(checked.refreshToken!)
  const known = await store.findRefreshToken(tokenHash)
  if (known !== null) return found(known, checked)

  const client = await site.findClient(clientId)
  if (client === null)
    return refuse('invalid_client', 'client_unknown', 'this client is not registered at this site')
  if (client.disabled) return refuse('invalid_client', disabledReason(client))
  const redirect = decideRedirectUri({
    redirectUri: checked.redirectUri,
    registered: client.redirectUris,
    loopbackHosts,
  })
  if (!redirect.ok) return redirect
  const parsed = parseScope(checked.scopes.join(' '))
  if (!parsed.ok) return parsed
  const scoped = decideScopes({ scopes: parsed.scopes, client, registry })
  if (!scoped.ok) return scoped
  const person = await site.findPerson(subject)
  if (person === null) return refuse('invalid_grant', 'person_gone')
  const approver = decideApprover({ roles: person.roles, client, table: roles })
  if (!approver.ok) return approver
  const now = site.now()
  if (!isBefore(now, expiresAt)) return refuse('invalid_grant', 'refresh_token_expired')

  // A code that no one knows. It has expired, and is redeemed here.
  const random = (): string => hashToken(randomBase64url(randomBytes))
  const codeHash = random()
  const grantId = `grant_${random()}`
  const { scopes } = scoped
  const resource = site.resource.canonical
  const { redirectUri } = redirect
  const granted = { grantId, clientId, subject, scopes, resource, redirectUri }
  const issued = await store.issueCode({
    code: {
      ...granted,
      codeHash,
      resourceSent: true,
      codeChallenge: random(),
      nonce: null,
      grantEndsAt,
      authTime: null,
      issuedAt: now,
      expiresAt: now,
      redeemedAt: null,
    },
    pendingIdHash: null,
    consentKey: null,
  })
  if (issued === 'gone') return refuse('invalid_grant', 'person_gone')
  const { events, tell } = site.announce({
    type: 'oauth.grant.created',
    at: now,
    clientId,
    subject,
    grantId,
    scopes,
    requestId: currentRequestId(site),
  })
  const token = { grantId, issuedAt: now }
  const redemption: RedeemCode = {
    codeHash,
    redeemedAt: now,
    grant: {
      ...granted,
      createdAt: now,
      expiresAt: grantEndsAt,
      revokedAt: null,
      revokedReason: null,
      ...(boundTo !== undefined && { boundTo }),
    },
    // No one knows it, and it has expired.
    accessToken: { ...token, tokenHash: random(), scopes, expiresAt: now, revokedAt: null },
    refreshToken: { ...token, tokenHash, expiresAt, rotation: null },
  }
  try {
    // The person was erased, or the client lost its grants, since the code was issued.
    if ((await store.redeemCode(redemption, events)) !== 'redeemed')
      return refuse('invalid_grant', 'person_gone')
  } catch (fault) {
    // No store keeps one token twice: another run of the script may have stored it.
    const stored = await store.findRefreshToken(tokenHash)
    if (stored === null) throw fault
    return found(stored, checked)
  }
  tell()
  return { ok: true, outcome: 'moved' }
}

/** Returns `exists`, unless the token is that of someone else: two rows of a table never have the same token. */
function found(
  { grant }: FoundRefreshToken,
  { clientId, subject }: Moved,
): { readonly ok: true; readonly outcome: 'exists' } {
  if (grant.clientId !== clientId || grant.subject !== subject)
    throw new OptionsError('moveGrant', [
      'the refresh token is stored for another client or person: pass the column with the token itself or its hash',
    ])
  return { ok: true, outcome: 'exists' }
}
