import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromD1, fromDurableObject, fromLibsql, fromSync } from 'hallpass/sqlite'
import sqlite from 'node-sqlite3-wasm'
import { describe, expect, it, onTestFinished } from 'vitest'

type Value = string | number | null
const QUERY = { sql: 'select a from b where c = ?', parameters: ['d'] }
const CHANGE = { sql: 'delete from b where c = ?', parameters: [1] }
const END = { sql: 'update b set c = ?', parameters: [null] }

/** A driver that writes down what it is told. */
function driver({ reader, failing }: { reader?: boolean; failing?: string } = {}) {
  const log: string[] = []
  const note = (text: string): void => {
    log.push(text)
    if (text === failing) throw new Error(`failed: ${text}`)
  }
  let prepared = 0
  return {
    log,
    countPrepared: () => prepared,
    exec: note,
    prepare(sql: string) {
      prepared++
      const isReader = sql.startsWith('select')
      return {
        ...(reader === false && { reader: isReader }),
        all(...parameters: Value[]) {
          if (reader === false && !isReader) throw new Error('This statement does not return data')
          note(`${sql} ${JSON.stringify(parameters)}`)
          return isReader ? [{ a: 1 }] : []
        },
        run: (...parameters: Value[]) => note(`${sql} ${JSON.stringify(parameters)}`),
      }
    },
  }
}
const SET_UP = ['pragma busy_timeout = 0', 'pragma journal_mode = wal', 'pragma journal_size_limit = 4194304', 'pragma wal_autocheckpoint = 250', 'pragma synchronous = full', 'pragma database_list []'] // prettier-ignore
const LOGGED = ['select a from b where c = ? ["d"]', 'delete from b where c = ? [1]', 'update b set c = ? [null]'] // prettier-ignore

describe('a synchronous driver', () => {
  it('waits for the disk, never inside of SQLite, and copies and cuts its log [SQL-03, SQL-07, SQL-10]', async () => {
    const database = driver()
    const batch = fromSync(database)
    expect(database.log).toEqual([])
    expect(await batch([QUERY])).toEqual([[{ a: 1 }]])
    expect(await batch([QUERY])).toEqual([[{ a: 1 }]])
    expect(database.log).toEqual([...SET_UP, LOGGED[0], LOGGED[0]])
    const normal = driver()
    await fromSync(normal, { synchronous: 'normal' })([QUERY])
    expect(normal.log).toContain('pragma synchronous = normal')
  })

  it.each([[true], [false]])(
    'runs a batch as one transaction: reader %s [SQL-01]',
    async (reader) => {
      const database = driver({ reader })
      const batch = fromSync(database)
      expect(await batch([QUERY, CHANGE, END])).toEqual([[{ a: 1 }], [], []])
      expect(await batch([QUERY, CHANGE, END], () => false)).toEqual([[{ a: 1 }], [], []])
      const whole = ['begin immediate', ...LOGGED, 'commit']
      expect(database.log).toEqual([...SET_UP, ...whole, LOGGED[0], ...whole])
      expect(database.countPrepared()).toBe(4)
    },
  )

  it('neither reads nor acknowledges anything once its file was replaced, moved or deleted [SQL-09]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hallpass-replaced-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'school.db')
    const database = new sqlite.Database(file)
    onTestFinished(() => database.close())
    let atCommit = (): void => {}
    const batch = fromSync({
      exec(sql) {
        database.exec(sql)
        if (sql === 'commit') atCommit()
      },
      prepare: (sql) => ({
        all: (...parameters) => database.all(sql, parameters),
        run: (...parameters) => database.run(sql, parameters),
      }),
    })
    const table = { sql: 'create table if not exists note (text)', parameters: [] }
    const change = { sql: 'insert into note values (?) returning text', parameters: ['a'] }
    expect(await batch([table, change])).toEqual([[], [{ text: 'a' }]])
    atCommit = () => renameSync(file, `${file}.old`)
    expect(() => batch([table, change])).toThrow(`${file} was moved or deleted`)
    atCommit = () => {}
    writeFileSync(file, '')
    expect(() => batch([change])).toThrow(`${file} was replaced while this process has`)
    renameSync(`${file}.old`, file)
    expect(await batch([change])).toEqual([[{ text: 'a' }]])
  })

  it('takes no turn to write if the first query says that there is nothing to change [SQL-03]', async () => {
    const database = driver()
    const rows: unknown[] = []
    const isOver = (found: readonly unknown[]): boolean => rows.push(...found) > 0
    expect(await fromSync(database)([QUERY, CHANGE, END], isOver)).toEqual([[{ a: 1 }]])
    expect(rows).toEqual([{ a: 1 }])
    expect(database.log).toEqual([...SET_UP, LOGGED[0]])
  })

  it('ends with the first query if another process was faster than the turn', async () => {
    const database = driver()
    const answers = [false, true]
    const results = await fromSync(database)([QUERY, CHANGE, END], () => answers.shift()!)
    expect(results).toEqual([[{ a: 1 }]])
    expect(database.log).toEqual([...SET_UP, LOGGED[0], 'begin immediate', LOGGED[0], 'commit'])
  })

  it.each([LOGGED[1]!, 'commit'])('rolls back what failed: %s [SQL-01]', async (failing) => {
    const database = driver({ failing })
    const run = async () => fromSync(database)([QUERY, CHANGE, END])
    await expect(run()).rejects.toThrow(`failed: ${failing}`)
    expect(database.log.slice(-2)).toEqual([failing, 'rollback'])
  })

  it('says what failed, even if SQLite rolled it back by itself', async () => {
    const database = driver({ failing: LOGGED[1]! })
    const exec = (sql: string): void => {
      if (sql === 'rollback') throw new Error('no transaction is active')
    }
    const run = async () => fromSync({ ...database, exec })([QUERY, CHANGE])
    await expect(run()).rejects.toThrow(`failed: ${LOGGED[1]}`)
  })

  it('is set up by a later batch if a file was locked', async () => {
    const database = driver({ failing: SET_UP[1]! })
    const batch = fromSync(database)
    const run = async () => batch([QUERY])
    await expect(run()).rejects.toThrow('failed')
    await expect(run()).rejects.toThrow('failed')
    expect(database.log).toEqual([...SET_UP.slice(0, 2), ...SET_UP.slice(0, 2)])
  })
})

describe('another driver', () => {
  it('is a binding of D1', async () => {
    const sent: unknown[] = []
    const batch = fromD1({
      prepare: (sql) => ({ bind: (...parameters) => ({ sql, parameters }) }),
      batch: async (statements) => {
        sent.push(...statements)
        return [{ results: [{ a: 1 }] }, { results: [] }]
      },
    })
    expect(await batch([QUERY, CHANGE])).toEqual([[{ a: 1 }], []])
    expect(sent).toEqual([QUERY, CHANGE])
  })

  it('is the storage of a Durable Object, within one transaction [SQL-01]', async () => {
    const log: string[] = []
    const batch = fromDurableObject({
      sql: {
        exec: (sql, ...parameters) => ({
          toArray: () => {
            log.push(`${sql} ${JSON.stringify(parameters)}`)
            return []
          },
        }),
      },
      transactionSync(work) {
        log.push('begin')
        const result = work()
        log.push('commit')
        return result
      },
    })
    expect(await batch([QUERY, CHANGE])).toEqual([[], []])
    expect(await batch([QUERY, CHANGE], (rows) => rows.length === 0)).toEqual([[]])
    expect(log).toEqual(['begin', LOGGED[0], LOGGED[1], 'commit', 'begin', LOGGED[0], 'commit'])
  })

  it('is a client of libSQL, which writes', async () => {
    const sent: unknown[] = []
    const batch = fromLibsql({
      batch: async (statements, mode) => {
        sent.push(mode, ...statements)
        return [{ rows: [{ a: 1 }] }, { rows: [] }]
      },
    })
    expect(await batch([QUERY, CHANGE])).toEqual([[{ a: 1 }], []])
    expect(sent).toEqual(['write', { sql: QUERY.sql, args: ['d'] }, { sql: CHANGE.sql, args: [1] }])
  })
})
