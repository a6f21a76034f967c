/**
 * Opt-in blocks: parts of the protocol that some sites need and most do not. Each is a function that you import and
 * name once, in a list of your server or site. A server that names none carries none.
 *
 * The decision of each block is a pure function: values in, a decision out. Its refusals are a table, which
 * `refusals` of your site names.
 *
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { clientSecretBasic } from 'hallpass/blocks'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const clientAuthentication = [clientSecretBasic()]
 * const server = createAuthorizationServer(site, { keys, interact, clientAuthentication })
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.token_endpoint_auth_methods_supported // => ['client_secret_post', 'none', 'client_secret_basic']
 * ```
 * @module
 */
export type { ClientAuthenticationMethod } from './authorization-server/client-authentication-method.js'
export type { GrantType } from './authorization-server/grant-type.js'
export type { PushedRequests } from './authorization-server/pushed-requests.js'
export { defineClientAuthentication } from './blocks/client-authentication.js'
export { clientCredentials } from './blocks/client-credentials.js'
export { clientSecretBasic } from './blocks/client-secret-basic.js'
export { deviceGrant, type DeviceGrantOptions } from './blocks/device-grant.js'
export type { DeviceView } from './blocks/device-page.js'
export { dpop } from './blocks/dpop.js'
export { fapi2 } from './blocks/fapi2.js'
export { identityAssertion, type IdentityProvider } from './blocks/identity-assertion.js'
export { privateKeyJwt } from './blocks/private-key-jwt.js'
export { pushedRequests } from './blocks/pushed-requests.js'
export { ASSERTION_REFUSALS, decideClientAssertion } from './policy/client-assertion.js'
export { decideClientCredentials, SERVICE_REFUSALS } from './policy/client-credentials.js'
export { decideClientKeys } from './policy/client-keys.js'
export { refuseFrom } from './policy/decision.js'
export { decideDevicePoll, decideUserCode, DEVICE_REFUSALS } from './policy/device-authorization.js'
export { decideDpopProof, DPOP_REFUSALS } from './policy/dpop-proof.js'
export {
  decideIdentityAssertion,
  IDENTITY_ASSERTION_REFUSALS,
} from './policy/identity-assertion.js'
export { decidePushedRequest, PUSHED_REFUSALS } from './policy/pushed-request.js'
export type { SenderConstraint } from './site/sender-constraint.js'
