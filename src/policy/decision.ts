import type { OAuthErrorCode, RefusalReason, REFUSALS, RefusalTable } from './refusals.js'

/**
 * An object that needs these members of a record, and may have the others.
 *
 * @typeParam Whole - the record
 * @typeParam Needed - the names of the members that are read
 *
 * @group Records and refusals
 */
export type With<Whole, Needed extends keyof Whole> = Pick<Whole, Needed> & Partial<Whole>

/**
 * An expected failure. Policy functions return it; they never throw it.
 *
 * @group Records and refusals
 */
export interface Refusal<out Reason extends string = RefusalReason> {
  readonly ok: false
  /** The OAuth error code that the client receives. */
  readonly error: OAuthErrorCode
  /**
   * The exact cause in snake_case, with the subject first, such as `code_expired`. It is part of
   * the API, and only logs, error pages and tests see it.
   */
  readonly reason: Reason
  /**
   * The correction that the client's developer has to make, in printable ASCII: the `error_description`. Absent
   * if more detail would help an attacker.
   */
  readonly description?: string
  /** Seconds after which the same request may succeed: the response is a 429 with `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Further headers of the response, as names and values in turn. Default: none. */
  readonly headers?: readonly string[]
  /** `true`: skip `onRefusal`, because the same refusal was reported recently. Default: `onRefusal` is called. */
  readonly isReported?: boolean
}

/**
 * The result of a policy function: `{ ok: true }` together with what was decided, or a
 * {@link Refusal}.
 *
 * @typeParam Granted - the further members of a success
 * @typeParam Reason - the reasons that a refusal may have. The decisions of a host application may
 *   have their own, such as `Decision<{ age: number }, 'too_young'>`.
 *
 * @group Records and refusals
 */
export type Decision<Granted = unknown, Reason extends string = RefusalReason> =
  ({ readonly ok: true } & Granted) | Refusal<Reason>

/**
 * The reasons that a function may refuse with. The function may be asynchronous.
 *
 * @typeParam Decide - the type of the function, such as `typeof decideRedemption`
 *
 * @group Records and refusals
 */
export type ReasonsOf<Decide extends (...parameters: never[]) => unknown> =
  Extract<Awaited<ReturnType<Decide>>, { readonly ok: false }> extends Refusal<infer Reason>
    ? Reason
    : never

/**
 * Creates a {@link Refusal}, for a decision of your own that fails in the same form. Only pairs
 * of an error code and a reason that hallpass itself uses compile.
 *
 * @param error - the OAuth error code for the client
 * @param reason - the exact cause, for logs and tests
 * @param description - what the client's developer has to correct. It is sent to the client and
 *   must not contain a secret. Default: none
 * @returns the refusal, without `description` if none was given
 *
 * @example
 * ```ts
 * import { refuse } from 'hallpass/policy'
 *
 * refuse('invalid_grant', 'code_expired') // => { ok: false, error: 'invalid_grant', reason: 'code_expired' }
 *
 * const refusal = refuse('invalid_request', 'code_missing', 'code is required')
 * refusal.description // => 'code is required'
 * ```
 *
 * @group Records and refusals
 */
export function refuse<
  Code extends keyof typeof REFUSALS,
  Reason extends keyof (typeof REFUSALS)[Code] & string,
>(error: Code, reason: Reason, description?: string): Refusal<Reason> {
  return description === undefined
    ? { ok: false, error, reason }
    : { ok: false, error, reason, description }
}

/**
 * Creates a {@link refuse} for the refusals of an opt-in block: only pairs of its own table compile.
 *
 * @example
 * ```ts
 * import { refuseFrom } from 'hallpass/blocks'
 *
 * const texts = { meaning: 'The badge is red.', advice: 'Show a green one.', source: 'ours', turn: 'client' } as const
 * const refuse = refuseFrom({ invalid_client: { badge_red: texts } })
 * refuse('invalid_client', 'badge_red').reason // => 'badge_red'
 * ```
 *
 * @group Records and refusals
 */
export const refuseFrom = <Table extends RefusalTable>(
  _table: Table,
): (<Code extends keyof Table & OAuthErrorCode, Reason extends keyof Table[Code] & string>(
  error: Code,
  reason: Reason,
  description?: string,
) => Refusal<Reason>) => refuse as never

/**
 * Returns facts of which none is absent.
 *
 * @throws TypeError that names the absent one: a caller in JavaScript has misspelt it. It would be read as a text, or as no
 */
export function present<Facts extends object>(facts: Facts): Facts {
  for (const name in facts) if (facts[name] === undefined) throw new TypeError(`${name} is missing`)
  return facts
}
