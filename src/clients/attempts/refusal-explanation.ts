import {
  type OAuthErrorCode,
  REFUSALS,
  type RefusalReason,
  type RefusalTable,
} from '../../policy/refusals.js'

/**
 * Whose turn it is. `client`: the people who make the client. `person`: the one who connects it. `manager`: a
 * manager of the site. `developer`: the people who run the site. `nobody`: nothing is to be done.
 *
 * @group Explanations
 */
export type AttemptTurn = 'client' | 'person' | 'manager' | 'developer' | 'nobody'

/** The page of the documentation that has every refusal: `homepage` of package.json, then its path. */
const ERRORS_PAGE = 'https://hallpass.example/look-up/errors.html'

/**
 * Explains a refusal, for a log that people read or a page for developers. Do not send the result to a client: the
 * reason may help an attacker.
 *
 * @param refusal - a decision that refuses, or the notice of `onRefusal`
 * @param tables - the refusals of blocks: `refusals` of the site. Default: none
 * @returns the explanation, or `null` if the reason does not occur with this error code
 * @group Explanations
 * @example
 * ```ts
 * import { explainRefusal } from 'hallpass/clients'
 *
 * const refusal = { error: 'invalid_grant', reason: 'code_expired' } as const
 * explainRefusal(refusal)?.meaning // => 'The code is older than `codeSeconds` (60).'
 * explainRefusal(refusal)?.url // => 'https://hallpass.example/look-up/errors.html#code_expired'
 * ```
 */
export function explainRefusal<More extends string = never>(
  {
    error,
    reason,
  }: {
    readonly error: OAuthErrorCode
    readonly reason: RefusalReason | NoInfer<More>
  },
  tables: readonly RefusalTable<More>[] = [],
): {
  /** The cause, as a sentence. */
  readonly meaning: string
  /** The correction, as a sentence. */
  readonly advice: string
  /** The section that requires the refusal, such as `RFC 7636 §4.6`, or `hallpass` for a choice of this library. */
  readonly source: string
  readonly turn: AttemptTurn
  /**
   * The address of its row in the documentation, such as `https://…/look-up/errors.html#code_expired`. The page has the
   * refusals of hallpass only, not those of blocks by others.
   */
  readonly url: string
} | null {
  const all: readonly RefusalTable[] = [REFUSALS, ...(tables as readonly RefusalTable[])]
  const table = all.find((one) => Object.hasOwn(one[error] ?? {}, reason))
  const row = table?.[error]?.[reason]
  return row === undefined
    ? null
    : { ...row, url: `${ERRORS_PAGE}#${anchorOf(table!, { error, reason })}` }
}

/** A reason of several errors is in several rows: the first one has its name, the others also that of their error. */
function anchorOf(
  table: RefusalTable,
  { error, reason }: { readonly error: OAuthErrorCode; readonly reason: string },
): string {
  const first = Object.entries(table).find(([, rows]) => Object.hasOwn(rows, reason))
  return first?.[0] === error ? reason : `${error}-${reason}`
}

export type RefusalExplanation = NonNullable<ReturnType<typeof explainRefusal>>
