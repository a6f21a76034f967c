import {
  createMysqlStore,
  fromPool,
  fromTransaction,
  isMysqlMigrated,
  migrateMysql,
  type MysqlBatch,
} from 'hallpass/mysql'
import { createConnectedApps } from 'hallpass/clients'
import { storeContract, testSite } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { migrateBy } from '../../src/mysql/migrate.js'
import { MYSQL_MIGRATIONS } from '../../src/mysql/dialect.js'
import { mysqlOf } from '../../src/mysql/options.js'
import { clientSample, codeSample, eventSample, hash, T } from '../../src/store-contract/samples.js'
import { VERBS } from '../support/databases/every-verb.js'
import { HOSTILE, type MariadbServer, startMariadb } from '../support/databases/mariadb-server.js'
import { waitFor } from '../support/processes/wait.js'
import { checksOver } from './checks.js'
import { mysqlOn, openPool, type Pool } from './mysql-pool.js'

let server: MariadbServer
let pool: Pool
let batch: MysqlBatch
beforeAll(async () => {
  server = await startMariadb()
  pool = openPool(server.socketPath)
  batch = fromPool(pool)
  await migrateMysql({ batch })
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})

const storeOver = (its: MysqlBatch, site: string) =>
  createMysqlStore({ batch: its, site, chance: () => 0 })

/** The error of mysql2 with a number. */
const numbered = (errno: number): Error => Object.assign(new Error(`number ${errno}`), { errno })
const cut = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

/** A batch that fails once, at the statement of a number, counted from 0 in each call. */
function failingAt(
  broken: number,
  fault: () => Error,
): { batch: MysqlBatch; hasFailed: () => boolean } {
  let hasFailed = false
  return {
    hasFailed: () => hasFailed,
    batch: (work, isSingle) => {
      let number = 0
      return batch(
        (run) =>
          work((sql, parameters) => {
            if (hasFailed || number++ !== broken) return run(sql, parameters)
            hasFailed = true
            throw fault()
          }),
        isSingle,
      )
    },
  }
}

describe('MariaDB', () => {
  for (const { name, run } of checksOver(mysqlOn(() => batch))) it(name, run)

  it('keeps a client identifier of 2048 bytes, and cuts none that is longer', async () => {
    const store = storeOver(batch, 'é'.repeat(127))
    const clientId = `https://${'é'.repeat(1020)}`
    expect(await store.insertClient(clientSample({ clientId }), [eventSample()])).toBe('inserted')
    expect((await store.findClient(clientId))?.clientId).toBe(clientId)
    const longer = clientSample({ clientId: `${clientId}a` })
    await expect(store.insertClient(longer)).rejects.toThrow('too long')
    const elsewhere = storeOver(batch, 'é'.repeat(128))
    await expect(elsewhere.insertClient(clientSample(), [eventSample()])).rejects.toThrow(
      'too long',
    )
    expect(await store.listEvents({ limit: 9 })).toHaveLength(1)
  })
})

describe('a server whose settings suit hallpass least', () => {
  let hostile: MariadbServer
  let its: Pool
  beforeAll(async () => {
    hostile = await startMariadb(HOSTILE)
    // The pool as well.
    its = openPool(hostile.socketPath, {
      rowsAsArray: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      flags: ['-FOUND_ROWS'],
      timezone: '-09:30',
    })
    await migrateMysql({ batch: fromPool(its) })
  })
  afterAll(async () => {
    await its.end()
    await hostile.stop()
  })
  for (const { name, run } of checksOver(mysqlOn(() => fromPool(its)))) it(name, run)
})

describe('a server that refuses for now', () => {
  let its: MariadbServer
  let root: Pool
  beforeAll(async () => {
    its = await startMariadb(['--max-connections=10', '--max-user-connections=50'])
    // Root may always connect, and write where the server only reads.
    root = openPool(its.socketPath, { connectionLimit: 1 })
    await root.query("create user app@localhost identified via mysql_native_password using ''")
    await root.query('grant all on school.* to app@localhost')
    await migrateMysql({ batch: fromPool(root) })
  })
  afterAll(async () => {
    await root.end()
    await its.stop()
  })
  const openApp = (options: object = {}): Pool =>
    openPool(its.socketPath, { user: 'app', ...options })
  /** Uses so many keys at the same time, and returns how many were used now for the first time. */
  async function use(pool: Pool, name: string, count = 40): Promise<number> {
    const store = createMysqlStore({ batch: fromPool(pool), site: 'refused' })
    const keys = Array.from({ length: count }, (_, n) => ({
      key: hash(`${name} ${n}`),
      until: T + 60,
    }))
    const outcomes = await Promise.all(keys.map((key) => store.useOnce(key)))
    return outcomes.filter((outcome) => outcome === 'first').length
  }

  const ACCOUNT = 'alter user app@localhost with max_user_connections'
  it.each([
    ['1040', 'do 0', 'do 0', 7, 10],
    // The server counts those that it has not let in yet against the connections of all, so these ask for few.
    ['1203', 'set global max_user_connections = 7', 'set global max_user_connections = 50', 5, 4],
    ['1226', `${ACCOUNT} 7`, `${ACCOUNT} 0`, 5, 4],
  ])(
    'answers 40 requests by the connections that there are: %s [MY-08]',
    async (errno, limit, lift, taken, connectionLimit) => {
      // A server counts a connection for a moment after it was closed.
      const count = "show status like 'Threads_connected'"
      await waitFor(async () => Number((await root.query(count))[0][0]!['Value']) === 1)
      await root.query(limit)
      onTestFinished(async () => void (await root.query(lift)))
      const others = openApp()
      const held = await Promise.all(Array.from({ length: taken }, () => others.getConnection()))
      const app = openApp({ connectionLimit })
      let refused: unknown
      const watched: Pool = {
        ...app,
        getConnection: () =>
          app.getConnection().catch((fault: unknown) => {
            refused = fault
            throw fault
          }),
      }
      expect(await use(watched, errno)).toBe(40)
      expect(refused).toMatchObject({ errno: Number(errno) })

      for (const connection of held) connection.release()
      await Promise.all([app.end(), others.end()])
    },
  )

  it('lets a process start that has every table, if it only reads [MY-09]', async () => {
    await root.query('set global read_only = 1')
    const app = openApp()
    const batch = fromPool(app)
    await migrateMysql({ batch })
    expect(await isMysqlMigrated({ batch })).toBe(true)
    await expect(use(app, 'read only', 1)).rejects.toMatchObject({ errno: 1290 })
    await root.query('set global read_only = 0')
    expect(await use(app, 'read only', 1)).toBe(1)
    await app.end()
  })
})

it('prepares a statement again while its tables are altered again and again: 1615 [MY-03]', async () => {
  const failures: unknown[] = []
  const watched: MysqlBatch = (work, isSingle) =>
    batch(work, isSingle).catch((fault: { errno?: number }) => {
      failures.push(fault.errno)
      throw fault
    })
  const store = createMysqlStore({ batch: watched, site: 'altered' })
  const isSeen = (): boolean => failures.includes(1615)
  const others = openPool(server.socketPath)
  const altering = ['client', 'grant', 'refresh_token'].map(async (table) => {
    for (let n = 0; !isSeen(); n++)
      await others.query(`alter table hallpass_${table} comment '${table} ${n}'`)
  })
  const reading = Array.from({ length: 6 }, async () => {
    while (!isSeen()) expect(await store.findRefreshToken(hash('none'))).toBeNull()
  })
  await Promise.all([...altering, ...reading])
  await others.end()
})

describe('people whose identifiers begin with one number', () => {
  const people = ['7', '07', '7e0', '7-mei', ' 7', '70', 'mem_7']
  const people0 = ['mem_a', 'mem_b', '0']

  it('are not taken for each other, whatever a host passes in place of a string [ST-15]', async () => {
    const { site, tokenFor } = testSite({ store: storeOver(batch, 'seven') })
    for (const subject of [...people, ...people0]) await tokenFor({ subject }, 'account:read')
    const apps = createConnectedApps(site)
    const left = async (): Promise<readonly string[]> =>
      (await site.store.listGrants({ of: 'everyone', after: null, limit: 99, now: site.now() }))
        .map(({ grant }) => grant.subject)
        .toSorted()
    const all = await left()
    expect(all).toEqual([...people, ...people0].toSorted())

    // What the database itself would find.
    const where =
      "select count(*) as found from hallpass_grant where site = 'seven' and subject = ?"
    const found = async (id: number): Promise<unknown> => (await pool.query(where, [id]))[0]
    expect([await found(7), await found(0)]).toEqual([[{ found: 5 }], [{ found: 4 }]])

    for (const subject of [7, 0, 7n, null, undefined, Buffer.from('7'), true] as never[]) {
      const ended = { subject, clientId: 'test-member' }
      await expect(apps.disconnect(ended)).rejects.toThrow('createConnectedApps: disconnect')
      await expect(apps.list(subject)).rejects.toThrow('createConnectedApps: list')
      await expect(
        site.store.revokeGrants({ ...ended, revokedAt: T, revokedReason: 'test' }),
      ).rejects.toThrow('revokeGrants was given subject')
    }
    expect(await left()).toEqual(all)
    expect(await apps.disconnect({ subject: '7', clientId: 'test-member' })).toBe(1)
    expect(await left()).toEqual(all.filter((subject) => subject !== '7'))
  })
})

/** The pool, whose transactions have an isolation level that is set behind the settings of hallpass. */
const at = (level: string): MysqlBatch =>
  fromPool({
    async getConnection() {
      const connection = await pool.getConnection()
      return {
        async query(sql) {
          if (sql === 'start transaction')
            await connection.query(`set session transaction isolation level ${level}`)
          return connection.query(sql)
        },
        execute: (statement) => connection.execute(statement),
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      }
    },
  })

describe('another isolation level', () => {
  const { store } = mysqlOn(() => at('serializable'))
  for (const { name, run } of storeContract((site) => store(site))) it(name, run)

  it('is refused if it reads old rows', async () => {
    const { migrate } = mysqlOn(() => at('repeatable read'))
    await expect(migrate()).rejects.toThrow(
      'set session transaction isolation level read committed',
    )
  })
})

describe.each(Object.entries(VERBS))('%s', (verb, its) => {
  const used = async (_: string, [name]: string[]) => ({
    rows: (await pool.query('select 1 from hallpass_use where use_key = ?', [name]))[0],
  })
  const event = eventSample({ id: verb })

  it('writes nothing if any of its statements fails, and is made once after a conflict', async () => {
    for (let broken = 0, isOver = false; !isOver; broken++) {
      const site = `${verb} ${broken}`
      const safe = storeOver(batch, site)
      await its.prepare(safe, site)
      const failing = failingAt(broken, () => numbered(1234))
      const outcome = await its
        .call(storeOver(failing.batch, site), site, [event])
        .catch((fault: Error) => fault.message)
      isOver = !failing.hasFailed()
      expect(outcome).toEqual(isOver ? its.won : 'number 1234')
      expect(await its.isWritten(safe, site, used)).toBe(isOver)
      if (isOver) break
      expect(await safe.listEvents({ limit: 9 })).toEqual([])
      const conflicting = failingAt(broken, () => numbered([1213, 1205, 1020, 1615][broken % 4]!))
      expect(await its.call(storeOver(conflicting.batch, site), site, [event])).toEqual(its.won)
      expect((await safe.listEvents({ limit: 9 })).length).toBeLessThan(2)
    }
  })

  it.each(['before', 'after'])(
    'says that it won, or rejects, if its answer is lost %s the commit',
    async (when) => {
      const site = `${verb} ${when}`
      const safe = storeOver(batch, site)
      await its.prepare(safe, site)
      let left = 1
      const lossy: MysqlBatch = async (work, isSingle) => {
        if (left-- <= 0) return batch(work, isSingle)
        if (when === 'before') throw cut()
        await batch(work, isSingle)
        throw cut()
      }
      const outcome = await its
        .call(storeOver(lossy, site), site, [event])
        .catch((fault: Error) => fault.message)
      expect([its.won, 'read ECONNRESET']).toContainEqual(outcome)
      if (when === 'before' || (its.isRecognized && verb !== 'issueCode without one'))
        expect(outcome).toEqual(its.won)
      expect(await its.isWritten(safe, site, used)).toBe(true)
      expect((await safe.listEvents({ limit: 9 })).length).toBeLessThan(2)
    },
  )
})

describe('a transaction of the host', () => {
  const code = codeSample({ codeHash: hash('shared') })
  async function inTransaction(
    work: (
      store: ReturnType<typeof createMysqlStore>,
      query: (sql: string) => Promise<unknown>,
    ) => Promise<unknown>,
    { site = 'shared', begins = true, settings = 'do 0' } = {},
  ): Promise<unknown> {
    const connection = await pool.getConnection()
    try {
      await connection.query('set session transaction isolation level read committed')
      await connection.query(settings)
      if (begins) await connection.beginTransaction()
      const store = createMysqlStore({ batch: fromTransaction(connection), site })
      const result = await work(store, (sql) => connection.query(sql))
      await connection.commit()
      return result
    } catch (fault) {
      await connection.rollback()
      throw fault
    } finally {
      connection.destroy()
    }
  }
  const own = async () => (await pool.query('select * from host'))[0].length
  beforeAll(async () => {
    await pool.query('create table host (a int) engine=InnoDB')
  })
  const issue = (store: ReturnType<typeof createMysqlStore>) =>
    store.issueCode({ code, pendingIdHash: null, consentKey: null }, [eventSample()])

  it('is committed or rolled back with what hallpass stores in it', async () => {
    const after = storeOver(batch, 'shared')
    await expect(
      inTransaction(async (store, query) => {
        await query('insert into host values (1)')
        expect(await issue(store)).toBe('issued')
        expect(await store.findCode(code.codeHash)).not.toBeNull()
        throw new Error('the host changes its mind')
      }),
    ).rejects.toThrow('changes its mind')
    expect([await own(), await after.findCode(code.codeHash), await after.listEvents({ limit: 1 })]).toEqual([0, null, []]) // prettier-ignore
    await inTransaction(async (store, query) => {
      await query('insert into host values (1)')
      // Of several calls at the same time each is whole.
      expect(await Promise.all([issue(store), store.useOnce({ key: 'a', until: T }), store.useOnce({ key: 'a', until: T })])).toEqual(['issued', 'first', 'again']) // prettier-ignore
    })
    expect(await own()).toBe(1)
    expect(await after.findCode(code.codeHash)).not.toBeNull()
  })

  it('keeps nothing of a batch that failed, and what came before it', async () => {
    await inTransaction(
      async (store) => {
        await store.useOnce({ key: 'a', until: T })
        const longer = clientSample({ clientId: 'a'.repeat(2049) })
        await expect(store.insertClient(longer, [eventSample()])).rejects.toThrow('too long')
        expect(await store.useOnce({ key: 'b', until: T })).toBe('first')
      },
      { site: 'failed' },
    )
    const after = storeOver(batch, 'failed')
    expect(await after.listEvents({ limit: 1 })).toEqual([])
    expect(await after.useOnce({ key: 'b', until: T })).toBe('again')
  })

  it('is required, and is strict', async () => {
    await expect(inTransaction(issue, { begins: false })).rejects.toThrow(
      'call beginTransaction first',
    )
    const level = 'set session transaction isolation level repeatable read'
    await expect(inTransaction(issue, { settings: level })).rejects.toThrow('read committed')
    const lenient = inTransaction(issue, { settings: `set session sql_mode = ''` })
    await expect(lenient).rejects.toThrow('sql_mode')
  })

  it('ends with a deadlock: no later call writes outside of it', async () => {
    const site = 'deadlock'
    const other = await pool.getConnection()
    await pool.query('insert into host values (100), (200)')
    await pool.query('alter table host add key (a)')
    await other.beginTransaction()
    // MariaDB rolls back the one that has changed less.
    await other.query(`insert into host select seq from seq_1000_to_2000`)
    await other.query('update host set a = a where a = 100')
    const lost = inTransaction(
      async (store, query) => {
        await store.useOnce({ key: 'a', until: T })
        await query('update host set a = a where a = 200')
        const blocked = other.query('update host set a = a where a = 200')
        await expect(query('update host set a = a where a = 100')).rejects.toThrow('Deadlock')
        await blocked
        await expect(store.useOnce({ key: 'b', until: T })).rejects.toThrow('beginTransaction')
        throw new Error('the host repeats it')
      },
      { site },
    )
    await expect(lost).rejects.toThrow('repeats it')
    await other.rollback()
    other.release()
    const after = storeOver(batch, site)
    for (const key of ['a', 'b']) expect(await after.useOnce({ key, until: T })).toBe('first')
  })
})

describe('migrations', () => {
  const withDatabase = async (name: string, work: (its: Pool) => Promise<void>): Promise<void> => {
    await pool.query(`create database ${name}`)
    const its = openPool(server.socketPath, { database: name })
    try {
      await work(its)
    } finally {
      await its.end()
    }
  }
  const next = {
    version: MYSQL_MIGRATIONS.length + 1,
    name: 'next',
    compatibleFrom: 1,
    statements: [
      'alter table hallpass_grant add column later varbinary(255)',
      'create index hallpass_grant_later on hallpass_grant (site, later)',
      'create table hallpass_later (a bigint) engine=InnoDB',
      'alter table hallpass_grant drop index hallpass_grant_newest',
    ],
  }

  it('are made once by four processes that begin together, and again by none', () =>
    withDatabase('together', async (its) => {
      const pools = [1, 2, 3, 4].map(() => openPool(server.socketPath, { database: 'together' }))
      await Promise.all(pools.map((one) => migrateMysql({ batch: fromPool(one) })))
      await Promise.all(pools.map((one) => one.end()))
      expect((await its.query('select * from hallpass_migration order by version'))[0]).toEqual(
        MYSQL_MIGRATIONS.map(({ version }) => ({ version, compatible_from: 1 })),
      )
      expect(await mysqlOn(() => fromPool(its)).isMigrated()).toBe(true)
    }))

  it('continue where one ended, at whichever statement', () =>
    withDatabase('half', async (its) => {
      const target = mysqlOf({ batch: fromPool(its) })
      const all = MYSQL_MIGRATIONS[0]!.statements
      for (let done = 1; done < all.length; done += 7)
        await expect(
          migrateBy(target, [
            { version: 1, name: 'first', statements: [...all.slice(0, done), 'create nothing'] },
          ]),
        ).rejects.toThrow('SQL syntax')
      await migrateBy(target, MYSQL_MIGRATIONS)
      for (let done = 1; done < next.statements.length; done++)
        await expect(
          migrateBy(target, [...MYSQL_MIGRATIONS, { ...next, statements: [...next.statements.slice(0, done), 'create nothing'] }]), // prettier-ignore
        ).rejects.toThrow('SQL syntax')
      await migrateBy(target, [...MYSQL_MIGRATIONS, next])
      expect((await its.query('select version from hallpass_migration'))[0]).toHaveLength(
        next.version,
      )
      // This version works on it.
      await migrateMysql({ batch: fromPool(its) })
    }))

  it('wait for a process that migrates, and give up after a bounded time', () =>
    withDatabase('busy', async (its) => {
      const other = await its.getConnection()
      await other.query(`select get_lock('hallpass_migration', 0)`)
      const target = mysqlOf({ batch: fromPool(its) })
      const waiting = migrateBy(target, MYSQL_MIGRATIONS)
      await other.query(`do sleep(4)`)
      await other.query(`do release_lock('hallpass_migration')`)
      await waiting
      other.release()
    }))
})

describe('a server that does not respond', () => {
  it('ends each call within seconds, and serves when it is back', async () => {
    const its = openPool(server.socketPath, { connectionLimit: 2 })
    const store = storeOver(fromPool(its), 'frozen')
    await store.findClient('a')
    await server.freeze()
    // Two hang in a statement, and one waits for a connection.
    const calls = [1, 2, 3].map(() => store.findClient('a').catch((fault: Error) => fault.message))
    expect(await Promise.all(calls)).toEqual(Array(3).fill('MySQL did not respond within 5000 milliseconds')) // prettier-ignore
    server.thaw()
    expect(await store.findClient('a')).toBeNull()
    await its.end()
  })
})
