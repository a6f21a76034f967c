import { accessTokenScheme, headersNamed, oauthError, type OpenapiPart } from './parts.js'
import { cookieName } from '../site/browser-id.js'
import { exampleBodies } from './server-examples.js'
import { blockItems, type DescribedOptions, itemsOf, TAGS } from './server-items.js'
import { bodySchemas } from './server-schemas.js'
import { type EndpointName, PATHS } from '../site/paths.js'

/**
 * Describes the endpoints of an authorization server for {@link openapiOf}: methods,
 * parameters, bodies, redirects, errors and challenges.
 *
 * @param configuration - the site and its options, from `configureAuthorizationServer`
 * @param endpoints - the endpoints that you serve, as `createMetadataEndpoints` takes them. Only these are
 *   described; the values are not used.
 * @see [OpenAPI 3.1.1, Paths Object](https://spec.openapis.org/oas/v3.1.1.html#paths-object)
 * @group Metadata
 * @example
 * ```ts
 * import { configureAuthorizationServer, createTokenEndpoint } from 'hallpass/authorization-server'
 * import { describeAuthorizationServer } from 'hallpass/openapi'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const configuration = configureAuthorizationServer(site, { keys, interact })
 * const token = createTokenEndpoint(configuration)
 *
 * const { paths, tags } = describeAuthorizationServer(configuration, { token })
 * Object.keys(paths) // => ['/api/oauth/token']
 * tags.map(({ name }) => name) // => ['oauth']
 * ```
 */
export function describeAuthorizationServer(
  configuration: DescribedOptions,
  endpoints: Readonly<Partial<Record<EndpointName, unknown>>>,
): OpenapiPart {
  const { issuer } = configuration
  const blocks = { clientAuthentication: [], grants: [], ...configuration }
  const examples = exampleBodies(blocks, endpoints)
  const all = itemsOf(configuration, examples)
  const names = (Object.keys(PATHS) as EndpointName[]).filter(
    (name) => endpoints[name] !== undefined,
  )
  return {
    tags: TAGS.filter(({ name: tag }) => names.some((name) => all[name].tag === tag)),
    paths: Object.fromEntries([
      ...names.map((name) => [
        name === 'interaction' ? `${PATHS.interaction}/{id}` : PATHS[name],
        all[name].item,
      ]),
      ...Object.entries(blockItems(configuration)),
    ]),
    components: {
      schemas: { ...oauthError(), ...bodySchemas(blocks, examples) },
      headers: headersNamed('X-Request-Id', 'ETag', 'Location', 'Retry-After', 'WWW-Authenticate'),
      securitySchemes: {
        ...accessTokenScheme(),
        browser: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName(issuer),
          description: 'The browser that began the request. The authorization endpoint sets it.',
        },
      },
    },
  }
}
