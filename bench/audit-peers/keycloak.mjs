import {
  REGISTRATION_FROM_HERE,
  startKeycloak,
  versionOfMaven,
} from '../../test/support/processes/java-servers.js'
import { CLIENTS, PEOPLE } from './common.mjs'

export const name = 'Keycloak'
export const versions = { keycloak: versionOfMaven('keycloak-quarkus-dist') }
export const setUp =
  'A realm in development mode, with its own pages, registration from this computer, clients that are public or have a secret, the device flow, and client metadata documents'

/** A realm with two people, which this computer may register clients with. */
export async function start() {
  const { origin, stop } = await startKeycloak({
    features: ['cimd'],
    realm: {
      realm: 'audit',
      enabled: true,
      // Its own default is that a refresh token can be used again and again.
      revokeRefreshToken: true,
      users: PEOPLE.map(({ email, password }) => ({
        username: email,
        email,
        emailVerified: true,
        firstName: email.split('@')[0],
        lastName: 'Duarte',
        enabled: true,
        credentials: [{ type: 'password', value: password }],
      })),
      clients: Object.values(CLIENTS).map(({ client_id, client_secret, redirect_uri }) => ({
        clientId: client_id,
        redirectUris: [redirect_uri],
        consentRequired: true,
        ...(client_secret === undefined ? { publicClient: true } : { secret: client_secret }),
        attributes: {
          'oauth2.device.authorization.grant.enabled': 'true',
          // Its own default is that a client may leave PKCE out.
          'pkce.code.challenge.method': 'S256',
        },
      })),
      components: REGISTRATION_FROM_HERE,
    },
  })
  return {
    issuer: `${origin}/realms/audit`,
    signIn: {
      people: PEOPLE.map(({ email, password }) => ({ username: email, password })),
      scope: 'openid profile email',
      clients: CLIENTS,
    },
    stop,
  }
}
