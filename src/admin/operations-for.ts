import type * as z from 'zod'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import { defineList, type ListDefinition } from './list.js'
import { defineOperation, type Operation } from './operation.js'

/**
 * Returns `defineOperation` and `defineList` for the scopes of one registry. The compiler then refuses
 * unknown scopes, and an editor completes them.
 *
 * @param _scopes - the registry; only its type is used
 * @example
 * ```ts
 * import { operationsFor } from 'hallpass/admin'
 * import { defineScopes } from 'hallpass/scope'
 * import * as z from 'zod'
 *
 * const scopes = defineScopes({
 *   'notes:read': { audience: 'operator', access: 'read', group: 'Notes', consent: 'See notes' },
 * })
 * const { defineOperation } = operationsFor(scopes)
 * const countNotes = defineOperation({
 *   id: 'notes.count', summary: 'Count notes', scope: 'notes:read', effect: 'read',
 *   method: 'GET', path: '/notes/count',
 *   input: z.strictObject({}), output: z.object({ count: z.int() }), run: async () => ({ count: 0 }),
 * })
 * countNotes.id // => 'notes.count'
 * ```
 * @group Operations
 */
export function operationsFor<Scope extends string>(
  _scopes: ScopeRegistry<Scope>,
): {
  /** Defines an operation, as the exported `defineOperation` does. */
  readonly defineOperation: <Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Scope, Input, Output>,
  ) => Operation<Scope>
  /** Defines a list, as the exported `defineList` does. */
  readonly defineList: <
    Item extends z.ZodObject,
    Filters extends z.ZodRawShape,
    const Sort extends string,
  >(
    definition: ListDefinition<Scope, Item, Filters, Sort>,
  ) => Operation<Scope>
} {
  return { defineOperation, defineList }
}
