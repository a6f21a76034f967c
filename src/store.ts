/**
 * Storage for one site: the {@link Store} interface that the other entries read and write through, the
 * records it holds, and an implementation in process memory.
 *
 * Start with {@link createMemoryStore} for tests and demos. For production use `createPostgresStore` from
 * `hallpass/postgres`, or write your own: its core is {@link StoreWith}, and `storeContract` from
 * `hallpass/testing` checks it. {@link PendingAuthorization} and {@link KeyRecord} are the records that
 * only the store knows; clients, grants and tokens are those of `hallpass/policy`.
 *
 * @example
 * ```ts
 * import { defineClient } from 'hallpass/clients'
 * import { createMemoryStore } from 'hallpass/store'
 *
 * const store = createMemoryStore()
 * const client = defineClient({
 *   clientId: 'study-app',
 *   kind: 'member',
 *   name: 'Study App',
 *   redirectUris: ['https://study.example/callback'],
 *   scopes: ['account:read'],
 *   createdAt: 1795165200,
 * })
 * await store.insertClient(client) // => 'inserted'
 * await store.insertClient(client) // => 'exists'
 * const found = await store.findClient('study-app')
 * found?.name // => 'Study App'
 * ```
 *
 * @module
 */

export { StorageFailure, withoutChange } from './store/guard.js'
export { type StoreGroup, type StoreWith, withTextKeys } from './store/groups.js'
export { createMemoryStore, type MemoryTables } from './store/memory.js'
export { createMemoryStorage } from './store/memory-storage.js'
export type { ClockMark, KeyRecord, PendingAuthorization, StoredEvent } from './store/records.js'
export type { GrantHolder, GrantSummary, Store } from './store/store.js'
export type { SiteStorage } from './store/storage.js'
