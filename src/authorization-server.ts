export { createAuthorizationEndpoint } from './authorization-server/authorize.js'
export {
  type AuthorizationServerConfiguration,
  type AuthorizationServerOptions,
  configureAuthorizationServer,
} from './authorization-server/configuration.js'
export type {
  ClientView,
  ConsentBlock,
  ConsentScope,
  ConsentView,
  ErrorView,
  Interact,
  SignedIn,
  SignInView,
} from './authorization-server/interact.js'
export { createInteractionEndpoint } from './authorization-server/interaction.js'
export { createIntrospectionEndpoint } from './authorization-server/introspect.js'
export {
  createJwksEndpoint,
  createMetadataEndpoints,
  type MetadataEndpoints,
} from './authorization-server/metadata.js'
export { type EndpointName, PATHS } from './authorization-server/paths.js'
export { createRegistrationEndpoint } from './authorization-server/register.js'
export { createRevocationEndpoint } from './authorization-server/revoke.js'
export { createRouter, routesOf } from './authorization-server/server.js'
export { createTokenEndpoint } from './authorization-server/token.js'
export type { TokenResponse } from './authorization-server/token-response.js'
export { createUserinfoEndpoint } from './authorization-server/userinfo.js'
export type { Endpoint, HeaderList, Incoming, Outgoing } from './http/exchange.js'
