import { execSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { createMysqlStore, fromPool, migrateMysql } from 'hallpass/mysql'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'
import type { Store } from 'hallpass/store'
import pg from 'pg'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { codeSample, hash, redemption, T } from '../../src/store-contract/samples.js'
import { startMariadb } from '../support/databases/mariadb-server.js'
import { startServer } from '../support/databases/postgres-server.js'
import { waitFor } from '../support/processes/wait.js'
import { ROOT } from '../support/source/root.js'
import { readSource } from '../support/source/compile.js'
import { openPool } from './mysql-pool.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-operations-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The code of a section, in its order. */
function codeOf(section: string, page = 'stores'): readonly string[] {
  const [, text = ''] = readSource(`docs/operations/${page}.md`).split(`\n## ${section}\n`)
  const own = text.split('\n## ')[0]!
  return [...own.matchAll(/^ *```(?:sh|sql)\n([^]*?)^ *```$/gm)].map(([, code]) => code!.trim())
}
/** Opens `school.db` of a folder. */
async function openFile(folder: string) {
  const database = new DatabaseSync(join(folder, 'school.db'))
  const batch = fromSync(database)
  await migrateSqlite({ batch })
  return { database, store: createSqliteStore({ batch, site: 'school' }) }
}
interface Served {
  readonly execute: Execute
  readonly store: Store
  readonly shell: (command: string) => unknown
}
const key = (name: string) => ({ key: hash(name), until: T + 60 })

it('what the page says of PostgreSQL copies it into an empty server, and puts it back', async () => {
  const servers = await Promise.all([startServer({ isDebians: true }), startServer({ isDebians: true })]) // prettier-ignore
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))))
  const [served, empty] = servers.map(({ url }) => {
    const pool = new pg.Pool({ connectionString: url })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
    const store = createPostgresStore({ execute, site: 'school' })
    const shell = (command: string) => execSync(command, { cwd: home, env: { ...process.env, DATABASE_URL: url } }) // prettier-ignore
    return { execute, store, shell }
  }) as [Served, Served]
  await migratePostgres({ execute: served.execute })
  await served.store.issueCode({ code: codeSample(), pendingIdHash: null, consentKey: null })
  expect(await served.store.redeemCode(redemption())).toBe('redeemed')
  const [dump = ''] = codeOf('Back up', 'restore')
  const [restore = ''] = codeOf('Restore', 'restore')
  served.shell(dump)
  await served.store.useOnce(key('after the dump'))

  for (const { shell, store, execute } of [empty, served]) {
    shell(restore)
    await migratePostgres({ execute })
    const { accessToken } = redemption()
    expect(await store.findAccessToken(accessToken.tokenHash)).toMatchObject({ accessToken })
    expect(await store.redeemCode(redemption('1'))).not.toBe('redeemed')
    expect(await store.useOnce(key('after the dump'))).toBe('first')
  }
})

it('what the page says of MariaDB copies it, puts it back, and finds and ends who holds a row', async () => {
  const server = await startMariadb()
  onTestFinished(server.stop)
  const pool = openPool(server.socketPath)
  onTestFinished(() => pool.end())
  const batch = fromPool(pool)
  await migrateMysql({ batch })
  const store = createMysqlStore({ batch, site: 'school' })
  await store.useOnce(key('a'))

  const [copies = '', holders = '', end = '', cluster = ''] = codeOf('MariaDB and MySQL')
  const [dump = '', restore = ''] = copies.split('\n')
  const shell = (command: string): Buffer =>
    execSync(command.replace(/^(mariadb(?:-dump)?)/, `$1 --no-defaults --user=root --socket=${server.socketPath}`), { cwd: home }) // prettier-ignore
  shell(dump)
  await pool.query('drop table hallpass_use')
  shell(restore)
  expect([await store.useOnce(key('a')), await store.useOnce(key('b'))]).toEqual(['again', 'first'])

  const holder = await pool.getConnection()
  await holder.beginTransaction()
  await holder.query('select * from hallpass_use for update')
  const [rows] = await pool.query(holders.replace(/;$/, ''))
  const { id } = (rows as readonly { id: number }[])[0]!
  const [[mine]] = (await holder.query('select connection_id() as id')) as [[{ id: number }]]
  expect([rows.length, id]).toEqual([1, mine.id])
  expect(end).toBe('kill 42;')
  await pool.query(`kill ${id}`)
  holder.destroy()
  // The server keeps the rows of this table until no one has read it for 100 ms.
  await waitFor(async () => (await pool.query(holders.replace(/;$/, '')))[0].length === 0, {
    everyMilliseconds: 250,
  })
  // A server of its own is in no cluster, so its status is empty.
  expect((await pool.query(cluster.replace(/;$/, '')))[0].length).toBeLessThanOrEqual(1)
})

it('what the page says of SQLite copies it, puts it back, and finds who has it open', async () => {
  const folder = join(home, 'data')
  execSync(`mkdir ${folder}`)
  const { database, store } = await openFile(folder)
  database.exec('create table sessions (hash text)')
  await store.useOnce(key('a'))

  const [backup = '', restore = '', holders = ''] = codeOf('SQLite')
  const run = (command: string) => {
    const [, name, file] = /^npm run (backup|restore) -- (\S+)$/.exec(command)!
    const args = ['--import', '../common/run.mjs', '../store/backup.ts', name!, join(home, file!)]
    const env = { ...process.env, HALLPASS_DATA_DIR: folder }
    return spawnSync(process.execPath, args, { cwd: `${ROOT}examples/server`, env }).status
  }
  expect(run(backup)).toBe(0)
  await store.useOnce(key('b'))
  // It fails if a process ends meanwhile.
  expect(spawnSync('sh', ['-c', holders], { encoding: 'utf8' }).stdout).toContain(`/proc/${process.pid}/fd/`) // prettier-ignore
  expect(run(restore)).toBe(1)
  database.close()
  expect(run(restore)).toBe(0)
  const again = await openFile(folder)
  onTestFinished(() => again.database.close())
  expect([await again.store.useOnce(key('a')), await again.store.useOnce(key('b'))]).toEqual(['again', 'first']) // prettier-ignore
})

it('what the page says of a file that was replaced saves what its process still holds', async () => {
  const cwd = mkdtempSync(join(home, 'replaced-'))
  const shell = (command: string) => execSync(command, { cwd, encoding: 'utf8' })
  const { database, store } = await openFile(cwd)
  database.prepare('vacuum into ?').run(join(cwd, 'monday.db'))
  await store.useOnce(key('a'))
  shell('mv monday.db school.db')
  await expect(store.useOnce(key('b'))).rejects.toThrow('was replaced')

  const [, , holders = '', save = '', back = ''] = codeOf('SQLite')
  const open = spawnSync('sh', ['-c', holders], { encoding: 'utf8' }).stdout.split('\n')
  const numberOf = (name: string): string => {
    const its = open.find((line) => line.replace(' (deleted)', '').endsWith(join(cwd, name)))
    return /^\/proc\/\d+\/fd\/(\d+) /.exec(its!)![1]!
  }
  // The numbers of the page are examples.
  const numbers = { 21: numberOf('school.db'), 22: numberOf('school.db-wal') }
  shell(save.replace(/4711\/fd\/(2[12])/g, (_, name: '21') => `${process.pid}/fd/${numbers[name]}`))
  database.close()
  shell(back)
  const again = await openFile(cwd)
  onTestFinished(() => again.database.close())
  expect([await again.store.useOnce(key('a')), await again.store.useOnce(key('b'))]).toEqual(['again', 'first']) // prettier-ignore
})

it('a folder of the embedded database is copied and put back while its process is stopped', async () => {
  const folder = join(home, 'embedded')
  /** What one process does with a key. */
  async function use(name: string): Promise<string> {
    const database = await PGlite.create(folder)
    const execute: Execute = (sql, parameters) => database.query(sql, parameters)
    await migratePostgres({ execute })
    const outcome = await createPostgresStore({ execute, site: 'school' }).useOnce(key(name))
    await database.close()
    return outcome
  }
  const replace = (from: string, to: string): void => {
    rmSync(to, { recursive: true, force: true })
    cpSync(from, to, { recursive: true })
  }
  expect(await use('a')).toBe('first')
  replace(folder, `${folder}-monday`)
  expect(await use('b')).toBe('first')
  replace(`${folder}-monday`, folder)
  expect([await use('a'), await use('b')]).toEqual(['again', 'first'])
})
