import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { cimd } from '@better-auth/cimd'
import { fetchClientMetadataResource } from '@better-auth/cimd/node'
import { mcp } from '@better-auth/mcp'
import { oauthDeviceAuthorization } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { getAuthTables } from 'better-auth/db'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import { CLIENT, listening } from './common.mjs'

export const packages = [
  'better-auth',
  '@better-auth/oauth-provider',
  '@better-auth/mcp',
  '@better-auth/cimd',
]

/** With its plugins for OAuth, MCP, devices and metadata documents, as their README combines them. */
export async function start() {
  const { server, origin, stop } = await listening(createServer())
  const tables = {}
  const options = {
    baseURL: origin,
    secret: 'a secret of at least thirty-two characters',
    database: memoryAdapter(tables),
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    disabledPaths: ['/token'],
    plugins: [
      jwt({ jwks: { keyPairConfig: { alg: 'ES256' } } }),
      mcp({
        loginPage: '/sign-in',
        consentPage: '/consent',
        resource: `${origin}/mcp`,
        scopes: ['openid', 'offline_access', 'mcp:read'],
        allowDynamicClientRegistration: true,
        allowUnauthenticatedClientRegistration: true,
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
      oauthDeviceAuthorization(),
      cimd({ fetchClientMetadataResource, metadataProfile: 'mcp-2026-07-28' }),
    ],
  }
  for (const { modelName } of Object.values(getAuthTables(options))) tables[modelName] = []
  const auth = betterAuth(options)
  const { adapter } = await auth.$context
  const date = new Date()
  await adapter.create({
    model: 'oauthClient',
    data: {
      clientId: CLIENT.id,
      // The form in which it keeps secrets by default.
      clientSecret: createHash('sha256').update(CLIENT.secret).digest('base64url'),
      name: 'Features',
      redirectUris: [CLIENT.redirectUri],
      tokenEndpointAuthMethod: 'client_secret_post',
      grantTypes: [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      responseTypes: ['code'],
      scopes: ['openid', 'mcp:read'],
      clientCredentialsScopes: ['mcp:read'],
      createdAt: date,
      updatedAt: date,
    },
  })
  server.on('request', toNodeHandler(auth))
  return { origin, issuer: `${origin}/api/auth`, scope: 'mcp:read', stop }
}
