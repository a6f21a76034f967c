import type { Verdict } from './finding.js'

/** The rows of a report, of which a plan reads this. */
type Rows = readonly { readonly check: string; readonly verdict: Verdict }[]

/**
 * The test plans of others that an audit can be set against. `oidc-basic` and `oidc-config` are certification plans of the
 * OpenID Foundation, and `fapi2` is that of the FAPI 2.0 Security Profile with unsigned requests: all as in its suite
 * 5.2.4. `mcp` is what MCP Authorization 2025-11-25 demands of servers, for which its conformance suite has no test.
 *
 * @group Audits
 */
export type PlanName = 'oidc-basic' | 'oidc-config' | 'fapi2' | 'mcp'

/**
 * A module of such a plan, and what the audit says of it. `lacking` has no check.
 *
 * @group Audits
 */
export interface PlanModule {
  readonly module: string
  /** The ids of the checks that ask the same. */
  readonly checks: readonly string[]
  readonly outcome: 'held' | 'violated' | 'not reached' | 'not applicable' | 'lacking'
}

interface Plan {
  /** Its name at its owner. */
  readonly title: string
  /** The beginning that the names of all its modules share. */
  readonly prefix: string
  /** Modules without that beginning, with the ids of their checks. */
  readonly modules: Readonly<Record<string, string>>
}

// prettier-ignore
export const PLANS: Readonly<Record<PlanName, Plan>> = {
  'oidc-basic': { title: 'OpenID Connect Core: Basic Certification Profile', prefix: 'oidcc-', modules: {
    'server': 'id-token/issued id-token/signature id-token/issuer id-token/audience id-token/subject id-token/expiry id-token/issued-at userinfo/subject',
    'response-type-missing': 'authorization/missing-response-type',
    'userinfo-get': 'userinfo/subject userinfo/json',
    'userinfo-post-header': 'userinfo/post',
    'userinfo-post-body': 'userinfo/post-body',
    'ensure-request-without-nonce-succeeds-for-code-flow': 'id-token/nonce-not-sent',
    'scope-profile': 'userinfo/profile',
    'scope-email': 'userinfo/email',
    'scope-address': 'userinfo/address',
    'scope-phone': 'userinfo/phone',
    'scope-all': 'userinfo/profile userinfo/email userinfo/address userinfo/phone',
    'alternate-happy-flow': 'scope/order',
    'display-page': 'openid/display',
    'display-popup': 'openid/display',
    'prompt-login': 'authorization/prompt-login',
    'prompt-none-not-logged-in': 'authorization/prompt-none',
    'prompt-none-logged-in': 'openid/prompt-none',
    'max-age-1': 'authorization/max-age',
    'max-age-10000': 'openid/max-age',
    'ensure-request-with-unknown-parameter-succeeds': 'authorization/unknown-parameter',
    'id-token-hint': 'openid/id-token-hint openid/hint-of-another-person',
    'login-hint': 'openid/login-hint',
    'ui-locales': 'openid/ui-locales',
    'claims-locales': 'openid/claims-locales',
    'ensure-request-with-acr-values-succeeds': 'openid/acr-values',
    'codereuse': 'code/used-twice',
    'codereuse-30seconds': 'code/used-later',
    'ensure-registered-redirect-uri': 'redirects/missing redirects/other-host redirects/other-path redirects/near-path',
    'ensure-post-request-succeeds': 'authorization/post',
    'server-client-secret-post': 'client-authentication/wrong-secret',
    'unsigned-request-object-supported-correctly-or-rejected-as-unsupported': 'authorization/request-object',
    'claims-essential': 'openid/claims',
    'ensure-request-object-with-redirect-uri': 'authorization/request-object-redirect-uri',
    'refresh-token': 'refresh/works refresh/id-token refresh/of-another-client',
    'ensure-request-with-valid-pkce-succeeds': 'pkce/wrong-verifier pkce/missing-verifier',
  } },
  'oidc-config': { title: 'OpenID Connect Core: Config Certification Profile', prefix: 'oidcc-', modules: {
    'discovery-endpoint-verification': 'metadata/published metadata/json metadata/issuer metadata/openid-members metadata/openid-scope metadata/response-types id-token/rs256-offered key-set/keys key-set/key-ids key-set/use',
  } },
  'fapi2': { title: 'FAPI 2.0 Security Profile', prefix: 'fapi2-security-profile-final-', modules: {
    'discovery-end-point-verification': 'metadata/issuer fapi2/issuer-identified fapi2/algorithms fapi2/pushed-only',
    'happy-flow': 'id-token/signature dpop/accepted private-key-jwt/accepted pushed-requests/created',
    'user-rejects-authentication': 'consent/denied',
    'ensure-authorization-request-without-state-success': 'authorization/without-state',
    'ensure-authorization-request-without-nonce-success': 'id-token/nonce-not-sent',
    'ensure-authorization-request-with-64-char-nonce-success': 'id-token/long-nonce',
    'ensure-other-scope-order-succeeds': 'scope/order',
    'test-claims-parameter-identity-claims': 'openid/claims',
    'access-token-type-header-case-sensitivity': 'bearer/scheme-case',
    'check-dpop-proof-nbf-exp': 'dpop/further-times',
    'ensure-dpopproof-with-iat-10seconds-before-succeeds': 'dpop/clocks-apart',
    'ensure-dpopproof-with-iat-10seconds-after-succeeds': 'dpop/clocks-apart',
    'ensure-mismatched-dpop-jkt-fails': 'dpop/pushed-other-key',
    'ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt': 'dpop/code-key',
    'ensure-token-endpoint-fails-with-mismatched-dpop-jkt': 'dpop/code-key',
    'ensure-dpopproof-at-par-endpoint-binding-success': 'dpop/pushed-key',
    'ensure-dpop-auth-code-binding-success': 'dpop/code-key',
    'ensure-different-nonce-inside-and-outside-request-object': '',
    'ensure-different-state-inside-and-outside-request-object': '',
    'ensure-authorization-request-with-long-nonce': 'id-token/long-nonce',
    'ensure-authorization-request-with-long-state': 'authorization/long-state',
    'state-only-outside-request-object-not-used': '',
    'ensure-request-object-without-redirect-uri-fails': 'fapi2/push-redirect-uri',
    'plain-fapi-tolerate-unregistered-redirect-uri': 'pushed-requests/redirect-uri',
    'ensure-unsigned-authorization-request-without-using-par-fails': 'fapi2/pushed-only',
    'ensure-redirect-uri-in-authorization-request': 'fapi2/push-redirect-uri',
    'ensure-response-type-code-idtoken-fails': 'authorization/unlisted-response-type',
    'ensure-response-type-token-fails': 'authorization/implicit',
    'ensure-client-id-in-token-endpoint': 'code/of-another-client',
    'ensure-holder-of-key-required': 'dpop/no-proof fapi2/code-without-proof',
    'ensure-authorization-code-is-bound-to-client': 'code/of-another-client',
    'attempt-reuse-authorization-code-after-one-second': 'code/used-later',
    'ensure-token-endpoint-fails-with-expired-auth-code': 'patient/code',
    'ensure-signed-client-assertion-with-RS256-fails': 'fapi2/rs256',
    'ensure-client-assertion-in-token-endpoint': 'private-key-jwt/missing',
    'ensure-client-assertion-with-exp-is-5-minutes-in-past-fails': 'private-key-jwt/expired',
    'ensure-client-assertion-with-wrong-aud-fails': 'private-key-jwt/audience',
    'ensure-client-assertion-with-no-sub-fails': 'private-key-jwt/missing-subject',
    'dpop-negative-tests': 'dpop/signature dpop/unsigned dpop/type dpop/method dpop/uri dpop/token-hash dpop/claims dpop/old-proof dpop/replay',
    'refresh-token': 'refresh/works refresh/of-another-client dpop/refresh',
    'par-ensure-reused-request-uri-prior-to-auth-completion-succeeds': 'pushed-requests/opened-again',
    'par-attempt-reuse-request_uri': 'pushed-requests/used-once',
    'par-attempt-to-use-expired-request_uri': 'patient/pushed-request',
    'par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted': 'fapi2/clock-ahead',
    'par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails': 'private-key-jwt/not-yet-valid',
    'par-attempt-to-use-request_uri-for-different-client': 'pushed-requests/other-client',
    'par-authorization-request-containing-request_uri-form-param': 'pushed-requests/nested',
    'par-attempt-invalid-http-method': 'pushed-requests/post-only',
    'par-ensure-pkce-required': 'pkce/challenge-required',
    'ensure-pkce-code-verifier-required': 'pkce/missing-verifier',
    'incorrect-pkce-code-verifier-rejected': 'pkce/wrong-verifier',
    'par-plain-pkce-rejected': 'pkce/plain',
    'par-without-duplicate-parameters': 'pushed-requests/presented',
    'par-test-array-as-audience-fails': 'fapi2/assertion-audience',
    'par-test-par-endpoint-url-as-audience-fails': 'fapi2/assertion-audience',
    'par-test-token-endpoint-url-as-audience-fails': 'fapi2/assertion-audience',
  } },
  'mcp': { title: 'MCP Authorization 2025-11-25', prefix: '', modules: {
    'protected-resource-metadata': 'resource-metadata/published resource-metadata/json resource-metadata/resource',
    'authorization-servers': 'resource-metadata/authorization-servers resource-metadata/issuer-named',
    'www-authenticate-or-well-known': 'mcp/challenge-metadata resource-metadata/challenge',
    'challenge-scope': 'mcp/challenge-scope',
    'authorization-server-metadata': 'metadata/published metadata/issuer',
    'pkce-s256': 'pkce/s256-named pkce/wrong-verifier pkce/missing-verifier',
    'client-id-metadata-documents': 'metadata-document/supported metadata-document/accepted metadata-document/other-client-id metadata-document/unlisted-redirect-uri',
    'dynamic-client-registration': 'registration/created',
    'resource-parameter': 'resource/accepted resource/audience',
    'token-validation': 'mcp/bad-token bearer/unknown-token bearer/damaged-token',
    'token-audience': 'resource/other-token',
    'token-in-every-request': 'mcp/tool-without-token mcp/session-is-no-login',
    'no-token-in-query': 'bearer/query resource-metadata/no-tokens-in-urls',
    'insufficient-scope': 'mcp/insufficient-scope',
    'redirect-uris': 'redirects/missing registration/http',
    'refresh-token-rotation': 'refresh/rotated refresh/stale-ends-family',
    'dns-rebinding-protection': 'mcp/rebinding mcp/origin',
  } },
}

/** The ids of the checks of a plan. */
export const idsOf = (plan: PlanName): readonly string[] => [
  ...new Set(Object.values(PLANS[plan].modules).flatMap((ids) => ids.split(' ').filter(Boolean))),
]

/**
 * The result of an audit by the modules of a plan: its name at its owner, and each module. A module holds if each of its checks that applies
 * does.
 *
 * @group Audits
 */
export interface Against {
  readonly plan: PlanName
  readonly title: string
  readonly modules: readonly PlanModule[]
}

export const againstOf = (rows: Rows, plan: PlanName): Against => ({
  plan,
  title: PLANS[plan].title,
  modules: modulesOf(rows, plan),
})

function modulesOf(rows: Rows, plan: PlanName): readonly PlanModule[] {
  const { prefix, modules } = PLANS[plan]
  return Object.entries(modules).map(([name, ids]) => {
    const checks = ids.split(' ').filter(Boolean)
    const verdicts = rows
      .filter(({ check }) => checks.includes(check))
      .map(({ verdict }) => verdict)
    const is = (wanted: string): boolean => verdicts.some((verdict) => verdict === wanted)
    const outcome =
      checks.length === 0
        ? 'lacking'
        : verdicts.length === 0
          ? 'not reached'
          : is('violated') || is('advice')
            ? 'violated'
            : is('not reached')
              ? 'not reached'
              : is('held')
                ? 'held'
                : 'not applicable'
    return { module: prefix + name, checks, outcome }
  })
}
