import type { OAuthErrorCode, ReasonOf, RefusalReason } from './refusals.js'

/** An expected "no". Returned, never thrown. */
export interface Refusal<out Reason extends string = RefusalReason> {
  readonly ok: false
  /** What the client reads. */
  readonly error: OAuthErrorCode
  /** The exact cause in snake_case, the thing first: `code_expired`. Stable; for logs and tests. */
  readonly reason: Reason
  /** What a client developer can mend, in printable ASCII. Absent where saying more would help an attacker. */
  readonly description?: string
}

/**
 * What a policy function returns: what was granted, flat beside `ok`, or a {@link Refusal}. A host's own
 * decision may have reasons of its own: `Decision<{ age: number }, 'too_young'>`.
 */
export type Decision<Granted = unknown, Reason extends string = RefusalReason> =
  ({ readonly ok: true } & Granted) | Refusal<Reason>

/**
 * The reasons of what a function refuses, be it asynchronous or not.
 *
 * @typeParam Decide - the type of the function: `typeof decideRedemption`
 */
export type ReasonsOf<Decide extends (...parameters: never[]) => unknown> =
  Extract<Awaited<ReturnType<Decide>>, { readonly ok: false }> extends Refusal<infer Reason>
    ? Reason
    : never

/**
 * Makes a {@link Refusal}. Only pairs of the table in `policy/refusals.ts` compile.
 *
 * @param description - what to mend, for the client's developer; must not contain a secret
 */
export function refuse<Code extends OAuthErrorCode, Reason extends ReasonOf<Code>>(
  error: Code,
  reason: Reason,
  description?: string,
): Refusal<Reason> {
  return description === undefined
    ? { ok: false, error, reason }
    : { ok: false, error, reason, description }
}
