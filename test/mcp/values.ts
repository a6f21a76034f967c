import {
  callerOf,
  defineTools,
  type McpCaller,
  type Tool,
  type ToolAction,
  type ToolRegistry,
} from 'hallpass/mcp'
import { type Access, type Client, decideAccess, type Person } from 'hallpass/policy'
import { type ScopeRegistry, schoolRoles, schoolScopes } from 'hallpass/scope'
import * as z from 'zod'
import { DESK_CLI, GRANT } from '../support/school/policy-samples.js'
import { ISSUER, OWNER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'

export const TABLES = { scopes: schoolScopes, roles: schoolRoles }

/** What somebody's access token with these scopes stands for. */
function accessWith(
  scopes: readonly string[],
  {
    client,
    person,
    registry = schoolScopes,
  }: { client: Client; person: Person; registry?: ScopeRegistry | undefined },
): Access {
  const grant = { ...GRANT, clientId: client.clientId, subject: person.subject, scopes }
  const life = { issuedAt: T, expiresAt: T + 3600, revokedAt: null }
  const decided = decideAccess({
    found: { accessToken: { scopes, ...life }, grant },
    client,
    person,
    resource: ISSUER,
    required: [],
    registry,
    roles: schoolRoles,
    now: T,
  })
  if (!decided.ok) throw new Error(decided.reason)
  return decided.access
}

/** The student, by a client that reads and writes unless another is named. */
export const memberWith = (scopes: readonly string[], client: Client = SCRIBBLER): McpCaller =>
  callerOf(accessWith(scopes, { client, person: STUDENT }))

const SCRIBBLER: Client = {
  ...STUDY_BUDDY,
  clientId: 'scribbler',
  scopes: ['account:read', 'account:write'],
}

/** The owner by Desk CLI, unless another role or client is named. */
export const operatorWith = (
  scopes: readonly string[],
  {
    role = 'owner',
    client = DESK_CLI,
    registry,
  }: { role?: string; client?: Client; registry?: ScopeRegistry } = {},
): McpCaller =>
  callerOf(accessWith(scopes, { client, person: { ...OWNER, roles: [role] }, registry }))

/** An action that answers nothing, with these scopes. */
export const actionWith = (
  scopes: readonly string[],
  changes: Partial<ToolAction> = {},
): ToolAction => ({
  value: '',
  scopes,
  roles: null,
  effect: 'read',
  destructive: false,
  idempotent: true,
  dryRun: false,
  input: z.strictObject({}),
  output: z.object({}),
  run: async () => ({}),
  ...changes,
})

/** A tool of one action with these scopes. */
export const toolWith = (name: string, ...scopes: readonly string[]): Tool => ({
  name,
  title: 'A tool',
  description: 'Does something.',
  selector: null,
  actions: [actionWith(scopes)],
})

/** A tool whose argument `action` chooses. */
export const choiceWith = (name: string, actions: readonly ToolAction[]): Tool => {
  const [first, ...more] = actions
  return { ...toolWith(name), selector: 'action', actions: [first!, ...more] }
}

export const registryOf = (...tools: readonly Tool[]): ToolRegistry => defineTools(tools, TABLES)
