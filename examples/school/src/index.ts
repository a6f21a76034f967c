export { type Environment, readEnvironment } from './platform/environment.js'
export { openSchools, type Schools } from './open.js'
export type { RequestContext } from './sign-in/sign-in.js'
export type { SchoolSite } from './school-site.js'
