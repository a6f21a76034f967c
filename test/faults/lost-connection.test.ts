import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { type CutStore, seeded, startCutStore, VERBS } from '../support/databases/every-verb.js'

let store: CutStore
beforeAll(async () => {
  store = await startCutStore()
})
afterAll(() => store.stop())

const SAMPLES = rounds(6, { soak: 100 })
const DIRECTIONS = ['up', 'down'] as const
/** The first and the last byte, and some between. */
function* places(seed: number): Generator<number> {
  yield* [0, 1]
  const chance = seeded(seed)
  for (let index = 0; index < SAMPLES; index++) yield chance()
}

describe.each(Object.entries(VERBS))('%s, whose connection is cut', (_, verb) => {
  it.each(DIRECTIONS)(
    'once at any byte that goes %s, hears what is stored, or nothing [PG-02, EVT-02]',
    async (direction) => {
      let seed = 1
      for (const isCold of [false, true])
        for (const at of places(seed++)) {
          const { outcome, isWritten, isKept } = await store.cut({ verb, direction, at, isCold })
          const seen = { direction, at, isCold, outcome, isWritten }
          // The event of a change is kept if the change was made, whatever the caller heard.
          if (isKept !== null) expect({ ...seen, isKept }).toEqual({ ...seen, isKept: isWritten })
          // To hear nothing is allowed to those that cannot tell their own row from that of another.
          if (verb.isRecognized || outcome !== 'rejected')
            expect(seen).toMatchObject({ outcome: { value: verb.won }, isWritten: true })
        }
    },
  )

  it('each time is never told that it won what is not stored [PG-02]', async () => {
    for (const direction of DIRECTIONS)
      for (const at of places(3)) {
        const cut = await store.cut({ verb, direction, at, times: 100 })
        const seen = { direction, at, ...cut }
        if (cut.isKept !== null) expect(seen).toEqual({ ...seen, isKept: cut.isWritten })
        if (cut.outcome !== 'rejected')
          expect(seen).toMatchObject({ outcome: { value: verb.won }, isWritten: true })
        else if (!cut.isWritten) expect(seen).toMatchObject({ again: verb.won })
      }
  })
})
