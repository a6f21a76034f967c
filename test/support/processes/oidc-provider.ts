import { createServer } from 'node:http'
import { generateKeyPairSync } from 'node:crypto'
import { Provider } from 'oidc-provider'
import { openPort } from './ports.js'

/** A server that this project did not write, with a page on which anybody signs in. */
export interface OtherServer {
  readonly origin: string
  readonly close: () => void
}

/**
 * Starts oidc-provider on this computer. Clients register themselves, and pages of any origin may call it.
 *
 * @param options - `redirectUris`: of the client `known`, which need not register
 */
export async function startOidcProvider({
  redirectUris,
}: {
  redirectUris: string[]
}): Promise<OtherServer> {
  const server = createServer()
  const port = await openPort(server)
  const origin = `http://127.0.0.1:${port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: 'known',
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        application_type: 'native',
      },
    ],
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }],
    },
    cookies: { keys: ['only for a test'] },
    clientBasedCORS: () => true,
    pkce: { required: () => true },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: true },
    },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
  })
  server.on('request', provider.callback())
  return {
    origin,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
