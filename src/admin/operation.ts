import type * as z from 'zod'
import type { Access } from '../policy/bearer.js'
import type { Problem } from './problem.js'
import type { Routable } from './routes.js'

/**
 * The context of one call, which an operation receives in addition to its input.
 *
 * @group Operations
 */
export interface OperationContext {
  /** The person, the client and the scopes that are in effect for this request. */
  readonly access: Access
  /** Whether to do everything except store the result: return what the result would be. */
  readonly dryRun: boolean
  /** The version that the caller read, from `If-Match`: the object of a write must still be it. */
  readonly precondition: {
    /**
     * Checks that the object is still the version that the caller read. Call it inside the transaction that
     * writes, with the object exactly as the operation that reads it returns it.
     *
     * @returns `null` if the write may proceed, or the problem to return if the object has changed
     */
    readonly check: (current: unknown) => Problem | null
  }
  /** Identifies the request in problems, events and logs. */
  readonly requestId: string
  /** Epoch seconds. */
  readonly now: number
}

/**
 * The definition of one operation of the admin API. Router, OpenAPI description, `/auth.md` and tools are
 * derived from it.
 *
 * @group Operations
 */
export interface Operation<
  out Scope extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /**
   * Unique and stable identifier, such as `enrollments.extend`. It becomes the `operationId` of
   * OpenAPI.
   */
  readonly id: string
  /** One line without a full stop, such as `Extend an enrollment`. */
  readonly summary: string
  /** Longer description for callers, in Markdown. Default: the summary. */
  readonly description?: string
  /**
   * The operator scope that the operation requires. A read requires `x:write` only if no scope `x:read`
   * exists.
   */
  readonly scope: Scope
  /** `read` never changes anything. `write` also accepts `dry_run`. */
  readonly effect: 'read' | 'write'
  /** Whether the operation removes something that its caller cannot restore. Default: `false`. */
  readonly destructive?: boolean
  /** Whether repeating a call has no further effect. Default: `true` unless the method is `POST`. */
  readonly idempotent?: boolean
  /**
   * Roles that may use the operation, to narrow what the role table allows. Default: every role with the
   * scope.
   */
  readonly roles?: readonly string[]
  /** `GET` for a read, any other method for a write. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path below the base path, with parameters in braces, such as `/enrollments/{id}/extend`. */
  readonly path: string
  /**
   * Schema of the input, a `z.strictObject`. It contains the path parameters by name. The other members
   * come from the query for `GET` and `DELETE`, and from the JSON body for all other methods.
   */
  readonly input: Input
  /** Schema of the output. Members that it does not define are removed from the response. */
  readonly output: Output
  /** HTTP status of success. 204 has no body. Default: 200. */
  readonly status?: 200 | 201 | 202 | 204
  /**
   * Support for `If-Match` on a write: `'optional'`, or `'required'` (428 without it).
   * Default: unsupported; a write that receives the header is refused with 400.
   */
  readonly precondition?: 'optional' | 'required'
  /**
   * The tool of `/mcp` that runs the operation: its name, or a tool shared with others, of which an argument selects the operation.
   * Default: `null`, none.
   */
  readonly tool?:
    | string
    | {
        /** Name of the tool: snake_case, 1 to 40 characters, such as `save_course`. */
        readonly name: string
        /** Name of the argument, such as `action`. All operations of the tool must use the same one. */
        readonly argument: string
        /** The value of the argument that selects this operation. */
        readonly value: string
      }
    | null
  /** Whether the output is a page, as of {@link defineList}. Default: `false`. */
  readonly isList?: boolean
  /** Names of the domain events that the operation emits, for `x-events` of OpenAPI. Default: none. */
  readonly events?: readonly string[]
  /**
   * Runs the operation. Return a {@link Problem} to refuse the request; an exception is a fault (500 or
   * 503).
   */
  readonly run: (
    context: OperationContext,
    input: z.output<Input>,
  ) => Promise<z.output<Output> | Problem>
}

/**
 * Defines an operation of the admin API. It returns its argument, and checks the types of `run` against the
 * schemas. {@link createAdminApi} and {@link defineOperations} check the rest; {@link operationsFor} also
 * checks the scope at compile time.
 *
 * @example
 * ```ts
 * import { defineOperation, refuseWith } from 'hallpass/admin'
 * import * as z from 'zod'
 *
 * const getCourse = defineOperation({
 *   id: 'courses.get', summary: 'Get a course', scope: 'courses:read', effect: 'read',
 *   method: 'GET', path: '/courses/{id}',
 *   input: z.strictObject({ id: z.string() }),
 *   output: z.object({ id: z.string(), title: z.string() }),
 *   run: async (_, { id }) =>
 *     id === 'drawing' ? { id, title: 'Drawing' } : refuseWith('not_found', 'no course has this id'),
 * })
 * getCourse.scope // => 'courses:read'
 * ```
 * @group Operations
 */
export function defineOperation<
  const Scope extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
>(operation: Operation<Scope, Input, Output>): Operation<Scope> {
  // The registry parses the input before it calls `run`, so `run` receives values of the schema.
  return operation
}

export type SharedTool = Exclude<NonNullable<Operation['tool']>, string>

/**
 * An operation in a registry, with what is derived from its definition.
 *
 * @group Operations
 */
export interface RegisteredOperation<out Scope extends string = string>
  extends Operation<Scope>, Routable {
  /** Whether the input comes from the query instead of a JSON body. */
  readonly takesQuery: boolean
  /** Converts the texts of a path and a query to the types of the input schema. */
  readonly readTexts: (
    texts: ReadonlyMap<string, readonly string[]>,
  ) => Readonly<Record<string, unknown>>
}
