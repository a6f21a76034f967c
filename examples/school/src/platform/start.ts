import { setTimeout as sleep } from 'node:timers/promises'
import { StorageFailure } from 'hallpass/store'

const ATTEMPTS = 5
const PAUSE_MILLISECONDS = 1000

/**
 * Runs a step of the start, and again if the database was too slow for it: the limits of requests apply to a
 * start as well. The step must be one that can be repeated.
 *
 * @param options - `onWait`: called before each further attempt
 * @throws whatever the step throws, at the fifth attempt at the latest
 */
export async function startStep(
  step: () => Promise<void>,
  { onWait, pause = sleep }: { onWait: (fault: Error) => void; pause?: typeof sleep },
): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await step()
    } catch (fault) {
      if (!isOutage(fault) || attempt === ATTEMPTS) throw fault
      onWait(fault)
      await pause(PAUSE_MILLISECONDS)
    }
}

/** Whether a fault may pass by itself. A wrong sealing secret remains wrong. */
const isOutage = (fault: unknown): fault is StorageFailure =>
  fault instanceof StorageFailure && fault.name !== 'SealFailure'
