import type { GrantType } from '../authorization-server/block.js'
import { callback, checkOptions, optional, type Rules, whole } from '../options/check.js'
import { orNull, type Wanted } from '../options/wanted.js'
import type { Client } from '../policy/client.js'
import {
  decideClientCredentials,
  SERVICE_REFUSALS,
  type ServiceReason,
} from '../policy/client-credentials.js'
import { GRANT } from '../site/block.js'
import { createDeadline } from '../store/deadline.js'
import { readAs, thrownBy } from '../store/guard.js'
import { ofSite } from './of-site.js'
import { openGrant } from './open-grant.js'

/** @inline */
interface ClientCredentialsOptions {
  /**
   * Returns the subject of the service of a client, as a manager decided; `null` if it has none. `findPerson` of the site
   * must find the subject too, with the roles of the service. Called for each token request, after the client has
   * authenticated.
   *
   * An exception leads to a 503 response, and so does a result that is not a subject or takes longer than
   * `callDeadlineMilliseconds`.
   */
  readonly serviceOf: (client: Client) => string | null | Promise<string | null>
  /** Lifetime of an access token, in seconds: an integer from 60 to 86,400. Default: 3600. */
  readonly accessTokenSeconds?: number
}

/**
 * Lets clients get an access token for themselves (`client_credentials`): a service of the site, such as a nightly
 * export. A service is a subject with roles, like a person, so that gates, roles and the audit log treat it as one. No
 * one signs in as a service, and a service has nothing of a person: no identity scopes, no member scopes, no ID token,
 * no refresh token.
 *
 * A client gets at most 300 tokens in a day for its service (`codesOfPerson` of `ALLOWANCES`), and then 429.
 *
 * @returns a block for `blocks` of a site
 * @throws OptionsError that lists every mistake
 * @see [RFC 6749, section 4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4)
 * @group Grants
 * @example
 * ```ts
 * import { createServer, defineSite } from 'hallpass'
 * import { clientCredentials } from 'hallpass/blocks'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import { createMemoryStore } from 'hallpass/store'
 *
 * const payroll = { subject: 'srv_payroll', orgId: 'school', roles: ['assistant'], name: null, email: null, picture: null }
 * const site = defineSite({
 *   issuer: 'https://school.example',
 *   name: 'School',
 *   store: createMemoryStore(),
 *   scopes: schoolScopes,
 *   roles: schoolRoles,
 *   findPerson: async (subject) => (subject === payroll.subject ? payroll : null),
 *   blocks: [clientCredentials({ serviceOf: ({ clientId }) => (clientId === 'payroll' ? payroll.subject : null) })],
 * })
 * const page = () => new Response('your page')
 * const server = createServer(site, {
 *   sealingSecret: 'use at least 32 random characters here',
 *   interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
 * })
 *
 * const url = 'https://school.example/.well-known/oauth-authorization-server'
 * const metadata = await (await server(new Request(url))).json()
 * metadata.grant_types_supported.at(-1) // => 'client_credentials'
 *
 * clientCredentials({} as never) // throws OptionsError
 * ```
 */
export function clientCredentials(options: ClientCredentialsOptions): GrantType<ServiceReason> {
  const checked = checkOptions('clientCredentials', options, RULES)
  const { serviceOf, accessTokenSeconds: seconds = 3600 } = checked
  return {
    kind: GRANT,
    name: 'client_credentials',
    refusals: SERVICE_REFUSALS,
    parameters: {},
    forServer: { describe: (known) => known },
    create(configuration) {
      const { findPerson, scopes: registry, roles, resource: names } = configuration
      const limit = createDeadline(configuration.callDeadlineMilliseconds)('serviceOf')
      const findService = (client: Client): Promise<string | null> =>
        limit(
          // `undefined`, as for a row that was not found, is `null`.
          async () => readAs((await serviceOf(client)) ?? null, SUBJECT, 'serviceOf returned'),
          thrownBy('serviceOf'),
        )
      return {
        async load(request) {
          const { context, parameters } = request
          context.operation = 'client_credentials'
          return {
            presented: null,
            async exchange(client) {
              const asked = {
                client,
                scope: parameters.single('scope'),
                resources: parameters.all('resource'),
                recommended: configuration.baselineScopes,
                registry,
                roles,
                names,
              }
              // First without a service, so that the host is asked only about clients that can have one.
              let decided = decideClientCredentials({ ...asked, service: undefined })
              if (!decided.ok && decided.reason === 'client_not_a_service') {
                const subject = await findService(client)
                if (subject !== null)
                  decided = decideClientCredentials({
                    ...asked,
                    service: await findPerson(subject),
                  })
              }
              return decided.ok
                ? openGrant(request, client, { ...decided, seconds })
                : ofSite(decided)
            },
          }
        },
      }
    },
  }
}

const RULES: Rules<ClientCredentialsOptions> = {
  serviceOf: callback('({ clientId }) => services.get(clientId) ?? null'),
  accessTokenSeconds: optional(whole(60, 86_400)),
}

const SUBJECT: Wanted = /* @__PURE__ */ orNull({
  words: 'a subject of 1 to 255 printable ASCII characters',
  fits: (value) => typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value),
})
