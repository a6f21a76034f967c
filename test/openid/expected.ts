/** What the suite says of a module, and the reasons for which hallpass refused meanwhile, in their order. */
export interface Expected {
  readonly result: string
  readonly refusals: readonly string[]
}

/** A result, and after it the reasons. */
type Row = readonly [result: string, ...refusals: readonly string[]]
/** What a plan is expected to say: `all` of each module that has no row. */
export interface Expectations {
  readonly all: Row
  readonly rows: Readonly<Record<string, Row>>
}

/** Returns what is expected of a module. */
export function expectedOf({ all, rows }: Expectations, module: string): Expected {
  const [result, ...refusals] = rows[module] ?? all
  return { result, refusals }
}

const ofFapi2 = (rows: Expectations['rows']): Expectations => ({
  all: ['PASSED'],
  rows: Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [`fapi2-security-profile-final-${name}`, row]),
  ),
})

/** The proofs of one module, each of which is wrong in its own way. Those that have to be accepted leave no reason. */
const WRONG_PROOFS = [
  'dpop_proof_repeated',
  'dpop_proof_malformed',
  'dpop_proof_type_wrong',
  'dpop_proof_algorithm_wrong',
  'dpop_proof_key_malformed',
  ...Array.from({ length: 5 }, () => 'dpop_proof_claim_missing'),
  'dpop_proof_type_wrong',
  'dpop_proof_algorithm_wrong',
  'dpop_proof_algorithm_wrong',
  'dpop_proof_signature_wrong',
  'dpop_proof_has_private_key',
  'dpop_proof_for_other_method',
  'dpop_proof_for_other_uri',
  'dpop_proof_of_future',
  'dpop_proof_stale',
  'dpop_proof_used_before',
  'dpop_proof_for_other_token',
  'dpop_proof_signature_wrong',
  'dpop_proof_missing',
  'access_token_bound',
]

export const FAPI2 = ofFapi2({
  'happy-flow': ['WARNING', 'access_token_missing', 'access_token_of_other_key'],
  'user-rejects-authentication': ['PASSED', 'person_denied', 'person_denied'],
  'test-claims-parameter-identity-claims': ['SKIPPED'],
  'ensure-mismatched-dpop-jkt-fails': ['PASSED', 'pushed_request_of_other_key'],
  'ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt': ['PASSED', 'code_bound'],
  'ensure-token-endpoint-fails-with-mismatched-dpop-jkt': ['PASSED', 'code_bound'],
  'ensure-request-object-without-redirect-uri-fails': ['PASSED', 'redirect_uri_missing'],
  'plain-fapi-tolerate-unregistered-redirect-uri': ['PASSED', 'redirect_uri_not_registered'],
  'ensure-unsigned-authorization-request-without-using-par-fails': [
    'PASSED',
    'pushed_request_required',
  ],
  'ensure-redirect-uri-in-authorization-request': ['PASSED', 'redirect_uri_missing'],
  'ensure-response-type-code-idtoken-fails': ['PASSED', 'response_type_not_supported'],
  'ensure-response-type-token-fails': ['PASSED', 'response_type_not_supported'],
  'ensure-client-id-in-token-endpoint': ['PASSED', 'assertion_key_unknown'],
  'ensure-holder-of-key-required': ['PASSED', 'dpop_proof_missing'],
  'ensure-authorization-code-is-bound-to-client': ['PASSED', 'code_of_other_client'],
  'attempt-reuse-authorization-code-after-one-second': ['WARNING', 'code_lost_race'],
  'ensure-token-endpoint-fails-with-expired-auth-code': ['PASSED', 'code_expired'],
  'ensure-signed-client-assertion-with-RS256-fails': ['PASSED', 'assertion_alg_not_accepted'],
  'ensure-client-assertion-in-token-endpoint': ['PASSED', 'client_auth_method_not_supported'],
  'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails': ['PASSED', 'assertion_expired'],
  'ensure-client-assertion-with-wrong-aud-fails': ['PASSED', 'assertion_for_other_audience'],
  'ensure-client-assertion-with-no-sub-fails': ['PASSED', 'assertion_malformed'],
  'dpop-negative-tests': ['PASSED', ...WRONG_PROOFS],
  'refresh-token': [
    'PASSED',
    'client_auth_method_not_supported',
    'dpop_proof_missing',
    'access_token_of_other_key',
    'refresh_token_of_other_client',
  ],
  'par-attempt-reuse-request_uri': ['REVIEW', 'pushed_request_unknown'],
  'par-attempt-to-use-expired-request_uri': ['REVIEW', 'pushed_request_expired'],
  'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails': [
    'PASSED',
    'assertion_not_yet_valid',
  ],
  'par-attempt-to-use-request_uri-for-different-client': [
    'REVIEW',
    'pushed_request_of_other_client',
  ],
  'par-authorization-request-containing-request_uri-form-param': [
    'PASSED',
    'pushed_request_nested',
  ],
  'par-ensure-pkce-required': ['PASSED', 'code_challenge_missing'],
  'ensure-pkce-code-verifier-required': ['PASSED', 'code_verifier_missing'],
  'incorrect-pkce-code-verifier-rejected': ['PASSED', 'code_verifier_mismatch'],
  'par-plain-pkce-rejected': ['PASSED', 'code_challenge_method_not_supported'],
  'par-test-array-as-audience-fails': ['PASSED', 'assertion_for_other_audience'],
  'par-test-par-endpoint-url-as-audience-fails': ['PASSED', 'assertion_for_other_audience'],
  'par-test-token-endpoint-url-as-audience-fails': ['PASSED', 'assertion_for_other_audience'],
})

/** Without an ID token no claim is asked for, and none is too many. */
export const FAPI2_OAUTH: Expectations = {
  all: FAPI2.all,
  rows: Object.fromEntries(
    Object.entries(FAPI2.rows)
      .filter(([name]) => !name.endsWith('-identity-claims'))
      .map(([name, row]) => [
        name,
        name.endsWith('-happy-flow') ? ['PASSED', ...row.slice(1)] : row,
      ]),
  ),
}

/** Its one module requires RS256. */
export const CONFIG: Expectations = { all: ['FAILED'], rows: {} }

const SKIPPED_SCOPES: Expectations['rows'] = {
  'oidcc-scope-address': ['SKIPPED'],
  'oidcc-scope-phone': ['SKIPPED'],
  'oidcc-scope-all': ['SKIPPED'],
}
const WITHOUT_PKCE: Expectations['rows'] = {
  ...SKIPPED_SCOPES,
  'oidcc-response-type-missing': ['PASSED', 'response_type_missing'],
  'oidcc-ensure-registered-redirect-uri': ['REVIEW', 'redirect_uri_not_registered'],
  'oidcc-ensure-request-object-with-redirect-uri': ['REVIEW', 'redirect_uri_not_registered'],
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': [
    'SKIPPED',
    'request_object_not_supported',
  ],
}

/** The suite's client sends no PKCE, but in one module. */
export const BASIC: Expectations = {
  all: ['FAILED', 'code_challenge_missing'],
  rows: { ...WITHOUT_PKCE, 'oidcc-ensure-request-with-valid-pkce-succeeds': ['PASSED'] },
}

/** The same with the PKCE that `pkce.ts` adds. */
export const BASIC_WITH_PKCE: Expectations = {
  all: ['PASSED'],
  rows: {
    ...WITHOUT_PKCE,
    'oidcc-server': ['WARNING'],
    'oidcc-userinfo-post-body': ['WARNING', 'access_token_missing'],
    'oidcc-scope-profile': ['WARNING'],
    'oidcc-scope-email': ['WARNING'],
    'oidcc-alternate-happy-flow': ['WARNING'],
    'oidcc-prompt-login': ['REVIEW'],
    'oidcc-prompt-none-not-logged-in': ['PASSED', 'person_signed_out'],
    'oidcc-max-age-1': ['REVIEW'],
    'oidcc-ensure-request-with-acr-values-succeeds': ['WARNING'],
    'oidcc-codereuse': ['PASSED', 'code_lost_race'],
    'oidcc-codereuse-30seconds': ['PASSED', 'code_replayed', 'grant_revoked'],
    'oidcc-claims-essential': ['WARNING'],
    'oidcc-refresh-token': ['PASSED', 'refresh_token_of_other_client'],
  },
}

/** The suite registers a callback that is not loopback. */
export const DYNAMIC: Expectations = {
  all: ['FAILED', 'redirect_uri_not_loopback'],
  rows: {
    'oidcc-idtoken-unsigned': ['SKIPPED'],
    'oidcc-redirect-uri-regfrag': ['PASSED', 'redirect_uri_malformed'],
    'oidcc-discovery-endpoint-verification': ['FAILED'],
    'oidcc-registration-sector-uri': ['SKIPPED'],
    'oidcc-registration-sector-bad': ['SKIPPED'],
    // A person has to rotate the keys while it runs.
    'oidcc-server-rotate-keys': ['FAILED'],
  },
}

/** There is no `end_session_endpoint`. */
export const LOGOUT: Expectations = { all: ['FAILED'], rows: {} }
