import { checkOptions, list, made, type RequiredRule, type Rules } from '../options/check.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { SITE_RULES } from '../site/rules.js'
import { textReaderOf } from './input.js'
import type { Operation, RegisteredOperation } from './operation.js'
import { faultsOf, parametersOf, repeatedIn } from './operation-faults.js'
import { createRoutes, type Route } from './routes.js'

/** A checked set of operations. Made by {@link defineOperations}. */
export interface OperationRegistry<out Scope extends string = string> {
  readonly operations: readonly RegisteredOperation<Scope>[]
  /**
   * What a request leads to.
   *
   * @param path - below the base path, as received, without the query
   */
  readonly route: (method: string, path: string) => Route<RegisteredOperation>
  /** Scope to the operations that need it, in the order of the scope table. */
  readonly byScope: ReadonlyMap<string, readonly RegisteredOperation[]>
}

/** The operations that a registry is made of, and the tables that they have to fit. */
interface OperationSet {
  readonly operations: readonly Operation[]
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
}

/** What operations have to be, each by itself. */
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
 * Checks a set of operations and makes it a registry.
 *
 * @param tables - those of the site, or the site itself
 * @throws OptionsError - naming every mistake at once: what is missing or of a wrong kind; then operations
 *   that contradict the scope table, the role table, themselves or each other
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
