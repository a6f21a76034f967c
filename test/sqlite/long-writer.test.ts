import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromSync, createSqliteStore, migrateSqlite } from 'hallpass/sqlite'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import sqlite from 'node-sqlite3-wasm'
import { afterAll, describe, expect, it } from 'vitest'
import { createDpopSchool } from '../support/school/dpop-school.js'
import { T } from '../support/school/school.js'
import { startModule } from '../support/processes/child.js'

const folder = mkdtempSync(join(tmpdir(), 'hallpass-writer-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CODES = 31

/** A file that counts the calls of a store which have not ended, those behind an answer included. */
async function openFile(afterRead: () => Promise<void>) {
  const place = join(folder, `${crypto.randomUUID()}.db`)
  const database = new sqlite.Database(place)
  const batch = fromSync({
    exec: (sql) => database.exec(sql),
    prepare: (sql) => ({
      all: (...parameters) => database.all(sql, parameters),
      run: (...parameters) => database.run(sql, parameters),
    }),
  })
  await migrateSqlite({ batch })
  const calls = new Set<Promise<unknown>>()
  const own = createSqliteStore({ batch, site: 'school', now: () => T })
  const store = new Proxy(own, {
    get(target, name: keyof Store) {
      if (name === 'guarantees') return target.guarantees
      return (...parameters: never[]) => {
        const called = (target[name] as (...all: never[]) => Promise<unknown>)(...parameters)
        const call = name === 'findCode' ? called.then((found) => afterRead().then(() => found)) : called // prettier-ignore
        calls.add(call)
        call.then(() => calls.delete(call), () => calls.delete(call)) // prettier-ignore
        return call
      }
    },
    ownKeys: (target) => Reflect.ownKeys(target),
  })
  const idle = async (): Promise<void> => {
    while (calls.size > 0) await Promise.allSettled(calls)
  }
  return { place, store, idle, close: () => database.close() }
}

describe('beside a process that writes for long, on SQLite', () => {
  it('redeems no code behind an answer of 503, and each one afterwards [F-49]', async () => {
    // The driver of the test reads nothing either while another one writes, so the writer begins after that.
    let begin: () => Promise<void> = async () => {}
    const { place, store, idle, close } = await openFile(() => begin())
    const school = await createDpopSchool({ store, callDeadlineMilliseconds: 400 })
    const codes = Array.from({ length: CODES }, (_, index) => `code ${index}`)
    for (const code of ['before', ...codes]) await school.issue(code)
    expect((await school.redeem('before')).status).toBe(200)
    const writer = await startModule('writing-file.ts', [place])
    let writing: Promise<unknown> | null = null
    begin = async () => {
      if (writing === null) {
        writing = writer.message()
        writer.child.send('begin')
      }
      await writing
    }

    const answers = await Promise.all(codes.map((code) => school.redeem(code)))
    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 503))
    const causes = school.faults.map(({ fault }) => String((fault as Error).cause))
    expect(causes).toEqual(codes.map(() => expect.stringContaining('database is locked')))
    expect(answers.map(({ body }) => (body as unknown as { error_description: string }).error_description)).toEqual(
      codes.map(() => 'the service is temporarily unavailable: try again shortly'),
    ) // prettier-ignore

    begin = async () => {}
    writer.child.send('end')
    await writer.ended
    await idle()
    for (const code of codes)
      expect((await store.findCode(hashToken(code)))?.redeemedAt, code).toBeNull()
    for (const code of codes) expect((await school.redeem(code)).status, code).toBe(200)
    close()
  }, 60_000)
})
