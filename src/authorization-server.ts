/**
 * The parts of an authorization server: one factory for each endpoint, and the views of your pages. Start
 * with {@link Interact}, the pages that you implement, and {@link createRouter}, which serves the result
 * of `createAuthorizationServer`. For a server with fewer endpoints, begin with
 * {@link configureAuthorizationServer}.
 *
 * @example
 * ```ts
 * import { configureAuthorizationServer, createTokenEndpoint, routesOf } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const configuration = configureAuthorizationServer(site, { keys, interact })
 * const token = createTokenEndpoint(configuration)
 * routesOf({ token }).map(([path]) => path) // => ['/api/oauth/token']
 * ```
 * @module
 */
export { authMd, createAuthMdEndpoint } from './authorization-server/auth-md/auth-md.js'
export type { AuthMdParts } from './authorization-server/auth-md/source.js'
export { createAuthorizationEndpoint } from './authorization-server/authorize.js'
export type { AuthorizationServerConfiguration } from './authorization-server/block.js'
export { configureAuthorizationServer } from './authorization-server/configuration.js'
export type { AuthorizationServerOptions } from './authorization-server/options.js'
export type {
  ClientLink,
  ClientView,
  ConsentScope,
  ConsentView,
  BackToAppView,
  PasteAddressView,
  ErrorView,
  GrantEnd,
  Interact,
  SignedIn,
  SignInView,
} from './authorization-server/interact.js'
export { createInteractionEndpoint } from './authorization-server/interaction.js'
export { createIntrospectionEndpoint } from './authorization-server/introspect.js'
export { createJwksEndpoint, createMetadataEndpoints } from './authorization-server/metadata.js'
export { type EndpointName, PATHS } from './site/paths.js'
export { createRegistrationEndpoint } from './authorization-server/register.js'
export { createRevocationEndpoint } from './authorization-server/revoke.js'
export { createRouter, routesOf } from './authorization-server/server.js'
export { createStepUp } from './authorization-server/step-up.js'
export { createTokenEndpoint } from './authorization-server/token.js'
export type { TokenResponse } from './authorization-server/token-response.js'
export { createUserinfoEndpoint } from './authorization-server/userinfo.js'
export type { Endpoint, Incoming, Outgoing } from './http/exchange.js'
