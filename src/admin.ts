/**
 * The admin API of a site: operations for staff and their tools, as a REST API behind access tokens. Define
 * operations with {@link defineOperation} and lists with {@link defineList}; {@link createAdminApi} serves
 * them with one scope for each operation, problems (RFC 9457), idempotency keys, preconditions and rate
 * limits. The same definitions become an OpenAPI description, a part of `/auth.md` and tools of `/mcp`. Needs the
 * package `zod`.
 *
 * @example
 * ```ts
 * import { createAdminApi, defineOperation, refuseWith } from 'hallpass/admin'
 * import { testSite } from 'hallpass/testing'
 * import * as z from 'zod'
 *
 * const getCourse = defineOperation({
 *   id: 'courses.get', summary: 'Get a course', scope: 'courses:read', effect: 'read',
 *   method: 'GET', path: '/courses/{id}',
 *   input: z.strictObject({ id: z.string() }),
 *   output: z.object({ id: z.string(), title: z.string() }),
 *   run: async (_, { id }) =>
 *     id === 'drawing' ? { id, title: 'Drawing' } : refuseWith('not_found', 'no course has this id'),
 * })
 * const { site, tokenFor } = testSite()
 * const { endpoint } = createAdminApi(site, { operations: [getCourse] })
 * const authorization = `Bearer ${await tokenFor({ roles: ['owner'] }, 'courses:read')}`
 * const url = 'https://school.example/api/v1/courses/drawing'
 * const response = await endpoint(new Request(url, { headers: { authorization } }))
 * await response.json() // => { id: 'drawing', title: 'Drawing' }
 * ```
 *
 * @module
 */
export type { AdminApiOptions } from './admin/configuration.js'
export type { OperationResult } from './admin/call.js'
export { type IdempotencyStore } from './admin/idempotency.js'
export { defineList, type ListRequest } from './admin/list.js'
export {
  defineOperation,
  type Operation,
  type OperationContext,
  type RegisteredOperation,
} from './admin/operation.js'
export { operationsFor } from './admin/operations-for.js'
export { type FieldFault, isProblem, type Problem, PROBLEMS, refuseWith } from './admin/problem.js'
export { defineOperations, type OperationRegistry } from './admin/operation-registry.js'
export { createAdminApi, type AdminApi } from './admin/router.js'
