export { type AuthorizationServer, createAuthorizationServer } from './endpoint/server.js'
