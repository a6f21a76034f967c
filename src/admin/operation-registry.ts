import { checkOptions, list, made, type RequiredRule, type Rules } from '../options/check.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { SITE_RULES } from '../site/rules.js'
import { textReaderOf } from './input.js'
import type { Operation, RegisteredOperation } from './operation.js'
import { faultsOf, parametersOf, repeatedIn } from './operation-faults.js'
import { createRoutes, type Route } from './routes.js'

/**
 * A checked set of operations. Created by {@link defineOperations}, and by `createAdminApi`.
 *
 * @group Operations
 */
export interface OperationRegistry<out Scope extends string = string> {
  /** The operations in the order of their definition. */
  readonly operations: readonly RegisteredOperation<Scope>[]
  /**
   * Returns the operation for a request.
   *
   * @param path - the path below the base path, as received, without the query
   * @internal
   */
  readonly route: (method: string, path: string) => Route<RegisteredOperation>
  /** The operations that require a scope, by scope, in the order of the scope registry. */
  readonly byScope: ReadonlyMap<string, readonly RegisteredOperation[]>
}

/** A set of operations with the scopes and roles they refer to. */
interface OperationSet {
  readonly operations: readonly Operation[]
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
}

/** The rule of the option `operations`. */
export const operationsRule: RequiredRule<readonly Operation[]> = list(
  made<Operation>('an operation of defineOperation', {
    id: 'string',
    summary: 'string',
    scope: 'string',
    path: 'string',
    input: 'object',
    output: 'object',
    run: 'function',
  }),
)
const RULES: Rules<OperationSet> = {
  operations: operationsRule,
  scopes: SITE_RULES.scopes,
  roles: SITE_RULES.roles,
}

/**
 * Checks a set of operations and creates their registry. `createAdminApi` does so itself; call it
 * directly to check operations in a test.
 *
 * @param tables - scopes and roles: those of a site, or the site itself
 * @throws OptionsError that lists every mistake: members that are missing or of a wrong type, unknown
 *   scopes and roles, inconsistent definitions, and ids, routes or tools that are defined twice
 * @example
 * ```ts
 * import { defineOperation, defineOperations } from 'hallpass/admin'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import * as z from 'zod'
 *
 * const tables = { scopes: schoolScopes, roles: schoolRoles }
 * const countCourses = defineOperation({
 *   id: 'courses.count', summary: 'Count courses', scope: 'courses:read', effect: 'read',
 *   method: 'GET', path: '/courses/count',
 *   input: z.strictObject({}), output: z.object({ count: z.int() }), run: async () => ({ count: 2 }),
 * })
 * const registry = defineOperations([countCourses], tables)
 * registry.route('GET', '/courses').found // => 'nothing'
 * registry.route('POST', '/courses/count') // => { found: 'path', methods: ['GET'] }
 * defineOperations([countCourses, countCourses], tables) // throws OptionsError
 * ```
 * @group Operations
 */
export function defineOperations(
  operations: readonly Operation[],
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): OperationRegistry {
  const { scopes, roles } = tables
  checkOptions('operations', { operations, scopes, roles }, RULES, contradictionsOf)
  const registered = operations.map(register)
  const byScope = new Map(
    scopes.names
      .map((scope) => [scope, registered.filter((one) => one.scope === scope)] as const)
      .filter(([, own]) => own.length > 0),
  )
  return { operations: registered, route: createRoutes(registered), byScope }
}

const contradictionsOf = ({ operations, ...tables }: OperationSet): readonly string[] => [
  ...operations.flatMap((operation) => faultsOf(operation, tables)),
  ...repeatedIn(operations),
]

const register = (operation: Operation): RegisteredOperation => ({
  ...operation,
  pathParameters: parametersOf(operation.path),
  takesQuery: operation.method === 'GET' || operation.method === 'DELETE',
  readTexts: textReaderOf(operation),
})
