import * as z from 'zod'
import type { OperationResult } from '../admin/call.js'
import type { SharedTool } from '../admin/operation.js'
import type { Problem, ProblemCode } from '../admin/problem.js'
import type { RegisteredOperation } from '../admin/operation.js'
import type { AdminApi } from '../admin/router.js'
import type { Tool, ToolAction, ToolContext } from './tool.js'
import { toolError, type ToolError, type ToolErrorCode } from './tool-error.js'

/** Maximum number of items that a tool returns. It is low because every item costs the agent tokens. */
const MAX_LIMIT = 50

/**
 * Returns the tools that the operations of an admin API define with `tool`. Each tool runs its operation
 * with the same checks as the API. Operations without `tool` are left out, and operations that share a tool
 * become its actions. Tools that read come first, then tools that write, then destructive tools.
 *
 * @param api - the result of `createAdminApi`
 * @returns tools for {@link McpEndpointOptions.tools}
 * @example
 * ```ts
 * import { createAdminApi, defineOperation } from 'hallpass/admin'
 * import { operationTools } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 * import * as z from 'zod'
 *
 * const list = defineOperation({
 *   id: 'courses.list', method: 'GET', path: '/courses', summary: 'List the courses',
 *   scope: 'courses:read', effect: 'read', tool: 'list_courses',
 *   input: z.strictObject({}), output: z.object({ titles: z.array(z.string()) }),
 *   run: async () => ({ titles: ['Algebra'] }),
 * })
 * const api = createAdminApi(testSite().site, { operations: [list] })
 * operationTools(api).map(({ name }) => name) // => ['list_courses']
 * ```
 * @group Tool definitions
 */
export function operationTools<Scope extends string>({
  registry,
  call,
}: Pick<AdminApi<Scope>, 'registry' | 'call'>): Tool<Scope>[] {
  const groups = new Map<string, RegisteredOperation[]>()
  for (const operation of registry.operations) {
    const name = nameOf(operation)
    if (name !== null) groups.set(name, [...(groups.get(name) ?? []), operation])
  }
  const tools = [...groups].map(([name, operations]) => ({
    ...toolOf(name, operations, call),
    source: 'operationTools(operator)',
  }))
  // Each tool needs only the scopes of its operations.
  return tools.sort((one, other) => rankOf(one) - rankOf(other)) as Tool<Scope>[]
}

const rankOf = ({ actions }: Tool): number =>
  Number(actions.some(({ effect }) => effect === 'write')) +
  Number(actions.some(({ destructive }) => destructive))

const nameOf = ({ tool = null }: RegisteredOperation): string | null =>
  tool === null || typeof tool === 'string' ? tool : tool.name

const sharedOf = ({ tool }: RegisteredOperation): SharedTool | null =>
  typeof tool === 'object' ? tool : null

function toolOf(
  name: string,
  operations: readonly RegisteredOperation[],
  call: AdminApi['call'],
): Tool {
  const [first, ...more] = operations.map((operation) => actionOf(operation, call))
  const shared = sharedOf(operations[0]!)
  return {
    name,
    title: shared === null ? operations[0]!.summary : titleOf(name),
    description: descriptionOf(operations),
    selector: shared?.argument ?? null,
    actions: [first!, ...more],
  }
}

const titleOf = (name: string): string => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function descriptionOf(operations: readonly RegisteredOperation[]): string {
  return operations
    .map((operation) => {
      const { summary, description, scope } = operation
      const shared = sharedOf(operation)
      const prefix = shared === null ? '' : `${shared.argument}=${shared.value}: `
      return [`${prefix}${summary}.`, description, `Needs ${scope}.`].filter(Boolean).join(' ')
    })
    .join('\n')
}

function actionOf(operation: RegisteredOperation, call: AdminApi['call']): ToolAction {
  const { scope, roles, effect, destructive = false, idempotent, method } = operation
  return {
    value: sharedOf(operation)?.value ?? '',
    scopes: [scope],
    roles: roles ?? null,
    effect,
    destructive,
    idempotent: idempotent ?? method !== 'POST',
    dryRun: effect === 'write',
    input: inputOf(operation),
    output: outputOf(operation),
    run: (context, args) => run(operation, call, { context, args }),
  }
}

const VERSION = z
  .string()
  .max(100)
  .describe('`version` of the object that you read. Refused if the object has changed since.')

function inputOf({ input, isList, precondition }: RegisteredOperation): z.ZodObject {
  const limit = z.int().min(1).max(MAX_LIMIT).default(20).describe('Maximum number of items.')
  return input.extend({
    ...(isList === true && { limit }),
    ...(precondition !== undefined && {
      version: precondition === 'required' ? VERSION : VERSION.optional(),
    }),
  })
}

// The schema of `data` is not repeated here, because every client would receive it twice in `tools/list`.
const WOULD_CHANGE = z
  .looseObject({})
  .nullable()
  .optional()
  .describe('With dry_run: `data` after the change.')

function outputOf({ output, isList, effect, status }: RegisteredOperation): z.ZodObject {
  if (isList === true)
    return (output as z.ZodObject).extend({ next_steps: z.array(z.string()).optional() })
  const version = z.string().optional().describe('Send it with your change.')
  const data = status === 204 ? z.null() : output
  if (effect === 'read') return z.object({ data, version })
  return z.object({
    data: data.optional(),
    version,
    changed: z.array(z.string()).optional().describe('Names of members that were set.'),
    would_change: WOULD_CHANGE,
  })
}

async function run(
  operation: RegisteredOperation,
  call: AdminApi['call'],
  { context, args }: { context: ToolContext; args: Readonly<Record<string, unknown>> },
): Promise<Readonly<Record<string, unknown>> | ToolError> {
  const { caller, dryRun, requestId } = context
  if (caller.kind === 'anonymous')
    throw new Error(`${operation.id} was called without an access token`)
  const { version = null, ...rest } = args
  const isVersioned = operation.precondition !== undefined
  const ifMatch = isVersioned ? version : null
  if (ifMatch !== null && typeof ifMatch !== 'string')
    return toolError('INVALID_INPUT', '/version: must be a string')
  const input = isVersioned ? rest : args
  if (operation.isList === true && Number(input['limit'] ?? 0) > MAX_LIMIT)
    return toolError('INVALID_INPUT', `/limit: must be at most ${MAX_LIMIT}`)
  const result = await call(caller.access, {
    operation,
    input,
    dryRun,
    ifMatch,
    requestId,
  })
  return result.ok ? answerOf(operation, result, { dryRun, input }) : faultOf(result.problem)
}

function answerOf(
  { effect, isList, pathParameters }: RegisteredOperation,
  { output, etag }: Extract<OperationResult, { ok: true }>,
  { dryRun, input }: { dryRun: boolean; input: Readonly<Record<string, unknown>> },
): Readonly<Record<string, unknown>> {
  if (dryRun) return { would_change: output }
  if (isList === true) return withNextStep(output as ListOutput)
  const changed = Object.keys(input).filter((name) => !pathParameters.includes(name))
  return {
    data: output,
    ...(etag !== null && { version: etag }),
    ...(effect === 'write' && { changed }),
  }
}

interface ListOutput {
  readonly page: { readonly next_cursor: string | null }
}

const withNextStep = (output: ListOutput): Readonly<Record<string, unknown>> => ({
  ...output,
  next_steps:
    output.page.next_cursor === null
      ? []
      : ['For the next page, call this tool again with cursor = page.next_cursor.'],
})

const CODES: Readonly<Partial<Record<ProblemCode, ToolErrorCode>>> = {
  forbidden_role: 'FORBIDDEN_ROLE',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  precondition_failed: 'CONFLICT',
  rate_limited: 'RATE_LIMITED',
  internal: 'UPSTREAM',
  unavailable: 'UPSTREAM',
}

const faultOf = ({ code, detail }: Problem): ToolError =>
  // The problem names the header `If-Match`, but a tool takes the argument `version` instead.
  code === 'precondition_required'
    ? toolError('INVALID_INPUT', '/version: send the version of the object that you read')
    : toolError(CODES[code] ?? 'INVALID_INPUT', detail ?? code.replaceAll('_', ' '))
