export { createMemoryStore } from './store/memory.js'
export type { PendingAuthorization } from './store/records.js'
export type {
  FoundAccessToken,
  FoundRefreshToken,
  IssueCode,
  RedeemCode,
  RotateRefreshToken,
  Store,
} from './store/store.js'
