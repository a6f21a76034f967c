import type { Broken } from '../faults.js'
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
import { openid } from './openid.js'
import { userinfo } from './userinfo.js'
import { consent } from './consent.js'
import { signIn } from './sign-in.js'
import { bearer } from './bearer.js'
import { mcp } from './mcp.js'
import { dpop } from './dpop.js'
import { device } from './device.js'
import { fapi2 } from './fapi2.js'
import { pages } from './pages.js'

/** Broken servers, by the subject that each breaks. */
export const BROKEN: Readonly<Record<string, readonly Broken[]>> = {
  metadata,
  headers,
  'key-set': keySet,
  'resource-metadata': resourceMetadata,
  registration,
  'metadata-document': metadataDocument,
  authorization,
  redirects,
  issuer,
  'pushed-requests': pushedRequests,
  pkce,
  code,
  token,
  'client-authentication': clientAuthentication,
  'private-key-jwt': privateKeyJwt,
  'client-credentials': clientCredentials,
  refresh,
  revocation,
  introspection,
  resource,
  scope,
  budgets,
  'id-token': idToken,
  openid,
  userinfo,
  consent,
  'sign-in': signIn,
  bearer,
  mcp,
  dpop,
  device,
  fapi2,
  pages,
}
