export type { ClientOutcome, WayIn } from './mcp-clients/client-outcome.js'
export { realClients } from './mcp-clients/clients.js'
export type { PublishedDocument, RealClient, ScopeChoice } from './mcp-clients/real-client.js'
export { whoCanConnect } from './mcp-clients/who-can-connect.js'
