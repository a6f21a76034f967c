export {
  type ChangedWithSecret,
  type ClientAdministration,
  createClientAdministration,
  type DraftRefusal,
} from './administration/administration.js'
export type { Changed } from './administration/change.js'
export type { AdministrationOptions } from './administration/configuration.js'
export {
  type Connection,
  type Connections,
  type ConnectionsOptions,
  createConnections,
} from './administration/connections.js'
export type { AdministrationEvent } from './administration/events.js'
