/**
 * Metrics and spans for OpenTelemetry: endpoints, methods of the store, refusals with their reasons, faults and
 * events. The pool of connections, the age of the signing key and the lag of deletion are metrics as well.
 *
 * Start with {@link createTelemetry}, after the SDK.
 *
 * @example
 * ```ts
 * import { defineSite } from 'hallpass'
 * import { createTelemetry } from 'hallpass-opentelemetry'
 * import { schoolRoles, schoolScopes } from 'hallpass/scope'
 * import { createMemoryStore } from 'hallpass/store'
 *
 * const telemetry = createTelemetry({ site: 'my-school' })
 * const options = {
 *   issuer: 'https://school.example',
 *   name: 'My School',
 *   store: createMemoryStore(),
 *   scopes: schoolScopes,
 *   roles: schoolRoles,
 *   findPerson: async () => null,
 * }
 * defineSite(telemetry.site(options)).id // => 'school.example'
 * ```
 *
 * @module
 */

export {
  createTelemetry,
  type PoolState,
  type Telemetry,
  type TelemetryOptions,
} from './telemetry.js'
