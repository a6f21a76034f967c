import {
  describeFault,
  type log,
  type Measure,
  needing,
  type TelemetryEnvironment,
  within,
} from '@hallpass/example-school'
import { createTelemetry } from 'hallpass-opentelemetry'
import { startTelemetry } from '../../operations/telemetry.js'

/** A receiver that hangs delays the end of the process by no more than this. */
const STOP_MILLISECONDS = 2000

/** The measurement of this process. */
export interface MeasuredProcess {
  readonly measure: Measure
  /** Sends what has been measured. Takes two seconds at most, and never rejects. */
  readonly stop: () => Promise<void>
}

/**
 * Starts the SDK of OpenTelemetry as the environment says.
 *
 * @param options - `log`: receives a line if the last export fails
 */
export function measureProcess(
  environment: TelemetryEnvironment,
  options: { log: typeof log },
): MeasuredProcess {
  const sdk = startTelemetry(environment)
  return {
    measure: createTelemetry,
    async stop() {
      try {
        const sent = () => within(STOP_MILLISECONDS, sdk.stop())
        await needing({ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', url: environment.url }, sent)
      } catch (fault) {
        options.log({ type: 'fault', endpoint: 'telemetry', fault: describeFault(fault) })
      }
    },
  }
}
