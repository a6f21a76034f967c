export { maintain } from './authorization-server/maintain.js'
export {
  type AuthorizationServer,
  createAuthorizationServer,
} from './authorization-server/server.js'
export { OptionsError } from './options/check.js'
export {
  createProtectedResource,
  type ProtectedResource,
} from './protected-resource/protected-resource.js'
export type {
  ApiEvent,
  AuthorizationEvent,
  FaultNotice,
  KeyEvent,
  ManagementEvent,
  McpEvent,
  RefusalNotice,
  SessionEvent,
  SiteEvent,
} from './site/events.js'
export type { FetchDocument } from './site/fetch-document.js'
export type { DocumentOptions, SiteOptions } from './site/options.js'
export { defineSite, type Site } from './site/site.js'
