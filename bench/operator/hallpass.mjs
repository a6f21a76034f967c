import { toNodeHandler } from 'hallpass/node'
import { createAdminApi, defineList } from 'hallpass/admin'
import { BASE_PATH, Course, createAccess, FILTERS, LIST, rowsOf, scenariosOf } from './common.mjs'

/** The operator API with everything it does: gate, conventions of a list, parsed rows, headers. */
export async function createSubject({ origin }) {
  const { accessTokens, site } = await createAccess({ origin })
  const courses = defineList({
    ...LIST,
    item: Course,
    filters: FILTERS,
    rows: async (_context, { filters, limit }) => rowsOf({ ...filters, limit }),
  })
  const { endpoint } = createAdminApi(site, { basePath: BASE_PATH, operations: [courses] })
  return { listener: toNodeHandler(endpoint, { origin }), scenarios: scenariosOf(accessTokens) }
}
