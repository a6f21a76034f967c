import { queryOf, readForm } from '../http/body.js'
import type { Endpoint, Incoming } from '../http/exchange.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { refuse } from '../policy/decision.js'
import { authorizeBearer } from '../protected-resource/gate.js'
import { claimsOf } from './claims.js'
import type { AuthorizationServerConfiguration } from './block.js'
import { tokenErrors } from './error-format.js'

/**
 * Creates the UserInfo endpoint. It returns the current claims about the person, limited to the scopes of
 * the access token. The token must be sent in the `Authorization` header.
 *
 * A token in the query or the form is refused if the header has one too. Otherwise it is ignored, and the
 * response is that of a request without a token.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @returns an endpoint for `GET` and `POST`: 200 with the claims as JSON, or 400, 401 or 403 with a
 *   challenge. The token must have the scope `openid`.
 * @see [OpenID Connect Core 1.0, section 5.3](https://openid.net/specs/openid-connect-core-1_0.html#UserInfo)
 * @group Token endpoints
 * @example
 * ```ts
 * import { configureAuthorizationServer, createUserinfoEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site, tokenFor } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const userinfo = createUserinfoEndpoint(configureAuthorizationServer(site, { keys, interact }))
 *
 * const token = await tokenFor({ roles: ['student'], email: 'mei@example.com' }, 'openid', 'email')
 * const headers = { authorization: `Bearer ${token}` }
 * const response = await userinfo(new Request('https://school.example/api/oauth/userinfo', { headers }))
 * const { email } = await response.json()
 * email // => 'mei@example.com'
 * ```
 */
export function createUserinfoEndpoint(configuration: AuthorizationServerConfiguration): Endpoint {
  const errors = tokenErrors(configuration)
  return createEndpoint(
    configuration,
    { name: 'userinfo', methods: ['GET', 'POST'], cors: OPEN, errors },
    async ({ incoming }) => {
      const authorization = incoming.header('authorization')
      if (authorization !== null && (await hasSecondToken(incoming))) return SENT_TWICE
      const decided = await authorizeBearer(configuration, {
        authorization,
        required: ['openid'],
        request: incoming,
      })
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

/**
 * Whether the query or the form has a token too: a request must send it in one way only (RFC 6750, section
 * 2). A body that is not a form cannot contain one.
 */
async function hasSecondToken(incoming: Incoming): Promise<boolean> {
  if (queryOf(incoming.target).all('access_token').length > 0) return true
  if (incoming.method !== 'POST') return false
  const form = await readForm(incoming)
  return form.ok && form.parameters.all('access_token').length > 0
}
