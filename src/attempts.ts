/**
 * One record of each attempt of a client to connect, and a sentence that says what stopped it. For the managers
 * of a site, whom a person asks why an app does not connect.
 *
 * Pass {@link recordAttempts} with {@link createMemoryAttempts}, or with `createPostgresAttempts` from hallpass/postgres,
 * to `defineSite` in `watchers`. {@link createAttempts} then lists and explains the attempts. The error page of the
 * site shows the identifier of its attempt, `view.attemptId`.
 *
 * @example
 * ```ts
 * import { createAttempts, createMemoryAttempts, recordAttempts } from 'hallpass/attempts'
 * import { decideManager } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite({ watchers: [recordAttempts(createMemoryAttempts())] })
 * const ines = { subject: 'mem_ines', orgId: site.id, roles: ['owner'], name: 'Ines', email: null, picture: null }
 * const decided = decideManager({ person: ines, table: site.roles })
 * if (!decided.ok) throw new Error(decided.reason)
 * const { attempts } = await createAttempts(site).list(decided.manager)
 * attempts.length // => 0
 * ```
 *
 * @module
 */

export { type Attempts, createAttempts } from './attempts/attempts.js'
export {
  type AttemptExplanation,
  type AttemptSilence,
  explanationOf,
} from './attempts/explanation.js'
export { type AttemptTurn, explainRefusal } from './attempts/refusal-explanation.js'
export { createMemoryAttempts } from './attempts/memory.js'
export { recordAttempts } from './attempts/record-attempts.js'
export {
  appended,
  type Attempt,
  type AttemptNote,
  type AttemptOutcome,
  type AttemptStage,
  type AttemptStep,
  type AttemptStore,
  replaces,
} from './attempts/attempt.js'
