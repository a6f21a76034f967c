// describe.ts
import type { AuthorizationServer, Site } from 'hallpass'
import { type AccountApi, describeAccountApi } from 'hallpass/account-api'
import { type AdminApi, createOpenapiEndpoint } from 'hallpass/admin'
import {
  type AuthorizationServerConfiguration,
  describeAuthorizationServer,
  type Endpoint,
} from 'hallpass/authorization-server'
import { describeMcpEndpoint } from 'hallpass/mcp'

/** @param configuration - from `configureAuthorizationServer`, with the options of your server */
export const describeAll = (
  site: Site,
  { registry }: AdminApi,
  configuration: AuthorizationServerConfiguration,
  server: AuthorizationServer,
  account: AccountApi,
): Endpoint =>
  createOpenapiEndpoint(site, {
    registry,
    info: { title: 'API', version: '1.0.0' },
    alsoDescribes: [
      describeAuthorizationServer(configuration, server),
      describeAccountApi(account),
      describeMcpEndpoint(),
    ],
  })
