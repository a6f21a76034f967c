export { boundConnections } from './platform/connections.js'
export {
  type Environment,
  readEnvironment,
  type TelemetryEnvironment,
} from './platform/environment.js'
export { log, type Measure, openSchools, say, sayLast, type Schools } from './open.js'
export type { OpenedSchools } from './opened/opened.js'
export { describeFault } from './platform/hooks.js'
export { endOnFault } from './platform/log.js'
export { listenFault, needing, portInUse, settingFault } from './platform/setting.js'
export type { RequestContext } from './platform/request-context.js'
export { within } from './platform/within.js'
export type { SchoolSite } from './school-site.js'
