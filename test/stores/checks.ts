import type { IdempotencyStore } from 'hallpass/admin'
import type { AttemptStore } from 'hallpass/clients'
import {
  type Batch,
  createSqliteAttempts,
  createSqliteIdempotency,
  createSqliteStorage,
  createSqliteStore,
  isSqliteMigrated,
  migrateSqlite,
} from 'hallpass/sqlite'
import type { SiteStorage, Store } from 'hallpass/store'
import { storageContract, storeContract, withLatency } from 'hallpass/testing'

/** One promise, which `run` tries. */
export interface Check {
  readonly name: string
  readonly run: () => Promise<void>
}

const KEY = { keyHash: 'key', requestHash: 'request', now: 100, expiresAt: 150 }
const STEP = { at: 1, stage: 'authorize', ok: true, error: null, reason: null, requestId: null, detail: null, network: 'net' } as const // prettier-ignore
const NOTE = { id: 'a', joins: null, clientId: null, clientName: 'Müller', resource: null, scopes: [], network: 'net', grantId: null, steps: [STEP] } as const // prettier-ignore

function agree(found: unknown, wanted: unknown): void {
  const [one, other] = [found, wanted].map((value) => JSON.stringify(value))
  if (one !== other) throw new Error(`${one} in place of ${other}`)
}

type Through = Parameters<Parameters<typeof storeContract>[0]>[1]

/** What an entry has for a database that is open. */
export interface Storages {
  readonly store: (site: string, through?: Through) => Store
  readonly idempotency: (site: string) => IdempotencyStore
  readonly attempts: (site: string) => AttemptStore
  readonly storage: () => SiteStorage
  readonly migrate: () => Promise<void>
  readonly isMigrated: () => Promise<boolean>
  /** The errors of the database for a conflict, and for an answer that is lost. */
  readonly faults: { readonly conflict: () => unknown; readonly lost: () => unknown }
}

const same: Through = (executor) => executor

export const sqliteOn = (batch: () => Batch): Storages => ({
  store: (site, through = same) => createSqliteStore({ batch: through(batch()), site }),
  idempotency: (site) => createSqliteIdempotency({ batch: batch(), site }),
  attempts: (site) => createSqliteAttempts({ batch: batch(), site }),
  storage: () => createSqliteStorage({ batch: batch() }),
  migrate: () => migrateSqlite({ batch: batch() }),
  isMigrated: () => isSqliteMigrated({ batch: batch() }),
  faults: {
    conflict: () => new Error('database is locked'),
    lost: () => new Error('D1_ERROR: Network connection lost.'),
  },
})

/** Every check of the store with faults, its races with latency, and one of each other storage. It runs in workerd and Bun too. */
export const checksOver = (on: Storages): readonly Check[] => [
  ...storeContract((site, through) => on.store(site, through), { faults: on.faults }),
  ...storeContract((site) => withLatency(on.store(site)))
    .filter(({ isRace }) => isRace)
    .map(({ name, run }) => ({ name: `${name}, over a slow network`, run })),
  ...storageContract(() => on.storage()),
  {
    name: 'purges keys of requests and attempts of every site',
    async run() {
      const [due, live] = ['due sites', 'live sites']
      const later = 4_000_000_000
      for (const [site, expiresAt] of [
        [due, 150],
        [live, later],
      ] as const) {
        await on.idempotency(site).begin({ ...KEY, expiresAt })
        await on.attempts(site).append({ ...NOTE, steps: [{ ...STEP, at: expiresAt }] })
      }
      const asked = { now: 1_600_000_000, limit: 1000 }
      agree(await on.storage().purge(asked), { rows: 2, dueSince: null })
      agree(await on.storage().purge(asked), { rows: 0, dueSince: null })
      agree((await on.idempotency(live).begin(KEY)).state, 'running')
      agree((await on.attempts(live).find('a'))?.lastAt, later)
      agree(await on.attempts(due).find('a'), null)
    },
  },
  {
    name: 'keeps a key of a request once',
    async run() {
      const keys = on.idempotency('keys')
      const states = await Promise.all([1, 2, 3].map(() => keys.begin(KEY)))
      agree(states.map(({ state }) => state).toSorted(), ['new', 'running', 'running'])
      await keys.finish({ keyHash: 'key', answer: { status: 200, headers: [], body: 'é\0' } })
      agree(await keys.begin({ ...KEY, requestHash: 'other' }), {
        requestHash: 'request',
        state: 'done',
        answer: { status: 200, headers: [], body: 'é\0' },
      })
    },
  },
  {
    name: 'keeps attempts, and bounds those of a network',
    async run() {
      const attempts = on.attempts('attempts')
      for (let n = 0; n < 102; n++)
        await attempts.append({ ...NOTE, id: `a ${n}`, steps: [{ ...STEP, at: n }] })
      const query = { search: 'MÜLLER', clientId: null, outcome: null, before: null, limit: 2, now: 1000 } // prettier-ignore
      const { attempts: page, next, counts } = await attempts.list(query)
      agree([page.map(({ id }) => id), next !== null], [['a 101', 'a 100'], true])
      agree(counts, { connected: 0, stopped: 100, waiting: 0 })
      agree(
        [await attempts.purge({ before: 50, limit: 9 }), await attempts.erase(['müller'])],
        [9, 91],
      )
    },
  },
  {
    name: 'is migrated once, and finds it',
    async run() {
      await Promise.all([1, 2].map(() => on.migrate()))
      agree(await on.isMigrated(), true)
    },
  },
]
