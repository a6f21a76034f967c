import { createPostgresIdempotency, createPostgresStore, type Execute } from 'hallpass/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  clientSample,
  codeSample,
  grantSample,
  keySample,
  pendingSample,
  redemption,
  rotation,
} from '../../src/store-contract/samples.js'
import type { Store, StoreMethod } from '../../src/store/store.js'
import { migrated } from '../support/databases/templates.js'
import { fillTables } from '../support/databases/many-rows.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const ROWS = 100_000
const SITE = 'school'
/** Long ago, so that nothing is due by the clock of the database, and everything by that of {@link LATER}. */
const NOW = 1_700_000_000
const LATER = NOW + 1000 * 86_400
/** As long as PostgreSQL plans a statement anew, before it compares the costs of a plan for all parameters. */
const CUSTOM_PLANS = 5

let database: TestDatabase
let pool: pg.Pool
/** Each statement with its parameters, as the store sent it. */
const sent = new Map<string, { name: string; parameters: unknown[] }>()

beforeAll(async () => {
  database = await startPostgres(migrated)
  pool = new pg.Pool({ connectionString: database.url, max: 1 })
  await fillTables(pool, { site: SITE, rows: ROWS, now: NOW })
})
afterAll(async () => {
  await pool.end()
  await database.stop()
})

/** Rolls every statement back, so that all of them meet the same rows. */
const watching: Execute = async (text, values, name) => {
  sent.set(text, { name: name!, parameters: values })
  await pool.query('begin')
  try {
    return await pool.query(text, values)
  } finally {
    await pool.query('rollback')
  }
}

/** Calls each method of the store with each form of its parameters. */
async function callAll(store: Store): Promise<void> {
  const one = { id: 'new', type: 'x', at: NOW }
  const page = { limit: 50, now: NOW }
  const place = { createdAt: NOW - 10, clientId: 'client 10', grantId: 'grant_10' }
  const ended = { revokedAt: NOW, revokedReason: 'x' }
  const [grantId, codeHash] = ['new', 'code10'.padEnd(43, '-')]
  const { accessToken, refreshToken, ...redeemed } = redemption()
  const redeeming = {
    ...redeemed,
    codeHash,
    grant: grantSample({ grantId }),
    accessToken: { ...accessToken, grantId },
    refreshToken: { ...refreshToken, grantId },
  }
  const rotating = { ...rotation('0', '1'), tokenHash: 'refresh11'.padEnd(43, '-') }
  const key = keySample({ state: 'active' })
  const [clientId, subject] = ['client 7', 'mem_7']
  const holders = ['everyone', { clientId }, { subject }, { clientId, subject }] as const
  const [mark, moved] = [NOW, NOW + 1].map((trustedAt) => ({ trustedAt, leap: null }))
  const calls: Readonly<Record<StoreMethod, readonly (() => Promise<unknown>)[]>> = {
    findClient: [() => store.findClient('client 7')],
    insertClient: [[], [one]].map((events) => () => store.insertClient(clientSample(), events)),
    replaceClient: [[], [one]].map(
      (events) => () =>
        store.replaceClient(clientSample({ clientId: 'client 7', revision: 2 }), events),
    ),
    listClients: [null, place].flatMap((after) =>
      [null, 'Client 9'].map(
        (search) => () =>
          store.listClients({ ...page, kinds: ['loopback', 'document'], search, after }),
      ),
    ),
    savePending: [() => store.savePending(pendingSample())],
    findPending: [() => store.findPending('p7'.padEnd(43, '-'))],
    endPending: [[], [one]].flatMap((events) =>
      [undefined, pendingSample()].map(
        (next) => () => store.endPending('p7'.padEnd(43, '-'), events, next),
      ),
    ),
    hasConsent: [() => store.hasConsent('c7'.padEnd(43, '-'))],
    issueCode: [[], [one]].map(
      (events) => () =>
        store.issueCode(
          { code: codeSample(), pendingIdHash: 'p7'.padEnd(43, '-'), consentKey: 'new' },
          events,
        ),
    ),
    findCode: [() => store.findCode('code10'.padEnd(43, '-'))],
    redeemCode: [[], [one]].map((events) => () => store.redeemCode(redeeming, events)),
    findRefreshToken: [() => store.findRefreshToken(rotating.tokenHash)],
    rotateRefreshToken: [[], [one]].map(
      (events) => () => store.rotateRefreshToken(rotating, events),
    ),
    findAccessToken: [() => store.findAccessToken('access7'.padEnd(43, '-'))],
    revokeAccessToken: [[], [one]].map(
      (events) => () =>
        store.revokeAccessToken({ tokenHash: 'access7'.padEnd(43, '-'), revokedAt: NOW }, events),
    ),
    revokeGrant: [[], [one]].map(
      (events) => () => store.revokeGrant({ grantId: grantSample().grantId, ...ended }, events),
    ),
    findGrant: [() => store.findGrant('grant_10')],
    widenGrant: [[], [one]].map(
      (events) => () => store.widenGrant({ grantId: 'grant_10', scopes: ['x'] }, events),
    ),
    revokeGrants: [[], [one]].map(
      (events) => () =>
        store.revokeGrants({ clientId: 'client 7', subject: 'mem_7', ...ended }, events),
    ),
    revokeGrantsOfClient: [[], [one]].map(
      (events) => () => store.revokeGrantsOfClient({ clientId: 'client 7', ...ended }, events),
    ),
    revokeAllGrants: [[], [one]].map(
      (events) => () =>
        store.revokeAllGrants({ issuedBefore: NOW + 1, limit: 1000, ...ended }, events),
    ),
    listGrants: [null, place].flatMap((after) =>
      holders.map((of) => () => store.listGrants({ ...page, of, after })),
    ),
    // Each round is rolled back, so that it finds the same rows again.
    erasePerson: [[], [one]].map(
      (events) => () =>
        store
          .erasePerson({ subject: 'mem_7', loginHints: ['a@b.example'], erasedAt: NOW }, events)
          .catch(() => {}),
    ),
    listEvents: [() => store.listEvents({ limit: 100 })],
    deleteEvents: [
      () => store.deleteEvents(Array.from({ length: 100 }, (_, index) => `event ${index}`)),
    ],
    listKeys: [() => store.listKeys()],
    insertKey: [() => store.insertKey(key)],
    moveKey: [[], [one]].map((events) => () => store.moveKey({ key, from: 'retiring' }, events)),
    findClock: [() => store.findClock()],
    moveClock: [null, mark!].flatMap((from) =>
      [[], [one]].map((events) => () => store.moveClock({ from, to: moved! }, events)),
    ),
    useOnce: [() => store.useOnce({ key: 'use 7', until: NOW, claim: 'one' })],
    giveBack: [() => store.giveBack({ key: 'use 7', claim: 'one' })],
    purge: [() => store.purge({ now: LATER, limit: 1000 })],
  }
  for (const forms of Object.values(calls)) for (const call of forms) await call()
}

const literal = (value: unknown): string =>
  value === null
    ? 'null'
    : typeof value === 'number'
      ? String(value)
      : pg.escapeLiteral(value as string)

/** The plans that PostgreSQL uses for the first runs of a prepared statement, and for those after. */
async function plansOf(text: string, parameters: unknown[]): Promise<readonly string[]> {
  const plans: string[] = []
  await pool.query(`prepare planned as ${text}`)
  const run = `execute planned${parameters.length > 0 ? `(${parameters.map(literal).join(', ')})` : ''}`
  for (let round = 0; round <= CUSTOM_PLANS; round++) {
    const { rows } = await pool.query<Record<'QUERY PLAN', string>>(`explain ${run}`)
    if (round === 0 || round === CUSTOM_PLANS)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
  }
  await pool.query('deallocate planned')
  return plans
}

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** The rows of tables that a plan has looked at. */
const visitedBy = ({ Plans = [], ...node }: Plan): number =>
  Plans.reduce((sum, one) => sum + visitedBy(one), 0) +
  (/Scan/.test(node['Node Type']) && node['Node Type'] !== 'Subquery Scan'
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0)

/** How many rows are visited for one that is returned: those of figures, on the average of a page. */
const MOST_VISITED = 20

describe('lists of a site of which one client has nine of ten grants', () => {
  beforeAll(async () => {
    await pool.query(
      'create table before_popular as select grant_id, client_id from hallpass_grant',
    )
    await pool.query(
      "update hallpass_grant set client_id = 'client 7' where right(grant_id, 1) <> '0'",
    )
    await pool.query('vacuum analyze hallpass_grant')
  })
  afterAll(async () => {
    await pool.query(
      'update hallpass_grant g set client_id = b.client_id from before_popular b where b.grant_id = g.grant_id',
    )
    await pool.query('drop table before_popular')
    await pool.query('vacuum analyze hallpass_grant')
  })

  it('visit as many rows as they return, times a constant [SQL-11]', async () => {
    const asked: { text: string; values: unknown[]; rows: number }[] = []
    const execute: Execute = async (text, values) => {
      const result = await pool.query(text, values)
      asked.push({ text, values, rows: result.rows.length })
      return result
    }
    const store = createPostgresStore({ execute, site: SITE })
    const page = { limit: 50, now: NOW, search: null }
    const [clientId, subject] = ['client 7', 'mem_7']
    for (const after of [
      null,
      { createdAt: NOW - 90_000, clientId: 'client 90000', grantId: 'grant_90000' },
    ]) {
      for (const kinds of [['loopback', 'document'], ['member'], ['vendor', 'loopback']] as const)
        await store.listClients({ ...page, kinds, after })
      for (const of of ['everyone', { clientId }, { subject }, { clientId, subject }] as const)
        await store.listGrants({ ...page, of, after })
    }
    const after = { createdAt: NOW - 6, clientId: '' }
    const [popular] = await store.listClients({ ...page, kinds: ['document'], after })
    expect([popular!.client.clientId, popular!.people]).toEqual([undefined, 100])
    expect(asked.length).toBe(15)
    const dear: unknown[] = []
    for (const { text, values, rows } of asked) {
      const {
        rows: [found],
      } = await pool.query<Record<'QUERY PLAN', readonly [{ Plan: Plan }]>>(
        `explain (analyze, timing off, format json) ${text}`,
        values,
      )
      const visited = visitedBy(found!['QUERY PLAN'][0].Plan)
      if (visited > MOST_VISITED * Math.max(1, rows)) dear.push({ visited, rows, text, values })
    }
    expect(dear).toEqual([])
  })
})

describe(`each statement of a store with ${ROWS} rows of each kind`, () => {
  it('finds its rows by an index, at its first run and with the plan that is kept [PG-10]', async () => {
    // Of this time, so that everything is due for purge.
    await callAll(
      createPostgresStore({ execute: watching, site: SITE, now: () => LATER, chance: () => 0 }),
    )
    const keys = createPostgresIdempotency({ execute: watching, site: SITE })
    const keyHash = 'k7'.padEnd(43, '-')
    await keys.begin({ keyHash, requestHash: 'r', now: NOW, expiresAt: NOW + 1 })
    await keys.finish({ keyHash, answer: { status: 200, headers: [], body: '' } })
    await keys.abandon(keyHash)
    expect(sent.size).toBeGreaterThan(50)
    const whole: string[] = []
    for (const [text, { name, parameters }] of sent)
      for (const plan of await plansOf(text, parameters))
        if (/Seq Scan/.test(plan)) whole.push(`${name}\n${text}\n${plan}`)
    expect(whole).toEqual([])
  })
})
