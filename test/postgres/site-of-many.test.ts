import { describe, expect, it, beforeAll, afterAll } from 'vitest'
import { fillTables } from '../support/databases/many-rows.js'
import { linesOf, openWholePostgres, type WholeSites } from '../support/databases/whole-sites.js'

const SITES = 5000
const EACH = 10
const SITE = 'site 77'
/** Far less than any table has: a site is on a page for each row and index, at most. */
const MOST_PAGES = 250

let its: WholeSites
beforeAll(async () => {
  its = await openWholePostgres()
  await fillTables(its.run, { site: 'x', rows: SITES * EACH, now: 1_700_000_000 })
})
afterAll(() => its.close())
