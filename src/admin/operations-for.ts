import type * as z from 'zod'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { defineList, type ListDefinition } from './list.js'
import { defineOperation, type Operation } from './operation.js'

/** What defines operations whose scopes are those of one registry. Made by {@link operationsFor}. */
export interface OperationsFor<Scope extends string> {
  /** As `defineOperation`. */
  readonly defineOperation: <Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Scope, Input, Output>,
  ) => Operation<Scope>
  /** As `defineList`. */
  readonly defineList: <Item extends z.ZodObject, Filters extends z.ZodRawShape>(
    definition: ListDefinition<Scope, Item, Filters>,
  ) => Operation<Scope>
}

/**
 * The functions that define operations, bound to the names of a registry: a scope is checked, and
 * completed in an editor, where it is written.
 *
 * ```ts
 * const { defineOperation, defineList } = operationsFor(scopes)
 * ```
 *
 * @param _scopes - the registry; its type is all that is read
 */
export function operationsFor<Scope extends string>(
  _scopes: ScopeRegistry<Scope>,
): OperationsFor<Scope> {
  return { defineOperation, defineList }
}
