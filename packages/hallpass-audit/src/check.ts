import type { Clause } from './clause.js'
import type { Audit } from './engine/audit.js'
import type { Creates, Finding } from './finding.js'

/**
 * How far a check goes. `passive` reads what the server publishes. `anonymous` sends what any program may send.
 * `people` signs people in.
 *
 * @group Checks
 */
export type Depth = 'passive' | 'anonymous' | 'people'

/** Each includes those before it. */
export const DEPTHS: readonly Depth[] = ['passive', 'anonymous', 'people']

/**
 * Something that is made once for all checks that name it, such as a grant.
 *
 * @group Checks
 */
export interface Shared extends Creates {
  readonly name: string
}

/**
 * One requirement, and how to find out whether a server holds it.
 *
 * @group Checks
 */
export interface Check {
  /** Subject and name, such as `pkce/wrong-verifier`. The subject is the name of the file. */
  readonly id: string
  readonly clause: Clause
  readonly depth: Depth
  /** Whether it waits until something has expired, and so runs only if that is asked for. */
  readonly patient?: true
  readonly creates?: Creates
  /** Clients and grants that it shares with some other checks, in addition to those that all share. */
  readonly shares?: readonly Shared[]
  /** The change to make in a server that breaks the requirement. */
  readonly change: string
  /** Sends the requests of the check, and says what it found. */
  readonly run: (on: Audit) => Promise<Finding>
}
