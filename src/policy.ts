export {
  type AddresseeReason,
  type AuthorizationPolicy,
  type AuthorizationReason,
  type AuthorizationRefusal,
  type AuthorizationRequest,
  decideAuthorizationRequest,
  type RequestReason,
} from './policy/authorization-request.js'
export {
  type Access,
  type AccessReason,
  type AccessRefusal,
  bearerChallenge,
  decideAccess,
  decideReach,
  parseBearer,
  type ReachReason,
} from './policy/bearer.js'
export { identityClaims, type IdentityClaims } from './policy/claims.js'
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
  type DisabledReason,
  type DocumentRecord,
  type TokenEndpointAuthMethod,
} from './policy/client.js'
export {
  decideRedemption,
  type GrantRefusal,
  type RedeemableCode,
  type RedemptionReason,
} from './policy/code-redemption.js'
export {
  type ConsentChoice,
  consentKey,
  decideConsent,
  isSignInFresh,
  mayRememberConsent,
} from './policy/consent.js'
export { type Decision, type ReasonsOf, type Refusal, refuse } from './policy/decision.js'
export { documentFreshUntil, type ResponseHeaders } from './policy/cimd-freshness.js'
export {
  clientOfDocument,
  clientOfPinnedDocument,
  type DocumentChange,
  type PinnedDocument,
  STALE_DOCUMENT_SECONDS,
} from './policy/cimd-lifecycle.js'
export { decideDocumentResponse } from './policy/cimd-response.js'
export type {
  AccessToken,
  AuthorizationCode,
  Grant,
  RefreshToken,
  Rotation,
} from './policy/grant.js'
export {
  decideDocument,
  decideDocumentUrl,
  documentDigest,
  type DocumentPolicy,
  type DocumentReason,
  type DocumentUrl,
  isDocumentClientId,
  type MetadataDocument,
} from './policy/cimd-document.js'
export { type FormParameters, parseFormParameters } from './policy/form-parameters.js'
export type { Person } from './policy/person.js'
export { decideCodeChallenge, verifyPkceS256 } from './policy/pkce.js'
export { LOOPBACK_HOSTS, type LoopbackUri, parseLoopbackUri } from './policy/loopback-redirect.js'
export {
  buildRedirect,
  decideRedirectUri,
  isRedirectUriText,
  type TrustedRedirect,
} from './policy/redirect-uri.js'
export {
  decideRefresh,
  type Refresh,
  type RefreshReason,
  type RotatableToken,
} from './policy/refresh-rotation.js'
export type { OAuthErrorCode, ReasonOf, RefusalReason } from './policy/refusals.js'
export {
  decideRegistration,
  type Registration,
  type RegistrationReason,
  UNNAMED_CLIENT,
} from './policy/registration.js'
export {
  decideRepeatedResource,
  decideResource,
  defineResource,
  RESOURCE_PATHS,
  type ResourceNames,
} from './policy/resource-indicator.js'
export { decideApprover, effectiveScopes } from './policy/role.js'
export {
  decideNarrowedScopes,
  decideScopes,
  OFFLINE_ACCESS,
  parseScope,
  type ScopeReason,
  scopesOfClient,
} from './policy/scope-audience.js'
export {
  clientOfVendor,
  foldName,
  matchVendor,
  resemblesVendor,
  type Vendor,
} from './policy/vendor-match.js'
