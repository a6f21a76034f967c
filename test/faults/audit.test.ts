import { deliverEvents } from 'hallpass/operations'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { hashToken } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { append, AUDIT_TABLE } from '../support/databases/audit-table.js'
import {
  codeForm,
  countRedeemed,
  keepingAgent,
  print,
  send,
  writeCodes,
} from '../support/http/code-load.js'
import { demo } from '../support/databases/templates.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { startModule } from '../support/processes/child.js'
import { freePorts } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { approve } from '../support/school/flow.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, T } from '../support/school/school.js'

const KILLS = rounds(8, { soak: 80 })
const CODES = 20
const SITE = 'audited'

let database: TestDatabase
let pool: pg.Pool
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
beforeAll(async () => {
  database = await startPostgres()
  pool = new pg.Pool({ connectionString: database.url, max: 4 })
  await migratePostgres({ execute })
  await pool.query(AUDIT_TABLE)
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

const count = async (sql: string): Promise<number> => {
  const { rows } = await pool.query<{ count: string }>(`select count(*) as count from (${sql}) one`)
  return Number(rows[0]!.count)
}
const entries = (type: string): string =>
  `select event from audit where event ->> 'type' = '${type}'`

it('processes that are killed while they issue tokens and deliver events leave an audit log with one entry for each change [EVT-02]', async () => {
  const store = createPostgresStore({ execute, site: SITE, now: () => T })
  const school = await createSchool({
    store,
    options: { outbox: true, allowances: { codesOfPerson: null } },
  })
  let waited = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const codes: string[] = []
    while (codes.length < CODES) codes.push(await approve(school))
    const children = await Promise.all(
      [0, 1].map(() => startModule('auditing-process.ts', [database.url, SITE])),
    )
    let issued = 0
    for (const { child } of children)
      child.on('message', () => {
        // Killed at another moment each time, while others of its requests are under way.
        if (++issued > 3 + 4 * (kill % 8)) for (const one of children) one.child.kill('SIGKILL')
      })
    for (const [index, code] of codes.entries()) children[index % 2]!.child.send({ code })
    await Promise.all(children.map(({ ended }) => ended))
    // Their connections end when the server has carried out what they had sent, of which nobody reads the result.
    const connections = `select from pg_stat_activity where datname = current_database() and application_name = 'auditing'`
    await waitFor(async () => (await count(connections)) === 0)
    waited += await count('select from hallpass_outbox')
  }
  await deliverEvents(school.site, { deliver: append({ execute, site: SITE }) })

  const grants = 'select grant_id from hallpass_grant'
  const rotations = 'select grant_id from hallpass_refresh_token where rotation is not null'
  const codes = 'select code_hash from hallpass_code'
  const lacking = (rows: string, type: string): string =>
    `(${rows}) except all (select event ->> 'grantId' from (${entries(type)}) entry)`
  const extra = (rows: string, type: string): string =>
    `(select event ->> 'grantId' from (${entries(type)}) entry) except all (${rows})`
  for (const [rows, type] of [
    [grants, 'oauth.grant.created'],
    [grants, 'oauth.token.issued'],
    [grants, 'oauth.authorization.code_redeemed'],
    [rotations, 'oauth.token.refreshed'],
  ] as const) {
    expect([type, await count(lacking(rows, type))]).toEqual([type, 0])
    expect([type, await count(extra(rows, type))]).toEqual([type, 0])
  }
  expect(await count(entries('oauth.authorization.approved'))).toBe(KILLS * CODES)
  expect(await count(codes)).toBe(KILLS * CODES)
  expect(await count('select from hallpass_outbox')).toBe(0)

  // The kills came between changes and deliveries, and there was something to lose.
  const changed = (await count(grants)) + (await count(rotations))
  print('two processes are killed while they issue and deliver', {
    kills: KILLS,
    grants: await count(grants),
    refreshes: await count(rotations),
    waited,
  })
  expect(changed).toBeGreaterThan(KILLS)
  expect(waited).toBeGreaterThan(0)
})

it('the example that is killed while it redeems codes misses no entry of its audit log, and has none twice [EVT-04]', async () => {
  const demoDatabase = await startPostgres(demo)
  const side = new pg.Client({ connectionString: demoDatabase.url })
  await side.connect()
  const port = await freePorts()
  const start = (): Promise<RunningExample> =>
    startExpressExample({
      port,
      environment: {
        DATABASE_URL: demoDatabase.url,
        HALLPASS_RATE_LIMITS: 'off',
        HALLPASS_SECRET: 's'.repeat(40),
      },
    })
  const redeemed: string[] = []
  const kills = rounds(4, { soak: 30 })
  for (let kill = 0; kill < kills; kill++) {
    const example = await start()
    const { origin } = example
    const codes = await writeCodes(side, { origin, count: 80 })
    redeemed.push(...codes)
    const agent = keepingAgent(16)
    let answers = 0
    const stopped: Promise<void>[] = []
    await Promise.all(
      codes.map(async (code) => {
        await send(`${origin}/api/oauth/token`, { agent, form: codeForm(code, origin) })
        // Killed at another moment each time, while other exchanges are under way.
        if (++answers === 5 + 15 * (kill % 4)) stopped.push(example.stop('SIGKILL'))
      }),
    )
    agent.destroy()
    await Promise.all(stopped)
  }
  const exchanges = await countRedeemed(side, redeemed)

  const last = await start()
  const isEmpty = async (): Promise<boolean> =>
    (await side.query('select from hallpass_outbox limit 1')).rows.length === 0
  await waitFor(isEmpty, { what: 'the outbox is empty' })
  await last.stop()
  const { rows } = await side.query<{ entries: number; times: number }>(
    `select entries::int, count(*)::int as times from (
       select (
         select count(*) from school_audit entry
         where entry.site = code.site and entry.type = 'oauth.grant.created'
           and entry.event ->> 'grantId' = code.record::jsonb ->> 'grantId'
       ) as entries
       from hallpass_code code
       where code_hash = any($1) and redeemed_at is not null
     ) one group by entries order by entries`,
    [redeemed.map((code) => hashToken(code))],
  )
  await side.end()
  await demoDatabase.stop()
  print('the example is killed while it redeems', { kills, codes: redeemed.length, exchanges })
  expect(rows).toEqual([{ entries: 1, times: exchanges }])
  expect(exchanges).toBeLessThan(redeemed.length)
})
