import {
  createPostgresIdempotency,
  createPostgresStorage,
  createPostgresStore,
  type Execute,
} from 'hallpass/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/store.js'
import { migrated } from '../support/databases/templates.js'
import { dearCalls, everyCall, LATER, NOW } from '../support/databases/every-call.js'
import { fillTables } from '../support/databases/many-rows.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const ROWS = 100_000
const SITE = 'school'
/** Of lists whose rows are counted: many more than one call may visit. */
const LENGTH = 20_000
/** As long as PostgreSQL plans a statement anew, before it compares the costs of a plan for all parameters. */
const CUSTOM_PLANS = 5

let database: TestDatabase
let pool: pg.Pool
/** Each statement with its parameters, as the store sent it. */
const sent = new Map<string, { name: string; parameters: unknown[] }>()

beforeAll(async () => {
  database = await startPostgres(migrated)
  pool = new pg.Pool({ connectionString: database.url, max: 1 })
  const run = (sql: string): Promise<unknown> => pool.query(sql)
  await fillTables(run, { site: SITE, rows: ROWS, now: NOW })
  await pool.query('vacuum analyze')
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

/** Rolls every statement back, so that all of them meet the same rows. */
const watching: Execute = async (text, values, name) => {
  sent.set(text, { name: name!, parameters: values })
  await pool.query('begin')
  try {
    return await pool.query(text, values)
  } finally {
    await pool.query('rollback')
  }
}

/** Calls each method of the store with each form of its parameters. */
async function callAll(store: Store): Promise<void> {
  for (const [method, forms] of Object.entries(everyCall(store)))
    for (const call of forms)
      // Each round of an erasure is rolled back, so that it finds the same rows again.
      await call().catch((fault: unknown) => {
        if (method !== 'erasePerson') throw fault
      })
}

const literal = (value: unknown): string =>
  value === null
    ? 'null'
    : typeof value === 'number'
      ? String(value)
      : pg.escapeLiteral(value as string)

/** The plans that PostgreSQL uses for the first runs of a prepared statement, for those after, and for all parameters. */
async function plansOf(text: string, parameters: unknown[]): Promise<readonly string[]> {
  const plans: string[] = []
  await pool.query(`prepare planned as ${text}`)
  const run = `execute planned${parameters.length > 0 ? `(${parameters.map(literal).join(', ')})` : ''}`
  for (let round = 0; round <= CUSTOM_PLANS; round++) {
    const { rows } = await pool.query<Record<'QUERY PLAN', string>>(`explain ${run}`)
    if (round === 0 || round === CUSTOM_PLANS)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  await pool.query('set plan_cache_mode = force_generic_plan')
  const { rows } = await pool.query<Record<'QUERY PLAN', string>>(`explain ${run}`)
  plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  await pool.query('reset plan_cache_mode')
  await pool.query('deallocate planned')
  return plans
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows of tables that a plan has looked at. */
const visitedBy = ({ Plans = [], ...node }: Plan): number =>
  Plans.reduce((sum, one) => sum + visitedBy(one), 0) +
  (/Scan/.test(node['Node Type']) && node['Node Type'] !== 'Subquery Scan'
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0)

/** The rows that a plan has changed. */
const changedBy = ({ Plans = [], ...node }: Plan): number =>
  Plans.reduce((sum, one) => sum + changedBy(one), 0) +
  (node['Node Type'] === 'ModifyTable' ? node['Actual Rows'] : 0)

describe.each([
  ['a hundred grants a client', false],
  ['nine of ten grants of one client', true],
])(`each call of a store with ${LENGTH} rows of each kind, %s`, (_, isPopular) => {
  let its: TestDatabase
  let lists: pg.Pool
  beforeAll(async () => {
    its = await startPostgres(migrated)
    lists = new pg.Pool({ connectionString: its.url, max: 1 })
    const run = (sql: string): Promise<unknown> => lists.query(sql)
    await fillTables(run, { site: SITE, rows: LENGTH, now: NOW, isPopular })
    await lists.query('vacuum analyze')
  })
  afterAll(async () => {
    await lists.end()
    await its.stop()
  })

  it('visits as many rows as it returns or changes, times a constant [SQL-11]', async () => {
    let [visited, rows] = [0, 0]
    const execute: Execute = async (text, values) => {
      await lists.query('savepoint before')
      const explained = await lists.query<Record<'QUERY PLAN', readonly [{ Plan: Plan }]>>(
        `explain (analyze, timing off, format json) ${text}`,
        values,
      )
      await lists.query('rollback to before')
      const result = await lists.query(text, values)
      const plan = explained.rows[0]!['QUERY PLAN'][0].Plan
      visited += visitedBy(plan)
      rows += result.rows.length + changedBy(plan)
      return result
    }
    const store = createPostgresStore({ execute, site: SITE, now: () => LATER, chance: () => 0 })
    const dear = await dearCalls(store, async (call) => {
      visited = rows = 0
      await lists.query('begin')
      await call()
      await lists.query('rollback')
      return { visited, rows }
    })
    expect(dear).toEqual({})
  })
})

describe(`each statement of a store with ${ROWS} rows of each kind`, () => {
  it('finds its rows by an index, at its first run and with the plan that is kept [PG-10]', async () => {
    // Of this time, so that everything is due for purge.
    await callAll(
      createPostgresStore({ execute: watching, site: SITE, now: () => LATER, chance: () => 0 }),
    )
    const keys = createPostgresIdempotency({ execute: watching, site: SITE })
    const keyHash = 'k7'.padEnd(43, '-')
    await keys.begin({ keyHash, requestHash: 'r', now: NOW, expiresAt: NOW + 1 })
    await keys.finish({ keyHash, answer: { status: 200, headers: [], body: '' } })
    await keys.abandon(keyHash)
    await pool.query(
      `insert into hallpass_attempt (site, attempt_id, revision, place, last_at, connected, has_person, search, folded, attempt)
       select concat('site ', i % 2000), concat('attempt ', i), 1, concat('place ', i), ${NOW} + i, 0, 0, '', '', '{}' from generate_series(1, ${ROWS}) i`,
    )
    await pool.query('analyze hallpass_attempt')
    const storage = createPostgresStorage({ execute: watching, now: () => LATER })
    await storage.purge({ now: LATER, limit: 1000 })
    for (const having of ['events', 'keys', 'due keys'] as const)
      await storage.listSites({ having, createdBefore: NOW, after: '', limit: 100 })
    expect(sent.size).toBeGreaterThan(50)
    const whole: string[] = []
    for (const [text, { name, parameters }] of sent)
      for (const plan of await plansOf(text, parameters))
        if (/Seq Scan/.test(plan)) whole.push(`${name}\n${text}\n${plan}`)
    expect(whole).toEqual([])
  })
})
