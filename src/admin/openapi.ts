import { PATHS } from '../authorization-server/paths.js'
import type { Endpoint } from '../http/exchange.js'
import type { Site } from '../site/site.js'
import { createDocumentEndpoint } from './document-endpoint.js'
import { operationObject, problemsOf, tagOf } from './openapi-operation.js'
import { FIELD_FAULT_SCHEMA, headers, PROBLEM_SCHEMA, problemResponses } from './openapi-parts.js'
import { createSchemaPool, type Schema } from './openapi-schema.js'
import type { OperationRegistry } from './operation-registry.js'

/** An OpenAPI 3.1 document, as JSON. */
export type OpenapiDocument = Readonly<Record<string, unknown>>

/** What an OpenAPI document says of the service as a whole. */
export interface OpenapiInfo {
  readonly title: string
  /** Of the API, semantic: below the major in the path, changes only add. */
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

/** What an OpenAPI document is made of beside its site. */
export interface OpenapiSource {
  /** Of `createAdminApi`. */
  readonly registry: OperationRegistry
  /** As the API has it. Default `/api/v1`. */
  readonly basePath?: string
  readonly info: OpenapiInfo
}

/**
 * The OpenAPI 3.1 document of a set of operations: inputs, outputs, scopes, errors and headers, from the
 * same schemas that requests are judged by. Schemas with `.meta({ id })` become components.
 *
 * @throws TypeError - for two different schemas of one id
 * @see OpenAPI Specification 3.1.1
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

/** `GET /openapi.json`, for everybody. */
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
