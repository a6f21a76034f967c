export { createMemoryStore } from './store/memory.js'
export type { KeyRecord, PendingAuthorization, SigningKeyState } from './store/records.js'
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
