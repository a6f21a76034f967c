import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { deliverEvents } from 'hallpass'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { append, AUDIT_TABLE } from '../support/audit-table.js'
import { approve } from '../support/flow.js'
import { startPostgres, type TestDatabase } from '../support/postgres.js'
import { rounds } from '../support/rounds.js'
import { createSchool, T } from '../support/school.js'

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
  const program = fileURLToPath(new URL('../support/auditing-process.ts', import.meta.url))
  let waited = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const codes: string[] = []
    while (codes.length < CODES) codes.push(await approve(school))
    const children = await Promise.all(
      [0, 1].map(async () => {
        const child = fork(program, [database.url, SITE], { execArgv: ['--import=tsx'] })
        await once(child, 'message')
        return child
      }),
    )
    let issued = 0
    const exits = children.map(async (child) => once(child, 'exit'))
    for (const child of children)
      child.on('message', () => {
        // Killed at another moment each time, while others of its requests are under way.
        if (++issued > 3 + 4 * (kill % 8)) for (const one of children) one.kill('SIGKILL')
      })
    for (const [index, code] of codes.entries()) children[index % 2]!.send({ code })
    await Promise.all(exits)
    // Statements that were under way end, since nobody reads their result.
    const running = `select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active'`
    for (let look = 0; look < 1000 && (await count(running)) > 0; look++);
    waited += await count('select from hallpass_outbox')
  }
  await deliverEvents(school.site, { deliver: append({ execute, site: SITE }) })

  const grants = 'select grant_id from hallpass_grant'
  const rotations = 'select grant_id from hallpass_refresh_token where rotation is not null'
  const codes = 'select grant_id from hallpass_code'
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
  console.log(
    `${KILLS} kills of 2 processes: ${await count(grants)} grants, ${await count(rotations)} refreshes, ${waited} events waited for their delivery`,
  )
  expect(changed).toBeGreaterThan(KILLS)
  expect(waited).toBeGreaterThan(0)
}, 300_000)
