import { sha256Base64url } from '../encoding/hash.js'
import type { ScopeAccess, ScopeRegistry } from '../scope/scope-registry.js'
import { isNotAfter, secondsSince } from '../time/seconds.js'
import type { Client } from './client.js'
import { type Decision, present, refuse } from './decision.js'
import { withImplied } from './role.js'

/**
 * Returns the key under which a consent is remembered. It depends on the person, the client, the
 * redirect URI, the set of scopes and the resource, so the person is asked again if any of them
 * changes.
 *
 * @returns 43 base64url characters
 *
 * @example
 * ```ts
 * import { consentKey } from 'hallpass/policy'
 *
 * const consent = {
 *   subject: 'per_mei',
 *   clientId: 'notes',
 *   redirectUri: 'https://notes.example/callback',
 *   resource: 'https://school.example',
 * }
 * const key = consentKey({ ...consent, scopes: ['openid', 'courses:read'] })
 * key.length // => 43
 * key === consentKey({ ...consent, scopes: ['courses:read', 'openid'] }) // => true
 * key === consentKey({ ...consent, scopes: ['openid', 'courses:write'] }) // => false
 * ```
 *
 * @group Consent
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
    JSON.stringify(
      Object.values(
        present({ subject, clientId, redirectUri, scopes: [...scopes].sort(), resource }),
      ),
    ),
  )
}

/**
 * Returns the key that says that a person chose an end for a client. While this key is stored, no consent between the
 * two is remembered: the person is asked every time, until the client is disconnected.
 */
export function endedConsentKey({
  subject,
  clientId,
}: {
  subject: string
  clientId: string
}): string {
  return sha256Base64url(JSON.stringify(['end', ...Object.values(present({ subject, clientId }))]))
}

/**
 * Decides which end a person chose for a grant, of those that are offered now.
 *
 * @param choice - `until`: every form field of that name, as sent; empty ones are ignored. `offered`: the ends that
 *   have not passed
 * @returns the end in epoch seconds, `null` if none was chosen, or a refusal with `invalid_request`
 */
export function decideGrantEnd({
  until,
  offered,
}: {
  until: readonly string[]
  offered: readonly { readonly id: string; readonly endsAt: number }[]
}): Decision<{ grantEndsAt: number | null }, 'consent_end_unknown'> {
  const sent = until.filter((id) => id !== '')
  if (sent.length === 0) return { ok: true, grantEndsAt: null }
  const chosen = offered.find(({ id }) => id === sent[0])
  return chosen === undefined || sent.length > 1
    ? refuse(
        'invalid_request',
        'consent_end_unknown',
        'the end that you chose is no longer offered: go back to the app and start again',
      )
    : { ok: true, grantEndsAt: chosen.endsAt }
}

/**
 * Decides which of the requested scopes a person allows. Identity scopes are always kept, because
 * without them a client does not know for whom it acts.
 *
 * @param choice - `asked` is the requested scopes. `access` is the form field as sent, where `null`
 *   (absent) means `all`. `chosen` is the selected scopes, which are only used with `choose`.
 *   `registry` has the scopes of the site.
 * @returns the allowed scopes in the order of the request, or a refusal with `invalid_request`. The
 *   reason is `consent_empty` if a request for more would be reduced to identity scopes.
 * @see [RFC 6749, section 3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3)
 *
 * @example
 * ```ts
 * import { decideConsent } from 'hallpass/policy'
 * import { schoolScopes as registry } from 'hallpass/scope'
 *
 * const asked = ['openid', 'courses:read', 'courses:write']
 * const read = decideConsent({ asked, access: 'read', chosen: [], registry })
 * read // => { ok: true, scopes: ['openid', 'courses:read'] }
 *
 * const none = decideConsent({ asked, access: 'choose', chosen: [], registry })
 * none.ok ? null : none.reason // => 'consent_empty'
 * ```
 *
 * @group Consent
 */
export function decideConsent({
  asked,
  access,
  chosen,
  registry,
}: {
  asked: readonly string[]
  access: string | null
  chosen: readonly string[]
  registry: ScopeRegistry
}): Decision<{ scopes: readonly string[] }, 'consent_choice_malformed' | 'consent_empty'> {
  if (access === null || access === 'all') return { ok: true, scopes: asked }
  if (access !== 'read' && access !== 'choose')
    return refuse(
      'invalid_request',
      'consent_choice_malformed',
      'access must be all, read or choose',
    )
  const accessOf = (scope: string): ScopeAccess | undefined => registry.get(scope)?.access
  const scopes = asked.filter(
    (scope) =>
      accessOf(scope) === 'identity' ||
      (access === 'read' ? accessOf(scope) === 'read' : chosen.includes(scope)),
  )
  const isEmpty = scopes.every((scope) => accessOf(scope) === 'identity')
  return isEmpty && scopes.length < asked.length
    ? refuse(
        'invalid_request',
        'consent_empty',
        'no permission is selected: select at least one, or cancel',
      )
    : { ok: true, scopes }
}

/**
 * Whether a consent to this client may be remembered for later requests: only to a confidential client that
 * people of the site know. Without a secret, another site that made the request can redeem the code of a client
 * that does not check `iss`. And any program can pretend to be a client that registered itself.
 *
 * @param client - the client that asks
 * @returns `false` if the person must be asked every time
 * @see [RFC 8252, section 8.6](https://www.rfc-editor.org/rfc/rfc8252#section-8.6)
 * @see [RFC 9700, section 4.4](https://www.rfc-editor.org/rfc/rfc9700#section-4.4)
 *
 * @example
 * ```ts
 * import { mayRememberConsent } from 'hallpass/policy'
 *
 * mayRememberConsent({ kind: 'member', tokenEndpointAuthMethod: 'client_secret_post' }) // => true
 * mayRememberConsent({ kind: 'member', tokenEndpointAuthMethod: 'none' }) // => false
 * mayRememberConsent({ kind: 'loopback', tokenEndpointAuthMethod: 'client_secret_post' }) // => false
 * ```
 *
 * @group Consent
 */
export function mayRememberConsent({
  kind,
  tokenEndpointAuthMethod,
}: Pick<Client, 'kind' | 'tokenEndpointAuthMethod'>): boolean {
  present({ kind, tokenEndpointAuthMethod })
  return kind !== 'loopback' && tokenEndpointAuthMethod !== 'none'
}

/** Greatest age of the sign-in of a person who allows a sensitive scope, in seconds. */
const SENSITIVE_SIGN_IN_SECONDS = 300

/**
 * Decides whether a sign-in is recent enough for an authorization request. With `prompt=login` or
 * `prompt=select_account` it must not be older than the request. With `max_age` it must not be older than that, and
 * for a sensitive scope, or one that implies it, not older than five minutes.
 *
 * @param question - `authTime`: when the person signed in; `requestedAt`: when the request arrived, both in epoch
 *   seconds; `prompt`, `maxAge` and `scopes`: as in {@link AuthorizationRequest}; `registry`: says which scopes are
 *   sensitive
 * @returns `ok`, or a refusal with `login_required`: the person must sign in again
 * @see [OpenID Connect Core, section 3.1.2.1](https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest)
 *
 * @example
 * ```ts
 * import { decideSignInAge } from 'hallpass/policy'
 * import { schoolScopes } from 'hallpass/scope'
 *
 * const now = 1_795_165_200
 * const request = { authTime: now - 3600, requestedAt: now, prompt: [], maxAge: null, scopes: ['courses:read'] }
 * const decide = (differs: object) => {
 *   const decision = decideSignInAge({ ...request, ...differs, registry: schoolScopes })
 *   return decision.ok ? null : decision.reason
 * }
 * decide({}) // => null
 * decide({ maxAge: 600 }) // => 'sign_in_not_fresh'
 * decide({ prompt: ['login'] }) // => 'sign_in_not_fresh'
 * decide({ scopes: ['members:write'] }) // => 'scope_needs_sign_in'
 * ```
 *
 * @group Consent
 */
export function decideSignInAge({
  authTime,
  requestedAt,
  prompt,
  maxAge,
  scopes,
  registry,
}: {
  authTime: number
  requestedAt: number
  prompt: readonly string[]
  maxAge: number | null
  scopes: readonly string[]
  registry: ScopeRegistry
}): Decision<unknown, 'sign_in_not_fresh' | 'scope_needs_sign_in'> {
  const isNew = prompt.includes('login') || prompt.includes('select_account')
  const oldest = isNew ? 0 : maxAge
  const age = secondsSince(authTime, requestedAt)
  if (oldest !== null && !isNotAfter(age, oldest))
    return refuse('login_required', 'sign_in_not_fresh', 'the person must sign in again')
  const asked = withImplied(scopes, registry)
  const isSensitive = asked.some((scope) => registry.get(scope)?.sensitive === true)
  if (isSensitive && !isNotAfter(age, SENSITIVE_SIGN_IN_SECONDS))
    return refuse('login_required', 'scope_needs_sign_in', 'the person must sign in again')
  return { ok: true }
}
