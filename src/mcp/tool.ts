import type * as z from 'zod'
import { parseInput } from '../admin/input.js'
import type { ScopeAccess, ScopeRegistry } from '../scope/scope-registry.js'
import type { McpCaller } from './caller.js'
import { toolError, isToolError, type ToolError } from './tool-error.js'

/**
 * The context of one call, which a tool receives with its input.
 *
 * @group Tool definitions
 */
export interface ToolContext {
  /** The caller. Of a tool without scopes it may be anonymous. */
  readonly caller: McpCaller
  /** Whether to report what would change without changing it. Always `false` unless the tool has `dryRun`. */
  readonly dryRun: boolean
  /** Identifier of the HTTP request. It is part of tool errors, events and log notices. */
  readonly requestId: string
  /** Time of the call, in seconds since the epoch. */
  readonly now: number
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * One action of a tool. Most tools have one; a tool with a selector has several.
 *
 * @group Tool definitions
 */
export interface ToolAction<out Scope extends string = string> {
  /** The value of the tool's `selector` that selects it, or `''` if the tool has no selector. */
  readonly value: string
  /** The scopes that it needs, all of them. Without any it is public, and needs no access token. */
  readonly scopes: readonly Scope[]
  /** The roles that may use it, in addition to the ceiling of the role table, or `null` if that is enough. */
  readonly roles: readonly string[] | null
  /** Whether it only reads or changes something (`readOnlyHint`). */
  readonly effect: Exclude<ScopeAccess, 'identity'>
  /** Whether it removes something that the same caller cannot restore (`destructiveHint`). */
  readonly destructive: boolean
  /** Whether repeating a call with the same arguments has no further effect (`idempotentHint`). */
  readonly idempotent: boolean
  /** Whether it accepts the argument `dry_run`, in addition to its input. */
  readonly dryRun: boolean
  /** The schema of its arguments, without the selector and `dry_run`. */
  readonly input: z.ZodObject
  /** The schema of its structured content. */
  readonly output: z.ZodObject
  /**
   * Validates the arguments, runs the action and returns its structured content or a tool error.
   *
   * @param args - as the caller sent them, without the selector and `dry_run`
   */
  readonly run: (
    context: ToolContext,
    args: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>> | ToolError>
}

/**
 * A tool of `/mcp`: its description for clients, and the actions that it runs. Created by {@link defineTool}
 * or {@link operationTools}.
 *
 * @group Tool definitions
 */
export interface Tool<out Scope extends string = string> {
  /** A unique name in snake_case, 1 to 40 characters. Clients store it, so its meaning must never change. */
  readonly name: string
  /** Name for people. */
  readonly title: string
  /**
   * Description for agents: what the tool returns, when to call it and what to call instead. It must not
   * contain text that people of a school wrote.
   */
  readonly description: string
  /** The argument that selects an action, or `null` if the tool has only one. */
  readonly selector: string | null
  readonly actions: readonly [ToolAction<Scope>, ...ToolAction<Scope>[]]
  /**
   * The call that created it, if it is not one of your own, for a mistake in its name.
   *
   * @internal
   */
  readonly source?: string
  /** Returns what to add to `_meta` of each result. */
  readonly meta?: (context: ToolContext) => Readonly<Record<string, unknown>>
}

/**
 * The definition of a tool with one action, for {@link defineTool}. By default `roles` is `null`,
 * `destructive` and `dryRun` are `false`, and `idempotent` is `true` for a tool that only reads.
 *
 * @inline
 */
export interface ToolDefinition<
  out Scope extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
>
  extends
    Pick<Tool, 'name' | 'title' | 'description' | 'meta'>,
    Partial<Pick<ToolAction, 'roles' | 'destructive' | 'idempotent' | 'dryRun'>> {
  /** The scopes that it needs, all of them. Default: none, which makes the tool public. */
  readonly scopes?: readonly Scope[]
  /** Whether the tool only reads (`'read'`) or changes something (`'write'`). Default: `'read'`. */
  readonly effect?: ToolAction['effect']
  /** The schema of the arguments. Use `z.strictObject`, so that unknown arguments are refused. */
  readonly input: Input
  /** The schema of the structured content, which the result of `run` must match. */
  readonly output: Output
  /**
   * Runs the tool. Return a {@link ToolError} for an expected failure. An exception is reported to `onFault`,
   * and the caller receives `UPSTREAM`.
   */
  readonly run: (
    context: ToolContext,
    input: z.output<Input>,
  ) => Promise<z.input<Output> | ToolError>
}

/**
 * Returns {@link defineTool} for the scopes of one registry. The compiler then checks each scope, and the
 * editor completes it, where it is written.
 *
 * @param _scopes - the registry; only its type is used
 * @returns the functions that define tools
 * @example
 * ```ts
 * import { toolsFor } from 'hallpass/mcp'
 * import { schoolScopes } from 'hallpass/scope'
 * import * as z from 'zod'
 *
 * const { defineTool } = toolsFor(schoolScopes)
 * const tool = defineTool({
 *   name: 'count_courses',
 *   title: 'Count courses',
 *   description: 'Returns the number of published courses.',
 *   scopes: ['courses:read'], // 'course:read' would not compile
 *   input: z.strictObject({}),
 *   output: z.object({ count: z.int() }),
 *   run: async () => ({ count: 12 }),
 * })
 * tool.actions[0].scopes // => ['courses:read']
 * ```
 * @group Tool definitions
 */
export function toolsFor<Scope extends string>(
  _scopes: ScopeRegistry<Scope>,
): {
  /** Defines a tool as {@link defineTool} does, but accepts only the scopes of the registry. */
  readonly defineTool: <Input extends z.ZodObject, Output extends z.ZodObject>(
    definition: ToolDefinition<Scope, Input, Output>,
  ) => Tool<Scope>
} {
  return { defineTool }
}

/**
 * Defines a tool with one action, and infers the types of its input and output from their schemas. Its
 * scopes are compared with those of the site when the tools are passed to {@link createMcpEndpoint}; use
 * {@link toolsFor} to compare them where they are written.
 *
 * @param definition - name, texts, scopes, schemas and the function to run
 * @returns a tool for {@link McpEndpointOptions.tools}
 * @example
 * ```ts
 * import { defineTool, toolError } from 'hallpass/mcp'
 * import * as z from 'zod'
 *
 * const findCourse = defineTool({
 *   name: 'find_course',
 *   title: 'Find a course',
 *   description: 'Returns the title of the course with this slug.',
 *   input: z.strictObject({ slug: z.string().max(100) }),
 *   output: z.object({ title: z.string() }),
 *   run: async (_context, { slug }) =>
 *     slug === 'algebra' ? { title: 'Algebra' } : toolError('NOT_FOUND', 'there is no such course'),
 * })
 * findCourse.actions[0].scopes // => []
 * ```
 * @group Tool definitions
 */
export function defineTool<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  const Scope extends string = never,
>(definition: ToolDefinition<Scope, Input, Output>): Tool<Scope> {
  const { name, title, description, meta, run, ...action } = definition
  const { effect = 'read', input, output } = action
  return {
    name,
    title,
    description,
    selector: null,
    ...(meta && { meta }),
    actions: [
      {
        value: '',
        scopes: [],
        roles: null,
        destructive: false,
        idempotent: effect === 'read',
        dryRun: false,
        ...action,
        effect,
        async run(context, args) {
          const parsed = parseInput(input, args)
          if (!parsed.ok)
            return toolError('INVALID_INPUT', parsed.problem.detail ?? 'the arguments are invalid')
          const answer = await run(context, parsed.input as z.output<Input>)
          return isToolError(answer) ? answer : output.parse(answer)
        },
      },
    ],
  }
}
