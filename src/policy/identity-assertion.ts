import { sha256Base64url } from '../encoding/hash.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { isBefore, isNotAfter } from '../time/seconds.js'
import { audienceOf, type Client } from './client.js'
import { decideSignInAge } from './consent.js'
import { type Decision, type ReasonsOf, type Refusal, refuseFrom, type With } from './decision.js'
import { decideRepeatedResource, resourceNamed, type ResourceNames } from './resource-indicator.js'
import {
  isAny,
  isMembers,
  isTime,
  memberOf,
  type Members,
  readMembers,
  text,
  valuesOf,
} from './reading.js'
import { mayRequest, parseScope } from './scope-audience.js'

/**
 * The refusals of `identityAssertion`, with their texts.
 *
 * ID-JAG is draft-ietf-oauth-identity-assertion-authz-grant-04.
 *
 * @group Grants
 */
export const IDENTITY_ASSERTION_REFUSALS = {
  invalid_request: {
    identity_assertion_missing: {
      meaning: 'The token request has no `assertion`.',
      advice: 'Send the ID-JAG that the identity provider issued.',
      source: 'RFC 7523 §2.1',
      turn: 'client',
    },
  },
  invalid_grant: {
    identity_assertion_malformed: {
      meaning:
        'The assertion is not a JWT of at most 8192 characters, or one of `iss`, `sub`, `aud`, `client_id`, `jti`, `exp` and `iat` is missing or of a wrong type.',
      advice: 'Let the identity provider issue an ID-JAG. `jti` has 1 to 256 characters.',
      source: 'ID-JAG §3.1',
      turn: 'developer',
    },
    identity_assertion_of_other_type: {
      meaning: '`typ` in the header of the assertion is not `oauth-id-jag+jwt`.',
      advice: 'Exchange the ID token for an ID-JAG first: an ID token is not a grant.',
      source: 'ID-JAG §4.4.1',
      turn: 'client',
    },
    identity_assertion_provider_unknown: {
      meaning: 'The site does not trust the identity provider that issued the assertion.',
      advice:
        'Ask the site to trust the provider. Host application: name the issuer in `providers`, exactly as in `iss`.',
      source: 'RFC 7523 §3',
      turn: 'manager',
    },
    identity_assertion_for_other_audience: {
      meaning: '`aud` of the assertion is not the issuer of the site, or it has several values.',
      advice: 'Send the issuer of the metadata as `audience` of the token exchange.',
      source: 'ID-JAG §4.4.1',
      turn: 'client',
    },
    identity_assertion_of_other_client: {
      meaning: '`client_id` of the assertion is not the client that authenticated.',
      advice:
        'Register the client at the provider with its `client_id` of this site. Host application: or name what the provider calls it in `clients`.',
      source: 'ID-JAG §4.4.1',
      turn: 'developer',
    },
    identity_assertion_of_other_tenant: {
      meaning: 'The assertion is of another organization than the one that the site trusts.',
      advice:
        'Sign in with the account of the right organization. Host application: `tenant` of the provider.',
      source: 'ID-JAG §3.1',
      turn: 'person',
    },
    identity_assertion_for_other_resource: {
      meaning: '`resource` of the assertion has an address that is not of this site.',
      advice: 'Send the `resource` of the protected resource metadata to the provider.',
      source: 'ID-JAG §4.4.1',
      turn: 'client',
    },
    identity_assertion_expired: {
      meaning: 'The assertion has expired, with 30 seconds for clocks that differ.',
      advice: 'Get another one from the identity provider for each token.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    identity_assertion_not_yet_valid: {
      meaning: '`iat`, `nbf` or `auth_time` of the assertion is more than 30 seconds ahead.',
      advice: 'Set the clock of the identity provider.',
      source: 'RFC 7523 §3',
      turn: 'developer',
    },
    identity_assertion_too_long_lived: {
      meaning: 'The assertion is valid for more than 20 minutes.',
      advice: 'Let the identity provider issue assertions for five minutes.',
      source: 'hallpass',
      turn: 'developer',
    },
    identity_assertion_sign_in_too_old: {
      meaning:
        'Only access that needs a recent sign-in remains, and the organization does not say that the person signed in within the last five minutes.',
      advice:
        'Sign out of your organization, sign in again, and connect the app again. Host application: the identity provider has to issue `auth_time`.',
      source: 'ID-JAG §3.1',
      turn: 'person',
    },
    identity_assertion_bound: {
      meaning: 'The assertion is bound to a key (`cnf`), and the request does not prove that key.',
      advice: 'Send a DPoP proof with the same key, or get an assertion without one.',
      source: 'ID-JAG §8.6.1',
      turn: 'client',
    },
    identity_assertion_details_not_supported: {
      meaning:
        'The assertion limits what it grants by `authorization_details`, which this site does not read.',
      advice: 'Request scopes in place of `authorization_details`.',
      source: 'RFC 9396 §5',
      turn: 'client',
    },
    identity_assertion_signature_wrong: {
      meaning:
        'None of the keys of the provider made the signature, or its algorithm is not in `algorithms`.',
      advice: 'Check the `jwks_uri` of the provider. After a new key, try again within a minute.',
      source: 'RFC 7523 §3',
      turn: 'developer',
    },
    identity_assertion_used_before: {
      meaning: 'An assertion with this `jti` was accepted before.',
      advice: 'Get another one from the identity provider for each token.',
      source: 'RFC 7523 §3',
      turn: 'client',
    },
    identity_assertion_person_unknown: {
      meaning: 'The site has no account for the person whom the provider names.',
      advice: 'Create the account. Host application: `personOf` of the provider returned `null`.',
      source: 'ID-JAG §2.2',
      turn: 'manager',
    },
  },
  unauthorized_client: {
    identity_assertion_client_not_allowed: {
      meaning: 'The site accepts no assertion of this identity provider for this app.',
      advice:
        'Sign in through the browser. Host application: name the client in `clients` of the provider. No app of members can use one.',
      source: 'ID-JAG §8.1',
      turn: 'manager',
    },
  },
  invalid_scope: {
    identity_assertion_scope_empty: {
      meaning:
        'Nothing remains of the scopes that the provider granted, the client requested and may request, and the role of the person allows.',
      advice: 'Request scopes of `scopes_supported` from the provider, which has to allow them.',
      source: 'ID-JAG §4.4.1',
      turn: 'developer',
    },
  },
} as const

/**
 * Why an identity assertion gives its client no token.
 */
export type IdentityAssertionReason = {
  [
    Code in keyof typeof IDENTITY_ASSERTION_REFUSALS
  ]: keyof (typeof IDENTITY_ASSERTION_REFUSALS)[Code]
}[keyof typeof IDENTITY_ASSERTION_REFUSALS]

const refuse = /* @__PURE__ */ refuseFrom(IDENTITY_ASSERTION_REFUSALS)

/** Most seconds from `iat` to `exp` of an identity assertion. */
const MAX_IDENTITY_ASSERTION_SECONDS = 1200
/** Seconds by which the clocks of provider and server may differ. */
const IDENTITY_ASSERTION_LEEWAY_SECONDS = 30
const MAX_JTI_LENGTH = 256
const MAX_SUBJECT_LENGTH = 256

/**
 * An identity provider that a site trusts, as {@link decideIdentityAssertion} reads it.
 *
 * @inline
 */
export interface TrustedProvider {
  /** The name at the provider of each client that may use its assertions, by `client_id` at this site. */
  readonly clients: Pick<ReadonlyMap<string, string>, 'get'>
  /** The only `tenant` that is trusted; `null` if assertions must have none. */
  readonly tenant: string | null
}

/**
 * Decides whether an identity assertion of an identity provider (ID-JAG) gives a client access now. The signature is not
 * checked, the person is not looked up, and `once` is not used yet: `identityAssertion` does the three, in this order.
 *
 * The scopes are those that the assertion names, that the request names too if it has `scope`, and that the client may
 * request. The role of the person narrows them further, once the person is known. If the assertion names none,
 * `defaultScopes` are used. A sensitive scope is among them only if `auth_time` of the assertion is at most five minutes ago.
 *
 * @param request - `header` and `claims`: those of the JWT, unchecked; `client`: authenticated. `providers`: by issuer.
 *   `issuer`, `names` and `registry`: those of the site. `scope` and `resources`: the parameters of the token request.
 *   `defaultScopes`: for an assertion without scopes, `null` for none. `provenKey`: the RFC 7638 thumbprint of the key
 *   that the request proved, `null` if none. `now`: epoch seconds
 * @returns the issuer, the subject there, scopes and resource of the grant, and what may be used once: a key of 43
 *   characters until a time in epoch seconds. Or a refusal with `invalid_grant`, `unauthorized_client` or `invalid_scope`
 * @see [ID-JAG, section 4.4.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-identity-assertion-authz-grant-04#section-4.4.1)
 * @see [RFC 7523, section 3](https://www.rfc-editor.org/rfc/rfc7523#section-3)
 *
 * @example
 * ```ts
 * import { decideIdentityAssertion } from 'hallpass/blocks'
 * import { clientOfVendor, defineResource } from 'hallpass/policy'
 * import { schoolScopes as registry } from 'hallpass/scope'
 *
 * const [now, issuer, iss] = [1795165200, 'https://school.example', 'https://idp.example']
 * const redirectUris = ['https://notes.example/callback']
 * const client = clientOfVendor({ clientId: 'notes', name: 'Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' })
 * const providers = new Map([[iss, { clients: new Map([['notes', 'notes']]), tenant: null }]])
 * const site = { providers, issuer, names: defineResource(issuer), registry, defaultScopes: null }
 * const times = { iat: now, exp: now + 300, jti: 'a-random-one' }
 * const claims = { iss, sub: 'u-17', aud: issuer, client_id: 'notes', scope: 'courses:read', ...times }
 * const form = { client, scope: null, resources: [], provenKey: null, now }
 * const request = { ...site, ...form, header: { typ: 'oauth-id-jag+jwt' }, claims }
 *
 * const decided = decideIdentityAssertion(request)
 * decided.ok && decided.scopes // => ['courses:read']
 *
 * const idToken = decideIdentityAssertion({ ...request, header: { typ: 'JWT' } })
 * idToken.ok || idToken.reason // => 'identity_assertion_of_other_type'
 * ```
 * @group Grants
 */
export function decideIdentityAssertion({
  header,
  claims,
  client,
  providers,
  issuer,
  names,
  registry,
  scope,
  resources,
  defaultScopes,
  provenKey,
  now,
}: {
  header: Readonly<Record<string, unknown>>
  claims: Readonly<Record<string, unknown>>
  client: With<Client, 'clientId' | 'kind' | 'scopes'>
  providers: Pick<ReadonlyMap<string, TrustedProvider>, 'get'>
  issuer: string
  names: ResourceNames
  registry: ScopeRegistry
  scope: string | null
  resources: readonly string[]
  defaultScopes: readonly string[] | null
  provenKey: string | null
  now: number
}): Decision<
  {
    /** The issuer of the provider. */
    readonly provider: string
    /** The person, as the provider calls them: unique at this provider only. */
    readonly providerSubject: string
    readonly scopes: readonly string[]
    readonly resource: string
    readonly once: { readonly key: string; readonly until: number }
  },
  | Exclude<
      IdentityAssertionReason,
      | 'identity_assertion_missing'
      | 'identity_assertion_signature_wrong'
      | 'identity_assertion_used_before'
      | 'identity_assertion_person_unknown'
    >
  | ReasonsOf<typeof parseScope>
  | ReasonsOf<typeof decideRepeatedResource>
> {
  const typ = memberOf(header, 'typ')
  if (typeof typ !== 'string' || !/^(?:application\/)?oauth-id-jag\+jwt$/i.test(typ))
    return refuse('invalid_grant', 'identity_assertion_of_other_type')
  const read = readMembers(
    claims,
    {
      iss: text(),
      sub: text(MAX_SUBJECT_LENGTH),
      aud: isAny,
      client_id: text(),
      jti: text(MAX_JTI_LENGTH),
      exp: isTime,
      iat: isTime,
    },
    {
      nbf: isTime,
      auth_time: isTime,
      tenant: isAny,
      cnf: isAny,
      authorization_details: isAny,
      resource: isAny,
    },
  )
  // No database has a subject with NUL, so a host that looks it up could only fail.
  if (read === null || read.sub.includes('\0') || !isNotAfter(read.iat, read.exp))
    return refuse('invalid_grant', 'identity_assertion_malformed')
  const { iss, sub, aud, client_id: named, jti, exp, iat, nbf, auth_time: authTime, tenant } = read
  const trusted = providers.get(iss)
  if (trusted === undefined) return refuse('invalid_grant', 'identity_assertion_provider_unknown')
  // One value, so that no other server can pass the assertion on.
  const [audience, ...others] = valuesOf(aud)
  if (others.length > 0 || audience !== issuer)
    return refuse('invalid_grant', 'identity_assertion_for_other_audience')
  const expected = trusted.clients.get(client.clientId)
  if (expected === undefined || audienceOf(client.kind) !== 'operator')
    return refuse(
      'unauthorized_client',
      'identity_assertion_client_not_allowed',
      'this client may not use an assertion of this identity provider: use authorization_code',
    )
  if (named !== expected) return refuse('invalid_grant', 'identity_assertion_of_other_client')
  // A subject is unique within its tenant only.
  if ((tenant ?? null) !== trusted.tenant)
    return refuse('invalid_grant', 'identity_assertion_of_other_tenant')

  const until = Math.ceil(exp) + IDENTITY_ASSERTION_LEEWAY_SECONDS
  if (!isBefore(now, until)) return refuse('invalid_grant', 'identity_assertion_expired')
  const latest = now + IDENTITY_ASSERTION_LEEWAY_SECONDS
  if (![iat, nbf, authTime].every((one) => one === undefined || isNotAfter(one, latest)))
    return refuse('invalid_grant', 'identity_assertion_not_yet_valid')
  if (!isNotAfter(exp, iat + MAX_IDENTITY_ASSERTION_SECONDS))
    return refuse('invalid_grant', 'identity_assertion_too_long_lived')
  if (!isProven(read.cnf, provenKey)) return refuse('invalid_grant', 'identity_assertion_bound')
  if (read.authorization_details !== undefined)
    return refuse('invalid_grant', 'identity_assertion_details_not_supported')

  // An assertion without a resource is for the origin of its issuer.
  const addressed = valuesOf(read.resource)
  const resource = addressed.every((one) => typeof one === 'string')
    ? resourceNamed(addressed, names)
    : undefined
  if (resource === undefined)
    return refuse('invalid_grant', 'identity_assertion_for_other_resource')
  const target = decideRepeatedResource({ resources, names, bound: resource, required: false })
  if (!target.ok) return target

  const asserted = scopesIn(claims, defaultScopes)
  if (asserted === null) return refuse('invalid_grant', 'identity_assertion_malformed')
  const asked = scope === null ? { ok: true as const, scopes: asserted } : parseScope(scope)
  if (!asked.ok) return asked
  const scopes = mayRequest({
    scopes: asserted.filter((one) => asked.scopes.includes(one)),
    client,
    registry,
  })
  if (scopes.length === 0) return SCOPE_EMPTY
  // The consent page asks for the same. A provider that says nothing of the sign-in vouches for none.
  const given = scopes.filter(
    (one) =>
      decideSignInAge({
        authTime: authTime ?? -Infinity,
        requestedAt: now,
        prompt: [],
        maxAge: null,
        scopes: [one],
        registry,
      }).ok,
  )
  if (given.length === 0) return refuse('invalid_grant', 'identity_assertion_sign_in_too_old')
  const key = sha256Base64url(JSON.stringify(['identity_assertion', iss, jti]))
  return {
    ok: true,
    provider: iss,
    providerSubject: sub,
    scopes: given,
    resource,
    once: { key, until },
  }
}

/** The refusal of an assertion of which no scope remains, for its claims or for the role of its person. */
export const SCOPE_EMPTY: Refusal<'identity_assertion_scope_empty'> = /* @__PURE__ */ refuse(
  'invalid_scope',
  'identity_assertion_scope_empty',
  'no scope remains: request scopes that the identity provider, this client and the role of the person allow',
)

/** Whether the request proved the key that an assertion is bound to. One that names no key is never proven. */
function isProven(cnf: unknown, provenKey: string | null): boolean {
  if (cnf === undefined) return true
  return provenKey !== null && isMembers(cnf) && memberOf(cnf, 'jkt') === provenKey
}

/**
 * Returns the scopes that an assertion grants; `null` if its claim is malformed. An empty claim grants nothing, and is not
 * absent: a provider that allows none of the requested scopes writes one, and `defaultScopes` would be more.
 */
function scopesIn(
  claims: Members,
  defaultScopes: readonly string[] | null,
): readonly string[] | null {
  const claim = memberOf(claims, 'scope')
  if (claim === undefined) return (claims['scope'] ?? null) === null ? (defaultScopes ?? []) : []
  const parsed = typeof claim === 'string' ? parseScope(claim) : null
  return parsed?.ok ? parsed.scopes : null
}
