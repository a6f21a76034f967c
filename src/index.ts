/**
 * The site, its authorization server, and the gates of its API. Start with {@link defineSite}, which checks
 * the options that all parts share. {@link createAuthorizationServer} issues tokens for the site, and
 * {@link createProtectedResource} checks them. {@link createServer} is a whole server, with keys and pages of yours.
 *
 * @example
 * ```ts
 * import { createAuthorizationServer, createProtectedResource, defineSite } from 'hallpass'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import { createMemoryStore } from 'hallpass/store'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const [issuer, name, store] = ['https://school.example', 'My School', createMemoryStore()]
 * const [scopes, roles, findPerson] = [schoolScopes, schoolRoles, async () => null]
 * const site = defineSite({ issuer, name, store, scopes, roles, findPerson })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 * const readsCourses = createProtectedResource(site).gate('courses:read')
 *
 * const refused = await readsCourses(new Request('https://school.example/courses'))
 * refused instanceof Response && refused.status // => 401
 * ```
 * @module
 */
export { createServer, type ServerOptions } from './authorization-server/create-server.js'
export type { Server } from './authorization-server/whole-server.js'
export {
  type AuthorizationServer,
  createAuthorizationServer,
} from './authorization-server/server.js'
export { OptionsError } from './options/check.js'
export { type AccessSource, authorizeBearer, challengeFor } from './protected-resource/gate.js'
export {
  createProtectedResource,
  type ProtectedResource,
} from './protected-resource/protected-resource.js'
export { createRemoteGate } from './protected-resource/remote-gate.js'
export { schoolRoles, schoolScopes } from './scope/school.js'
export type { FaultNotice, RefusalNotice, SiteEvent } from './site/events.js'
export type { FetchDocument } from './site/fetch-document.js'
export { createListedHostsFetcher } from './site/listed-hosts-fetcher.js'
export type { SiteOptions } from './site/options.js'
export { defineSite, type Site } from './site/site.js'
export { createMemoryStore } from './store/memory.js'
