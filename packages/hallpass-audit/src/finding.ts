/**
 * The verdict of a check. `not reached` means that the answer is unknown: it is never as good as `held`.
 *
 * @group Checks
 */
export type Verdict = 'held' | 'violated' | 'not applicable' | 'not reached'

/**
 * The most that a check creates at the server, next to what all checks share.
 *
 * @group Checks
 */
export interface Creates {
  /** Clients that it registers. */
  readonly clients?: number
  /** Authorization requests that a person allows. Each leads to a grant at most, and a denial to none. */
  readonly authorizations?: number
}

/**
 * How many clients were registered, and how many authorization requests a person answered.
 *
 * @group Checks
 */
export type Created = Required<Creates>

/**
 * A verdict, and its reason in one sentence.
 *
 * @group Checks
 */
export interface Finding {
  readonly verdict: Verdict
  /** Says what the server did, or why the check does not apply or was not reached. */
  readonly found: string
}

export const held = (found: string): Finding => ({ verdict: 'held', found })
export const violated = (found: string): Finding => ({ verdict: 'violated', found })
export const notApplicable = (found: string): Finding => ({ verdict: 'not applicable', found })
export const notReached = (found: string): Finding => ({ verdict: 'not reached', found })

/** Thrown where a check cannot continue: the server does not promise what it is about, or did not get there. */
export class Stop extends Error {
  readonly finding: Finding
  constructor(finding: Finding, options?: ErrorOptions) {
    super(finding.found, options)
    this.finding = finding
  }
}

/** `held` if the condition is true, otherwise `violated`, each with its own sentence. */
export const judge = (isHeld: boolean, good: string, bad: string): Finding =>
  isHeld ? held(good) : violated(bad)
