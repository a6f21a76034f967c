import { OptionsError } from 'hallpass'
import { raceProcesses } from 'hallpass-lab'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrated } from '../../../test/support/databases/templates.js'
import { startPostgres, type TestDatabase } from '../../../test/support/databases/test-database.js'
import { startChild } from '../../../test/support/processes/child.js'
import { rounds } from '../../../test/support/run/rounds.js'
import { ROOT } from '../../../test/support/source/root.js'

let database: TestDatabase
beforeAll(async () => {
  database = await startPostgres(migrated)
})
afterAll(() => database.stop())

const RACES = [
  'insertClient',
  'replaceClient',
  'issueCode or endPending',
  'redeemCode',
  'rotateRefreshToken',
  'revokeGrant and rotateRefreshToken',
  'useOnce',
]

async function race(kind: string, count: number): Promise<string> {
  const file = `${ROOT}test/support/processes/racing-process.ts`
  const args = ['--import=tsx', file, kind, database.url, String(count)]
  const { ended, output } = startChild(process.execPath, args)
  await ended
  return output()
}
type Report = Awaited<ReturnType<typeof raceProcesses>>

describe('a race of processes', () => {
  it('of four, has one winner of each row of PostgreSQL [ST-05]', async () => {
    const count = rounds(40, { soak: 10_000 })
    const report = JSON.parse(await race('postgres', count)) as Report
    expect(report).toEqual({
      races: RACES,
      violations: [],
      faults: {},
      seconds: expect.any(Number) as number,
    })
  })

  it('finds a store that each process has for itself', async () => {
    const { violations, races } = JSON.parse(await race('memory', 8)) as Report
    expect(races).toEqual(RACES)
    expect(violations.slice(0, 2)).toEqual([
      'insertClient 0: won by 0, 1',
      'insertClient 1: won by 0, 1',
    ])
    // No more than can be read.
    expect(violations).toHaveLength(20)
  })

  it('counts what rejects, and leaves open who won it', async () => {
    const { violations, faults } = JSON.parse(await race('rejecting', 5)) as Report
    expect(faults).toEqual({ 'database is locked': 10 })
    expect(violations.filter((one) => one.startsWith('insertClient'))).toEqual([])
  })

  it('ends if a process ends, or takes too long', async () => {
    const [ended, hung] = await Promise.all([race('ending', 5), race('hanging', 5)])
    expect(ended).toContain('Error: a process ended during a race')
    expect(hung).toContain('Error: insertClient took longer than 1 seconds')
  })

  it('names every mistake in its options', async () => {
    const wrong = { createStore: 1, file: './race.mjs', processes: 1, rounds: 0 } as never
    await expect(raceProcesses(wrong)).rejects.toThrow(OptionsError)
    await expect(raceProcesses(wrong)).rejects.toThrow(
      /createStore must be .*; file must be import\.meta\.url; processes must be .*; rounds must be /,
    )
  })
})
