import { queryOf, readForm } from '../http/body.js'
import type { Endpoint, Incoming } from '../http/exchange.js'
import { json } from '../http/respond.js'
import { refuse } from '../policy/decision.js'
import { authorizeBearer, challengeFor } from '../protected-resource/gate.js'
import { claimsOf } from './claims.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import { createFramedEndpoint } from './framed-endpoint.js'

/**
 * UserInfo: the identity claims that the access token's scopes open, as they are now. The token
 * stands in the `Authorization` header and nowhere else.
 *
 * @see OpenID Connect Core §5.3
 */
export function createUserinfoEndpoint(configuration: AuthorizationServerConfiguration): Endpoint {
  const { issuer } = configuration
  return createFramedEndpoint(
    configuration,
    { name: 'userinfo', methods: ['GET', 'POST'], cors: true },
    async (incoming) => {
      const authorization = incoming.header('authorization')
      if (authorization !== null && (await hasSecondToken(incoming))) {
        configuration.notifyRefusal('userinfo', SENT_TWICE)
        return challengeFor(SENT_TWICE, { issuer })
      }
      const decided = await authorizeBearer(configuration, {
        authorization,
        required: ['openid'],
      })
      if (!decided.ok) {
        configuration.notifyRefusal('userinfo', decided)
        return challengeFor(decided, { issuer })
      }
      const { person, scopes } = decided.access
      return json(200, claimsOf(configuration, { person, scopes }), { vary: 'Authorization' })
    },
  )
}

const SENT_TWICE = refuse(
  'invalid_request',
  'access_token_sent_twice',
  'send the access token in the Authorization header alone',
)

// RFC 6750 §2: one way of sending the token in one request.
async function hasSecondToken(incoming: Incoming): Promise<boolean> {
  if (queryOf(incoming.target).has('access_token')) return true
  if (incoming.method !== 'POST') return false
  const form = await readForm(incoming)
  return form.ok && form.parameters.has('access_token')
}
