import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { ToolAction } from './tool.js'

/** For whom a tool is: everybody, members by their own clients, operators, or whoever is signed in. */
export type ToolAudience = 'public' | 'member' | 'operator' | 'any'

/** For whom actions are, from the scopes they need. */
export function audienceOfActions(
  actions: readonly ToolAction[],
  scopes: ScopeRegistry,
): ToolAudience {
  const needed = actions.flatMap((action) => action.scopes)
  if (needed.length === 0) return 'public'
  const audiences = needed.map((scope) => scopes.get(scope)?.audience ?? 'any')
  return audiences.find((audience) => audience !== 'any') ?? 'any'
}
