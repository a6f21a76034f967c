// few.ts
import type { Site } from 'hallpass'
import {
  type AuthorizationServerOptions,
  configureAuthorizationServer,
  createAuthorizationEndpoint,
  createInteractionEndpoint,
  createMetadataEndpoints,
  createTokenEndpoint,
} from 'hallpass/authorization-server'

/** No registration, introspection, UserInfo or JWKS. Pass a key ring with `signing: false`. */
export function createSmallServer(site: Site, options: AuthorizationServerOptions) {
  const configuration = configureAuthorizationServer(site, options)
  const endpoints = {
    authorize: createAuthorizationEndpoint(configuration),
    interaction: createInteractionEndpoint(configuration),
    token: createTokenEndpoint(configuration),
  }
  return { ...endpoints, ...createMetadataEndpoints(configuration, endpoints) }
}
