export { createMemoryStore } from './store/memory.js'
export type { PendingAuthorization } from './store/records.js'
export type {
  ClientQuery,
  ClientSummary,
  FoundAccessToken,
  FoundRefreshToken,
  GrantQuery,
  GrantSummary,
  IssueCode,
  RedeemCode,
  RevokeGrants,
  RotateRefreshToken,
  Store,
} from './store/store.js'
