import { StorageFailure } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { startStep } from '../../../examples/school/src/platform/start.js'

const AWAY = new StorageFailure(new Error('timeout exceeded when trying to connect'))

/** Runs a step that fails so many times with this fault. */
async function start(times: number, fault: Error) {
  const waits: Error[] = []
  let calls = 0
  const step = async (): Promise<void> => {
    if (calls++ < times) throw fault
  }
  const pause = async (): Promise<never> => undefined as never
  const result = await startStep(step, { onWait: (one) => waits.push(one), pause }).then(
    () => 'started',
    (thrown: unknown) => thrown,
  )
  return { result, calls, waits }
}

describe('a step of the start', () => {
  it('is repeated while the database is too slow, five times in all', async () => {
    expect(await start(0, AWAY)).toEqual({ result: 'started', calls: 1, waits: [] })
    expect(await start(4, AWAY)).toMatchObject({ result: 'started', calls: 5 })
    const { result, calls, waits } = await start(5, AWAY)
    expect([result, calls, waits]).toEqual([AWAY, 5, [AWAY, AWAY, AWAY, AWAY]])
  })

  it('ends the start with any other fault, such as a wrong sealing secret', async () => {
    const bug = new Error('a bug')
    expect(await start(1, bug)).toEqual({ result: bug, calls: 1, waits: [] })
    const { site } = testSite()
    const ring = (sealingSecret: string): KeyRing => createKeyRing(site, { sealingSecret })
    await ring('s'.repeat(32)).maintain()
    const wrong = await ring('w'.repeat(32))
      .maintain()
      .catch((fault: unknown) => fault as Error)
    expect(await start(1, wrong!)).toEqual({ result: wrong, calls: 1, waits: [] })
  })
})
