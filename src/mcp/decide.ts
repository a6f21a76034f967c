import { type Access, type AccessRefusal, decideReach, openedScopes } from '../policy/bearer.js'
import { refuse } from '../policy/decision.js'
import { scopesOfClient } from '../policy/scope-audience.js'
import type { McpCaller } from './caller.js'
import type { RegisteredTool, ToolRegistry } from './tool-registry.js'
import type { ToolAction } from './tool.js'
import { faultWith, type ToolFault } from './tool-fault.js'

declare const admitted: unique symbol

/** A call that its caller may make. Only {@link decideToolCall} makes one. */
export interface AdmittedCall {
  readonly [admitted]: true
  readonly tool: RegisteredTool
  /** The action that the arguments choose; `null` = they choose none that there is for this caller. */
  readonly action: ToolAction | null
  readonly caller: McpCaller
  /** As received. */
  readonly args: Readonly<Record<string, unknown>>
}

/** Whether a call may be made. */
export type ToolDecision =
  | { readonly ok: true; readonly call: AdmittedCall }
  /** 401 or 403: the client can do something about it, or has no business here. */
  | { readonly ok: false; readonly refusal: AccessRefusal }
  /** The token is enough and the person is not: nothing that signing in again would mend. */
  | { readonly ok: false; readonly fault: ToolFault }

/**
 * Decides whether somebody may make a call.
 *
 * @returns refusals: `invalid_token` with `access_token_missing` for an anonymous caller; else
 *   `insufficient_scope` with `tool_of_other_audience`, `scope_not_granted` or `scope_beyond_client`. The
 *   scopes to ask for come along only where the client can get them: those it holds and those it needs.
 * @see RFC 6750 §3.1; MCP 2026-07-28, authorization
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
}): ToolDecision {
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

/** The actions of a tool that a caller may choose now. */
export function usableActions(
  { actions, audience }: RegisteredTool,
  caller: McpCaller,
  registry: ToolRegistry,
): readonly ToolAction[] {
  if (caller.kind === 'anonymous') return actions.filter(({ scopes }) => scopes.length === 0)
  const { access } = caller
  if (audience !== 'public' && audience !== 'any' && audience !== caller.kind) return []
  return actions.filter(
    (action) =>
      decideReach({ access, required: action.scopes, registry: registry.scopes }).ok &&
      mayByRole(action, access),
  )
}

const mayByRole = ({ roles }: ToolAction, { person }: Access): boolean =>
  roles === null || person.roles.some((role) => roles.includes(role))

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
  registry: { scopes: registry, roles },
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
        `this tool is for ${audience} clients, and this is one for ${kind}s`,
      ),
    )
  const { client, person, tokenScopes } = access
  const { scopes } = action
  const reach = decideReach({ access, required: scopes, registry })
  // What the token would open if it were asked for again, with what the tool needs.
  const asked = [...tokenScopes, ...scopes]
  const opened = openedScopes({ tokenScopes: asked, client, person, registry, roles })
  const again = decideReach({
    access: { client, tokenScopes: asked, scopes: opened },
    required: scopes,
    registry,
  })
  if (!again.ok && again.reason === 'scope_beyond_client')
    return refused(
      refuse(
        'insufficient_scope',
        'scope_beyond_client',
        'this application may not use a scope this tool needs',
      ),
    )
  if (reach.ok || !again.ok || !mayByRole(action, access))
    return {
      ok: false,
      fault: faultWith('FORBIDDEN_ROLE', 'the role of this person does not allow it'),
    }
  // What the client lost since would have the whole request for scopes refused.
  const clientScopes = scopesOfClient({ client, registry })
  const held = tokenScopes.filter((scope) => clientScopes.includes(scope))
  return refused({ ...reach, requiredScopes: [...new Set([...held, ...scopes])] })
}
