/**
 * The clients of a site: managers create, change, review and delete them, and members see and end their
 * own connections to them.
 *
 * Start with {@link createClientManagement} for the pages or tools of managers, {@link createConnectedApps}
 * for a page on which people see their connected apps, and {@link defineClient} for a client that a script
 * stores. {@link moveGrant} moves the refresh tokens of another server. The functions that begin with `decide` hold the rules; they read and write nothing.
 *
 * @example
 * ```ts
 * import { createClientManagement, decideManager } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const ines = { subject: 'mem_ines', orgId: site.id, roles: ['owner'], name: 'Ines', email: null, picture: null }
 * const decided = decideManager({ person: ines, table: site.roles })
 * if (!decided.ok) throw new Error(decided.reason)
 * const created = await createClientManagement(site).create(decided.manager, {
 *   name: 'Sketch Diary',
 *   description: null,
 *   icon: null,
 *   redirectUris: ['https://diary.example/callback'],
 *   tokenEndpointAuthMethod: 'none',
 *   scopes: ['account:read'],
 * })
 * created.ok // => true
 * ```
 *
 * @module
 */
export { type Attempts, createAttempts } from './clients/attempts/attempts.js'
export {
  type AttemptExplanation,
  type AttemptSilence,
  explanationOf,
} from './clients/attempts/explanation.js'
export { type AttemptTurn, explainRefusal } from './clients/attempts/refusal-explanation.js'
export { createMemoryAttempts } from './clients/attempts/memory.js'
export { recordAttempts } from './clients/attempts/record-attempts.js'
export {
  appended,
  type Attempt,
  type AttemptNote,
  type AttemptOutcome,
  type AttemptStage,
  type AttemptStep,
  type AttemptStore,
  replaces,
} from './clients/attempts/attempt.js'
export {
  type ClientManagement,
  createClientManagement,
  type DraftRefusal,
} from './clients/management.js'
export type { Changed } from './clients/change.js'
export {
  type ConnectedApp,
  type ConnectedApps,
  createConnectedApps,
} from './clients/connected-apps.js'
export {
  decideEdit,
  decideReview,
  decideSecretRotation,
  endOldSecret,
  MAX_SECRET_OVERLAP_SECONDS,
} from './clients/client-changes.js'
export { defineClient } from './clients/define-client.js'
export {
  differencesSinceReview,
  type DocumentDifference,
  keptMetadata,
} from './clients/document-review.js'
export { LOOKALIKES } from './policy/lookalikes.js'
export { fetchLogo, type Logo } from './clients/logo.js'
export { decideManager, type Manager } from './clients/manager.js'
export {
  decideMemberClient,
  type DraftIssue,
  type DraftReason,
  type MemberClientDraft,
} from './clients/member-client.js'
export { moveGrant } from './clients/move-grant.js'
