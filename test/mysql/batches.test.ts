import { OptionsError } from 'hallpass'
import {
  createMysqlAttempts,
  createMysqlIdempotency,
  createMysqlStore,
  isMysqlMigrated,
  migrateMysql,
  type MysqlBatch,
} from 'hallpass/mysql'
import { StorageFailure } from 'hallpass/store'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MYSQL_MIGRATIONS } from '../../src/mysql/dialect.js'
import { migrateBy } from '../../src/mysql/migrate.js'
import { mysqlOf } from '../../src/mysql/options.js'
import {
  clientSample,
  codeSample,
  eventSample,
  redemption,
  rotation,
  T,
} from '../../src/store-contract/samples.js'

type Rows = readonly Readonly<Record<string, unknown>>[]
const numbered = (errno: number): Error => Object.assign(new Error(`number ${errno}`), { errno })

/** A batch that answers by the text of a statement, and the statements that it ran. */
function fake(
  answer: (sql: string, parameters: readonly unknown[]) => Rows | undefined = () => [],
) {
  const log: string[] = []
  const batch: MysqlBatch = (work) =>
    work(async (sql, parameters) => {
      log.push(sql.replaceAll(/\s+/g, ' '))
      return answer(sql, parameters) ?? { affectedRows: 1 }
    })
  return { log, batch }
}
const storeOver = (batch: MysqlBatch) =>
  createMysqlStore({ batch, site: 'fake', chance: () => 0, now: () => T })

/** The tables whose rows a batch locks, in its order, without repetition. */
function locksOf(log: readonly string[]): readonly string[] {
  const tables = log
    .filter((sql) => / for update\b|^insert into hallpass_turn|^update hallpass_grant set held/.test(sql))
    .flatMap((sql) => [...sql.matchAll(/(?:from|into|join|update) hallpass_(\w+)/g)].map(([, table]) => table!)) // prettier-ignore
  return tables.filter((table, index) => tables.indexOf(table) === index)
}

describe('a batch on MySQL', () => {
  it.each([
    [
      'rotateRefreshToken',
      () => [{ revoked_at: null, successor_hash: null }],
      (batch: MysqlBatch) => storeOver(batch).rotateRefreshToken(rotation('a', 'b')),
      ['grant', 'refresh_token'],
    ],
    [
      'redeemCode',
      () => [{ redeemed_at: null }],
      (batch: MysqlBatch) => storeOver(batch).redeemCode(redemption()),
      ['code'],
    ],
    [
      'issueCode',
      () => [{ one: 1 }],
      (batch: MysqlBatch) =>
        storeOver(batch).issueCode({ code: codeSample(), pendingIdHash: 'a', consentKey: 'b' }),
      ['turn', 'erasure', 'pending'],
    ],
    [
      'revokeGrants',
      keys,
      (batch: MysqlBatch) =>
        storeOver(batch).revokeGrants({
          clientId: 'a',
          subject: 'b',
          revokedAt: T,
          revokedReason: 'c',
        }),
      ['turn', 'consent', 'code', 'grant'],
    ],
    [
      'revokeAllGrants',
      keys,
      (batch: MysqlBatch) =>
        storeOver(batch).revokeAllGrants({
          issuedBefore: T,
          revokedAt: T,
          revokedReason: 'c',
          limit: 9,
        }),
      ['pending', 'consent', 'code', 'grant'],
    ],
    [
      'erasePerson',
      keys,
      (batch: MysqlBatch) =>
        storeOver(batch).erasePerson({ subject: 'a', loginHints: ['b'], erasedAt: T }, []),
      ['turn', 'pending', 'consent', 'code', 'grant'],
    ],
  ] as const)('locks in the order of all others: %s [MY-02]', async (_, answer, call, order) => {
    const { log, batch } = fake((sql) => answer(sql))
    await call(batch)
    expect(locksOf(log)).toEqual(order)
  })

  it('changes the rows that it locked by their keys, and no others [MY-02]', async () => {
    const { log, batch } = fake(keys)
    const counts = await storeOver(batch).erasePerson({ subject: 'a', loginHints: [], erasedAt: T })
    expect(counts).toEqual({ consents: 2, codes: 2, grants: 2, pending: 0 })
    for (const table of ['consent', 'code', 'grant', 'access_token', 'refresh_token'])
      expect(log).toContainEqual(expect.stringMatching(`^delete from hallpass_${table} using hallpass_${table} force index \\(primary\\) where site = \\? and \\w+ in \\(`)) // prettier-ignore
    expect(log.filter((sql) => /^(?:delete|update).*\(select/.test(sql))).toEqual([])
    // Tokens go while their grant is locked, and before it.
    const at = (text: string): number => log.findIndex((sql) => sql.startsWith(text))
    expect(at('delete from hallpass_grant')).toBeGreaterThan(
      at('delete from hallpass_access_token'),
    )
  })

  it('has few texts of lists, whatever their length is', async () => {
    const lengths = new Set<number>()
    const { batch } = fake((sql, parameters) => {
      if (sql.startsWith('delete')) lengths.add(parameters.length - 1)
      if (sql.startsWith('select count')) return [{ number: 0, due_at: 0 }]
      if (!sql.startsWith('select seq')) return keys(sql)
      const number = Number(parameters.at(-1))
      return sql.includes('for update')
        ? parameters.slice(2).map((seq) => ({ seq: seq as number }))
        : Array.from({ length: number }, (_, seq) => ({ seq }))
    })
    for (const limit of [1, 2, 10, 11, 90, 95]) await storeOver(batch).purge({ now: T, limit })
    expect([...lengths].toSorted((a, b) => a - b)).toEqual([1, 10, 90])
  })

  it('takes the turns of all persons where the person is not known, and no other [MY-02]', async () => {
    const numbersIn = (parameters: readonly unknown[]): readonly number[] =>
      parameters.filter((one): one is number => typeof one === 'number')
    const taken = async (subject: string | null): Promise<readonly number[]> => {
      let numbers: readonly number[] = []
      const { batch } = fake((sql, parameters) => {
        if (sql.includes('hallpass_turn')) numbers = numbersIn(parameters)
        return []
      })
      const ended = { clientId: 'a', revokedAt: T, revokedReason: 'c' }
      await (subject === null
        ? storeOver(batch).revokeGrantsOfClient(ended)
        : storeOver(batch).revokeGrants({ ...ended, subject }))
      return numbers
    }
    const all = Array.from({ length: 64 }, (_, index) => 64 + index)
    expect(await taken(null)).toEqual(all)
    const [one, ...others] = await taken('b')
    expect([all.includes(one!), others]).toEqual([true, []])
    const { batch } = fake((sql, parameters) => {
      if (sql.includes('hallpass_turn'))
        for (const number of numbersIn(parameters)) expect(number).toBeLessThan(64)
      return []
    })
    await storeOver(batch).insertClient(clientSample())
    expect.assertions(3)
  })

  it('ends with the query that says that another one won', async () => {
    const { log, batch } = fake((sql) => (sql.startsWith('select') ? [{ redeemed_at: 1 }] : []))
    expect(await storeOver(batch).redeemCode(redemption())).toBe('spent')
    expect(log).toHaveLength(1)
    const used = fake((sql) => (sql.startsWith('select') ? [{ one: 1 }] : []))
    expect(await storeOver(used.batch).useOnce({ key: 'a', until: T })).toBe('again')
    expect(used.log).toEqual([expect.stringContaining('hallpass_turn'), expect.stringContaining('for update')]) // prettier-ignore
  })

  it('keeps an event once, and cuts nothing of it', async () => {
    const { log, batch } = fake()
    await storeOver(batch).insertClient(clientSample(), [eventSample()])
    const [kept] = log.filter((sql) => sql.includes('into hallpass_outbox'))
    expect(kept).toMatch(/^insert into .* on duplicate key update hallpass_outbox.seq = hallpass_outbox.seq$/) // prettier-ignore
    expect(log.filter((sql) => sql.includes('ignore'))).toEqual([])
  })

  it('reads bytes as text, with the mark of an order of bytes', async () => {
    const client = { ...clientSample(), name: '\uFEFFé\0' }
    const { batch } = fake(() => [{ client: Buffer.from(JSON.stringify(client)), client_used_at: null }]) // prettier-ignore
    expect((await storeOver(batch).findClient('a'))?.name).toBe('\uFEFFé\0')
  })

  it.each([[['fields']], [[1]], [[null]], [[[{ a: 1 }], []]]])(
    'refuses rows that are none: %j',
    async (rows) => {
      const { batch } = fake(() => rows as never)
      await expect(storeOver(batch).findClient('a')).rejects.toThrow(TypeError)
    },
  )
})

/** Answers a query of keys, and the query that locks them. */
function keys(sql: string): Rows {
  const [, key] = /^select (\w+) from/.exec(sql.trim()) ?? []
  return key === undefined ? [] : [{ [key]: 'one' }, { [key]: 'other' }]
}

describe('an error of MySQL', () => {
  const callsOf = async (fault: unknown): Promise<{ calls: number; failure: unknown }> => {
    let calls = 0
    const batch: MysqlBatch = async () => {
      calls++
      throw fault
    }
    const failure = await storeOver(batch)
      .redeemCode(redemption())
      .catch((one: unknown) => one)
    return { calls, failure }
  }

  describe('that is a conflict', () => {
    beforeEach(
      () => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }),
    )
    afterEach(() => void vi.useRealTimers())

    it.each([
      ...[1213, 1205, 1020, 1615, 1040, 1203, 1226].map((errno) => ({ errno })),
      { code: 'ECONNREFUSED' },
      { code: 'ENOENT' },
    ])('is tried again for 1.4 seconds: %o [MY-03]', async (cause) => {
      let calls = 0
      const batch: MysqlBatch = async () => {
        calls++
        // As long as it waits for a lock.
        vi.advanceTimersByTime(300)
        throw Object.assign(new Error(), { cause: Object.assign(new Error(), cause) })
      }
      const failed = expect(storeOver(batch).redeemCode(redemption())).rejects.toMatchObject({ cause }) // prettier-ignore
      await vi.runAllTimersAsync()
      await failed
      expect(calls).toBe(5)
    })
  })

  it.each([1047, 1053, 1079, 1152, 1158, 1160, 1180, 1927, 2006, 2013, 2055, 3169, 4031])(
    'of a lost answer is run again twice: %s [MY-03]',
    async (errno) => expect((await callsOf(numbered(errno))).calls).toBe(3),
  )
  it.each(['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE'])(
    'of a lost connection is run again twice: %s [MY-03]',
    async (code) =>
      expect((await callsOf(Object.assign(new Error('lost'), { code }))).calls).toBe(3),
  )
  it('of a connection that was closed before is run again twice', async () => {
    const closed = new Error("Can't add new command when connection is in closed state")
    expect((await callsOf(closed)).calls).toBe(3)
  })

  it.each([
    numbered(1062),
    numbered(1406),
    Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' }),
    new Error('MySQL did not respond within 5000 milliseconds'),
  ])('that is certain, or took too long, is not run again: %s', async (fault) => {
    expect(await callsOf(fault)).toEqual({ calls: 1, failure: fault })
  })

  it.each([1146, 1054])('of a missing table names migrateMysql: %s [SQL-05]', async (errno) => {
    const { failure } = await callsOf(numbered(errno))
    expect(failure).toBeInstanceOf(StorageFailure)
    expect(failure).toMatchObject({ message: expect.stringContaining('call migrateMysql') })
  })

  it('after a lost answer is settled by the row that only this caller can have written [MY-03]', async () => {
    for (const [mine, outcome] of [
      [[{ one: 1 }], 'redeemed'],
      [[], 'spent'],
    ] as const) {
      const { batch } = fake((sql) =>
        sql.includes('hallpass_access_token') ? mine : [{ redeemed_at: 1 }],
      )
      let calls = 0
      const lossy: MysqlBatch = async (work, isSingle) => {
        if (calls++ === 0) throw numbered(2013)
        return batch(work, isSingle)
      }
      expect(await storeOver(lossy).redeemCode(redemption())).toBe(outcome)
    }
  })
})

describe('a storage on MySQL', () => {
  it('is not created without a site, nor with an option that does not exist', () => {
    const { batch } = fake()
    for (const create of [createMysqlStore, createMysqlIdempotency, createMysqlAttempts]) {
      expect(() => create({ batch } as never)).toThrow(OptionsError)
      expect(() => create({ batch, site: 'a', place: 'b' } as never)).toThrow('place')
    }
  })
})

describe('the migrations of MySQL', () => {
  const VERSIONS = MYSQL_MIGRATIONS.map(({ version }) => version)

  /** A database that has what was created. */
  function database({ fails = () => {} }: { fails?: (sql: string) => void } = {}) {
    const made = new Set<string>()
    let version: number[] = []
    let isLocked = true
    const log: string[] = []
    const target = fake((sql, parameters) => {
      fails(sql)
      const [what] =
        /(?:create table if not exists|create (?:unique )?index) (\w+)/.exec(sql)?.slice(1) ?? []
      if (what !== undefined) {
        if (sql.includes('index') && made.has(what)) throw numbered(1061)
        log.push(what)
        made.add(what)
      }
      if (sql.includes('get_lock')) return [{ locked: isLocked ? 1 : 0 }]
      if (sql.startsWith('insert into hallpass_migration')) version.push(parameters[0] as number)
      if (!sql.startsWith('select version')) return []
      if (!made.has('hallpass_migration')) throw numbered(1146)
      const found = sql.includes('where') ? version.filter((one) => one === parameters[0]) : version
      return found.map((one) => ({ version: one, compatible_from: one }))
    })
    return {
      ...target,
      made,
      created: log,
      version: () => version,
      holdLock: () => (isLocked = false),
      reset: () => (version = []),
      run: () => migrateBy(mysqlOf({ batch: target.batch }), MYSQL_MIGRATIONS),
    }
  }

  it('hold a lock each, and store their version last [MY-05]', async () => {
    const one = database()
    await one.run()
    const [, ...steps] = one.log.filter((sql) => !sql.startsWith('select version'))
    const ofTable = /^(?:create (?:unique )?index|create table|alter table|drop index)/
    const kinds = steps.map((sql) => (ofTable.test(sql) ? 'change' : sql.slice(0, 20)))
    const each = ["select get_lock('hal", 'change', 'insert into hallpass', "do release_lock('hal"]
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual(
      MYSQL_MIGRATIONS.flatMap(() => each),
    )
    expect(one.version()).toEqual(VERSIONS)
    expect(one.made.size).toBe(one.created.length)
    // A second process finds them.
    await one.run()
    expect(one.made.size).toBe(one.created.length)
  })

  it('continue where they ended, and release the lock [MY-05]', async () => {
    let left = 20
    const one = database({
      fails: (sql) => {
        if (sql.includes('create') && left-- === 0) throw numbered(1114)
      },
    })
    await expect(one.run()).rejects.toThrow('1114')
    expect(one.log.findLast((sql) => !sql.startsWith('select version'))).toContain('release_lock')
    expect(one.version()).toEqual([])
    await one.run()
    expect(one.version()).toEqual(VERSIONS)
  })

  it('wait for another process for a bounded time [MY-05]', async () => {
    const one = database()
    one.holdLock()
    await expect(one.run()).rejects.toThrow('another process migrates')
    expect(one.log.filter((sql) => sql.includes('get_lock'))).toHaveLength(20)
    expect(one.made).toEqual(new Set(['hallpass_migration']))
  })

  it('are tried again after a conflict, as where a table is in use', async () => {
    let conflicts = 2
    const one = database({
      fails: (sql) => {
        if (sql.includes('hallpass_grant_due') && conflicts-- > 0) throw numbered(1205)
      },
    })
    await one.run()
    expect(one.version()).toEqual(VERSIONS)
  })

  it('are all there, or not', async () => {
    for (const version of [0, ...VERSIONS, VERSIONS.length + 1]) {
      const { batch } = fake(() => [{ version }])
      expect(await isMysqlMigrated({ batch })).toBe(version >= VERSIONS.length)
    }
  })
})

describe('migrateMysql refuses a batch', () => {
  const bytesOf = (text: string): string => Buffer.from(text).toString('hex').toUpperCase()
  const set = (name: string, value: string): Rows[number] => ({ Variable_name: name, Value: value })
  const settings: Rows = [
    set('sql_mode', 'STRICT_ALL_TABLES'),
    set('tx_isolation', 'READ-COMMITTED'),
  ]
  interface Broken {
    values?: (row: Record<string, unknown>) => Record<string, unknown>
    /** What the failing batch rejects with; `null` if it resolves. */
    fault?: unknown
    kept?: Rows
    settings?: Rows
  }
  /** What a good batch makes of the checks, but for one. */
  function checked({ values = (row) => row, fault = numbered(1264), ...its }: Broken): MysqlBatch {
    let deleted = false
    return fake((sql, parameters) => {
      const [text, nothing, , number] = parameters
      if (sql.includes('a_text'))
        return [values({ a_text: Buffer.from(text as string), no_text: nothing, bytes: bytesOf(text as string), number: String(number) })] // prettier-ignore
      if (sql.startsWith('insert') && (parameters[0] as number) < -1 && fault !== null) throw fault
      if (sql.startsWith('delete')) deleted = true
      if (sql.includes('version < 0')) return its.kept ?? []
      if (sql.startsWith('show')) return its.settings ?? settings
      if (sql.includes('get_lock')) throw new Error(`it passes, deleted ${String(deleted)}`)
      return []
    }).batch
  }

  it.each<[string, Broken, string]>([
    [
      'loses a byte at the end',
      { values: (row) => ({ ...row, a_text: 'é\u{1F512}\0' }) },
      'must keep',
    ],
    [
      'writes another character set',
      { values: (row) => ({ ...row, bytes: 'E93F00' }) },
      'must keep',
    ],
    ['makes a text of null', { values: (row) => ({ ...row, no_text: '' }) }, 'must keep'],
    [
      'returns rows as arrays',
      { values: (row) => Object.values(row) as never },
      'without rowsAsArray',
    ],
    ['loses a number', { values: (row) => ({ ...row, number: 1 }) }, 'must keep'],
    [
      'renames columns',
      { values: ({ a_text, ...row }) => ({ ...row, aText: a_text }) },
      'must keep',
    ],
    ['hides a failure', { fault: null }, 'must reject if a statement fails'],
    ['cuts what is too long', { fault: numbered(1146) }, 'sql_mode is not strict'],
    ['has an error without a number', { fault: new Error('failed') }, 'must reject with the errno'],
    ['keeps a part', { kept: [{ version: -1 }] }, 'must be one transaction'],
    [
      'reads old rows',
      { settings: [settings[0]!, set('transaction_isolation', 'REPEATABLE-READ')] },
      'read committed',
    ],
  ])('that %s [MY-06]', async (_, broken, message) => {
    const failure = await migrateMysql({ batch: checked(broken) }).catch((fault: unknown) => fault)
    expect(failure).toBeInstanceOf(TypeError)
    expect((failure as Error).message).toContain(message)
    expect((failure as Error).message).toContain('docs/do/mysql.md has the recipe')
  })

  it('and takes one that is right, or whose numbers are texts', async () => {
    await expect(migrateMysql({ batch: checked({}) })).rejects.toThrow('it passes, deleted false')
  })

  it('and passes on that the server is not there', async () => {
    const fault = Object.assign(numbered(2013), { message: 'lost' })
    await expect(migrateMysql({ batch: checked({ fault }) })).rejects.toBe(fault)
  })
})
