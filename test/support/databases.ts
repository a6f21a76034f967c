import { createMemoryStore } from 'hallpass/store'
import { type Database, openDatabase } from '../../examples/school/src/database.js'
import { seedDemo } from '../../examples/school/src/demo.js'
import { createPeople } from '../../examples/school/src/people.js'
import { startPostgres, type Template } from './postgres.js'

/** The tables of the library and of the school, without a row. */
export const migrated: Template = {
  name: 'migrated',
  fill: async (url) => (await openDatabase({ url, folder: null })).close(),
}

/** Both schools of the demo, as of now. Clients come with the origin that the example starts at. */
export const demo: Template = {
  name: 'demo',
  async fill(url) {
    const { execute, close } = await openDatabase({ url, folder: null })
    const now = Math.floor(Date.now() / 1000)
    for (const site of ['site_lantern', 'site_kiln'])
      await seedDemo({
        execute,
        site,
        origin: 'https://unused.example',
        people: createPeople({ execute, site }),
        store: createMemoryStore(),
        now: () => now,
      })
    await close()
  },
}

/** Opens a database of its own with the example's tables; `close` drops it. */
export async function openTestDatabase(template: Template = migrated): Promise<Database> {
  const { url, stop } = await startPostgres(template)
  const database = await openDatabase({ url, folder: null })
  return {
    ...database,
    async close() {
      await database.close()
      await stop()
    },
  }
}
