/**
 * Many schools in one deployment (multi-tenant), each with an origin, an issuer, keys and rows of its own.
 *
 * Start with {@link createPlatform}: `find` names the school of a host, and `open` creates its server. Their rows are in a
 * `SiteStorage`, such as that of `createPostgresStorage` from hallpass/postgres, which the platform maintains. Use
 * {@link endSchool} and {@link moveSchool} for the rest of its life, and {@link shareDocuments} for documents of clients.
 *
 * @example
 * ```ts
 * import { createPlatform } from 'hallpass/platform'
 *
 * typeof createPlatform // => 'function'
 * ```
 * @module
 */
export { createPlatform, type Platform } from './platform/platform.js'
export { endSchool, moveSchool } from './platform/life.js'
export { shareDocuments } from './platform/share-documents.js'
export type { Given, PlatformOptions, School } from './platform/options.js'
