import { queryOf, readForm } from '../http/body.js'
import type { Endpoint, Incoming } from '../http/exchange.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { refuse } from '../policy/decision.js'
import { authorizeBearer } from '../protected-resource/gate.js'
import { claimsOf } from './claims.js'
import type { AuthorizationServerConfiguration } from './configuration.js'
import { tokenErrors } from './error-format.js'

/**
 * UserInfo: the identity claims that the access token's scopes open, as they are now. The token
 * stands in the `Authorization` header and nowhere else.
 *
 * @see OpenID Connect Core §5.3
 */
export function createUserinfoEndpoint(configuration: AuthorizationServerConfiguration): Endpoint {
  const errors = tokenErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'userinfo', methods: ['GET', 'POST'], cors: OPEN, errors },
    async ({ incoming }) => {
      const authorization = incoming.header('authorization')
      if (authorization !== null && (await hasSecondToken(incoming))) return SENT_TWICE
      const decided = await authorizeBearer(configuration, { authorization, required: ['openid'] })
      if (!decided.ok) return decided
      const { person, scopes } = decided.access
      return json(200, claimsOf(configuration, { person, scopes }), ['vary', 'Authorization'])
    },
  )
}

const SENT_TWICE = refuse(
  'invalid_request',
  'access_token_sent_twice',
  'send the access token only in the Authorization header',
)

// RFC 6750 §2: one way of sending the token in one request.
async function hasSecondToken(incoming: Incoming): Promise<boolean> {
  if (queryOf(incoming.target).has('access_token')) return true
  if (incoming.method !== 'POST') return false
  const form = await readForm(incoming)
  return form.ok && form.parameters.has('access_token')
}
