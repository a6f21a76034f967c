export { type Environment, readEnvironment } from './platform/environment.js'
export { openSchools, type Schools } from './open.js'
export type { RequestContext } from './platform/request-context.js'
export type { SchoolSite } from './school-site.js'
