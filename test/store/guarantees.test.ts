import { readFileSync } from 'node:fs'
import { defineSite, OptionsError } from 'hallpass'
import { createHealthEndpoints } from 'hallpass/operations'
import { createMysqlStore } from 'hallpass/mysql'
import { createPostgresStore } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { type Batch, createSqliteStore, fromD1, fromDurableObject, fromLibsql, fromSync } from 'hallpass/sqlite' // prettier-ignore
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite, withFault, withLatency } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { afterAll, describe, expect, it } from 'vitest'
import { createTelemetry } from 'hallpass-opentelemetry'
import { openSqlite } from '../support/databases/sqlite.js'
import { coreOf } from '../support/school/stores.js'
import { ROOT } from '../support/source/root.js'

const guaranteesOf = (batch: Batch): Store['guarantees'] =>
  createSqliteStore({ batch, site: 'school' }).guarantees
const file = { exec: () => {}, prepare: () => ({ all: () => [{ file: '/srv/school.db' }], run: () => {} }) } // prettier-ignore
const prepared = { bind: () => prepared }
const binding = { prepare: () => prepared, batch: async () => [{ results: [] }] }
const storage = {
  sql: { exec: () => ({ toArray: () => [] }) },
  transactionSync: <Result>(work: () => Result): Result => work(),
}
const libsql = (protocol: string) => ({ protocol, batch: async () => [{ rows: [] }] })
const inMemory = await openSqlite()
afterAll(() => inMemory.close())
const execute = async () => ({ rows: [] })

/** Each row of the table, as the stores say it. */
const STORES: Readonly<Record<string, Store['guarantees']>> = {
  '`createPostgresStore`, unless its option `guarantees` says otherwise': createPostgresStore({
    execute,
    site: 'school',
  }).guarantees,
  '`createMysqlStore`, unless its option `guarantees` says otherwise': createMysqlStore({
    batch: (work) => work(async () => []),
    site: 'school',
  }).guarantees,
  '`fromSync`, a file': guaranteesOf(fromSync(file)),
  "`fromSync`, a file, `synchronous: 'normal'`": guaranteesOf(
    fromSync(file, { synchronous: 'normal' }),
  ),
  '`fromSync`, `:memory:`': guaranteesOf(inMemory.batch),
  '`fromD1`': guaranteesOf(fromD1(binding)),
  '`fromDurableObject`': guaranteesOf(fromDurableObject(storage)),
  '`fromLibsql`, a file': guaranteesOf(fromLibsql(libsql('file'))),
  '`fromLibsql`, Turso': guaranteesOf(fromLibsql(libsql('http'))),
  'a `Batch` of yours, unless its `guarantees` say otherwise': guaranteesOf(() => []),
  '`createMemoryStore`': createMemoryStore().guarantees,
}

describe('the table of docs/do/store.md', () => {
  it('has what each store declares [ST-13]', () => {
    const page = readFileSync(`${ROOT}docs/do/store.md`, 'utf8').replaceAll(/ +/g, ' ')
    for (const [name, { acknowledged, reads, clock, processes }] of Object.entries(STORES))
      expect(page).toContain(`| ${name} | ${acknowledged} | ${reads} | ${clock} | ${processes} |`)
  })
})

describe('the guarantees of a store', () => {
  const { issuer, name, scopes, roles, findPerson } = testSite().site
  const mistakesOf = (store: unknown): string => {
    try {
      defineSite({ issuer, name, scopes, roles, findPerson, store: store as Store })
    } catch (fault) {
      expect(fault).toBeInstanceOf(OptionsError)
      return (fault as OptionsError).mistakes.join('\n')
    }
    return ''
  }
  const { guarantees } = createMemoryStore()
  const declared = (own: unknown): unknown => ({ ...createMemoryStore(), guarantees: own })

  it('are asked for by a site, by words that say what to write [ST-13]', () => {
    expect(mistakesOf(createMemoryStore())).toBe('')
    expect(mistakesOf(declared(undefined))).toBe(
      'store lacks guarantees: say what the store promises, such as { acknowledged: "survives a power failure", reads: "latest", clock: "own", processes: "many" }. docs/do/store.md has the words',
    )
    for (const wrong of [null, 'many', [], 3])
      expect(mistakesOf(declared(wrong))).toMatch(/^store\.guarantees must be what the store promises, such as/) // prettier-ignore
    expect(mistakesOf(declared({ ...guarantees, processes: 'several' }))).toBe(
      'store.guarantees.processes must be many or one computer or one, not "several"',
    )
    expect(mistakesOf(declared({ ...guarantees, acknowledged: undefined }))).toMatch(
      /^store\.guarantees\.acknowledged is missing: lost with the process or survives the process or/,
    )
    expect(mistakesOf(declared({ ...guarantees, read: 'latest' }))).toBe(
      'store.guarantees.read is not an option: did you mean reads?',
    )
  })

  it('of a replica are refused, whatever else they are [ST-13]', () => {
    expect(mistakesOf(declared({ ...guarantees, reads: 'replica' }))).toBe(
      'store.guarantees.reads is "replica": a revoked token would be accepted until the replica has the revocation, so read from the primary',
    )
  })

  it('name a clock only if the store has the group for it', () => {
    expect(mistakesOf(declared({ ...guarantees, clock: 'own' }))).toBe('')
    const core = coreOf(createMemoryStore())
    expect(mistakesOf({ ...core, guarantees: { ...guarantees, clock: 'own' } })).toBe(
      'store.guarantees.clock is "own", so the store needs the group "clock"',
    )
    expect(mistakesOf({ ...core, guarantees })).toBe('')
  })

  it('are passed on by the site and by each wrapper, and are not those of a later change', () => {
    const store = { ...createMemoryStore(), guarantees: { ...guarantees } }
    const { site } = testSite({ store })
    expect(site.store.guarantees).toEqual(guarantees)
    Object.assign(store.guarantees, { reads: 'replica' })
    expect(site.store.guarantees).toEqual(guarantees)
    const own = createMemoryStore()
    expect(withLatency(own).guarantees).toEqual(guarantees)
    expect(withFault(own, { method: 'findClient' }).guarantees).toEqual(guarantees)
    expect(
      createTelemetry().site({ issuer, name, scopes, roles, findPerson, store: own }).store
        .guarantees,
    ).toEqual(guarantees)
  })

  it('of PostgreSQL are those of its settings, where the host says so', () => {
    const postgres = (own: object) => createPostgresStore({ execute, site: 'school', guarantees: own }).guarantees // prettier-ignore
    expect(postgres({ acknowledged: 'survives the computer', clock: undefined })).toEqual({
      acknowledged: 'survives the computer',
      reads: 'latest',
      clock: 'own',
      processes: 'many',
    })
    expect(() => postgres({ acknowledged: 'always' })).toThrow(
      'createPostgresStore: guarantees.acknowledged must be lost with the process or',
    )
  })

  it('of a Batch are its own, as a function of the host', () => {
    const own = { ...guarantees, processes: 'many' } as const
    expect(guaranteesOf(Object.assign(() => [], { guarantees: own }))).toEqual(own)
  })
})

describe('readiness with a store that is lost with the process', () => {
  const ask = async (issuer: string, store = createMemoryStore()): Promise<readonly string[]> => {
    const faults: string[] = []
    const site = defineSite({
      issuer,
      name: 'School',
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: async () => null,
      store,
      onFault: ({ endpoint, fault }) => faults.push(`${endpoint}: ${(fault as Error).message}`),
    })
    const keys = createKeyRing(site, { sealingSecret: 's'.repeat(32) })
    await keys.maintain()
    const { readyz, livez } = createHealthEndpoints(site, { keys })
    await livez(new Request(`${issuer}/livez`))
    for (let round = 0; round < 2; round++) {
      const response = await readyz(new Request(`${issuer}/readyz`))
      expect(await response.json()).toEqual({ status: 'ready', failing: [] })
    }
    return faults
  }

  it('tells the operator once, and nobody else [ST-13]', async () => {
    expect(await ask('https://school.example')).toEqual([
      'readyz: the store is lost with the process: its end takes every client, grant and key with it. Pass a store whose rows are in a database: docs/do/store.md',
    ])
    expect(await ask('http://localhost:3000')).toEqual([])
    const kept = {
      ...createMemoryStore().guarantees,
      acknowledged: 'survives the process',
    } as const
    expect(await ask('https://school.example', { ...createMemoryStore(), guarantees: kept })).toEqual([]) // prettier-ignore
  })
})
