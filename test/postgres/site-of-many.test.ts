import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillTables } from '../support/databases/many-rows.js'
import { linesOf, openWholePostgres, type WholeSites } from '../support/databases/whole-sites.js'

const SITES = 5000
const EACH = 4
const SITE = 'site 77'
/** A statement looks at a page for each row and each level of an index. The least table has more than twice as many. */
const MOST_PAGES = 100
/** Rows that live a day at most, which have no index that begins with the site: each request that writes one would pay. */
const SHORT_LIVED = /hallpass_(?:erasure|use|idempotency)\b/
/** That many pages have all of them. */
const MOST_PAGES_PASSED = 300

let its: WholeSites
beforeAll(async () => {
  its = await openWholePostgres()
  // Neighbours in a table are of other sites.
  const site = `site ' || i % ${SITES} || '`
  await fillTables(its.run, { site, rows: SITES * EACH, now: 1_700_000_000 })
  await its.run(
    `insert into hallpass_attempt (site, attempt_id, revision, place, last_at, connected, has_person, search, folded, attempt)
     select '${site}', concat('att_', i), 1, concat('place ', i), i, 0, 0, '', '', '{}' from generate_series(1, ${SITES * EACH}) i`,
  )
  await its.run('vacuum analyze')
})
afterAll(() => its.close())

interface Plan {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}
const literal = (value: unknown): string =>
  typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value))

/** The pages that a statement looks at, with the plan for its values and with the one that is kept. */
async function pagesOf(sql: string, values: readonly unknown[]): Promise<readonly number[]> {
  const pages: number[] = []
  for (const mode of ['custom', 'generic']) {
    await its.run(`set plan_cache_mode = force_${mode}_plan`)
    await its.run('begin')
    await its.run(`prepare its as ${sql}`)
    const [row] = await its.run(
      `explain (analyze, buffers, timing off, format json) execute its(${values.map(literal).join(', ')})`,
    )
    await its.run('rollback')
    await its.run('deallocate its')
    const { Plan } = (row!['QUERY PLAN'] as [{ Plan: Plan }])[0]
    pages.push(Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'])
  }
  return pages
}

it(`reads and erases one site of ${SITES} without the others`, async () => {
  const sent = new Map<string, readonly unknown[]>()
  its.onStatement = (sql, values) => sent.set(sql, values)
  const lines = await linesOf(its, SITE)
  const reading = [...sent]
  sent.clear()
  expect(await its.whole.eraseSite(SITE)).toEqual({ rows: lines.length - 2 })
  const erasing = [...sent]
  sent.clear()
  const copied = await its.whole.importSite(lines)
  expect(copied.rows).toBe(EACH * 12)
  its.onStatement = () => {}
  const storing = [...sent].filter(([sql]) => !sql.includes('insert into'))
  const dear: string[] = []
  for (const [sql, values] of [...reading, ...erasing, ...storing])
    for (const pages of await pagesOf(sql, values))
      if (pages > (SHORT_LIVED.test(sql) ? MOST_PAGES_PASSED : MOST_PAGES))
        dear.push(`${pages} pages: ${sql}`)
  expect(dear).toEqual([])
})
