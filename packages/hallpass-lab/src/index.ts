/**
 * Real MCP clients, such as Claude, ChatGPT and Visual Studio Code, as data: what each of them registers, publishes and
 * sends. With it a unit test can predict which of them connect to your site. Simulations try your store, and refreshes
 * by real clients.
 *
 * Start with {@link whoCanConnect}, which predicts a {@link ClientOutcome} for each client of
 * {@link realClients}. It makes no requests. {@link recordClient} records one sign-in of another client.
 * {@link simulate} tries every promise of a store together, and {@link raceProcesses} its races in several processes.
 * {@link simulateClients} refreshes as real clients do.
 *
 * @example
 * ```ts
 * import { realClients, whoCanConnect } from 'hallpass-lab'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite()
 * const zed = realClients.filter(({ name }) => name === 'Zed')
 * const [outcome] = whoCanConnect(site, {}, zed)
 * outcome?.connects // => true
 * outcome?.by // => 'registration'
 * ```
 *
 * @module
 */

export { CLIENT_BEHAVIOURS, type ClientBehaviour } from './client-behaviours.js'
export type { ClientOutcome, WayIn } from './client-outcome.js'
export { type ClientTokens, createTokenServer, type TokenServer } from './client-server.js'
export { realClients } from './clients.js'
export type { SimulationRule } from './ledger.js'
export { type ClientRecorder, type ClientRecorderOptions, recordClient } from './record-client.js'
export { raceProcesses } from './race-processes.js'
export type { PublishedDocument, RealClient, ScopeChoice } from './real-client.js'
export {
  simulate,
  type SimulationEntry,
  type SimulationOptions,
  type SimulationReport,
  type SimulationViolation,
} from './simulate.js'
export {
  type ClientSimulationOptions,
  type ClientSimulationReport,
  simulateClients,
  type SimulatedTheft,
} from './simulate-clients.js'
export { whoCanConnect } from './who-can-connect.js'
