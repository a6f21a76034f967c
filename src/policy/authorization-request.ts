import type { ScopeRegistry } from '../scope/scope-registry.js'
import { audienceOf, type Client, disabledReason, isUnreviewed } from './client.js'
import {
  type Decision,
  present,
  type ReasonsOf,
  type Refusal,
  refuse,
  type With,
} from './decision.js'
import type { FormParameters } from './form-parameters.js'
import { decideCodeChallenge } from './pkce.js'
import { decideRedirectUri, type TrustedRedirect } from './redirect-uri.js'
import { decideResource, type ResourceNames } from './resource-indicator.js'
import { decideScopes, parseScope, scopesOfClient } from './scope-audience.js'

/**
 * A valid authorization request, as {@link decideAuthorizationRequest} returns it.
 *
 * @group Authorization requests
 */
export interface AuthorizationRequest {
  readonly clientId: string
  /** The redirect URI exactly as the client sent it. */
  readonly redirectUri: TrustedRedirect
  /** The requested scopes, each once and without `offline_access`, or the default scopes. */
  readonly scopes: readonly string[]
  /** The resource in its canonical form. */
  readonly resource: string
  /** Whether the client sent `resource`, which it then has to repeat at the token endpoint. */
  readonly resourceSent: boolean
  /** `null` if the client sent none, which requires that `requireState` is `false`. */
  readonly state: string | null
  /** The S256 challenge of PKCE, to be stored with the code. */
  readonly codeChallenge: string
  /** Repeated in the ID token. `null` if the client sent none. */
  readonly nonce: string | null
  /** The values of `prompt` that OpenID Connect defines. Others are ignored. */
  readonly prompt: readonly string[]
  /**
   * The greatest permitted age of the sign-in, in seconds. `null` if the client sent no `max_age`.
   */
  readonly maxAge: number | null
  /** A hint of who is going to sign in. `null` if the client sent none or an unusable one. */
  readonly loginHint: string | null
  /**
   * The languages of `ui_locales` in canonical form, such as `['zh-Hant-TW', 'en']`, the preferred one first. At most 8; what is no
   * language tag is ignored. Empty if the client sent none.
   */
  readonly uiLocales: readonly string[]
  /** The key to which the code will be bound, if a block read one: the decision returns none. */
  readonly boundTo?: string | null
}

const MAX_STATE_LENGTH = 2048
const MAX_NONCE_LENGTH = 512
type Asked = Parameters<typeof decideAuthorizationRequest>[0]
type AddresseeReason =
  | 'parameter_repeated'
  | 'client_id_missing'
  | 'client_unknown'
  | ReturnType<typeof disabledReason>
  | ReasonsOf<typeof decideRedirectUri>
type RequestReason =
  'parameter_repeated' | Exclude<ReasonsOf<typeof decideAuthorizationRequest>, AddresseeReason>
type AskingClient = NonNullable<Asked['client']>

const MAX_LOGIN_HINT_LENGTH = 254
const MAX_UI_LOCALES = 8
/** Longest language tag that is kept, in characters. RFC 5646, section 4.4.1, advises at least 35. */
const MAX_LOCALE_LENGTH = 35
const PROMPTS = new Set(['none', 'login', 'consent', 'select_account'])

/**
 * Decides whether an authorization request is valid. The client and the redirect URI are checked
 * first, because the error must not be redirected while either is in doubt. A refusal of any later
 * parameter carries the {@link TrustedRedirect} that receives the error.
 *
 * @param request - `parameters` is the query, from {@link parseFormParameters}. `client` is the
 *   client with its `client_id`, or `null` if there is none. `policy` has the settings of the site.
 * @returns the request in a form that can be stored, or a refusal. If `redirect` is `null`, show
 *   the refusal on a page. This includes a `client_id` or `redirect_uri` that was sent twice.
 * @see [RFC 6749, section 4.1.2.1](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1)
 * @see [OAuth 2.1, section 4.1.1](https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1#section-4.1.1)
 * @see [OpenID Connect Core, section 3.1.2](https://openid.net/specs/openid-connect-core-1_0.html#AuthorizationEndpoint)
 *
 * @example
 * ```ts
 * import { clientOfVendor, decideAuthorizationRequest, parseFormParameters } from 'hallpass/policy'
 * import { testSite } from 'hallpass/testing'
 *
 * const { scopes: registry, resource, loopbackHosts } = testSite().site
 * const policy = { registry, resource, loopbackHosts, requireState: true, defaultScopes: null }
 * const redirectUris = ['https://notes.example/callback']
 * const vendor = { clientId: 'notes', name: 'Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' }
 * const redirect = 'redirect_uri=https://notes.example/callback'
 * const query = `client_id=notes&${redirect}&response_type=token&state=af0i`
 * const parameters = parseFormParameters(query)
 * const decided = decideAuthorizationRequest({ parameters, client: clientOfVendor(vendor), policy })
 * decided.ok ? null : decided.reason // => 'response_type_not_supported'
 * decided.ok ? null : decided.redirect?.state // => 'af0i'
 * const unknown = decideAuthorizationRequest({ parameters, client: null, policy })
 * unknown.ok ? undefined : unknown.redirect // => null
 * ```
 *
 * @group Authorization requests
 */
export function decideAuthorizationRequest({
  parameters,
  client,
  policy,
}: {
  parameters: FormParameters
  client: With<
    Client,
    'clientId' | 'kind' | 'scopes' | 'redirectUris' | 'disabled' | 'disabledBy'
  > | null
  policy: {
    /** The scopes of the site. */
    readonly registry: ScopeRegistry
    /** The accepted spellings of the resource, from {@link defineResource}. */
    readonly resource: ResourceNames
    /** Whether a request without `state` is refused. */
    readonly requireState: boolean
    /**
     * The scopes for a request without `scope`. A client gets those that it may request. `null` if `scope` is
     * required.
     */
    readonly defaultScopes: readonly string[] | null
    /** Host names that mean "this computer", such as {@link LOOPBACK_HOSTS}. */
    readonly loopbackHosts: readonly string[]
  }
}):
  | { readonly ok: true; readonly request: AuthorizationRequest }
  | (Refusal<
      | 'parameter_repeated'
      | 'client_id_missing'
      | 'client_unknown'
      | 'client_disabled'
      | 'client_blocked'
      | NonNullable<Client['disabledBy']>
      | ReasonsOf<typeof decideRedirectUri>
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
    > & {
      /**
       * The redirect URI that receives the error, with the `state` to return. `null` if the client or
       * its redirect URI cannot be trusted: show the error on a page and do not redirect. Without a
       * decision of the person, {@link mayRedirectUnasked} has to allow the redirect as well.
       */
      readonly redirect: {
        readonly redirectUri: TrustedRedirect
        readonly state: string | null
      } | null
    }) {
  const addressed = decideAddressee({ parameters, client, policy })
  if (!addressed.ok) return { ...addressed, redirect: null }
  const { redirectUri } = addressed
  const state = parameters.single('state')
  const decided = decideRest({ parameters, addressed, policy })
  return decided.ok ? decided : { ...decided, redirect: { redirectUri, state } }
}

/**
 * Whether an error may be redirected to the client without a decision of the person. It may not if
 * the client has a client metadata document that no one has reviewed. Anyone with a domain can
 * publish one, and a link on the origin of the site would then lead to that domain without a
 * question. Show the error on a page instead, signed in or not, and for `prompt=none` as well.
 *
 * @param client - the client of a request whose client and redirect URI are valid
 * @see [RFC 9700, section 4.11.2](https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2)
 *
 * @example
 * ```ts
 * import { clientOfPinnedDocument, mayRedirectUnasked } from 'hallpass/policy'
 *
 * const metadata = {
 *   client_id: 'https://notes.example/client.json',
 *   client_name: 'Notes',
 *   redirect_uris: ['https://notes.example/callback'],
 * }
 * const pinned = { metadata, scopes: null, checkedOn: '2026-11-20' }
 * const decided = clientOfPinnedDocument(pinned)
 * if (!decided.ok) throw new Error(decided.reason)
 * mayRedirectUnasked(decided.client) // => false
 * mayRedirectUnasked({ ...decided.client, scopes: [] }) // => true
 * ```
 *
 * @group Authorization requests
 */
export function mayRedirectUnasked(client: With<Client, 'kind' | 'scopes'>): boolean {
  const { kind, scopes } = client
  return !isUnreviewed(present({ kind, scopes }))
}

function decideAddressee({
  parameters,
  client,
  policy,
}: {
  parameters: FormParameters
  client: AskingClient | null
  policy: Asked['policy']
}): Decision<{ client: AskingClient; redirectUri: TrustedRedirect }, AddresseeReason> {
  const repeated = parameters.repeated.find(
    (name) => name === 'client_id' || name === 'redirect_uri',
  )
  if (repeated !== undefined)
    return refuse('invalid_request', 'parameter_repeated', `${repeated} must be sent once`)
  if (parameters.single('client_id') === null)
    return refuse('invalid_request', 'client_id_missing', 'client_id is required')
  if (client === null)
    return refuse('invalid_client', 'client_unknown', 'this app is not registered at this site')
  if (client.disabled)
    return refuse('invalid_client', disabledReason(client), 'this app is turned off')
  const decided = decideRedirectUri({
    redirectUri: parameters.single('redirect_uri'),
    registered: client.redirectUris,
    loopbackHosts: policy.loopbackHosts,
  })
  return decided.ok ? { ok: true, client, redirectUri: decided.redirectUri } : decided
}

function decideRest({
  parameters,
  addressed: { client, redirectUri },
  policy,
}: {
  parameters: FormParameters
  addressed: { client: AskingClient; redirectUri: TrustedRedirect }
  policy: Asked['policy']
}): Decision<{ request: AuthorizationRequest }, RequestReason> {
  const repeated = parameters.repeated.find((name) => name !== 'resource')
  if (repeated !== undefined)
    return refuse(
      'invalid_request',
      'parameter_repeated',
      'a parameter other than resource was sent more than once',
    )
  // Checked before the other parameters, which may be only inside the request object.
  if (parameters.single('request') !== null)
    return refuse(
      'request_not_supported',
      'request_object_not_supported',
      'request objects are not supported: send the parameters in the query',
    )
  if (parameters.single('request_uri') !== null)
    return refuse(
      'request_uri_not_supported',
      'request_uri_not_supported',
      'request_uri is not supported: send the parameters in the query',
    )
  const state = parameters.single('state')
  if (!isText(state, MAX_STATE_LENGTH))
    return refuse(
      'invalid_request',
      'state_malformed',
      `state must have at most ${MAX_STATE_LENGTH} characters, and no control characters`,
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

  const challenge = decideCodeChallenge({
    codeChallenge: parameters.single('code_challenge'),
    codeChallengeMethod: parameters.single('code_challenge_method'),
  })
  if (!challenge.ok) return challenge
  const wanted = decideWanted({ parameters, client, policy })
  if (!wanted.ok) return wanted
  const { scopes, resource, resourceSent } = wanted.wanted

  const nonce = parameters.single('nonce')
  if (!isText(nonce, MAX_NONCE_LENGTH))
    return refuse(
      'invalid_request',
      'nonce_malformed',
      `nonce must have at most ${MAX_NONCE_LENGTH} characters, and no control characters`,
    )
  const prompt = (parameters.single('prompt') ?? '').split(' ').filter((one) => PROMPTS.has(one))
  if (prompt.includes('none') && parameters.single('prompt') !== 'none')
    return refuse(
      'invalid_request',
      'prompt_malformed',
      'prompt=none cannot be combined with other prompt values',
    )
  const maxAge = parameters.single('max_age')
  if (maxAge !== null && !/^[0-9]{1,9}$/.test(maxAge))
    return refuse(
      'invalid_request',
      'max_age_malformed',
      'max_age must be a whole number of seconds',
    )
  const loginHint = parameters.single('login_hint')

  return {
    ok: true,
    request: {
      clientId: client.clientId,
      redirectUri,
      state,
      scopes,
      resource,
      resourceSent,
      codeChallenge: challenge.codeChallenge,
      nonce,
      prompt,
      maxAge: maxAge === null ? null : Number(maxAge),
      loginHint: isText(loginHint, MAX_LOGIN_HINT_LENGTH) ? loginHint : null,
      uiLocales: localesOf(parameters.single('ui_locales')),
    },
  }
}

/** Decides which scopes and which resource a request is for, whatever else it has. */
export function decideWanted({
  parameters,
  client,
  policy,
}: {
  parameters: FormParameters
  client: With<Client, 'kind' | 'scopes'>
  policy: Pick<Asked['policy'], 'registry' | 'resource' | 'defaultScopes'>
}): Decision<
  { wanted: Pick<AuthorizationRequest, 'scopes' | 'resource' | 'resourceSent'> },
  ReasonsOf<typeof parseScope | typeof decideScopes | typeof decideResource>
> {
  const scope = parameters.single('scope')
  const parsed: ReturnType<typeof parseScope> =
    scope === null ? { ok: true, scopes: defaultScopesOf(policy, client) } : parseScope(scope)
  if (!parsed.ok) return parsed
  const scoped = decideScopes({ scopes: parsed.scopes, client, registry: policy.registry })
  if (!scoped.ok) return scoped
  const resources = parameters.all('resource')
  const target = decideResource({
    resources,
    names: policy.resource,
    required: audienceOf(client.kind) === 'member',
  })
  if (!target.ok) return target
  const { scopes } = scoped
  const { resource } = target
  return { ok: true, wanted: { scopes, resource, resourceSent: resources.length > 0 } }
}

/** Returns the language tags of `ui_locales`: a preference, which never makes a request fail. */
function localesOf(value: string | null): readonly string[] {
  const tags = (value ?? '').split(' ', MAX_UI_LOCALES)
  return [...new Set(tags.flatMap(canonicalLocale))]
}

function canonicalLocale(tag: string): readonly string[] {
  if (tag.length > MAX_LOCALE_LENGTH) return []
  try {
    return Intl.getCanonicalLocales(tag)
  } catch {
    return []
  }
}

// RFC 6749 appendix A.5 requires printable ASCII, but some clients send other characters too. Control
// characters are refused, because not every store can keep them.
const CONTROLS = /\p{Cc}/u

function isText(value: string | null, maxLength: number): boolean {
  return value === null || (value.length <= maxLength && !CONTROLS.test(value))
}

function defaultScopesOf(
  { defaultScopes, registry }: Pick<Asked['policy'], 'registry' | 'defaultScopes'>,
  client: With<Client, 'kind' | 'scopes'>,
): readonly string[] {
  const allowed = scopesOfClient({ client, registry })
  return (defaultScopes ?? []).filter((scope) => allowed.includes(scope))
}
