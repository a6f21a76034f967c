import type { log, Measure, TelemetryEnvironment } from '@hallpass/example-school'
import { createTelemetry } from 'hallpass/opentelemetry'
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
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        const hangs = (): void => reject(new Error(`no response within ${STOP_MILLISECONDS} ms`))
        timer = setTimeout(hangs, STOP_MILLISECONDS)
      })
      try {
        await Promise.race([sdk.stop(), late])
      } catch (fault) {
        options.log({ type: 'fault', endpoint: 'telemetry', fault: String(fault) })
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
