import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { ToolAction } from './tool.js'

/** The callers that a tool is for. */
export type ToolAudience = 'public' | 'member' | 'operator' | 'any'

/** Returns the audience of these actions, which follows from the scopes that they need. */
export function audienceOfActions(
  actions: readonly ToolAction[],
  scopes: ScopeRegistry,
): ToolAudience {
  const needed = actions.flatMap((action) => action.scopes)
  if (needed.length === 0) return 'public'
  const audiences = needed.map((scope) => scopes.get(scope)?.audience ?? 'any')
  return audiences.find((audience) => audience !== 'any') ?? 'any'
}
