import type { Check } from '../check.js'
import { metadata } from './metadata.js'
import { headers } from './headers.js'
import { keySet } from './key-set.js'
import { resourceMetadata } from './resource-metadata.js'
import { registration } from './registration.js'
import { metadataDocument } from './metadata-document.js'
import { authorization } from './authorization.js'
import { redirects } from './redirects.js'
import { issuer } from './issuer.js'
import { pushedRequests } from './pushed-requests.js'
import { pkce } from './pkce.js'
import { code } from './code.js'
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
import { userinfo } from './userinfo.js'
import { consent } from './consent.js'
import { signIn } from './sign-in.js'
import { bearer } from './bearer.js'
import { mcp } from './mcp.js'
import { dpop } from './dpop.js'
import { device } from './device.js'
import { fapi2 } from './fapi2.js'

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
  ...redirects,
  ...issuer,
  ...pushedRequests,
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
  ...userinfo,
  ...consent,
  ...signIn,
  ...bearer,
  ...mcp,
  ...dpop,
  ...device,
  ...fapi2,
  // Last, since a server may limit the whole audit after a burst.
  ...budgets,
]
