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
  createConnections,
} from './administration/connections.js'
