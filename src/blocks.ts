/**
 * Opt-in blocks: parts of the protocol that some sites need and most do not. Each is a function that you import and call
 * once, in `blocks` of your site. A site that names none carries none.
 *
 * The decision of each block is a pure function: values in, a decision out. Its refusals are a table, which the site
 * knows by the block: pass `refusals` of the site to `explainRefusal`.
 *
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { clientSecretBasic } from 'hallpass/blocks'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite({ blocks: [clientSecretBasic()] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/openid-configuration'
 * const metadata = await (await server.openidConfiguration(new Request(url))).json()
 * metadata.token_endpoint_auth_methods_supported // => ['client_secret_post', 'none', 'client_secret_basic']
 * ```
 * @module
 */
export type { ClientAuthenticationMethod } from './authorization-server/client-authentication-method.js'
export type { GrantType, PushedRequests } from './authorization-server/block.js'
export { defineClientAuthentication } from './blocks/client-authentication.js'
export { clientCredentials } from './blocks/client-credentials.js'
export { clientSecretBasic } from './blocks/client-secret-basic.js'
export { deviceGrant } from './blocks/device-grant.js'
export type { DeviceView } from './blocks/device-page.js'
export { dpop } from './blocks/dpop.js'
export { fapi2 } from './blocks/fapi2.js'
export { identityAssertion } from './blocks/identity-assertion.js'
export { privateKeyJwt } from './blocks/private-key-jwt.js'
export { pushedRequests } from './blocks/pushed-requests.js'
export { decideClientAssertion } from './policy/client-assertion.js'
export { decideClientCredentials } from './policy/client-credentials.js'
export { decideClientKeys } from './policy/client-keys.js'
export { refuseFrom } from './policy/decision.js'
export { decideDevicePoll, decideUserCode } from './policy/device-authorization.js'
export { decideDpopProof } from './policy/dpop-proof.js'
export { decideIdentityAssertion } from './policy/identity-assertion.js'
export { decidePushedRequest } from './policy/pushed-request.js'
export type { Block } from './site/block.js'
