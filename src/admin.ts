export { authMd, createAuthMdEndpoint } from './admin/auth-md.js'
export type { AuthMdSource } from './admin/auth-md-steps.js'
export type { AdminApiOptions, RateState } from './admin/configuration.js'
export type { CallRequest, OperationResult } from './admin/call.js'
export {
  createMemoryIdempotency,
  type IdempotencyStore,
  type IdempotencyState,
  type StoredAnswer,
} from './admin/idempotency.js'
export { defineList, type ListDefinition, type ListPage, type ListRequest } from './admin/list.js'
export type { ListPosition } from './admin/list-cursor.js'
export {
  type OpenapiDocument,
  type OpenapiInfo,
  createOpenapiEndpoint,
  openapiOf,
  type OpenapiSource,
} from './admin/openapi.js'
export {
  defineOperation,
  type Operation,
  type OperationContext,
  type RegisteredOperation,
  type SharedTool,
} from './admin/operation.js'
export { operationsFor, type OperationsFor } from './admin/operations-for.js'
export { etagOf, type Precondition } from './admin/precondition.js'
export {
  type FieldFault,
  isProblem,
  type Problem,
  type ProblemCode,
  PROBLEMS,
  refuseWith,
} from './admin/problem.js'
export { defineOperations, type OperationRegistry } from './admin/operation-registry.js'
export type { OperationMethod, Route } from './admin/routes.js'
export { createAdminApi, type AdminApi } from './admin/router.js'
