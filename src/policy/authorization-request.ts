import type { ScopeRegistry } from '../scope/scope-registry.js'
import { audienceOf, type Client, type DisabledReason, disabledReason } from './client.js'
import { type Decision, type ReasonsOf, type Refusal, refuse } from './decision.js'
import type { FormParameters } from './form-parameters.js'
import { decideCodeChallenge } from './pkce.js'
import { decideRedirectUri, type TrustedRedirect } from './redirect-uri.js'
import { decideResource, type ResourceNames } from './resource-indicator.js'
import { decideScopes, parseScope } from './scope-audience.js'

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly clientId: string
  /** Exactly as presented. */
  readonly redirectUri: TrustedRedirect
  readonly scopes: readonly string[]
  /** Canonical form. */
  readonly resource: string
  /** `null` only where `requireState` is off and none was sent. */
  readonly state: string | null
  readonly codeChallenge: string
  readonly nonce: string | null
  /** Known `prompt` values. */
  readonly prompt: readonly string[]
  /** Seconds; `null` = not asked for. */
  readonly maxAge: number | null
  readonly loginHint: string | null
}

/** Why an authorization request may not even be answered by a redirect. */
export type AddresseeReason =
  | 'parameter_repeated'
  | 'client_id_missing'
  | 'client_unknown'
  | DisabledReason
  | ReasonsOf<typeof decideRedirectUri>

/** Why an authorization request is refused to its client, by a redirect. */
export type RequestReason =
  | 'parameter_repeated'
  | 'state_malformed'
  | 'state_missing'
  | 'response_type_missing'
  | 'response_type_not_supported'
  | 'response_mode_not_supported'
  | 'request_object_not_supported'
  | 'request_uri_not_supported'
  | 'nonce_malformed'
  | 'prompt_malformed'
  | 'max_age_malformed'
  | ReasonsOf<typeof decideCodeChallenge>
  | ReasonsOf<typeof parseScope>
  | ReasonsOf<typeof decideScopes>
  | ReasonsOf<typeof decideResource>

/** Why an authorization request is refused. */
export type AuthorizationReason = AddresseeReason | RequestReason

/** A refused authorization request, with where the answer goes. */
export interface AuthorizationRefusal extends Refusal<AuthorizationReason> {
  /**
   * Where to redirect the error, with the `state` to send along; `null` = nothing in the request can
   * be trusted: show a page and redirect nowhere.
   */
  readonly redirect: { readonly redirectUri: TrustedRedirect; readonly state: string | null } | null
}

/** What {@link decideAuthorizationRequest} needs to know beside the request. */
export interface AuthorizationPolicy {
  readonly registry: ScopeRegistry
  readonly resource: ResourceNames
  /** Whether `state` must be sent. */
  readonly requireState: boolean
  /** Asked for where `scope` is missing; `null` = `scope` must be sent. */
  readonly defaultScopes: readonly string[] | null
  readonly loopbackHosts: readonly string[]
}

const MAX_STATE_LENGTH = 2048
const MAX_NONCE_LENGTH = 512
const MAX_LOGIN_HINT_LENGTH = 254
const PROMPTS = new Set(['none', 'login', 'consent', 'select_account'])

/**
 * Decides an authorization request. Client and redirect URI are decided first: a fault in either is
 * for a page. Every later fault is for a redirect, and the refusal carries the only
 * {@link TrustedRedirect} there is.
 *
 * @param request - `parameters`: the query; `client`: the client it names, `null` = unknown
 * @returns refusals whose `redirect` is `null` are for a page: what is wrong with the client or the
 *   redirect URI, be it only that one of the two was sent twice
 * @see RFC 6749 §4.1.2.1; OAuth 2.1 §4.1.1; OpenID Connect Core §3.1.2
 */
export function decideAuthorizationRequest({
  parameters,
  client,
  policy,
}: {
  parameters: FormParameters
  client: Client | null
  policy: AuthorizationPolicy
}): { readonly ok: true; readonly request: AuthorizationRequest } | AuthorizationRefusal {
  const addressed = decideAddressee({ parameters, client, policy })
  if (!addressed.ok) return { ...addressed, redirect: null }
  const { redirectUri } = addressed
  const rawState = parameters.single('state')
  const state = isText(rawState, MAX_STATE_LENGTH) ? rawState : null
  const decided = decideRest({ parameters, client: addressed.client, policy })
  if (!decided.ok) return { ...decided, redirect: { redirectUri, state } }
  return {
    ok: true,
    request: { ...decided.rest, clientId: addressed.client.clientId, redirectUri, state },
  }
}

function decideAddressee({
  parameters,
  client,
  policy,
}: {
  parameters: FormParameters
  client: Client | null
  policy: AuthorizationPolicy
}): Decision<{ client: Client; redirectUri: TrustedRedirect }, AddresseeReason> {
  const repeated = parameters.repeated.find(
    (name) => name === 'client_id' || name === 'redirect_uri',
  )
  if (repeated !== undefined)
    return refuse('invalid_request', 'parameter_repeated', `${repeated} must be sent once`)
  if (parameters.single('client_id') === null)
    return refuse('invalid_request', 'client_id_missing', 'client_id is required')
  if (client === null)
    return refuse('invalid_client', 'client_unknown', 'this application is not known here')
  if (client.disabled)
    return refuse('invalid_client', disabledReason(client), 'this application is switched off')
  const decided = decideRedirectUri({
    redirectUri: parameters.single('redirect_uri'),
    registered: client.redirectUris,
    loopbackHosts: policy.loopbackHosts,
  })
  return decided.ok ? { ok: true, client, redirectUri: decided.redirectUri } : decided
}

function decideRest({
  parameters,
  client,
  policy,
}: {
  parameters: FormParameters
  client: Client
  policy: AuthorizationPolicy
}): Decision<
  { rest: Omit<AuthorizationRequest, 'clientId' | 'redirectUri' | 'state'> },
  RequestReason
> {
  const repeated = parameters.repeated.find((name) => name !== 'resource')
  if (repeated !== undefined)
    return refuse(
      'invalid_request',
      'parameter_repeated',
      'a parameter other than resource was sent more than once',
    )
  const state = parameters.single('state')
  if (!isText(state, MAX_STATE_LENGTH))
    return refuse(
      'invalid_request',
      'state_malformed',
      `state may have ${MAX_STATE_LENGTH} printable characters`,
    )
  if (state === null && policy.requireState)
    return refuse('invalid_request', 'state_missing', 'state is required: send a random value')

  const responseType = parameters.single('response_type')
  if (responseType === null)
    return refuse('invalid_request', 'response_type_missing', 'response_type=code is required')
  if (responseType !== 'code')
    return refuse(
      'unsupported_response_type',
      'response_type_not_supported',
      'response_type must be code',
    )
  const responseMode = parameters.single('response_mode')
  if (responseMode !== null && responseMode !== 'query')
    return refuse('invalid_request', 'response_mode_not_supported', 'response_mode must be query')
  if (parameters.has('request'))
    return refuse(
      'request_not_supported',
      'request_object_not_supported',
      'send the parameters in the query, not in a request object',
    )
  if (parameters.has('request_uri'))
    return refuse(
      'request_uri_not_supported',
      'request_uri_not_supported',
      'send the parameters in the query, not by reference',
    )

  const challenge = decideCodeChallenge({
    codeChallenge: parameters.single('code_challenge'),
    codeChallengeMethod: parameters.single('code_challenge_method'),
  })
  if (!challenge.ok) return challenge
  const scope = parameters.single('scope')
  const parsed: ReturnType<typeof parseScope> =
    scope === null ? { ok: true, scopes: policy.defaultScopes ?? [] } : parseScope(scope)
  if (!parsed.ok) return parsed
  const scoped = decideScopes({ scopes: parsed.scopes, client, registry: policy.registry })
  if (!scoped.ok) return scoped
  const target = decideResource({
    resources: parameters.all('resource'),
    names: policy.resource,
    required: audienceOf(client.kind) === 'member',
  })
  if (!target.ok) return target

  const nonce = parameters.single('nonce')
  if (!isText(nonce, MAX_NONCE_LENGTH))
    return refuse(
      'invalid_request',
      'nonce_malformed',
      `nonce may have ${MAX_NONCE_LENGTH} printable characters`,
    )
  const prompt = (parameters.single('prompt') ?? '').split(' ').filter((one) => PROMPTS.has(one))
  if (prompt.includes('none') && parameters.single('prompt') !== 'none')
    return refuse('invalid_request', 'prompt_malformed', 'prompt=none stands alone')
  const maxAge = parameters.has('max_age') ? (parameters.single('max_age') ?? '') : null
  if (maxAge !== null && !/^[0-9]{1,9}$/.test(maxAge))
    return refuse('invalid_request', 'max_age_malformed', 'max_age must be a number of seconds')
  const loginHint = parameters.single('login_hint')

  return {
    ok: true,
    rest: {
      scopes: scoped.scopes,
      resource: target.resource,
      codeChallenge: challenge.codeChallenge,
      nonce,
      prompt,
      maxAge: maxAge === null ? null : Number(maxAge),
      loginHint: isText(loginHint, MAX_LOGIN_HINT_LENGTH) ? loginHint : null,
    },
  }
}

// RFC 6749 appendix A.5 wants printable ASCII. What clients really send may be more; controls are
// refused, since not every store can keep them.
const CONTROLS = /\p{Cc}/u

function isText(value: string | null, maxLength: number): boolean {
  return value === null || (value.length <= maxLength && !CONTROLS.test(value))
}
