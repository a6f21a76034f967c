/**
 * The verdict of a row. `advice` is what breaks no text and could be better. `not reached` means that the answer is
 * unknown: it is never as good as `held`.
 *
 * @group Checks
 */
export type Verdict = 'held' | 'violated' | 'advice' | 'not applicable' | 'not reached'

/**
 * A request and what the server answered, without secrets, as a report shows them.
 *
 * @group Checks
 */
export interface Exchange {
  readonly request: string
  readonly answer: string
}

/**
 * A value with an exchange: an answer, the page of a browser, or a value made of them.
 *
 * @group Checks
 */
export interface Shown {
  readonly exchange: Exchange
}

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

/** The same, while they are counted. */
export type Counts = { -readonly [name in keyof Created]: Created[name] }

/**
 * Clients and permissions that an audit created and could not remove.
 *
 * @group Checks
 */
export interface Left {
  /** Clients that the server does not delete (RFC 7592), by their identifiers. */
  readonly clients: readonly { readonly client_id: string; readonly client_name: string }[]
  /** How many grants have tokens that it did not revoke (RFC 7009). */
  readonly grants: number
}

/**
 * The result of a check in one sentence, and the exchange that decided it.
 *
 * @group Checks
 */
export type Finding =
  | {
      readonly verdict: 'held' | 'violated'
      /** Says what the server did. */
      readonly found: string
      readonly exchange: Exchange
    }
  | {
      readonly verdict: 'not applicable' | 'not reached'
      /** Says why the check does not apply, or why its answer is unknown. */
      readonly found: string
      /** `null` if no exchange shows why. */
      readonly exchange: Exchange | null
    }

export const held = ({ exchange }: Shown, found: string): Finding => ({ verdict: 'held', found, exchange }) // prettier-ignore
export const violated = ({ exchange }: Shown, found: string): Finding => ({ verdict: 'violated', found, exchange }) // prettier-ignore
export const notApplicable = (found: string, at?: Shown): Finding => ({ verdict: 'not applicable', found, exchange: at?.exchange ?? null }) // prettier-ignore
export const notReached = (found: string, at?: Shown): Finding => ({ verdict: 'not reached', found, exchange: at?.exchange ?? null }) // prettier-ignore

/** Thrown where a check cannot continue: the server does not promise what it is about, or did not get there. */
export class Stop extends Error {
  readonly finding: Finding
  constructor(finding: Finding, options?: ErrorOptions) {
    super(finding.found, options)
    this.finding = finding
  }
}

/** `held` if the condition is true, otherwise `violated`, with one sentence or with one each. `at` is what decided. */
export const judge = (at: Shown, isHeld: boolean, good: string, bad: string = good): Finding =>
  isHeld ? held(at, good) : violated(at, bad)
