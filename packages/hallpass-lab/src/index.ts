/**
 * Real MCP clients, such as Claude, ChatGPT and Visual Studio Code, as data: what each of them registers,
 * publishes and sends. With it a unit test can predict which of them connect to your site.
 *
 * Start with {@link whoCanConnect}, which predicts a {@link ClientOutcome} for each client of
 * {@link realClients}. It makes no requests. {@link recordClient} records one sign-in of another client.
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

export type { ClientOutcome, WayIn } from './client-outcome.js'
export { realClients } from './clients.js'
export { type ClientRecorder, type ClientRecorderOptions, recordClient } from './record-client.js'
export type { PublishedDocument, RealClient, ScopeChoice } from './real-client.js'
export { whoCanConnect } from './who-can-connect.js'
