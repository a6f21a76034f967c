import { PATHS } from '../authorization-server/paths.js'
import type { Endpoint } from '../http/exchange.js'
import type { Site } from '../site/site.js'
import { createDocumentEndpoint } from './document-endpoint.js'
import { operationObject, problemsOf, tagOf } from './openapi-operation.js'
import { FIELD_FAULT_SCHEMA, headers, PROBLEM_SCHEMA, problemResponses } from './openapi-parts.js'
import { createSchemaPool, type Schema } from './openapi-schema.js'
import type { OperationRegistry } from './operation-registry.js'

/**
 * An OpenAPI 3.1 description as a JSON value.
 *
 * @group Documents for clients
 */
export type OpenapiDocument = Readonly<Record<string, unknown>>

/**
 * The Info Object of an OpenAPI description.
 *
 * @see [OpenAPI 3.1.1, Info Object](https://spec.openapis.org/oas/v3.1.1.html#info-object)
 * @group Documents for clients
 */
export interface OpenapiInfo {
  readonly title: string
  /** Semantic version of the API. Within the major version in the path, changes are only additions. */
  readonly version: string
  readonly summary?: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: {
    readonly name: string
    readonly identifier?: string
    readonly url?: string
  }
}

/**
 * The source of an OpenAPI description, in addition to its site.
 *
 * @group Documents for clients
 */
export interface OpenapiSource {
  /** The operations, from {@link createAdminApi} or {@link defineOperations}. */
  readonly registry: OperationRegistry
  /** The base path of the admin API. Default: `/api/v1`. */
  readonly basePath?: string
  /** Title and version of the API. */
  readonly info: OpenapiInfo
}

/**
 * Returns the OpenAPI 3.1 description of a set of operations: inputs, outputs, scopes, problems and
 * headers. It is generated from the schemas that validate the requests. Schemas with `.meta({ id })`
 * become components.
 *
 * @throws TypeError if two different schemas have the same id
 * @see [OpenAPI Specification 3.1.1](https://spec.openapis.org/oas/v3.1.1.html)
 * @example
 * ```ts
 * import { defineOperations, openapiOf } from 'hallpass/admin'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const registry = defineOperations([], site)
 * const description = openapiOf(site, { registry, info: { title: 'School', version: '1.0.0' } })
 * description['servers'] // => [{ url: 'https://school.example/api/v1' }]
 * ```
 * @group Documents for clients
 */
export function openapiOf(
  site: Site,
  { registry, basePath = '/api/v1', info }: OpenapiSource,
): OpenapiDocument {
  const { issuer } = site
  const pool = createSchemaPool()
  const paths: Record<string, Record<string, Schema>> = {}
  for (const operation of registry.operations) {
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = operationObject(operation, pool)
  }
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: issuer + basePath }],
    externalDocs: { description: 'How to get a token', url: `${issuer}/auth.md` },
    tags: tagsOf(registry),
    security: [],
    paths,
    components: {
      schemas: {
        ...pool.components(),
        Problem: PROBLEM_SCHEMA,
        FieldFault: FIELD_FAULT_SCHEMA,
      },
      headers: headers(),
      responses: problemResponses(new Set(registry.operations.flatMap(problemsOf))),
      securitySchemes: { oauth2: securityScheme(site, registry) },
    },
  }
}

/**
 * Creates the public endpoint `GET /openapi.json`, which serves the description that {@link openapiOf}
 * returns.
 *
 * @throws TypeError if two different schemas have the same id
 * @example
 * ```ts
 * import { createOpenapiEndpoint, defineOperations } from 'hallpass/admin'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const registry = defineOperations([], site)
 * const endpoint = createOpenapiEndpoint(site, { registry, info: { title: 'School', version: '1.0.0' } })
 * const response = await endpoint(new Request('https://school.example/openapi.json'))
 * ;((await response.json()) as { openapi: string }).openapi // => '3.1.1'
 * ```
 * @group Documents for clients
 */
export function createOpenapiEndpoint(site: Site, source: OpenapiSource): Endpoint {
  const contentType = 'application/json; charset=utf-8'
  return createDocumentEndpoint({ contentType, text: JSON.stringify(openapiOf(site, source)) })
}

const tagsOf = ({ operations }: OperationRegistry): readonly Schema[] =>
  [...new Set(operations.map(tagOf))].map((name) => ({
    name,
    description: `Operations on ${name.replaceAll('_', ' ')}.`,
  }))

function securityScheme({ issuer, name, scopes }: Site, registry: OperationRegistry): Schema {
  const words = (scope: string): string => scopes.get(scope)!.consent.replaceAll('{school}', name)
  const tokenUrl = issuer + PATHS.token
  return {
    type: 'oauth2',
    description: 'OAuth 2.1 with PKCE (S256).',
    flows: {
      authorizationCode: {
        authorizationUrl: issuer + PATHS.authorize,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: Object.fromEntries([...registry.byScope.keys()].map((one) => [one, words(one)])),
      },
    },
  }
}
