import {
  REGISTRATION_FROM_HERE,
  startKeycloak,
  versionOfMaven,
} from '../../test/support/processes/java-servers.js'
import { CLIENT } from './common.mjs'

export const versions = { keycloak: versionOfMaven('keycloak-quarkus-dist') }

/** Every feature that is off by default and that these tables name, also the experimental ones. */
const FEATURES = [
  'cimd',
  'identity-assertion-jwt',
  'jwt-authorization-grant',
  'resource-indicators',
]

/** A realm of Keycloak, which this computer may register clients with. */
export async function start() {
  const { origin, stop } = await startKeycloak({
    features: FEATURES,
    realm: {
      realm: 'features',
      enabled: true,
      clients: [
        {
          clientId: CLIENT.id,
          secret: CLIENT.secret,
          redirectUris: [CLIENT.redirectUri],
          serviceAccountsEnabled: true,
          attributes: {
            'oauth2.device.authorization.grant.enabled': 'true',
            'oauth2.jwt.authorization.grant.enabled': 'true',
            'standard.token.exchange.enabled': 'true',
          },
        },
      ],
      components: REGISTRATION_FROM_HERE,
    },
  })
  return { origin, issuer: `${origin}/realms/features`, stop, scope: 'openid' }
}
