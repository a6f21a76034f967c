import { createMemoryStore } from 'hallpass/store'
import {
  createPeople,
  type Database,
  DEMO_PASSWORD,
  hashPassword,
  openDatabase,
  seedDemo,
} from '../../../examples/school/demo.js'
import { startPostgres, type Template } from './test-database.js'
import { T } from '../school/school.js'

/** The tables of the library and of the school, without a row. */
export const migrated: Template = {
  name: 'migrated',
  fill: async (url) => (await openDatabase({ url, folder: null })).close(),
}

/** Both schools of the demo, as of some second. Clients come with the origin that the example starts at. */
const demoAt = (name: string, now: () => number): Template => ({
  name,
  async fill(url) {
    const { execute, close } = await openDatabase({ url, folder: null })
    const seconds = now()
    for (const site of ['site_lantern', 'site_kiln'])
      await seedDemo({
        execute,
        site,
        origin: 'https://unused.example',
        people: createPeople({ execute, site }),
        store: createMemoryStore(),
        now: () => seconds,
      })
    // To check one of today's takes a third of a second, at each of the hundreds of sign-ins.
    await execute('update school_person set password_hash = $1 where password_hash is not null', [
      await hashPassword(DEMO_PASSWORD, { N: 1024, r: 1, p: 1 }),
    ])
    await close()
  },
})

/** The demo as of now, for an example that runs. */
// oxlint-disable-next-line no-restricted-properties -- that of the example
export const demo = demoAt('demo', () => Math.floor(Date.now() / 1000))

/** The demo as of {@link T}, where the clock is the test's own. */
export const demoAtT = demoAt('demo_at_t', () => T)

/**
 * Opens a database of its own with the example's tables; `close` drops it. Over one connection, unless
 * told otherwise, so that whoever looks after a request finds what that wrote without being waited for. A statement may
 * take as long as a busy machine makes it.
 */
export async function openTestDatabase({
  template = migrated,
  connections = 1,
}: { template?: Template; connections?: number } = {}): Promise<Database> {
  const { url, stop } = await startPostgres(template)
  const database = await openDatabase({ url, folder: null, connections, seconds: 60 })
  return {
    ...database,
    async close() {
      await database.close()
      await stop()
    },
  }
}
