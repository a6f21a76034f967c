import { type Batch, createSqliteAttempts, createSqliteIdempotency, createSqliteStorage, createSqliteStore } from 'hallpass/sqlite' // prettier-ignore
import { storeContract } from 'hallpass/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withoutSite } from '../support/databases/names-site.js'
import { openSqlite, type TestSqlite } from '../support/databases/sqlite.js'

let database: TestSqlite
beforeAll(async () => {
  database = await openSqlite()
})
afterAll(() => database.close())

/** Each text that the storages send, with parameters that it had. */
const sent = new Map<string, readonly (string | number | null)[]>()
const recording: Batch = (statements, isOver) => {
  for (const { sql, parameters } of statements) sent.set(sql, parameters)
  return database.batch(statements, isOver)
}

/** A step that reads a table, or all rows of a site in it that are alive. */
const IS_WHOLE =
  /\bSCAN (?!CONSTANT ROW|base|oldest|used|newest|sites|due|c\b|[fk]\d)|\(site=\?(?: AND (?:revoked_at=\?|redeemed_at=\?|due_at>\?))?\)$/

/** A statement about a person, and a step of it that reads rows of others: a client may have most of a site. */
const NAMES_PERSON = /\bsubject = \?/
const IS_OF_OTHERS =
  /^SEARCH hallpass_(?:grant|code|consent) (?!.*(?:subject|grant_id|code_hash|consent_key)=\?)/

/** Statements that may do so: what they read is small, or they stop at a limit. */
const MAY_BE_WHOLE: readonly RegExp[] = [
  /(?:from|update) hallpass_(?:clock|key) (?:set .* )?where site = \?/,
  // In the order of an index, up to a limit.
  /from hallpass_grant g .* order by created_at desc, grant_id limit \?/,
  /from hallpass_outbox where site = \? order by seq limit \?/,
  // After a restore: requests of ten minutes, and any consent.
  /hallpass_pending where site = \? and created_at < \?/,
  /hallpass_consent where site = \? and \? is not null/,
  // The first attempt of a site.
  /from hallpass_attempt it where it\.site = sites\.site order by it\.last_at limit 1\)/,
  // Attempts are bounded, and searched for a part of their text.
  /from hallpass_attempt where site = \? (?:and instr\(|order by place desc limit|\))/,
]

it('finds few rows by an index, in each statement of each method [SQL-08]', async () => {
  for (const { run } of storeContract((site) => createSqliteStore({ batch: recording, site })))
    await run()
  const keys = createSqliteIdempotency({ batch: recording, site: 'plans' })
  await keys.begin({ keyHash: 'key', requestHash: 'r', now: 1, expiresAt: 2 })
  await keys.finish({ keyHash: 'key', answer: { status: 200, headers: [], body: '' } })
  await keys.abandon('key')
  const attempts = createSqliteAttempts({ batch: recording, site: 'plans' })
  const query = { search: 'a', clientId: 'app', outcome: null, before: null, limit: 1, now: 1 }
  await attempts.find('att_1')
  await attempts.list(query)
  await attempts.list({ ...query, search: null, clientId: null })
  await attempts.purge({ before: 1, limit: 1 })
  await attempts.erase(['a'])
  const ofSites = new Set(sent.keys())
  const storage = createSqliteStorage({ batch: recording })
  await storage.purge({ now: 1, limit: 1 })
  for (const having of ['events', 'keys', 'due keys'] as const)
    await storage.listSites({ having, createdBefore: 1, after: '', limit: 1 })
  expect(sent.size).toBeGreaterThan(100)
  const seen = new Set<RegExp>()
  const whole: string[] = []
  for (const [text, parameters] of sent) {
    const sql = text.replaceAll(/\s+/g, ' ')
    const allowed = MAY_BE_WHOLE.find((one) => one.test(sql))
    for (const { detail } of database.rows(`explain query plan ${text}`, ...parameters))
      if (
        IS_WHOLE.test(String(detail)) ||
        (NAMES_PERSON.test(sql) && IS_OF_OTHERS.test(String(detail)))
      ) {
        if (allowed === undefined) whole.push(`${String(detail)}: ${sql}`)
        else seen.add(allowed)
      }
  }
  expect(whole).toEqual([])
  expect(MAY_BE_WHOLE.filter((one) => !seen.has(one))).toEqual([])
  // Only what is done to all sites may leave out the site, so that tables can be spread by it.
  expect([...ofSites].filter((sql) => withoutSite(sql).length > 0)).toEqual([])
})

it('has the site in every unique key, but for the number of an event', () => {
  const keys = database.rows(
    `select m.name as its, i.name as name, group_concat(c.name) as columns from sqlite_master m
     join pragma_index_list(m.name) i join pragma_index_info(i.name) c
     where m.type = 'table' and i."unique" = 1 group by m.name, i.name`,
  )
  expect(keys.length).toBeGreaterThan(12)
  expect(keys.filter(({ columns }) => !/\bsite\b/.test(String(columns)))).toEqual([])
  // SQLite numbers rows by their key only, and one file is never spread.
  const numbered = database.rows(`select name from sqlite_master where sql like '%autoincrement%'`)
  expect(numbered).toEqual([{ name: 'hallpass_outbox' }])
})
