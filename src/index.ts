export { type AuthorizationServer, createAuthorizationServer } from './endpoint/server.js'
export { createProtectedResource, type ProtectedResource } from './resource/protected-resource.js'
