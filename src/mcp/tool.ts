import type * as z from 'zod'
import { parseInput } from '../admin/input.js'
import type { ScopeAccess, ScopeRegistry } from '../scope/scope-registry.js'
import type { McpCaller } from './caller.js'
import { faultWith, isToolFault, type ToolFault } from './tool-fault.js'

/** What a tool is told beside its input. */
export interface ToolContext {
  readonly caller: McpCaller
  /** Do everything but keep it. Only of a tool that says `dryRun`. */
  readonly dryRun: boolean
  /** Stands in faults and in the log. */
  readonly requestId: string
  /** Epoch seconds. */
  readonly now: number
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** One thing that a tool does. */
export interface ToolAction<out Scope extends string = string> {
  /** What its tool's `selector` has to say for it; `''` = the tool does nothing else. */
  readonly value: string
  /** Every scope it needs; none = everybody may, without a token. */
  readonly scopes: readonly Scope[]
  /** Roles that may, where the ceiling of the role table says too little. */
  readonly roles: readonly string[] | null
  readonly effect: Exclude<ScopeAccess, 'identity'>
  /** It takes something away that cannot be put back by the same caller. */
  readonly destructive: boolean
  /** Done twice it has done no more than once. */
  readonly idempotent: boolean
  /** It takes `dry_run`, beside its input. */
  readonly dryRun: boolean
  /** What it takes, beside the selector and `dry_run`. */
  readonly input: z.ZodObject
  /** The whole structured content. */
  readonly output: z.ZodObject
  /**
   * Judges its arguments and does it.
   *
   * @param args - as the caller sent them, without the selector and `dry_run`
   */
  readonly run: (
    context: ToolContext,
    args: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>> | ToolFault>
}

/** A tool of `/mcp`: what a client lists, and the actions behind it. */
export interface Tool<out Scope extends string = string> {
  /** Unique, stable, in snake_case, 40 characters at most. Its meaning never changes. */
  readonly name: string
  /** For people. */
  readonly title: string
  /** For agents: what it does, when to use it, and when not to. Never holds text of a school. */
  readonly description: string
  /** The argument that says which action is meant; `null` = there is one. */
  readonly selector: string | null
  readonly actions: readonly [ToolAction<Scope>, ...ToolAction<Scope>[]]
  /** Goes into `_meta` of each answer. */
  readonly meta?: (context: ToolContext) => Readonly<Record<string, unknown>>
}

/** A tool of one action. See {@link defineTool}. */
export interface ToolDefinition<
  out Scope extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
>
  extends
    Pick<Tool, 'name' | 'title' | 'description' | 'meta'>,
    Partial<Pick<ToolAction, 'roles' | 'destructive' | 'idempotent' | 'dryRun'>> {
  /** Every scope it needs. Default: none, so that everybody may use it without a token. */
  readonly scopes?: readonly Scope[]
  /** Default: `read`. */
  readonly effect?: ToolAction['effect']
  /** A `z.strictObject`. */
  readonly input: Input
  /** The whole structured content. */
  readonly output: Output
  /** Does it. What it throws is a fault of the program; an expected "no" is a {@link ToolFault}. */
  readonly run: (
    context: ToolContext,
    input: z.output<Input>,
  ) => Promise<z.input<Output> | ToolFault>
}

/** What defines tools whose scopes are those of one registry. Made by {@link toolsFor}. */
export interface ToolsFor<Scope extends string> {
  /** As the free {@link defineTool}. */
  readonly defineTool: <Input extends z.ZodObject, Output extends z.ZodObject>(
    definition: ToolDefinition<Scope, Input, Output>,
  ) => Tool<Scope>
}

/**
 * The function that defines tools, bound to the names of a registry: a scope is checked, and completed in
 * an editor, where it is written.
 *
 * ```ts
 * const { defineTool } = toolsFor(scopes)
 * ```
 *
 * @param _scopes - the registry; its type is all that is read
 */
export function toolsFor<Scope extends string>(_scopes: ScopeRegistry<Scope>): ToolsFor<Scope> {
  return { defineTool }
}

/**
 * Defines a tool of one action, with the types of its input and output held together. Its scopes are
 * compared with the registry's where the list of tools is handed over; {@link toolsFor} compares them at
 * once.
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
          if (!parsed.ok) return faultWith('INVALID_INPUT', parsed.problem.detail ?? 'bad input')
          const answer = await run(context, parsed.input as z.output<Input>)
          return isToolFault(answer) ? answer : output.parse(answer)
        },
      },
    ],
  }
}
