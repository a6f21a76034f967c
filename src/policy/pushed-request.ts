import { isBefore } from '../time/seconds.js'
import type { AuthorizationRequest } from './authorization-request.js'
import { type Refusal, refuseFrom } from './decision.js'
import { type FormParameters, parseFormParameters } from './form-parameters.js'

/**
 * The refusals of `pushedRequests`, with their texts.
 *
 * @group Pushed requests
 */
export const PUSHED_REFUSALS = {
  invalid_request: {
    pushed_request_nested: {
      meaning: 'A pushed request contains `request_uri`.',
      advice: 'Push the parameters themselves.',
      source: 'RFC 9126 §2.1',
      turn: 'client',
    },
    pushed_request_required: {
      meaning: 'The client has to push its requests, and sent this one in the query.',
      advice:
        'Send the parameters to the `pushed_authorization_request_endpoint` of the metadata, then the browser with `client_id` and `request_uri`.',
      source: 'RFC 9126 §5, §6',
      turn: 'client',
    },
    pushed_request_unknown: {
      meaning: 'The `request_uri` was never issued, was used before, or its end is long past.',
      advice: 'Push the request again, for each time that a browser is sent.',
      source: 'RFC 9126 §4, §7.3',
      turn: 'client',
    },
    pushed_request_expired: {
      meaning: 'The `request_uri` was not used within the seconds of `expires_in`.',
      advice: 'Push the request when the person begins, and send the browser immediately.',
      source: 'RFC 9126 §2.2, §4',
      turn: 'client',
    },
    pushed_request_of_other_client: {
      meaning: 'The `request_uri` was issued to another client than `client_id` names.',
      advice: 'Send the `client_id` with which the request was pushed.',
      source: 'RFC 9126 §2.2',
      turn: 'client',
    },
    pushed_request_of_other_key: {
      meaning: '`dpop_jkt` of a pushed request names another key than its DPoP proof has.',
      advice: 'Send only the proof, or the thumbprint of its key too.',
      source: 'RFC 9449 §10.1',
      turn: 'client',
    },
    pushed_request_of_other_browser: {
      meaning: 'The page was opened in a different browser from the one that began with this link.',
      advice: 'Start again from the app. If it happens again, the browser does not keep cookies.',
      source: 'RFC 9126 §7.3',
      turn: 'person',
    },
  },
  temporarily_unavailable: {
    pushed_request_paced: {
      meaning:
        'The client, or its network if it cannot prove who it is, has pushed too many requests.',
      advice: 'Wait for the seconds of `Retry-After`.',
      source: 'RFC 9126 §2.3',
      turn: 'client',
    },
  },
} as const

/** Why a pushed request is refused. */
export type PushedReason = {
  [Code in keyof typeof PUSHED_REFUSALS]: keyof (typeof PUSHED_REFUSALS)[Code] & string
}[keyof typeof PUSHED_REFUSALS]

const refuse = /* @__PURE__ */ refuseFrom(PUSHED_REFUSALS)

/**
 * Decides whether a browser may continue with a pushed request. Nothing is used up yet: `pushedRequests` does that, with
 * a store.
 *
 * @param request - `pushed`: what was stored for the `request_uri`, with its end in epoch seconds; `null` if nothing is.
 *   `clientId`: the `client_id` next to it; `null` if there is none. `now`: epoch seconds
 * @returns the parameters that were pushed, for `decideAuthorizationRequest`, or a refusal with `invalid_request`.
 *   No refusal may be redirected: only the pushed request says to where, and it is not to be used
 * @see [RFC 9126, section 4](https://www.rfc-editor.org/rfc/rfc9126#section-4)
 *
 * @example
 * ```ts
 * import { decidePushedRequest } from 'hallpass/blocks'
 *
 * const pushed = {
 *   clientId: 'notes', redirectUri: 'https://notes.example/cb', scopes: ['openid'], resource: 'https://school.example',
 *   resourceSent: true, state: 'af0i', codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', nonce: null,
 *   prompt: [], maxAge: null, loginHint: null, uiLocales: [], expiresAt: 1795165260,
 * }
 * const decided = decidePushedRequest({ pushed, clientId: 'notes', now: 1795165200 })
 * decided.ok && decided.parameters.single('scope') // => 'openid'
 *
 * const late = decidePushedRequest({ pushed, clientId: 'notes', now: 1795165260 })
 * late.ok || late.reason // => 'pushed_request_expired'
 * ```
 * @group Pushed requests
 */
export function decidePushedRequest({
  pushed,
  clientId,
  now,
}: {
  pushed: PushedRequest | null
  clientId: string | null
  now: number
}):
  | { readonly ok: true; readonly parameters: FormParameters }
  | Refusal<
      'pushed_request_unknown' | 'pushed_request_of_other_client' | 'pushed_request_expired'
    > {
  if (pushed === null)
    return refuse(
      'invalid_request',
      'pushed_request_unknown',
      'this request has expired or has already been completed: go back to the app and start again',
    )
  if (pushed.clientId !== clientId)
    return refuse(
      'invalid_request',
      'pushed_request_of_other_client',
      'request_uri belongs to another client: send the client_id with which it was pushed',
    )
  if (!isBefore(now, pushed.expiresAt))
    return refuse(
      'invalid_request',
      'pushed_request_expired',
      'this request has expired: go back to the app and start again',
    )
  return { ok: true, parameters: parametersOf(pushed) }
}

/**
 * A request as it is stored until a browser presents it.
 *
 * @inline
 */
type PushedRequest = Omit<AuthorizationRequest, 'redirectUri'> & {
  readonly redirectUri: string
  readonly expiresAt: number
}

/**
 * Returns the parameters of a request, so that it is decided again as if the browser had sent them: its client may
 * have changed since it was pushed.
 */
function parametersOf(pushed: PushedRequest): FormParameters {
  const parameters: Readonly<Record<string, string | null>> = {
    client_id: pushed.clientId,
    redirect_uri: pushed.redirectUri,
    response_type: 'code',
    scope: pushed.scopes.join(' '),
    state: pushed.state,
    code_challenge: pushed.codeChallenge,
    code_challenge_method: 'S256',
    resource: pushed.resourceSent ? pushed.resource : null,
    nonce: pushed.nonce,
    prompt: pushed.prompt.join(' '),
    max_age: pushed.maxAge === null ? null : String(pushed.maxAge),
    login_hint: pushed.loginHint,
    ui_locales: pushed.uiLocales.join(' '),
    dpop_jkt: pushed.boundTo ?? null,
  }
  const sent = Object.entries(parameters).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  )
  return parseFormParameters(new URLSearchParams(sent).toString())
}

/**
 * Decides whether a form may be pushed at all, before its parameters are decided.
 *
 * @param push - `named`: the key that `dpop_jkt` names; `proved`: that of the DPoP proof. `null` if there is none
 * @returns the key to which the code is to be bound
 * @see [RFC 9449, section 10.1](https://www.rfc-editor.org/rfc/rfc9449#section-10.1)
 */
export function decidePush({
  parameters,
  named,
  proved,
}: {
  parameters: FormParameters
  named: string | null
  proved: string | null
}):
  | { readonly ok: true; readonly boundTo: string | null }
  | Refusal<'pushed_request_nested' | 'pushed_request_of_other_key'> {
  if (parameters.all('request_uri').length > 0)
    return refuse(
      'invalid_request',
      'pushed_request_nested',
      'request_uri cannot be pushed: send the parameters themselves',
    )
  if (named !== null && proved !== null && named !== proved)
    return refuse(
      'invalid_request',
      'pushed_request_of_other_key',
      'dpop_jkt is not the thumbprint of the key of the DPoP proof: leave it out, or correct it',
    )
  return { ok: true, boundTo: proved ?? named }
}

/** The refusal of a request in the query whose client has to push it. */
export const PUSH_REQUIRED: Refusal<'pushed_request_required'> = /* @__PURE__ */ refuse(
  'invalid_request',
  'pushed_request_required',
  'push the request first: send its parameters to the pushed_authorization_request_endpoint',
)

/** The refusal of a browser that comes second. */
export const OTHER_BROWSER: Refusal<'pushed_request_of_other_browser'> = /* @__PURE__ */ refuse(
  'invalid_request',
  'pushed_request_of_other_browser',
  'this request was started in another browser: go back to the app and start again',
)

/** The refusal of a spender over its allowance. */
export const PUSH_PACED: Refusal<'pushed_request_paced'> = /* @__PURE__ */ refuse(
  'temporarily_unavailable',
  'pushed_request_paced',
  'too many requests were pushed: try again later',
)
