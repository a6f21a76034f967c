import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hash } from '../../src/store-contract/samples.js'
import { tablesOf } from '../../src/sql/tables.js'
import { walksOf } from '../../src/sql/site-rows.js'
import { fillTables, SERIES } from '../support/databases/many-rows.js'
import { fillSite, linesOf, openWholePostgres, openWholeSqlite, rawRows, SECRETS, type WholeSites } from '../support/databases/whole-sites.js' // prettier-ignore

const SITE = 'https://school.example'
const OTHER = 'https://other.example'
const OPEN = { PostgreSQL: openWholePostgres, SQLite: openWholeSqlite }
type Row = { table: string; row: Record<string, unknown> }

const sites = {} as Record<keyof typeof OPEN, WholeSites>
beforeAll(async () => {
  for (const name of ['PostgreSQL', 'SQLite'] as const) {
    sites[name] = await OPEN[name]()
    for (const site of [SITE, OTHER]) await fillSite(sites[name], site)
  }
})
afterAll(async () => {
  for (const one of Object.values(sites)) await one.close()
})

const rowsIn = (lines: readonly string[]): Row[] =>
  lines.slice(1, -1).map((line) => JSON.parse(line) as Row)
/** Runs work against a database whose statement of a number, counted from 0, fails. */
async function failingAt(
  number: number,
  its: WholeSites,
  work: () => Promise<unknown>,
): Promise<boolean> {
  // prettier-ignore
  let count = 0
  its.onStatement = () => {
    if (count++ >= number) throw Object.assign(new Error('the disk is full'), { code: '53100' })
  }
  const failed = await work().then(
    () => false,
    () => true,
  )
  its.onStatement = () => {}
  return failed
}

describe.each(['PostgreSQL', 'SQLite'] as const)('all rows of a site on %s', (name) => {
  it('are those of each table that has a site in the database', async () => {
    const its = sites[name]
    const tables = (await its.run(its.tables)).map((row) => String(row['name']))
    expect(
      tablesOf(its.migrations)
        .map((table) => table.name)
        .toSorted(),
    ).toEqual(tables.toSorted())
    const { end } = JSON.parse((await linesOf(its, SITE)).at(-1)!) as {
      end: Record<string, number>
    }
    expect(Object.keys(end).toSorted()).toEqual(tables.toSorted())
    // Else nothing here says that the table is exported and erased.
    expect(Object.entries(end).filter(([, rows]) => rows === 0)).toEqual([])
  })

  it.each(['PostgreSQL', 'SQLite'] as const)('are the same on %s after an import', async (into) => {
    const target = await OPEN[into]()
    await fillSite(target, OTHER)
    const others = await rawRows(target, OTHER)
    const lines = await linesOf(sites[name], SITE)
    const result = await target.whole.importSite([...lines, ''])
    expect(result).toEqual({ site: SITE, rows: lines.length - 2 })
    const wanted = await rawRows(sites[name], SITE)
    expect(await rawRows(target, SITE)).toEqual(wanted)
    const events = await target.store(SITE).listEvents({ limit: 9 })
    expect(events.map(({ id }) => id)).toEqual(['event_b', 'event_a', 'event_c'])
    const token = await target.store(SITE).findAccessToken(hash('access 1'))
    expect(token).toEqual(await sites[name].store(SITE).findAccessToken(hash('access 1')))

    expect(await target.whole.importSite(target.whole.exportSite(SITE))).toEqual(result)
    expect(await rawRows(target, SITE)).toEqual(wanted)
    expect(await target.whole.eraseSite(SITE)).toMatchObject({ rows: lines.length - 2 })
    expect(Object.values(await rawRows(target, SITE)).flat()).toEqual([])
    expect(await rawRows(target, OTHER)).toEqual(others)
    expect(await target.whole.eraseSite(SITE)).toEqual({ rows: 0 })
    await target.close()
  })

  it('are complete after an import and an erasure that failed at each of their statements', async () => {
    const its = await OPEN[name]()
    await fillSite(its, OTHER)
    const others = await rawRows(its, OTHER)
    const lines = await linesOf(sites[name], SITE)
    const wanted = await rawRows(sites[name], SITE)
    let number = 0
    while (await failingAt(number, its, () => its.whole.importSite(lines))) number++
    expect(number).toBeGreaterThan(tablesOf(its.migrations).length)
    expect(await rawRows(its, SITE)).toEqual(wanted)
    number = 0
    while (await failingAt(number, its, () => its.whole.eraseSite(SITE))) {
      // The rows are imported again, each after the one that it needs.
      await its.whole.importSite(lines)
      number++
    }
    expect(number).toBeGreaterThan(tablesOf(its.migrations).length)
    expect(Object.values(await rawRows(its, SITE)).flat()).toEqual([])
    expect(await rawRows(its, OTHER)).toEqual(others)
    await its.close()
  })

  it('are stored once if the answer of an insertion is lost', async () => {
    const its = await OPEN[name]()
    const lines = await linesOf(sites[name], SITE)
    const lost: string[] = []
    its.onAnswer = (sql) => {
      if (!/insert into hallpass_client/.test(sql) || lost.push(sql) > 1) return
      throw Object.assign(new Error('D1_ERROR: Network connection lost.'), { code: '08006' })
    }
    expect(await its.whole.importSite(lines)).toEqual({ site: SITE, rows: lines.length - 2 })
    expect(lost).not.toEqual([])
    expect(await rawRows(its, SITE)).toEqual(await rawRows(sites[name], SITE))
    await its.close()
  })

  it('are read and erased in pages', async () => {
    const its = await OPEN[name]()
    const series = name === 'SQLite' ? SERIES.sqlite : SERIES.postgres
    const size = { rows: 2100, now: 1_700_000_000, series }
    await fillTables(its.run, { ...size, site: SITE })
    await fillTables(its.run, { ...size, site: OTHER, isPopular: true })
    await its.run(`insert into hallpass_grant select ${['site', "concat('a', grant_id)", 'client_id', 'subject', 'scopes', 'created_at', 'due_at', 'null', 'revoked_reason', 'record'].join(', ')} from hallpass_grant`) // prettier-ignore
    await its.run(`update hallpass_refresh_token set grant_id = 'grant_7' where token_hash like 'refresh1%'`) // prettier-ignore
    const most: number[] = []
    its.onStatement = (_, parameters) => most.push(parameters.length)
    const rows = rowsIn(await linesOf(its, SITE))
    its.onStatement = () => {}
    // The bounds of D1.
    expect(Math.max(...most)).toBeLessThanOrEqual(100)
    const counts: Record<string, number> = {}
    for (const { table } of rows) counts[table] = (counts[table] ?? 0) + 1
    for (const { name: table } of tablesOf(its.migrations)) {
      const [found] = await its.run(
        `select count(*) as number from ${table} where site = '${SITE}'`,
      )
      expect([table, counts[table] ?? 0]).toEqual([table, Number(found!['number'])])
    }
    expect(new Set(rows.map((row) => JSON.stringify(row))).size).toBe(rows.length)
    const deletions: string[] = []
    its.onStatement = (sql) => /delete from/.test(sql) && deletions.push(sql)
    expect(await its.whole.eraseSite(SITE)).toEqual({ rows: rows.length })
    expect(deletions.length).toBeGreaterThan(rows.length / 1000)
    expect(deletions.every((sql) => /limit/.test(sql))).toBe(true)
    expect(deletions.at(-1)).toMatch(/hallpass_key/)
    expect(Object.values(await rawRows(its, SITE)).flat()).toEqual([])
    await its.close()
  })

  it('are given without credentials to whoever may read a copy, which cannot be imported', async () => {
    const whole = await linesOf(sites[name], SITE)
    const copy = await linesOf(sites[name], SITE, { credentials: false })
    const found = (lines: readonly string[]) =>
      SECRETS.filter((one) => lines.join('\n').includes(one))
    expect(found(whole)).toEqual(SECRETS)
    expect(found(copy)).toEqual([])
    const tables = (lines: readonly string[]) => [...new Set(rowsIn(lines).map((row) => row.table))]
    expect(tables(copy)).toEqual(
      ['client', 'consent', 'erasure', 'grant', 'clock', 'outbox', 'attempt'].map((one) => `hallpass_${one}`), // prettier-ignore
    )
    await expect(sites[name].whole.importSite(copy)).rejects.toThrow('line 1: the export was made without credentials') // prettier-ignore
  })

  it.each(['', ' '])('need the name of a site, not %j', async (site) => {
    const { whole } = sites[name]
    expect(() => whole.exportSite(site)).toThrow('storage: site')
    await expect(whole.eraseSite(site)).rejects.toThrow('storage: site')
    const line = JSON.stringify({ hallpass: 1, site, migration: 1 })
    await expect(whole.importSite([line])).rejects.toThrow('line 1: the site must be a text')
  })

  it('are not imported over others', async () => {
    const its = await OPEN[name]()
    const lines = await linesOf(sites[name], SITE)
    const changed = lines.map((line) => line.replace('"revision":1', '"revision":2'))
    await its.whole.importSite(lines)
    const before = await rawRows(its, SITE)
    await expect(its.whole.importSite(changed)).rejects.toThrow(
      'the database has another row of hallpass_client: its revision differs',
    )
    expect(await rawRows(its, SITE)).toEqual(before)
    await its.store(SITE).useOnce({ key: 'use 3', until: 9 })
    await expect(its.whole.importSite(lines)).rejects.toThrow(
      'the database has rows of hallpass_use that the export does not have',
    )
    await its.close()
  })
})

describe('a file that is no export', () => {
  const edit = (change: (lines: string[]) => unknown) => (lines: readonly string[]) => {
    const copy = [...lines]
    change(copy)
    return copy
  }
  const header = (change: object) =>
    edit(
      (lines) => (lines[0] = JSON.stringify({ hallpass: 1, site: SITE, migration: 1, ...change })),
    )
  const row = (change: (row: Row['row']) => object) =>
    edit((lines) => {
      const { table, row: its } = JSON.parse(lines[1]!) as Row
      lines[1] = JSON.stringify({ table, row: { ...its, ...change(its) } })
    })
  const SECRET = 'a secret value'
  it.each<[string, (lines: readonly string[]) => readonly unknown[], string]>([
    ['is empty', () => [], 'the last line is missing'],
    ['has no first line', (lines) => lines.slice(1), 'line 1: it does not begin an export'],
    ['is no JSON', () => [SECRET], 'line 1: it is not JSON'],
    ['has another form', header({ hallpass: 2 }), 'line 1: the export is of a version'],
    ['has more in its first line', header({ zip: true }), 'line 1: the export is of a version'],
    ['has no site', header({ site: 7 }), 'line 1: the site must be a text'],
    [
      'has no migration',
      header({ migration: '1' }),
      'line 1: the migration must be a whole number',
    ],
    ['is of a later version', header({ migration: 99 }), 'line 1: the export is from a database with migration 99'], // prettier-ignore
    ['was cut off', (lines) => lines.slice(0, -1), 'the last line is missing'],
    ['lacks a row', edit((lines) => lines.splice(1, 1)), 'other rows than its last line says'],
    [
      'has a row twice',
      edit((lines) => {
        lines.splice(1, 0, lines[1]!)
        lines.push(lines.pop()!.replace('"hallpass_client":3', '"hallpass_client":4'))
      }),
      'the export has a row of hallpass_client twice',
    ], // prettier-ignore
    ['goes on behind its end', (lines) => [...lines, lines[1]!], 'it is behind the last line'],
    ['has no text', edit((lines) => lines.splice(1, 1, 7 as never)), 'line 2: it is not a text'],
    ['has a longer line', edit((lines) => (lines[1] = ' '.repeat(2 ** 24 + 1))), 'line 2: it has more than'], // prettier-ignore
    ['has a strange line', edit((lines) => (lines[1] = '{"table":"hallpass_client"}')), 'line 2: it is neither a row'], // prettier-ignore
    ['has a strange table', edit((lines) => (lines[1] = '{"table":"pg_authid","row":{}}')), 'line 2: its table is unknown'], // prettier-ignore
    ['has its tables in another order', edit((lines) => lines.splice(1, 0, lines.at(-2)!)), 'rows of hallpass_client must be before'], // prettier-ignore
    ['has no row', edit((lines) => (lines[1] = '{"table":"hallpass_client","row":[]}')), 'line 2: the row of hallpass_client must be an object'], // prettier-ignore
    ['has a row of another site', row(() => ({ site: OTHER })), 'line 2: the row of hallpass_client is of another site'], // prettier-ignore
    ['has a strange column', row(() => ({ 'x) values (1); --': SECRET })), 'line 2: the row of hallpass_client has a column'], // prettier-ignore
    ['has a text for a number', row(() => ({ revision: SECRET })), 'line 2: hallpass_client.revision must be a whole number'], // prettier-ignore
    ['has a fraction', row(() => ({ created_at: 1.5 })), 'line 2: hallpass_client.created_at must be a whole number'], // prettier-ignore
    ['has a number for a text', row(() => ({ search: 7 })), 'line 2: hallpass_client.search must be a text'], // prettier-ignore
    ['lacks a column', row(() => ({ record: undefined })), 'line 2: hallpass_client.record must be a text'], // prettier-ignore
  ])('is refused if it %s', async (_, broken, message) => {
    const target = await openWholeSqlite()
    const lines = await linesOf(sites.PostgreSQL, SITE)
    const fault = await target.whole.importSite(broken(lines) as string[]).catch((one: unknown) => one) // prettier-ignore
    expect((fault as Error).message).toMatch(/^importSite: /)
    expect((fault as Error).message).toContain(message)
    expect((fault as Error).message).not.toContain(SECRET)
    expect(Object.values(await rawRows(target, SITE)).flat()).toEqual([])
    await target.whole.importSite(lines)
    expect(await rawRows(target, SITE)).toEqual(await rawRows(sites.PostgreSQL, SITE))
    await target.close()
  })
})

it('finds no walk for a table that has no index of its site', () => {
  const table = tablesOf(sites.SQLite.migrations)[0]!
  expect(() => walksOf({ ...table, indexes: [] })).toThrow('no index that begins with site')
})

it('erases tokens on SQLite whose grant was purged before them', async () => {
  const its = await openWholeSqlite()
  await fillSite(its, SITE)
  await fillSite(its, OTHER)
  await its.run(`delete from hallpass_grant`)
  await its.whole.eraseSite(SITE)
  expect(Object.values(await rawRows(its, SITE)).flat()).toEqual([])
  expect((await rawRows(its, OTHER))['hallpass_access_token']).not.toEqual([])
  await its.close()
})
