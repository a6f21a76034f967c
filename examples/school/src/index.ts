export { type Environment, readEnvironment } from './environment.js'
export { openSchools, type Schools } from './open.js'
export type { RequestContext } from './sign-in.js'
export type { SchoolSite } from './site.js'
