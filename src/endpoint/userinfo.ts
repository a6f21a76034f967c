import { type Endpoint, endpointFrom } from '../http/exchange.js'
import { framed, json } from '../http/respond.js'
import { identityClaims } from '../policy/claims.js'
import { authorizeBearer, challengeFor } from '../resource/gate.js'
import type { AuthorizationServerConfiguration } from './configuration.js'

/**
 * UserInfo: the identity claims that the access token's scopes open, as they are now. The token
 * stands in the `Authorization` header and nowhere else.
 *
 * @see OpenID Connect Core §5.3
 */
export function createUserinfoEndpoint(configuration: AuthorizationServerConfiguration): Endpoint {
  const { issuer, extraClaims } = configuration
  return endpointFrom(
    framed(
      { methods: ['GET', 'POST'], cors: true },
      async (incoming) => {
        const decided = await authorizeBearer(configuration, {
          authorization: incoming.header('authorization'),
          required: ['openid'],
        })
        if (!decided.ok) {
          configuration.notifyRefusal('userinfo', decided, null)
          return challengeFor(decided, { issuer })
        }
        const { person, scopes } = decided.access
        return json(
          200,
          { ...extraClaims({ person, scopes }), ...identityClaims({ person, scopes }) },
          { vary: 'Authorization' },
        )
      },
      configuration.notifyFault('userinfo'),
    ),
  )
}
