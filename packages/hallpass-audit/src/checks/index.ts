import type { Check } from '../check.js'
import { metadata } from './metadata.js'
import { headers } from './headers.js'
import { keySet } from './key-set.js'
import { resourceMetadata } from './resource-metadata.js'
import { registration } from './registration.js'
import { metadataDocument } from './metadata-document.js'
import { authorization } from './authorization.js'
import { authorizationResponse, stateInError } from './authorization-response.js'
import { requestObject } from './request-object.js'
import { redirects } from './redirects.js'
import { issuer } from './issuer.js'
import { pushedRequests } from './pushed-requests.js'
import { pushedRules } from './pushed-rules.js'
import { patient } from './patient.js'
import { presentedRequests } from './presented-requests.js'
import { pkce } from './pkce.js'
import { code, codeLater } from './code.js'
import { token } from './token.js'
import { clientAuthentication } from './client-authentication.js'
import { privateKeyJwt } from './private-key-jwt.js'
import { clientCredentials } from './client-credentials.js'
import { refresh } from './refresh.js'
import { revocation } from './revocation.js'
import { introspection } from './introspection.js'
import { resource } from './resource.js'
import { scope } from './scope.js'
import { budgets } from './budgets.js'
import { idToken } from './id-token.js'
import { idTokenPerson } from './id-token-person.js'
import { openid } from './openid.js'
import { userinfo } from './userinfo.js'
import { consent } from './consent.js'
import { signIn } from './sign-in.js'
import { bearer } from './bearer.js'
import { mcp } from './mcp.js'
import { dpop } from './dpop.js'
import { device } from './device.js'
import { fapi2 } from './fapi2.js'
import { received } from './received.js'
import { pages } from './pages.js'

/**
 * All checks of the specifications, in the order in which a client meets them.
 *
 * @group Checks
 */
export const CHECKS: readonly Check[] = [
  ...metadata,
  ...headers,
  ...keySet,
  ...resourceMetadata,
  ...registration,
  ...metadataDocument,
  ...authorization,
  ...requestObject,
  ...authorizationResponse,
  ...redirects,
  ...pushedRequests,
  ...presentedRequests,
  ...pushedRules,
  ...pkce,
  ...code,
  ...token,
  ...clientAuthentication,
  ...privateKeyJwt,
  ...clientCredentials,
  ...refresh,
  ...revocation,
  ...introspection,
  ...resource,
  ...scope,
  ...idToken,
  ...idTokenPerson,
  ...openid,
  ...userinfo,
  ...consent,
  ...signIn,
  ...bearer,
  ...mcp,
  ...dpop,
  ...device,
  ...fapi2,
  // These read all that was received before, so that they are last.
  ...received,
  stateInError,
  ...issuer,
  ...pages,
  ...codeLater,
  ...patient,
  // Last, since a server may limit the whole audit after a burst.
  ...budgets,
]
