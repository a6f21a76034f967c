import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { lateAgain, lateAgainByName } from '../../src/time/late.js'
import { waitFor } from '../support/processes/wait.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

it.each([
  ['a value', (make: () => object) => lateAgain(make)],
  [
    'a value of a name',
    (make: () => object) => {
      const of = lateAgainByName(make)
      return () => of('name')
    },
  ],
] as const)(
  '%s is kept while someone has it, and made again when the collector took it',
  async (_, late) => {
    let made = 0
    const value = late(() => ({ number: ++made }))
    let held: object | null = value()
    collect()
    expect(value()).toBe(held)
    held = null
    await waitFor(() => {
      collect()
      value()
      return made === 2
    })
  },
)
