export {
  type ChangedWithSecret,
  type ClientManagement,
  createClientManagement,
  type DraftRefusal,
} from './clients/management.js'
export type { Changed } from './clients/change.js'
export type { ClientManagementOptions } from './clients/configuration.js'
export {
  type ConnectedApp,
  type ConnectedApps,
  createConnectedApps,
} from './clients/connected-apps.js'
export {
  CHANGED_MEANWHILE,
  decideEdit,
  decideReview,
  decideSecretRotation,
  deleteClient,
  endOldSecret,
  MAX_SECRET_OVERLAP_SECONDS,
  switchClient,
} from './clients/client-changes.js'
export { defineClient } from './clients/define-client.js'
export { decideManager, type Manager } from './clients/manager.js'
export {
  decideMemberClient,
  type DraftIssue,
  type DraftReason,
  type MemberClientDraft,
  type MemberClientFields,
} from './clients/member-client.js'
export { APP_SCHEMES, type RedirectPolicy } from './policy/client-redirect.js'
