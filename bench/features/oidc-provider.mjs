import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { CLIENT, listening } from './common.mjs'

export const packages = ['oidc-provider']

/** Every feature of its documentation that these tables name, behind its switch. */
export async function start() {
  const { server, origin, stop } = await listening(createServer())
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const on = { enabled: true }
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [CLIENT.redirectUri],
        grant_types: [
          'authorization_code',
          'refresh_token',
          'client_credentials',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
      },
    ],
    jwks: {
      keys: [
        { ...privateKey.export({ format: 'jwk' }), kid: 'features', use: 'sig', alg: 'RS256' },
      ],
    },
    clientAuthMethods: [
      'client_secret_basic',
      'client_secret_post',
      'client_secret_jwt',
      'private_key_jwt',
      'none',
    ],
    cookies: { keys: ['a cookie key that signs nothing here'] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: on,
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      deviceFlow: on,
      dPoP: on,
      introspection: on,
      pushedAuthorizationRequests: on,
      registration: on,
      revocation: on,
      resourceIndicators: on,
      rpInitiatedLogout: on,
    },
  })
  server.on('request', provider.callback())
  return { origin, stop }
}
