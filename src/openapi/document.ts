import { ADMIN_PATH, OPENAPI_PATH, PATHS } from '../site/paths.js'
import { headersNamed, type OpenapiPart, type Schema } from './parts.js'
import { custom, list, made, optional, type Rules, shape, text } from '../options/check.js'
import { checkOwnOptions, type Site } from '../site/site.js'
import { createDocumentEndpoint, type DocumentEndpoint } from '../http/document-endpoint.js'
import { exampleOf, type OperationExample } from './operation-example.js'
import { operationObject, problemsOf, tagOf } from './operation.js'
import { fieldFaultSchema, problemResponses, problemSchema } from './operation-parts.js'
import { createSchemaPool } from './schema-pool.js'
import type { OperationRegistry } from '../admin/operation-registry.js'

/**
 * The source of an OpenAPI description, in addition to its site.
 *
 * @inline
 */
export interface OpenapiSource {
  /** The operations, from `createAdminApi` or `defineOperations`. */
  readonly registry: OperationRegistry
  /** The base path of the admin API. Default: `/api/v1`. */
  readonly basePath?: string
  /** Title and version of the API: the Info Object of OpenAPI 3.1.1. */
  readonly info: {
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
   * Further endpoints of the site, such as those of `describeAuthorizationServer`. Default: none, so the
   * description has the operations only.
   */
  readonly alsoDescribes?: readonly OpenapiPart[]
  /**
   * Examples by the id of the operation, shown with its parameters, its body and its response. Ids that the
   * registry does not have are ignored, so that one table serves several sites. Default: none.
   */
  readonly examples?: Readonly<Record<string, OperationExample>>
}

/**
 * Returns the OpenAPI 3.1 description of a set of operations: inputs, outputs, scopes, problems and
 * headers. It is generated from the schemas that validate the requests. Schemas with `.meta({ id })`
 * become components. `alsoDescribes` adds other endpoints of the site, which do not become tools.
 *
 * @throws OptionsError that lists every mistake in `source`
 * @throws TypeError if two different schemas have the same id, or if a path, or a component of the same
 *   name, is described in two ways. Also if an example does not match the schemas of its operation
 * @see [OpenAPI Specification 3.1.1](https://spec.openapis.org/oas/v3.1.1.html)
 * @example
 * ```ts
 * import { defineOperations } from 'hallpass/admin'
 * import { describeMcpEndpoint, openapiOf } from 'hallpass/openapi'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const registry = defineOperations([], site)
 * const info = { title: 'School', version: '1.0.0' }
 * const description = openapiOf(site, { registry, info, alsoDescribes: [describeMcpEndpoint()] })
 * description['servers'] // => [{ url: 'https://school.example' }]
 * Object.keys(description['paths'] as object) // => ['/mcp', '/mcp/signed-in', '/mcp/member']
 * ```
 * @group Documents for clients
 */
export function openapiOf(site: Site, source: OpenapiSource): Readonly<Record<string, unknown>> {
  const {
    registry,
    basePath = ADMIN_PATH,
    info,
    alsoDescribes = [],
    examples = {},
  } = checkOwnOptions('openapi', site, source, RULES)
  const parts = [operationsPart(site, { registry, basePath, examples }), ...alsoDescribes]
  const tags = merged(
    'tag',
    parts.map(({ tags }) => tags.map((tag) => [tag.name, tag])),
  )
  const paths = merged(
    'path',
    parts.map(({ paths }) => Object.entries(paths)),
  )
  const kinds = [...new Set(parts.flatMap(({ components }) => Object.keys(components)))]
  const components = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      merged(
        kind,
        parts.map(({ components }) => Object.entries(components[kind] ?? {})),
      ),
    ]),
  )
  const plain = { paths, components: withErrorsOf(site, components) }
  const described = site.senderConstraint?.describe(plain) ?? plain
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: site.resource.canonical }],
    externalDocs: { description: 'How to get a token', url: `${site.issuer}/auth.md` },
    tags: Object.values(tags).sort((one, other) => (one.name < other.name ? -1 : 1)),
    security: [],
    paths: described.paths,
    components: withoutUnused(described.components, described.paths),
  }
}

/** Merges named values. A value may be given twice, but a name has only one value. */
function merged<Value extends object>(
  kind: string,
  lists: readonly (readonly (readonly [name: string, value: Value])[])[],
): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = {}
  for (const [name, value] of lists.flat()) {
    const known = (values[name] ??= value)
    if (known !== value && JSON.stringify(known) !== JSON.stringify(value))
      throw new TypeError(`openapiOf: ${kind} "${name}" is described in two ways`)
  }
  return values
}

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>

/** Adds the errors of the blocks of a site to the schemas of errors. The parts that have these schemas know no site. */
function withErrorsOf({ refusals }: Pick<Site, 'refusals'>, components: Components): Components {
  const codes = refusals.flatMap((table) => Object.keys(table))
  const widen = (schema: Readonly<Record<string, unknown>>): object => {
    const properties = schema['properties'] as { error: { enum: readonly string[] } }
    const all = [...new Set([...properties.error.enum, ...codes])]
    return { ...schema, properties: { ...properties, error: { ...properties.error, enum: all } } }
  }
  const schemas = Object.entries(components['schemas'] ?? {}).map(([name, schema]) => [
    name,
    name === 'OAuthError' || name === 'AccountRefusal' ? widen(schema as never) : schema,
  ])
  return { ...components, schemas: Object.fromEntries(schemas) as Components[string] }
}

/** Removes the components that no path refers to, directly or by another component. */
function withoutUnused(
  components: Components,
  paths: Readonly<Record<string, object>>,
): Components {
  const used = new Set<string>()
  const follow = (value: unknown): void => {
    for (const [, ref = ''] of JSON.stringify(value).matchAll(/"#\/components\/([^"]+)"/g)) {
      if (used.has(ref)) continue
      used.add(ref)
      const [kind = '', name = ''] = ref.split('/')
      follow(components[kind]?.[name] ?? null)
    }
  }
  follow(paths)
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path)))
    for (const scheme of securityOf(operation).flatMap((one) => Object.keys(one)))
      used.add(`securitySchemes/${scheme}`)
  return Object.fromEntries(
    Object.entries(components).map(([kind, named]) => [
      kind,
      Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${kind}/${name}`))),
    ]),
  )
}

// A security scheme is named, and not referred to.
const securityOf = (operation: unknown): readonly object[] =>
  (operation as { security?: readonly object[] } | null)?.security ?? []

/** Describes the operations of the admin API. */
function operationsPart(
  site: Site,
  {
    registry,
    basePath,
    examples,
  }: Required<Pick<OpenapiSource, 'registry' | 'basePath' | 'examples'>>,
): OpenapiPart {
  const pool = createSchemaPool()
  const paths: Record<string, Record<string, Schema>> = {}
  for (const operation of registry.operations) {
    const path = (paths[basePath + operation.path] ??= {})
    const example = exampleOf(operation, examples)
    path[operation.method.toLowerCase()] = operationObject(operation, pool, site, example)
  }
  return {
    tags: tagsOf(registry),
    paths,
    components: {
      schemas: {
        ...pool.components(),
        Problem: problemSchema(),
        FieldFault: fieldFaultSchema(),
      },
      headers: headersNamed(
        'X-Request-Id',
        'ETag',
        'Link',
        'RateLimit',
        'RateLimit-Policy',
        'Retry-After',
        'WWW-Authenticate',
      ),
      responses: problemResponses(new Set(registry.operations.flatMap(problemsOf))),
      securitySchemes: { oauth2: securityScheme(site, registry) },
    },
  }
}

/**
 * Creates the public endpoint `GET /openapi.json`, which serves the description that {@link openapiOf}
 * returns.
 *
 * @throws OptionsError and TypeError as {@link openapiOf} does
 * @example
 * ```ts
 * import { defineOperations } from 'hallpass/admin'
 * import { createOpenapiEndpoint } from 'hallpass/openapi'
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
export function createOpenapiEndpoint(site: Site, source: OpenapiSource): DocumentEndpoint {
  const contentType = 'application/json; charset=utf-8'
  const text = JSON.stringify(openapiOf(site, source))
  return createDocumentEndpoint(site, OPENAPI_PATH, { contentType, text })
}

const tagsOf = ({ operations }: OperationRegistry): OpenapiPart['tags'] =>
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

const RULES: Rules<OpenapiSource> = {
  registry: made('createAdminApi(site, options).registry, or defineOperations', {
    operations: 'object',
    route: 'function',
  }),
  basePath: optional(text(`"${ADMIN_PATH}"`)),
  info: shape<OpenapiSource['info']>('{ title, version }', {
    title: text('"My School"'),
    version: text('"1.0.0"'),
    summary: optional(text('"The admin API"')),
    description: optional(text('"The admin API of my school."')),
    termsOfService: optional(text('"https://school.example/terms"')),
    contact: optional(custom('{ name, url, email }', () => [])),
    license: optional(custom('{ name, identifier, url }', () => [])),
  }),
  alsoDescribes: optional(list(made('describeAuthorizationServer', { paths: 'object' }))),
  examples: optional(custom('examples by the id of the operation', () => [])),
}
