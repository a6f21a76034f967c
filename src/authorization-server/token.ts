import type { Endpoint } from '../http/exchange.js'
import { createEndpoint, OPEN } from '../http/frame.js'
import { json } from '../http/respond.js'
import { type Decision, refuse } from '../policy/decision.js'
import type { FormParameters } from '../policy/form-parameters.js'
import type { AuthorizationServerConfiguration, ClientRequest, LoadGrant } from './block.js'
import { authenticateClient, readClientForm } from './client-form.js'
import { exchangeCode, loadCode } from './code-grant.js'
import { clientErrors } from './error-format.js'
import { exchangeRefreshToken, loadRefreshToken } from './refresh-grant.js'
import { memoryOf } from './memory.js'

/** The grant types of every server. */
const GRANTS: readonly (readonly [name: string, load: LoadGrant])[] = [
  [
    'authorization_code',
    async (request) => {
      const { context } = request
      context.operation = 'authorization_code'
      const { now, code: found } = await loadCode(request)
      // The codes of another grant have its name in place of a redirect URI, and only that grant redeems them.
      const code = found?.redirectUri.startsWith('urn:ietf:params:oauth:grant-type:') ? null : found
      const loaded = { now, code }
      // A refusal from here on belongs to the flow that led to the code.
      context.flow = code?.grantId ?? null
      return {
        presented: code,
        exchange: (client) => exchangeCode(request, client, loaded),
      }
    },
  ],
  [
    'refresh_token',
    async (request) => {
      request.context.operation = 'refresh_token'
      const loaded = await loadRefreshToken(request)
      const { found } = loaded
      return {
        presented: found && { clientId: found.grant.clientId, client: found.client },
        exchange: (client) => exchangeRefreshToken(request, client, loaded),
      }
    },
  ],
]

/**
 * Creates the token endpoint, with the authorization code and refresh token grants. A code or refresh
 * token is used up only after the whole request has been validated, and only while the client is connected.
 *
 * A code that is used a second time is refused. More than five seconds after its first use this also
 * revokes the grant. A refresh token that is used a second time revokes the grant, unless the policy of the
 * client's holder in `refreshPolicies` allows it.
 *
 * If the policy expects one holder, `onEvent` receives `oauth.grant.reuse_frequent` when ten refreshes of a grant were
 * answered again within a week: once a week for each grant, from each process.
 *
 * A client that keeps sending tokens of an ended grant is refused each time, after one look-up of the token.
 * That is reported once an hour for each client, to `onEvent` and to `onRefusal`.
 *
 * The form is checked first, then the client, then the code or refresh token. The code or token is loaded before,
 * because its client comes with it. The description of `invalid_client` and `invalid_grant` does not name the cause: `onRefusal` receives it as the reason.
 *
 * @param configuration - the site and its options, from {@link configureAuthorizationServer}
 * @returns an endpoint for `POST`: 200 with a {@link TokenResponse}, 401 for a failed authentication, or
 *   400 with an OAuth error such as `invalid_grant`
 * @see [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3)
 * @see [RFC 6749, section 6](https://www.rfc-editor.org/rfc/rfc6749#section-6)
 * @group Token endpoints
 * @example
 * ```ts
 * import { configureAuthorizationServer, createTokenEndpoint } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const token = createTokenEndpoint(configureAuthorizationServer(site, { keys, interact }))
 *
 * const body = new URLSearchParams({ client_id: 'study-app', grant_type: 'password' })
 * const response = await token(new Request('https://school.example/api/oauth/token', { method: 'POST', body }))
 * const { error } = await response.json()
 * error // => 'unsupported_grant_type'
 * ```
 */
export function createTokenEndpoint(configuration: AuthorizationServerConfiguration): Endpoint {
  const errors = clientErrors(configuration)
  // A `Map`, so that a name such as `constructor` is not found.
  const grants: ReadonlyMap<string, LoadGrant> = new Map([
    ...GRANTS,
    ...configuration.grants.map(({ name, create }) => [name, create(configuration).load] as const),
  ])
  return createEndpoint(
    configuration,
    { name: 'token', methods: ['POST'], cors: OPEN, errors },
    async (context) => {
      const form = await readClientForm(context, ['resource'])
      if (!form.ok) return form
      const { senderConstraint } = configuration
      // Before the client is authenticated: a client that has to sign again has used up no assertion.
      const proof = senderConstraint?.read(context.incoming) ?? null
      if (proof?.ok === false) return proof
      const request = { configuration, context, parameters: form.parameters, proof }
      const found = findGrant(grants, form.parameters)
      if (!found.ok) {
        context.flow = await flowOf(request)
        return found
      }
      const { presented, exchange } = await found.load(request)
      const authenticated = await authenticateClient(request, presented)
      if (!authenticated.ok) return authenticated
      const { client } = authenticated
      const proved = (await senderConstraint?.verify(client, proof)) ?? authenticated
      if (!proved.ok) return proved
      await configuration.clock.assertAgrees()
      const exchanged = memoryOf(configuration).report(context, client, await exchange(client))
      return exchanged.ok ? json(200, exchanged.response, proof?.headers) : exchanged
    },
  )
}

/** Finds the flow of a request that is refused before its code is read. If no one watches, nothing is read. */
async function flowOf(request: ClientRequest): Promise<string | null> {
  if (!request.context.isWatched) return null
  const { code } = await loadCode(request).catch(() => ({ code: null }))
  return code?.grantId ?? null
}

/** Finds the grant type, before anything is looked up in the store. */
function findGrant(
  grants: ReadonlyMap<string, LoadGrant>,
  parameters: FormParameters,
): Decision<{ load: LoadGrant }> {
  const grantType = parameters.single('grant_type')
  if (grantType === null)
    return refuse('invalid_request', 'grant_type_missing', 'grant_type is required')
  const load = grants.get(grantType)
  if (load === undefined)
    return refuse(
      'unsupported_grant_type',
      'grant_type_not_supported',
      `grant_type must be ${[...grants.keys()].join(' or ')}`,
    )
  return { ok: true, load }
}
