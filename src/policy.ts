export {
  type AuthorizationPolicy,
  type AuthorizationRefusal,
  type AuthorizationRequest,
  decideAuthorizationRequest,
} from './policy/authorization-request.js'
export {
  type Access,
  type AccessRefusal,
  bearerChallenge,
  decideAccess,
  parseBearer,
} from './policy/bearer.js'
export { identityClaims, type IdentityClaims } from './policy/claims.js'
export {
  type AuthenticatedClient,
  decideClientAuthentication,
} from './policy/client-authentication.js'
export {
  audienceOf,
  type Client,
  type ClientKind,
  type ClientSecret,
  type TokenEndpointAuthMethod,
} from './policy/client.js'
export {
  decideRedemption,
  type GrantRefusal,
  type RedeemableCode,
} from './policy/code-redemption.js'
export { consentKey, isSignInFresh, mayRememberConsent } from './policy/consent.js'
export { type Decision, type OAuthErrorCode, type Refusal, refuse } from './policy/decision.js'
export type {
  AccessToken,
  AuthorizationCode,
  Grant,
  RefreshToken,
  Rotation,
} from './policy/grant.js'
export { type Parameters, parseParameters } from './policy/parameters.js'
export type { Person } from './policy/person.js'
export { decideCodeChallenge, verifyPkceS256 } from './policy/pkce.js'
export {
  buildRedirect,
  decideRedirectUri,
  isRedirectUriText,
  LOOPBACK_HOSTS,
  type LoopbackUri,
  parseLoopbackUri,
  type TrustedRedirect,
} from './policy/redirect-uri.js'
export { decideRefresh, type Refresh, type RotatableToken } from './policy/refresh-rotation.js'
export { decideRegistration, type Registration, UNNAMED_CLIENT } from './policy/registration.js'
export {
  decideRepeatedResource,
  decideResource,
  defineResource,
  RESOURCE_PATHS,
  type ResourceNames,
} from './policy/resource.js'
export { decideApprover, effectiveScopes } from './policy/role.js'
export {
  decideNarrowedScopes,
  decideScopes,
  OFFLINE_ACCESS,
  parseScope,
  scopesOfClient,
} from './policy/scopes.js'
export {
  clientOfVendor,
  foldName,
  matchVendor,
  resemblesVendor,
  type Vendor,
} from './policy/vendor.js'
