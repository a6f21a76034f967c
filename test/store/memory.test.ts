import type { AuthorizationCode } from 'hallpass/policy'
import { createMemoryStore, type Store } from 'hallpass/store'
import { storeContract, withLatency } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { pendingSample } from '../../src/store-contract/samples.js'
import { emptyTables } from '../../src/store/memory.js'
import { DESK_CLI, GRANT } from '../support/school/policy-samples.js'
import { STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'

const PENDING = pendingSample()

describe('the memory store [ST-02]', () => {
  for (const check of storeContract(() => createMemoryStore())) it(check.name, check.run)
})

describe('the memory store, over a slow network', () => {
  const checks = storeContract(() => withLatency(createMemoryStore()))
  for (const check of checks.filter(({ isRace }) => isRace)) it(check.name, check.run)
})

describe('a client that was deleted before anybody used it', () => {
  it('leaves an identifier that nobody gets again, however often the memory store is purged', async () => {
    const store = createMemoryStore()
    await store.insertClient(DESK_CLI)
    await store.replaceClient({ ...DESK_CLI, revision: 2, deletedAt: T })
    await store.purge({ now: T + 400 * 86_400, limit: 100 })
    expect(await store.insertClient(DESK_CLI)).toBe('exists')
  })
})

describe('the indexes of the memory store', () => {
  const YEAR = 365 * 86_400
  const hash = (name: string): string => name.padEnd(43, '_')

  async function exchange(store: Store, name: string, at: number): Promise<void> {
    const grant = { ...GRANT, grantId: name, createdAt: at, expiresAt: at + YEAR }
    const { grantId, scopes } = grant
    const { clientId, subject, resource, redirectUri } = grant
    const code: AuthorizationCode = {
      codeHash: hash(name),
      grantId,
      clientId,
      subject,
      scopes,
      resource,
      resourceSent: true,
      redirectUri,
      codeChallenge: hash('challenge'),
      grantEndsAt: null,
      nonce: null,
      authTime: null,
      issuedAt: at,
      expiresAt: at + 60,
      redeemedAt: null,
    }
    const token = { tokenHash: hash(name), grantId, issuedAt: at }
    await store.issueCode({ code, pendingIdHash: null, consentKey: `key ${name}` })
    await store.redeemCode({
      codeHash: code.codeHash,
      redeemedAt: at,
      grant,
      accessToken: { ...token, scopes, expiresAt: at + 3600, revokedAt: null },
      refreshToken: { ...token, expiresAt: at + YEAR, rotation: null },
    })
  }

  it('let no list, revocation or purge walk a table', async () => {
    const tables = emptyTables()
    const store = createMemoryStore(tables)
    await store.insertClient(STUDY_BUDDY)
    for (const name of ['a', 'b', 'c']) await exchange(store, name, T)
    const walked: string[] = []
    for (const [name, rows] of Object.entries(tables)) {
      if (name === 'clients') continue
      const walk = (): never => {
        walked.push(name)
        throw new Error(`walked ${name}`)
      }
      Object.assign(rows, { keys: walk, values: walk, entries: walk, forEach: walk })
      Object.defineProperty(rows, Symbol.iterator, { value: walk })
    }
    const { clientId } = STUDY_BUDDY
    const { subject } = STUDENT
    const page = { after: null, limit: 10, now: T }
    const revoked = { clientId, revokedAt: T, revokedReason: 'person_revoked' }
    const person = await store.listGrants({ ...page, of: { subject } })
    const client = await store.listGrants({ ...page, of: { clientId } })
    const list = await store.listClients({ ...page, kinds: ['member'], search: null })
    expect([person.length, client.length, list]).toEqual([
      3,
      3,
      [{ client: { ...STUDY_BUDDY, usedAt: T }, people: 1, lastIssuedAt: T }],
    ])
    expect(await store.revokeGrants({ ...revoked, subject })).toBe(3)
    expect(await store.revokeGrantsOfClient(revoked)).toBe(0)
    const purge = { now: T + YEAR, limit: 100 }
    expect(await store.purge(purge)).toEqual({ rows: 12, dueSince: null })
    expect(walked).toEqual([])
  })

  it('find the oldest rows, whatever the order in which they came', async () => {
    const store = createMemoryStore()
    for (const [number, seconds] of [30, 10, 20, 10].entries()) {
      const idHash = hash(`${number} ${seconds}`)
      await store.savePending({ ...PENDING, idHash, expiresAt: T + seconds })
    }
    const purge = async (limit: number, now = T + 20): Promise<unknown> =>
      await store.purge({ now, limit })
    expect(await purge(1)).toEqual({ rows: 1, dueSince: T + 10 })
    expect(await purge(1)).toEqual({ rows: 1, dueSince: T + 20 })
    expect(await purge(5)).toEqual({ rows: 1, dueSince: null })
    expect(await purge(5)).toEqual({ rows: 0, dueSince: null })
    expect(await purge(5, T + 30)).toEqual({ rows: 1, dueSince: null })
  })

  it('let other work run during a purge of many rows, which deletes as many as it may', async () => {
    const store = createMemoryStore()
    for (let number = 0; number < 1200; number++)
      await store.savePending({ ...PENDING, idHash: hash(`${number}`), expiresAt: T + number })
    let turns = 0
    let isRunning = true
    const count = (): void => {
      turns++
      if (isRunning) setImmediate(count)
    }
    setImmediate(count)
    const purged = await store.purge({ now: T + 1200, limit: 1000 })
    isRunning = false
    expect(purged).toEqual({ rows: 1000, dueSince: T + 1000 })
    expect(turns).toBeGreaterThanOrEqual(4)
    expect(await store.purge({ now: T + 1200, limit: 1000 })).toEqual({ rows: 200, dueSince: null })
  })

  it('keep a row whose end was moved, and count none that is gone', async () => {
    const store = createMemoryStore()
    const pending = { ...PENDING, idHash: hash('moved'), expiresAt: T + 10 }
    await store.savePending(pending)
    await store.savePending({ ...pending, expiresAt: T + 40 })
    await store.savePending({ ...pending, idHash: hash('ended') })
    await store.endPending(hash('ended'))
    expect(await store.purge({ now: T + 39, limit: 1 })).toEqual({ rows: 0, dueSince: null })
    expect(await store.findPending(hash('moved'))).toMatchObject({ expiresAt: T + 40 })
    expect(await store.purge({ now: T + 40, limit: 1 })).toEqual({ rows: 1, dueSince: null })
  })

  it('are built when they are first read, over tables that hold rows', async () => {
    const tables = emptyTables()
    await exchange(createMemoryStore(tables), 'old', T)
    const store = createMemoryStore(tables)
    await exchange(store, 'new', T + 5)
    const { subject } = STUDENT
    const listed = await store.listGrants({
      of: { subject },
      after: null,
      limit: 10,
      now: T + 6,
    })
    expect(listed.map(({ grant, lastIssuedAt }) => [grant.grantId, lastIssuedAt])).toEqual([
      ['new', T + 5],
      ['old', T],
    ])
    expect(await store.purge({ now: T + YEAR, limit: 9 })).toEqual({ rows: 6, dueSince: null })
    expect(await store.findRefreshToken(hash('new'))).not.toBeNull()
  })
})
