import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
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

/**
 * Checks a set of operations and makes it a registry.
 *
 * @throws TypeError - for operations that contradict the scope table, the role table, themselves or
 *   each other; every fault is named at once
 */
export function defineOperations(
  operations: readonly Operation[],
  tables: { scopes: ScopeRegistry; roles: RoleTable },
): OperationRegistry {
  const faults = [
    ...operations.flatMap((operation) => faultsOf(operation, tables)),
    ...repeatedIn(operations),
  ]
  if (faults.length > 0) throw new TypeError(`operations: ${faults.join('; ')}`)
  const registered = operations.map(register)
  const byScope = new Map(
    tables.scopes.names
      .map((scope) => [scope, registered.filter((one) => one.scope === scope)] as const)
      .filter(([, own]) => own.length > 0),
  )
  return { operations: registered, route: createRoutes(registered), byScope }
}

const register = (operation: Operation): RegisteredOperation => ({
  ...operation,
  pathParameters: parametersOf(operation.path),
  takesQuery: operation.method === 'GET' || operation.method === 'DELETE',
  readTexts: textReaderOf(operation),
})
