import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { dataFolder } from '../support/processes/example-process.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const HOUR = 3600

/** `people.ts` is the same in each of the examples: `ladder.test.ts` compares them. */
let people: typeof import('../../examples/server/people.js')
let store: typeof import('../../examples/server/store.js')
let database: TestDatabase
const folder = dataFolder()

beforeAll(async () => {
  database = await startPostgres()
  vi.stubEnv('DATABASE_URL', database.url)
  vi.stubEnv('HALLPASS_DATA_DIR', folder.path)
  store = await import('../../examples/server/store.js')
  people = await import('../../examples/server/people.js')
  vi.unstubAllEnvs()
  await people.createDemoUsers()
})
afterAll(async () => {
  await store?.close()
  await database?.stop()
  folder.remove()
})

// oxlint-disable-next-line no-restricted-properties -- that of the database
const now = (): number => Math.floor(Date.now() / 1000)
const sessionId = (name: string): string => name.padEnd(43, 'x')

async function begin(name: string, signedInAt: number): Promise<void> {
  const hash = createHash('sha256').update(sessionId(name)).digest('hex')
  await store.execute('insert into sessions values ($1, $2, $3)', [hash, 'usr_1', signedInAt])
}

const left = async (): Promise<number> =>
  (await store.execute('select from sessions', [])).rows.length

const askedBy = (name: string, body?: string): Request =>
  new Request('http://127.0.0.1/sign-in', {
    headers: {
      cookie: `session=${sessionId(name)}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(body !== undefined && { method: 'POST', body }),
  })

describe('the sessions of the examples on PostgreSQL', () => {
  it('last 12 hours by the clock that began them', async () => {
    const clock = vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    // The clock of the process is a day behind that of the database.
    clock.setSystemTime((now() - 24 * HOUR) * 1000)
    const at = now()
    await begin('new', at)
    expect(await people.currentPerson(askedBy('new'))).toEqual({ subject: 'usr_1', authTime: at })
    clock.setSystemTime((at + 12 * HOUR - 1) * 1000)
    expect(await people.currentPerson(askedBy('new'))).not.toBeNull()
    clock.setSystemTime((at + 12 * HOUR + 1) * 1000)
    expect(await people.currentPerson(askedBy('new'))).toBeNull()
  })

  it('are deleted by the time that `maintain` trusts, and never by a sign-in', async () => {
    await store.execute('delete from sessions', [])
    const at = now()
    await begin('old', at - 20 * HOUR)
    await begin('older', at - 30 * HOUR)
    await begin('own', at)
    const returnTo = `/oauth/interaction/${'x'.repeat(43)}`
    const { status } = await people.signIn(
      askedBy('own', String(new URLSearchParams({ return_to: returnTo }))),
    )
    expect([status, await left()]).toEqual([303, 2])
    await people.endSessions(null)
    expect(await left()).toBe(2)
    await people.endSessions(at - 10 * HOUR)
    expect(await left()).toBe(1)
  })
})
