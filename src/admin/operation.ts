import type * as z from 'zod'
import type { Access } from '../policy/bearer.js'
import type { Precondition } from './precondition.js'
import type { Problem } from './problem.js'
import type { OperationMethod, Routable } from './routes.js'

/** What an operation is told beside its input. */
export interface OperationContext {
  /** Who asks, through which client, and with which scopes that have an effect now. */
  readonly access: Access
  /** Do everything but keep it: answer what would be, and leave no trace. */
  readonly dryRun: boolean
  /** What the caller believes the object to be. Ask it inside the transaction that writes. */
  readonly precondition: Precondition
  /** Stands in problems and in the log. */
  readonly requestId: string
  /** Epoch seconds. */
  readonly now: number
}

/** A tool that several operations share: an argument says which of them is meant. */
export interface SharedTool {
  readonly name: string
  /** The same for all of them: `action`, `report`. */
  readonly argument: string
  /** What the argument says for this one. */
  readonly value: string
}

/** One operation of the admin API: the only place where its scope, shape and words are written. */
export interface Operation<
  out Scope extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** `enrollments.extend`: unique, stable; the `operationId`. */
  readonly id: string
  /** What it does, in a line. */
  readonly summary: string
  /** What else a caller should know. */
  readonly description?: string
  /** A read stands behind `x:read`, or behind `x:write` where the scope table has no `x:read`. */
  readonly scope: Scope
  readonly effect: 'read' | 'write'
  /** It takes something away that cannot be put back by the same caller. */
  readonly destructive?: boolean
  /** Done twice it has done no more than once. Default: everything but `POST`. */
  readonly idempotent?: boolean
  /** Roles that may, where the ceiling of the role table says too little. Default: whoever holds the scope. */
  readonly roles?: readonly string[]
  readonly method: OperationMethod
  /** Below the base path, with parameters in braces: `/enrollments/{id}/extend`. */
  readonly path: string
  /**
   * Path parameters by their names; of the rest, `GET` and `DELETE` read the query and all others the
   * JSON body. Unknown members are refused.
   */
  readonly input: Input
  /** What comes back; members that it does not have are left out. */
  readonly output: Output
  /** Default 200; 204 answers nothing. */
  readonly status?: 200 | 201 | 202 | 204
  /** Whether `If-Match` is understood, or even required. Default: not understood, and refused. */
  readonly precondition?: 'optional' | 'required'
  /** The tool that does the same for agents; `null` or absent = none does. */
  readonly tool?: string | SharedTool | null
  /** It answers pages: see `defineList`. */
  readonly isList?: boolean
  /** Domain events that it causes. */
  readonly events?: readonly string[]
  /** Does it. What it throws is a fault; an expected "no" is a {@link Problem}. */
  readonly run: (
    context: OperationContext,
    input: z.output<Input>,
  ) => Promise<z.output<Output> | Problem>
}

/**
 * Defines an operation, with the types of its input and output held together. Its scope is compared with
 * the registry's where the list of operations is handed over; `operationsFor` compares it at once.
 */
export function defineOperation<
  const Scope extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
>(operation: Operation<Scope, Input, Output>): Operation<Scope> {
  // The registry parses before it runs, so what runs gets what its schema says.
  return operation
}

/** An operation, ready to be called. */
export interface RegisteredOperation<out Scope extends string = string>
  extends Operation<Scope>, Routable {
  /** Its input stands in the query, not in a body. */
  readonly takesQuery: boolean
  /** Reads the texts of a path and a query as the values that the input's schema means. */
  readonly readTexts: (
    texts: ReadonlyMap<string, readonly string[]>,
  ) => Readonly<Record<string, unknown>>
}
