/**
 * The decisions of OAuth 2.1, OpenID Connect and client metadata documents, as pure functions: values
 * in, a {@link Decision} out. They read no store, clock or environment and make no requests, so they
 * can be used without the rest of hallpass, and tested without mocks.
 *
 * Start with {@link decideAuthorizationRequest}, {@link decideRedemption} and {@link decideAccess}.
 * Each returns either `{ ok: true }` with what was decided, or a {@link Refusal}, whose `error` is for
 * the client and whose `reason` is for logs and tests.
 *
 * @example
 * ```ts
 * import { decideRedirectUri } from 'hallpass/policy'
 *
 * const decided = decideRedirectUri({
 *   redirectUri: 'http://127.0.0.1:52100/callback',
 *   registered: ['http://127.0.0.1/callback'],
 * })
 * decided.ok // => true
 * const refused = decideRedirectUri({ redirectUri: 'https://evil.example/', registered: [] })
 * refused.ok ? null : refused.reason // => 'redirect_uri_not_registered'
 * ```
 *
 * @module
 */
export {
  type AuthorizationRequest,
  decideAuthorizationRequest,
  mayRedirectUnasked,
} from './policy/authorization-request.js'
export {
  type Access,
  type AccessRefusal,
  bearerChallenge,
  decideAccess,
  decideReach,
  parseBearer,
} from './policy/bearer.js'
export { identityClaims } from './policy/claims.js'
export {
  type AuthenticatedClient,
  decideClientAuthentication,
} from './policy/client-authentication.js'
export {
  audienceOf,
  type Client,
  type ClientFields,
  type ClientKind,
  type ClientSecret,
  type TokenEndpointAuthMethod,
} from './policy/client.js'
export { decideRedemption, type RedeemableCode } from './policy/code-redemption.js'
export { consentKey, decideConsent, decideSignInAge, mayRememberConsent } from './policy/consent.js'
export {
  type Decision,
  type ReasonsOf,
  type Refusal,
  refuse,
  type With,
} from './policy/decision.js'
export { documentFreshUntil } from './policy/cimd-freshness.js'
export {
  clientOfDocument,
  clientOfPinnedDocument,
  type PinnedDocument,
  STALE_DOCUMENT_SECONDS,
} from './policy/cimd-lifecycle.js'
export { decideDocumentResponse } from './policy/cimd-response.js'
export type { AccessToken, AuthorizationCode, Grant, RefreshToken } from './policy/grant.js'
export {
  decideDocument,
  decideDocumentUrl,
  documentDigest,
  type DocumentPolicy,
  type DocumentReason,
  type DocumentUrl,
  type MetadataDocument,
} from './policy/cimd-document.js'
export { type FormParameters, parseFormParameters } from './policy/form-parameters.js'
export type { Person } from './policy/person.js'
export { decideCodeChallenge, verifyPkceS256 } from './policy/pkce.js'
export { LOOPBACK_HOSTS, parseLoopbackUri } from './policy/loopback-redirect.js'
export {
  buildRedirect,
  decideRedirectUri,
  isRedirectUriText,
  type TrustedRedirect,
} from './policy/redirect-uri.js'
export {
  REFRESH_POLICY,
  type RefreshPolicies,
  type RefreshPolicy,
} from './policy/refresh-policy.js'
export { decideRefresh, type Refresh, type RotatableToken } from './policy/refresh-rotation.js'
export type { OAuthErrorCode, RefusalReason, RefusalTable } from './policy/refusals.js'
export { decideRegistration, type Registration } from './policy/registration.js'
export {
  decideRepeatedResource,
  decideResource,
  defineResource,
  type ResourceNames,
} from './policy/resource-indicator.js'
export { decideApprover, effectiveScopes } from './policy/role.js'
export {
  decideNarrowedScopes,
  decideScopes,
  parseScope,
  scopesOfClient,
} from './policy/scope-audience.js'
export { clientOfVendor, matchVendor, type Vendor } from './policy/vendor-match.js'
