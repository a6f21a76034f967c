import { createPostgresStore, type Execute, isPostgresMigrated, migratePostgres, postgresMigrations } from 'hallpass/postgres' // prettier-ignore
import { hashToken } from 'hallpass/token'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dumpOf, tablesWith } from './support/databases/dump.js'
import { startPostgres, type TestDatabase } from './support/databases/test-database.js'
import { PORTFOLIO, PORTFOLIO_FORM, reasonsOf, redeem, refresh, signIn, tokensOf, userinfo } from './support/school/flow.js' // prettier-ignore
import { createSchool, type School, T } from './support/school/school.js'
import { readSource } from './support/source/compile.js'

// Tables that the program of before 0.1.0 made and filled, on a PostgreSQL server.

let database: TestDatabase
let pool: pg.Pool
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
const known = new Map<string, string>()
const tokenOf = (name: string): string => known.get(name)!

beforeEach(async () => {
  database = await startPostgres()
  pool = new pg.Pool({ connectionString: database.url, max: 4 })
  await pool.query(readSource('test/vectors/old-tables.sql'))
  const { rows } = await pool.query<{ name: string; token: string }>('select * from known_token')
  for (const { name, token } of rows) known.set(name, token)
})
afterEach(async () => {
  await pool.end()
  await database.stop()
})

/** Runs a file for psql. In place of its command, what that prints: the migrations of this version. */
async function run(file: string): Promise<void> {
  const text = readSource(`docs/operations/${file}`)
  const command = `psql "$DATABASE_URL" -f node_modules/hallpass/docs/operations/${file}`
  for (const place of [text, readSource('docs/operations/stores.md')]) expect(place).toContain(command) // prettier-ignore
  const [, loop = ''] = /^\\set create `.*?(for .*)"`$/m.exec(text) ?? []
  const lines: string[] = []
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the command of the file
  new Function('all', 'console', loop)(postgresMigrations, { log: (line: string) => lines.push(line) }) // prettier-ignore
  await pool.query(text.replaceAll(/^\\.*$/gm, '').replace(/^:create$/m, () => lines.join('\n')))
}
const open = (): Promise<School> =>
  createSchool({ store: createPostgresStore({ execute, site: 'site_lantern', now: () => T }) })

it('are refused, converted, and serve: each token is good that was, and a used one is known as used [PG-03]', async () => {
  await expect(migratePostgres({ execute })).rejects.toThrow('before 0.1.0: convert them')
  await run('old-tables.sql')
  await migratePostgres({ execute })
  expect(await isPostgresMigrated({ execute })).toBe(true)
  const school = await open()

  const good = [...known.keys()].filter((name) => /^access (fresh|family|thief|portfolio)/.test(name)) // prettier-ignore
  expect(good.length).toBe(8)
  for (const name of good) expect([name, (await userinfo(school, tokenOf(name))).status]).toEqual([name, 200]) // prettier-ignore
  for (const name of ['access revoked', 'access ended', 'access erased'])
    expect([name, (await userinfo(school, tokenOf(name))).status]).toEqual([name, 401])

  for (const [name, form] of [
    ['refresh fresh', {}],
    ['refresh family 3', {}],
    ['refresh portfolio', PORTFOLIO_FORM],
    ['refresh of revoked access', {}],
  ] as const)
    await tokensOf(await refresh(school, tokenOf(name), form))
  await tokensOf(await redeem(school, tokenOf('code open')))
  // The key is the one that signed before, and the consent is remembered.
  expect((await school.store.listKeys()).map(({ state }) => state)).toEqual(['active'])
  const again = await signIn(school, { ...PORTFOLIO, scope: 'openid account:read account:write' }, { form: PORTFOLIO_FORM }) // prettier-ignore
  expect((await userinfo(school, again.access_token)).status).toBe(200)
  expect(school.refusals.map(({ reason }) => reason)).toEqual(Array(3).fill(expect.any(String)))

  expect((await refresh(school, tokenOf('refresh ended'))).status).toBe(400)
  expect((await refresh(school, tokenOf('refresh thief 0'))).status).toBe(400)
  expect((await redeem(school, tokenOf('code used'))).status).toBe(400)
  expect(reasonsOf(school).slice(3)).toEqual(['grant_revoked', 'refresh_token_reused', 'code_lost_race']) // prettier-ignore
  expect((await userinfo(school, tokenOf('access thief 1'))).status).toBe(401)
  expect(school.faults).toEqual([])
})

type Row = Record<string, unknown>
const camel = ({ site: _site, ...row }: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name.replace(/_./g, (at) => at[1]!.toUpperCase()), value]), // prettier-ignore
  )

it('hold each record that they held, and delete it when it is due', async () => {
  await pool.query(`insert into hallpass_key select (jsonb_populate_record(k, '{"kid": "old", "state": "retired"}')).*
    from hallpass_key k;
    insert into hallpass_outbox select site, 'by', 1, at, event || '{"id": "by", "actor": "mem_by"}'
    from hallpass_outbox limit 1`)
  const rowsOf = async (table: string): Promise<readonly Row[]> =>
    (await pool.query<{ row: Row }>(`select to_jsonb(t) as row from hallpass_${table} t`)).rows.map(({ row }) => camel(row)) // prettier-ignore
  const names = ['client', 'pending', 'code', 'grant', 'refresh_token', 'key', 'clock', 'outbox']
  const [clients, pending, codes, grants, tokens, keys, clocks, events] = await Promise.all(names.map(rowsOf)) // prettier-ignore
  await run('old-tables.sql')
  const store = createPostgresStore({ execute, site: 'site_lantern', now: () => T })

  for (const { clientId, ...client } of clients!)
    expect(await store.findClient(clientId as string)).toEqual(client['deletedAt'] === null ? { clientId, ...client } : null) // prettier-ignore
  for (const { idHash, ...request } of pending!)
    expect(await store.findPending(idHash as string)).toEqual({ idHash, ...request, hintedHash: null }) // prettier-ignore
  for (const { codeHash, ...code } of codes!)
    expect(await store.findCode(codeHash as string)).toMatchObject({ codeHash, ...code })
  for (const { grantId, ...grant } of grants!)
    expect((await store.findGrant(grantId as string))!.grant).toEqual({ grantId, ...grant })
  for (const { tokenHash, rotation, ...token } of tokens!) {
    const [successorHash, rotatedAt, accessTokenExpiresAt, , scopes, scopesOmitted] = (rotation ?? []) as readonly unknown[] // prettier-ignore
    const used = { successorHash, rotatedAt, accessTokenExpiresAt, scopes, scopesOmitted, salt: null } // prettier-ignore
    expect((await store.findRefreshToken(tokenHash as string))!.refreshToken).toEqual({ tokenHash, ...token, rotation: rotation && used }) // prettier-ignore
  }
  expect(await store.listKeys()).toEqual(expect.arrayContaining([...keys!]))
  expect((await store.findClock()).mark).toEqual(clocks![0])
  type Event = Row & { readonly id: string }
  const byId = (list: readonly Event[]): readonly Event[] => list.toSorted((a, b) => (a.id < b.id ? -1 : 1)) // prettier-ignore
  const listed = await store.listEvents({ limit: 100 })
  expect(byId(listed)).toEqual(byId(events!.map(({ event }) => event as Event)))
  await store.erasePerson({ subject: 'mem_by', loginHints: [], erasedAt: T })
  expect((await store.listEvents({ limit: 1 }))[0]).toMatchObject({ id: 'by', actor: null })
  expect(tablesWith(await dumpOf({ execute }), ['mem_by'])).toEqual([])
  await store.deleteEvents(listed.map(({ id }) => id))
  expect(await store.listEvents({ limit: 1 })).toEqual([])
  const wrong = `select 1 from hallpass_refresh_token t join hallpass_grant g using (site, grant_id)
      where t.due_at <> case when rotation is null then g.due_at else t.expires_at end
    union all select 1 from hallpass_key where (active = 1) is distinct from (case state when 'active' then true end)`
  expect((await pool.query(wrong)).rows).toEqual([])
  // With a person who was erased, and two clients that no one used.
  const now = T + 8 * 86_400
  const later = createPostgresStore({ execute, site: 'site_lantern', now: () => now })
  expect((await later.purge({ now, limit: 1000 })).rows).toBeGreaterThan(3)
  expect(await store.findClient('loop_unused')).toBe(null)
  expect(await store.findClient('https://app.example/client.json')).toBe(null)
  expect(await store.findClient('disabled')).not.toBe(null)
})

it('go back as they were', async () => {
  const tables = async () => (await dumpOf({ execute })).map(([name, row]) => `${name} ${row}`).toSorted() // prettier-ignore
  const before = await tables()
  await run('old-tables.sql')
  await run('old-tables-back.sql')
  expect(await tables()).toEqual(before)
})

it('go back with what has changed since: new tokens, uses, ends and erasures', async () => {
  await run('old-tables.sql')
  const school = await open()
  const { store } = school
  const next = await tokensOf(await refresh(school, tokenOf('refresh fresh')))
  const found = (await store.findAccessToken(hashToken(tokenOf('access portfolio'))))!
  await store.revokeGrant({ grantId: found.grant.grantId, revokedAt: T, revokedReason: 'person' })
  const client = (await store.findClient('disabled'))!
  await store.replaceClient({ ...client, disabled: false, name: 'Enabled', revision: 2 })
  await run('old-tables-back.sql')

  const one = async (sql: string, ...values: string[]): Promise<unknown> =>
    (await pool.query<{ it: unknown }>(sql, values)).rows[0]?.it
  const rotation = 'select rotation as it from hallpass_refresh_token where token_hash = $1'
  const successor = hashToken(next.refresh_token)
  expect(await one(rotation, hashToken(tokenOf('refresh fresh')))).toEqual([
    successor,
    T,
    T + 3600,
    expect.stringMatching(/^[\w-]{43}$/),
    ['openid', 'account:read'],
    true,
  ])
  expect(await one(rotation, successor)).toBe(null)
  const access = 'select expires_at as it from hallpass_access_token where token_hash = $1'
  expect(await one(access, hashToken(next.access_token))).toBe(String(T + 3600))
  const reason = 'select revoked_reason as it from hallpass_grant where grant_id = $1'
  expect(await one(reason, found.grant.grantId)).toBe('person')
  const stored = "select name || disabled as it from hallpass_client where client_id = 'disabled'"
  expect(await one(stored)).toBe('Enabledfalse')
})
