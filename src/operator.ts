export { authMd, createAuthMdEndpoint } from './operator/auth-md.js'
export type { AuthMdSource } from './operator/auth-md-steps.js'
export type { OperatorApiOptions, RateState } from './operator/configuration.js'
export type { CallRequest, OperationResult } from './operator/call.js'
export {
  createMemoryIdempotency,
  type IdempotencyStore,
  type IdempotencyState,
  type StoredAnswer,
} from './operator/idempotency.js'
export {
  defineList,
  type ListDefinition,
  type ListPage,
  type ListRequest,
} from './operator/list.js'
export type { ListPosition } from './operator/list-cursor.js'
export {
  type OpenapiDocument,
  type OpenapiInfo,
  createOpenapiEndpoint,
  openapiOf,
  type OpenapiSource,
} from './operator/openapi.js'
export {
  defineOperation,
  type Operation,
  type OperationContext,
  type RegisteredOperation,
  type SharedTool,
} from './operator/operation.js'
export { operationsFor, type OperationsFor } from './operator/operations-for.js'
export { etagOf, type Precondition } from './operator/precondition.js'
export {
  type FieldFault,
  isProblem,
  type Problem,
  type ProblemCode,
  PROBLEMS,
  refuseWith,
} from './operator/problem.js'
export { defineOperations, type OperationRegistry } from './operator/registry.js'
export type { OperationMethod, Route } from './operator/routes.js'
export { createOperatorApi, type OperatorApi } from './operator/router.js'
