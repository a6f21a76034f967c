export { createAuthorizationEndpoint } from './endpoint/authorize.js'
export {
  type AuthorizationServerConfiguration,
  type AuthorizationServerOptions,
  configureAuthorizationServer,
} from './endpoint/configuration.js'
export type {
  ClientView,
  ConsentBlock,
  ConsentScope,
  ConsentView,
  ErrorView,
  Interact,
  SignedIn,
  SignInView,
} from './endpoint/interact.js'
export { createInteractionEndpoint } from './endpoint/interaction.js'
export { createIntrospectionEndpoint } from './endpoint/introspect.js'
export {
  createJwksEndpoint,
  createMetadataEndpoints,
  type MetadataEndpoints,
} from './endpoint/metadata.js'
export { type EndpointName, PATHS } from './endpoint/paths.js'
export { createRegistrationEndpoint } from './endpoint/register.js'
export { createRevocationEndpoint } from './endpoint/revoke.js'
export { createRouter, routesOf } from './endpoint/server.js'
export { createTokenEndpoint } from './endpoint/token.js'
export type { TokenResponse } from './endpoint/token-response.js'
export { createUserinfoEndpoint } from './endpoint/userinfo.js'
export type { Endpoint, Incoming, Outgoing } from './http/exchange.js'
