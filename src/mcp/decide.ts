import { type Access, type AccessRefusal, decideReach } from '../policy/bearer.js'
import { refuse } from '../policy/decision.js'
import type { McpCaller } from './caller.js'
import type { RegisteredTool, ToolRegistry } from './tool-registry.js'
import type { ToolAction } from './tool.js'
import { toolError, type ToolError } from './tool-error.js'

declare const admitted: unique symbol

/**
 * A tool call that its caller is authorized to make. Created by {@link decideToolCall} only.
 *
 * @group Authorization
 */
export interface AdmittedCall {
  readonly [admitted]: true
  readonly tool: RegisteredTool
  /** The action that the arguments select, or `null` if the tool has no such action. */
  readonly action: ToolAction | null
  readonly caller: McpCaller
  /** The arguments as received. */
  readonly args: Readonly<Record<string, unknown>>
}

/**
 * Decides whether a caller may call a tool with these arguments. The arguments matter only for a tool with a
 * selector, because its actions may need different scopes. They are validated later, when the tool runs.
 *
 * @param call - `tool`: from the `registry`; `args`: the arguments as received; `caller`: {@link ANONYMOUS}
 *   or the result of {@link callerOf}; `registry`: the tools of the endpoint
 * @returns the authorized call, a refusal or a tool error. An anonymous caller is refused with
 *   `invalid_token`: `access_token_missing`. Any other caller is refused with `insufficient_scope`:
 *   `tool_of_other_audience`, `scope_not_granted` or `scope_beyond_client`. A refusal with
 *   `scope_not_granted` lists the scopes to request: those that the client holds and those that it lacks.
 *   The tool error is `FORBIDDEN_ROLE`.
 * @see [RFC 6750, section 3.1](https://www.rfc-editor.org/rfc/rfc6750#section-3.1)
 * @see [MCP 2026-07-28](https://modelcontextprotocol.io/specification/2026-07-28), authorization
 * @example
 * ```ts
 * import { ANONYMOUS, decideToolCall, defineTool, defineTools } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 * import * as z from 'zod'
 *
 * const listOrders = defineTool({
 *   name: 'list_orders',
 *   title: 'List orders',
 *   description: 'Lists the orders of the school.',
 *   scopes: ['orders:read'],
 *   input: z.strictObject({}),
 *   output: z.object({ data: z.array(z.string()) }),
 *   run: async () => ({ data: [] }),
 * })
 * const registry = defineTools([listOrders], testSite().site)
 * const [tool] = registry.tools
 * const decision = decideToolCall({ tool: tool!, args: {}, caller: ANONYMOUS, registry })
 * 'refusal' in decision && decision.refusal.requiredScopes // => ['orders:read']
 * ```
 * @group Authorization
 */
export function decideToolCall({
  tool,
  args,
  caller,
  registry,
}: {
  tool: RegisteredTool
  args: Readonly<Record<string, unknown>>
  caller: McpCaller
  registry: ToolRegistry
}):
  | { readonly ok: true; readonly call: AdmittedCall }
  /** Sent as 401 or 403. With `requiredScopes` another authorization can help; without, it cannot. */
  | { readonly ok: false; readonly refusal: AccessRefusal }
  /** Sent as a tool error: the role of the person is too narrow, so signing in again cannot help. */
  | { readonly ok: false; readonly fault: ToolError } {
  const chosen = actionOf(tool, args)
  const usable = usableActions(tool, caller, registry)
  if (chosen === null ? usable.length > 0 : usable.includes(chosen)) {
    const call = { tool, action: chosen, caller, args } as Omit<AdmittedCall, typeof admitted>
    return { ok: true, call: call as AdmittedCall }
  }
  const action = chosen ?? tool.actions[0]
  return caller.kind === 'anonymous'
    ? refused({
        ...refuse('invalid_token', 'access_token_missing', 'this tool needs an access token'),
        requiredScopes: action.scopes,
      })
    : refuseKnown({ tool, action, caller, registry })
}

export type ToolDecision = ReturnType<typeof decideToolCall>

/** Returns the actions of a tool that a caller may use now. */
export function usableActions(
  { actions, audience }: RegisteredTool,
  caller: McpCaller,
  registry: ToolRegistry,
): readonly ToolAction[] {
  if (caller.kind === 'anonymous') return actions.filter(({ scopes }) => scopes.length === 0)
  const { access } = caller
  if (audience !== 'public' && audience !== 'any' && audience !== caller.kind) return []
  return actions.filter((action) => reachOf(action, access, registry).ok)
}

const reachOf = (
  { scopes: required, roles: requiredRoles }: ToolAction,
  access: Access,
  { scopes: registry, roles }: ToolRegistry,
): ReturnType<typeof decideReach> =>
  decideReach({ access, required, requiredRoles, registry, roles })

function actionOf(
  { selector, actions }: RegisteredTool,
  args: Readonly<Record<string, unknown>>,
): ToolAction | null {
  if (selector === null) return actions[0]
  return actions.find(({ value }) => value === args[selector]) ?? null
}

const refused = (refusal: AccessRefusal): ToolDecision => ({ ok: false, refusal })

function refuseKnown({
  tool: { audience },
  action,
  caller: { access, kind },
  registry,
}: {
  tool: RegisteredTool
  action: ToolAction
  caller: Exclude<McpCaller, { kind: 'anonymous' }>
  registry: ToolRegistry
}): ToolDecision {
  if (audience !== 'any' && audience !== kind)
    return refused(
      refuse(
        'insufficient_scope',
        'tool_of_other_audience',
        `this tool is for ${audience} clients, but this client is for ${kind}s`,
      ),
    )
  const reach = reachOf(action, access, registry)
  if (reach.ok || reach.reason === 'scope_beyond_role')
    return {
      ok: false,
      fault: toolError('FORBIDDEN_ROLE', 'the role of this person does not allow this call'),
    }
  if (reach.requiredScopes === undefined) return refused(reach)
  // The authorization server would refuse the request for a scope that the client has lost since.
  const held = access.tokenScopes.filter((scope) => access.scopes.includes(scope))
  return refused({ ...reach, requiredScopes: [...new Set([...held, ...reach.requiredScopes])] })
}
