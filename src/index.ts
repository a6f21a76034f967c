export { maintain } from './endpoint/maintain.js'
export { type AuthorizationServer, createAuthorizationServer } from './endpoint/server.js'
export { OptionsError } from './options/check.js'
export { createProtectedResource, type ProtectedResource } from './resource/protected-resource.js'
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
