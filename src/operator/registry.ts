import type { ScopeRegistry } from '../scope/registry.js'
import type { RoleTable } from '../scope/role.js'
import { textReaderOf } from './input.js'
import type { Operation } from './operation.js'
import { faultsOf, parametersOf, repeatedIn } from './operation-faults.js'
import { createRoutes, type Routable, type Route } from './routes.js'

/** An operation, ready to be called. */
export interface RegisteredOperation<out Scope extends string = string>
  extends Operation<Scope>, Routable {
  /** Its input stands in the query, not in a body. */
  readonly takesQuery: boolean
  /** Reads the texts of a path and a query as the values that the input's schema means. */
  readonly readTexts: (
    texts: ReadonlyMap<string, readonly string[]>,
  ) => Readonly<Record<string, unknown>>
}

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
