/**
 * The OpenAPI 3.1 description of a site: of its admin operations, and of each other endpoint that you serve. Start
 * with {@link openapiOf}, or with {@link createOpenapiEndpoint}, which serves it at `/openapi.json`. Its `alsoDescribes`
 * takes what {@link describeAuthorizationServer}, {@link describeAccountApi} and {@link describeMcpEndpoint} return.
 * Needs the package `zod`.
 *
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
 * Object.keys(description['paths'] as object) // => ['/mcp', '/mcp/signed-in', '/mcp/member']
 * ```
 *
 * @module
 */
export { describeAccountApi } from './openapi/account-api.js'
export { createOpenapiEndpoint, openapiOf } from './openapi/document.js'
export { describeMcpEndpoint } from './openapi/mcp.js'
export type { OperationExample } from './openapi/operation-example.js'
export type { OpenapiPart } from './openapi/parts.js'
export { describeAuthorizationServer } from './openapi/server.js'
