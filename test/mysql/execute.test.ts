import { createMysqlStore, fromPool, fromTransaction } from 'hallpass/mysql'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const numbered = (errno: number): Error => Object.assign(new Error(`number ${errno}`), { errno })
const SET_UP = [
  'set session transaction isolation level read committed, read write',
  expect.stringMatching(/autocommit = 1.*innodb_lock_wait_timeout = 1.*STRICT_ALL_TABLES/s),
  'set session wsrep_sync_wait = 1',
]
const set = (name: string, value: string): object => ({ Variable_name: name, Value: value })
const STRICT = [
  set('sql_mode', 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES'),
  set('transaction_isolation', 'READ-COMMITTED'),
]

/** A connection that writes down what it is asked. `answer` may throw, or never resolve. */
function connection(answer: (sql: string) => unknown = () => [{ a: 1 }]) {
  const log: string[] = []
  const note = async (sql: string): Promise<unknown> => {
    log.push(sql)
    return [await answer(sql), 'fields']
  }
  return {
    log,
    query: note,
    execute: ({ sql, values, ...options }: { sql: string; values: unknown[] }) => {
      expect(options).toEqual({ rowsAsArray: false, nestTables: false, typeCast: true })
      return note(values.length === 0 ? sql : `${sql} ${JSON.stringify(values)}`)
    },
    release: () => void log.push('(released)'),
    destroy: () => void log.push('(destroyed)'),
  }
}
const poolOf = (...connections: ReturnType<typeof connection>[]) => ({
  getConnection: async () => connections.shift()!,
})
const failingOn =
  (text: string, fault: unknown) =>
  (sql: string): unknown => {
    if (sql.startsWith(text)) throw fault
    return []
  }

describe('a pool', () => {
  it('runs work within a transaction, after it has set the session once [MY-01]', async () => {
    const one = connection()
    const batch = fromPool(poolOf(one, one))
    expect(await batch(async (run) => [await run('a ?', ['b']), await run('c', [])], false)).toEqual([[{ a: 1 }], [{ a: 1 }]]) // prettier-ignore
    expect(await batch((run) => run('d', []), true)).toEqual([{ a: 1 }])
    expect(one.log).toEqual([...SET_UP, 'start transaction', 'a ? ["b"]', 'c', 'commit', '(released)', 'd', '(released)']) // prettier-ignore
  })

  it('knows a connection by what it is a view of', async () => {
    const session = {}
    const views = [1, 2].map(() => ({ ...connection(), connection: session }))
    const batch = fromPool(poolOf(...views))
    for (const _ of views) await batch((run) => run('d', []), true)
    expect(views.map(({ log }) => log.length)).toEqual([5, 2])
  })

  it('takes a server that has no cluster, and closes a connection that cannot be set', async () => {
    const mysql = connection(failingOn('set session wsrep', numbered(1193)))
    await fromPool(poolOf(mysql))((run) => run('d', []), true)
    expect(mysql.log.at(-1)).toBe('(released)')
    for (const what of ['set session transaction', 'set session autocommit', 'set session wsrep']) {
      const broken = connection(failingOn(what, numbered(1227)))
      const failed = fromPool(poolOf(broken))((run) => run('d', []), true)
      await expect(failed).rejects.toThrow('number 1227')
      expect(broken.log.at(-1)).toBe('(destroyed)')
    }
  })

  it('rolls back after a conflict, and closes the connection after another failure [MY-01]', async () => {
    for (const [text, errno, end] of [
      ['a', 1213, ['rollback', '(released)']],
      ['commit', 1213, ['rollback', '(released)']],
      ['a', 1062, ['(destroyed)']],
      ['commit', 1180, ['(destroyed)']],
    ] as const) {
      const one = connection(failingOn(text, numbered(errno)))
      await expect(fromPool(poolOf(one))((run) => run('a', []), false)).rejects.toThrow(`${errno}`)
      expect(one.log.slice(-1 - end.length)).toEqual([text, ...end])
    }
    const lost = connection((sql) => {
      if (sql === 'a') throw numbered(1205)
      if (sql === 'rollback') throw new Error('it is gone')
    })
    await expect(fromPool(poolOf(lost))((run) => run('a', []), false)).rejects.toThrow('1205')
    expect(lost.log.slice(-2)).toEqual(['rollback', '(destroyed)'])
  })
})

describe('a server that gives no further connection', () => {
  it.each([1040, 1203, 1226])(
    'lends one after the other, of those that it gave: %s [MY-08]',
    async (errno) => {
      const one = connection()
      const free = [one]
      let refused = 0
      const pool = {
        async getConnection() {
          const found = free.pop()
          if (found !== undefined) return { ...found, release: () => void free.push(one) }
          refused++
          throw numbered(errno)
        },
      }
      const batch = fromPool(pool)
      const work = Array.from({ length: 40 }, (_, n) =>
        batch(async (run) => (await run(`${n}`, []), n), false),
      )
      expect(await Promise.all(work)).toEqual(Array.from({ length: 40 }, (_, n) => n))
      expect(refused).toBe(39)
      free.pop()
      // With none in use there is nothing to wait for here: the store tries again.
      await expect(batch(async () => {}, true)).rejects.toThrow(`${errno}`)
    },
  )
})

describe('calls that wait for a connection', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A pool of one connection, which is lent until `end` is called; further ones are refused. */
  function onlyOne() {
    const one = connection()
    const free = [one]
    const batch = fromPool({
      async getConnection() {
        const found = free.pop()
        if (found === undefined) throw numbered(1040)
        return { ...found, release: () => void free.push(one), destroy: () => {} }
      },
    })
    let end: (value: unknown) => void
    const held = batch(() => new Promise((resolve) => (end = resolve)), true)
    return { batch, held, end: (value?: unknown) => end(value) }
  }

  it('leave their turn to the next, if they no longer wait [MY-08]', async () => {
    const { batch, held, end } = onlyOne()
    await vi.advanceTimersByTimeAsync(0)
    const first = expect(batch(async () => 'first', true)).rejects.toThrow('1040')
    await vi.advanceTimersByTimeAsync(3000)
    const second = batch(async () => 'second', true)
    await vi.advanceTimersByTimeAsync(2500)
    await first
    end()
    expect([await held, await second]).toEqual([undefined, 'second'])
  })

  it('are all told when none is left to wait for [MY-08]', async () => {
    const { batch, held, end } = onlyOne()
    await vi.advanceTimersByTimeAsync(0)
    const others = ['a', 'b', 'c'].map((text) =>
      expect(batch(async () => text, true)).rejects.toThrow('1040'),
    )
    await vi.advanceTimersByTimeAsync(0)
    const lost = expect(held).rejects.toThrow('lost')
    end(Promise.reject(new Error('lost')))
    await Promise.all([lost, ...others])
  })
})

describe('a server that does not respond', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const never = new Promise<never>(() => {})
  const settled = async (work: Promise<unknown>, milliseconds: number): Promise<unknown> => {
    let outcome: unknown = 'waiting'
    void work.then(
      () => (outcome = 'done'),
      (fault: Error) => (outcome = fault.message),
    )
    await vi.advanceTimersByTimeAsync(milliseconds)
    return outcome
  }
  const LATE = 'MySQL did not respond within 5000 milliseconds'

  it.each(['set session', 'start transaction', 'a', 'commit'])(
    'ends the call and the connection after 5 seconds: %s [MY-04]',
    async (text) => {
      const one = connection((sql) => (sql.startsWith(text) ? never : []))
      const call = fromPool(poolOf(one))((run) => run('a', []), false)
      expect(await settled(call, 4999)).toBe('waiting')
      expect(await settled(call, 1)).toBe(LATE)
      expect(one.log.at(-1)).toBe('(destroyed)')
    },
  )

  it('may take 10 minutes to change the schema', async () => {
    const one = connection((sql) => (sql.startsWith('create') ? never : []))
    const call = fromPool(poolOf(one))((run) => run('create index a on b (c)', []), false)
    expect(await settled(call, 599_999)).toBe('waiting')
    expect(await settled(call, 1)).toContain('600000')
  })

  it('leaves no connection behind that a pool gives too late [MY-04]', async () => {
    const one = connection()
    let give: (one: object) => void = () => {}
    const pool = { getConnection: () => new Promise<never>((resolve) => (give = resolve as never)) }
    const call = fromPool(pool)((run) => run('a', []), true)
    expect(await settled(call, 5000)).toBe(LATE)
    give(one)
    await vi.advanceTimersByTimeAsync(0)
    expect(one.log).toEqual(['(released)'])
  })

  it('leaves no timer behind once it has responded', async () => {
    await fromPool(poolOf(connection()))((run) => run('a', []), false)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a transaction of the host', () => {
  const answer = (sql: string): unknown => (sql.startsWith('show') ? STRICT : [{ a: 1 }])
  const BEGUN = ['savepoint hallpass', 'rollback to savepoint hallpass']

  it('is checked once, and keeps a batch apart by a savepoint [MY-07]', async () => {
    const one = connection(answer)
    const batch = fromTransaction(one)
    expect(await batch((run) => run('q', []), true)).toEqual([{ a: 1 }])
    // They wait for each other.
    await Promise.all(['a', 'b'].map((name) => batch(async (run) => [await run(name, []), await run(name, [])], false))) // prettier-ignore
    expect(one.log).toEqual(['q', expect.stringMatching(/^show variables/), ...BEGUN, 'a', 'a', ...BEGUN, 'b', 'b']) // prettier-ignore
  })

  it('has nothing of a batch that failed, and continues [MY-07]', async () => {
    const one = connection((sql) => (sql === 'a' ? failingOn('a', numbered(1205))(sql) : answer(sql))) // prettier-ignore
    const batch = fromTransaction(one)
    await expect(batch((run) => run('a', []), false)).rejects.toThrow('1205')
    expect(one.log.at(-1)).toBe(BEGUN[1])
    expect(await batch((run) => run('b', []), false)).toEqual([{ a: 1 }])
  })

  it('is over when the server has ended it: nothing is written outside of it [MY-07]', async () => {
    let isOver = false
    const one = connection((sql) => {
      if (sql === 'a') {
        isOver = true
        throw numbered(1213)
      }
      return isOver && sql.startsWith('rollback') ? failingOn('', numbered(1305))(sql) : answer(sql)
    })
    const batch = fromTransaction(one)
    await expect(batch((run) => run('a', []), false)).rejects.toThrow('1213')
    const before = one.log.length
    for (const isSingle of [true, false])
      await expect(batch((run) => run('b', []), isSingle)).rejects.toThrow('1213')
    expect(one.log).toHaveLength(before)
    // A conflict would be tried again, for a second.
    const store = createMysqlStore({ batch, site: 'school', chance: () => expect.unreachable() })
    await expect(store.findClient('a')).rejects.toThrow('repeat it')
  })

  it.each([
    ['no transaction', 'call beginTransaction first', (sql: string) => (sql.startsWith('rollback') ? failingOn('', numbered(1305))(sql) : answer(sql))], // prettier-ignore
    ['a mode that cuts values', `sql_mode = 'STRICT_ALL_TABLES'`, () => [set('sql_mode', ''), STRICT[1]]], // prettier-ignore
    ['old rows', 'isolation level read committed', () => [STRICT[0], set('tx_isolation', 'REPEATABLE-READ')]], // prettier-ignore
    ['old rows of a cluster', 'wsrep_sync_wait = 1', () => [...STRICT, set('wsrep_on', 'ON'), set('wsrep_sync_wait', '0')]], // prettier-ignore
  ])('is refused with %s, before anything is written [MY-07]', async (_, message, its) => {
    const one = connection(its)
    await expect(fromTransaction(one)((run) => run('a', []), false)).rejects.toThrow(message)
    expect(one.log).not.toContain('a')
  })

  it('rejects with another failure of the savepoint as it is', async () => {
    const one = connection((sql) => (sql.startsWith('savepoint') ? failingOn('', numbered(2013))(sql) : answer(sql))) // prettier-ignore
    await expect(fromTransaction(one)((run) => run('a', []), false)).rejects.toThrow('2013')
  })
})
