import { createPostgresStore, migratePostgres } from 'hallpass/postgres'
import type { Store, StoredEvent } from 'hallpass/store'
import pg from 'pg'
import {
  clientSample,
  codeSample,
  eventSample,
  hash,
  keySample,
  pendingSample,
  redemption,
  rotation,
  T,
} from '../../../src/store-contract/samples.js'
import { type CuttingProxy, type Direction, startCuttingProxy } from '../processes/cutting-proxy.js'
import { startPostgres } from './test-database.js'

/** A method that writes, with what only the database knows about it. */
interface Verb {
  /** What has to be stored before. */
  readonly prepare: (store: Store, name: string) => Promise<unknown>
  /** Calls the method with the events of its change; resolves to its outcome. */
  readonly call: (store: Store, name: string, events?: readonly StoredEvent[]) => Promise<unknown>
  /** The outcome that only one caller hears. */
  readonly won: unknown
  /** Whether the store holds what the method writes. Asking changes nothing. */
  readonly isWritten: (store: Store, name: string, query: Query) => Promise<boolean>
  /** Whether the method recognizes its own row after a lost connection. */
  readonly isRecognized: boolean
}
type Query = (sql: string, parameters: string[]) => Promise<{ readonly rows: readonly unknown[] }>

const codeOf = (name: string, fields = {}): ReturnType<typeof codeSample> =>
  codeSample({ codeHash: hash(name), grantId: `grant ${name}`, ...fields })
const redemptionOf = (name: string): ReturnType<typeof redemption> => {
  const one = redemption(name, { codeHash: hash(name) })
  const grantId = `grant ${name}`
  return {
    ...one,
    grant: { ...one.grant, grantId },
    accessToken: { ...one.accessToken, grantId },
    refreshToken: { ...one.refreshToken, grantId },
  }
}
const rotationOf = (name: string): ReturnType<typeof rotation> => {
  const one = rotation(name, `of ${name}`)
  const grantId = `grant ${name}`
  return {
    ...one,
    tokenHash: redemptionOf(name).refreshToken.tokenHash,
    successor: { ...one.successor, grantId },
    accessToken: { ...one.accessToken, grantId },
  }
}
const issue = (store: Store, name: string, events: readonly StoredEvent[] = []): Promise<unknown> =>
  store.issueCode({ code: codeOf(name), pendingIdHash: null, consentKey: null }, events)
async function sign(store: Store, name: string): Promise<void> {
  await issue(store, name)
  await store.redeemCode(redemptionOf(name))
}
/** Stores a grant of a client of this name. */
async function signTo(store: Store, name: string): Promise<void> {
  const code = codeOf(name, { clientId: name })
  await store.issueCode({ code, pendingIdHash: null, consentKey: null })
  const one = redemptionOf(name)
  await store.redeemCode({ ...one, grant: { ...one.grant, clientId: name } })
}
const pendingOf = (name: string): ReturnType<typeof pendingSample> =>
  pendingSample({ idHash: hash(name) })
const clientOf = (name: string): ReturnType<typeof clientSample> => clientSample({ clientId: name })
const keyOf = (name: string): ReturnType<typeof keySample> =>
  keySample({ kid: name, state: 'published', publicJwk: `{"kid":"${name}"}`, activatedAt: null })

/** Every method that writes, but `purge`, which may be half done, and those that only delete. */
export const VERBS: Readonly<Record<string, Verb>> = {
  insertClient: {
    prepare: async () => {},
    call: (store, name, events) => store.insertClient(clientOf(name), events),
    won: 'inserted',
    isWritten: async (store, name) => (await store.findClient(name)) !== null,
    isRecognized: true,
  },
  replaceClient: {
    prepare: (store, name) => store.insertClient(clientOf(name)),
    call: (store, name, events) =>
      store.replaceClient({ ...clientOf(name), revision: 2, name: 'New' }, events),
    won: 'replaced',
    isWritten: async (store, name) => (await store.findClient(name))?.name === 'New',
    isRecognized: true,
  },
  savePending: {
    prepare: async () => {},
    call: async (store, name) => (await store.savePending(pendingOf(name))) ?? 'saved',
    won: 'saved',
    isWritten: async (store, name) => (await store.findPending(hash(name))) !== null,
    isRecognized: true,
  },
  endPending: {
    prepare: (store, name) => store.savePending(pendingOf(name)),
    call: (store, name, events) => store.endPending(hash(name), events),
    won: 'ended',
    isWritten: async (store, name) => (await store.findPending(hash(name))) === null,
    isRecognized: false,
  },
  'issueCode of a pending request': {
    prepare: (store, name) => store.savePending(pendingOf(name)),
    call: (store, name, events) =>
      store.issueCode({ code: codeOf(name), pendingIdHash: hash(name), consentKey: name }, events),
    won: 'issued',
    isWritten: async (store, name) =>
      (await store.findCode(hash(name))) !== null && (await store.hasConsent(name)),
    isRecognized: true,
  },
  'issueCode without one': {
    prepare: async () => {},
    call: issue,
    won: 'issued',
    isWritten: async (store, name) => (await store.findCode(hash(name))) !== null,
    isRecognized: true,
  },
  redeemCode: {
    prepare: issue,
    call: (store, name, events) => store.redeemCode(redemptionOf(name), events),
    won: 'redeemed',
    isWritten: async (store, name) =>
      (await store.findAccessToken(redemptionOf(name).accessToken.tokenHash)) !== null,
    isRecognized: true,
  },
  rotateRefreshToken: {
    prepare: sign,
    call: (store, name, events) => store.rotateRefreshToken(rotationOf(name), events),
    won: 'rotated',
    isWritten: async (store, name) =>
      (await store.findRefreshToken(rotationOf(name).successor.tokenHash)) !== null,
    isRecognized: true,
  },
  revokeAccessToken: {
    prepare: sign,
    call: (store, name, events) =>
      store.revokeAccessToken(
        { tokenHash: redemptionOf(name).accessToken.tokenHash, revokedAt: T },
        events,
      ),
    won: 'revoked',
    isWritten: async (store, name) => {
      const found = await store.findAccessToken(redemptionOf(name).accessToken.tokenHash)
      return found?.accessToken.revokedAt === T
    },
    isRecognized: false,
  },
  revokeGrant: {
    prepare: sign,
    call: (store, name, events) =>
      store.revokeGrant({ grantId: `grant ${name}`, revokedAt: T, revokedReason: 'ended' }, events),
    won: 'revoked',
    isWritten: async (store, name) => {
      const found = await store.findAccessToken(redemptionOf(name).accessToken.tokenHash)
      return found?.grant.revokedAt === T
    },
    isRecognized: false,
  },
  widenGrant: {
    prepare: sign,
    call: (store, name, events) =>
      store.widenGrant({ grantId: `grant ${name}`, scopes: ['wide'] }, events),
    won: 'widened',
    isWritten: async (store, name) => {
      const found = await store.findAccessToken(redemptionOf(name).accessToken.tokenHash)
      return found!.grant.scopes.includes('wide') && found!.accessToken.scopes.includes('wide')
    },
    isRecognized: true,
  },
  revokeGrants: {
    prepare: signTo,
    call: (store, name, events) =>
      store.revokeGrants(
        { clientId: name, subject: 'mem_1', revokedAt: T, revokedReason: 'ended' },
        events,
      ),
    won: 1,
    isWritten: async (store, name) => {
      const found = await store.findAccessToken(redemptionOf(name).accessToken.tokenHash)
      return found?.grant.revokedAt === T
    },
    isRecognized: false,
  },
  revokeGrantsOfClient: {
    prepare: signTo,
    call: (store, name, events) =>
      store.revokeGrantsOfClient({ clientId: name, revokedAt: T, revokedReason: 'ended' }, events),
    won: 1,
    isWritten: async (store, name) => {
      const found = await store.findAccessToken(redemptionOf(name).accessToken.tokenHash)
      return found?.grant.revokedAt === T
    },
    isRecognized: false,
  },
  revokeAllGrants: {
    prepare: async (store, name) => {
      await issue(store, name)
      const one = redemptionOf(name)
      await store.redeemCode({ ...one, grant: { ...one.grant, createdAt: T - 10 } })
    },
    call: async (store) =>
      (
        await store.revokeAllGrants({
          issuedBefore: T - 9,
          revokedAt: T,
          revokedReason: 'restored',
          limit: 100,
        })
      ).grants,
    won: 1,
    isWritten: async (store, name) => {
      const found = await store.findAccessToken(redemptionOf(name).accessToken.tokenHash)
      return found?.grant.revokedAt === T
    },
    isRecognized: false,
  },
  insertKey: {
    prepare: async () => {},
    call: (store, name) => store.insertKey(keyOf(name)),
    won: 'inserted',
    isWritten: async (store, name) => (await store.listKeys()).some(({ kid }) => kid === name),
    isRecognized: true,
  },
  moveKey: {
    prepare: (store, name) => store.insertKey(keyOf(name)),
    call: (store, name, events) =>
      store.moveKey({ key: { ...keyOf(name), state: 'retired' }, from: 'published' }, events),
    won: 'moved',
    isWritten: async (store, name) =>
      (await store.listKeys()).some(({ kid, state }) => kid === name && state === 'retired'),
    isRecognized: false,
  },
  'endPending with the next': {
    prepare: (store, name) => store.savePending(pendingOf(name)),
    call: (store, name, events) =>
      store.endPending(hash(name), events, pendingOf(`the next of ${name}`)),
    won: 'ended',
    isWritten: async (store, name) =>
      (await store.findPending(hash(`the next of ${name}`))) !== null,
    isRecognized: true,
  },
  'useOnce with a claim': {
    prepare: async () => {},
    call: (store, name) => store.useOnce({ key: name, until: T, claim: name }),
    won: 'first',
    isWritten: async (_, name, query) =>
      (await query('select 1 from hallpass_use where use_key = $1', [name])).rows.length > 0,
    isRecognized: true,
  },
  useOnce: {
    prepare: async () => {},
    call: (store, name) => store.useOnce({ key: name, until: T }),
    won: 'first',
    // The method itself would use the key.
    isWritten: async (_, name, query) =>
      (await query('select 1 from hallpass_use where use_key = $1', [name])).rows.length > 0,
    isRecognized: false,
  },
}

/** `revokeAllGrants` keeps its events in a later call, which finds nothing more. */
const WITHOUT_EVENTS = [
  'savePending',
  'insertKey',
  'revokeAllGrants',
  'useOnce',
  'useOnce with a claim',
]

/** What a method did whose connection was cut. */
interface Cut {
  readonly outcome: { readonly value: unknown } | 'rejected'
  /** What the store holds afterwards. */
  readonly isWritten: boolean
  /** Whether it holds the event of the change; `null` for a method that takes none. */
  readonly isKept: boolean | null
  /** The outcome of the same call over a connection that holds. */
  readonly again: unknown
}

/** A store behind a proxy, and one that reaches the same rows past it. */
export interface CutStore {
  /** Cuts one call of a method, `at` being the part of its bytes that passes, from 0 to 1. */
  readonly cut: (cut: {
    verb: Verb
    direction: Direction
    at: number
    times?: number
    isCold?: boolean
  }) => Promise<Cut>
  readonly stop: () => Promise<void>
}

/** Starts a database, a proxy in front of it, and a store on either side. */
export async function startCutStore(): Promise<CutStore> {
  const database = await startPostgres()
  const proxy = await startCuttingProxy(database.url)
  const direct = new pg.Pool({ connectionString: database.url, max: 2 })
  await migratePostgres({ execute: (sql, parameters) => direct.query(sql, parameters) })
  const open = (): pg.Pool => {
    const pool = new pg.Pool({ connectionString: proxy.url, max: 1 })
    pool.on('error', () => {})
    return pool
  }
  const storeOver = (pool: pg.Pool): Store =>
    createPostgresStore({
      execute: (sql, parameters) => pool.query(sql, parameters),
      site: 'cut',
      chance: () => 0,
    })
  const safe = storeOver(direct)
  let calls = 0

  /** Calls a method over a connection of its own, which is warm unless the call is to open it. */
  async function call(
    { verb, name, isCold }: { verb: Verb; name: string; isCold: boolean },
    arm: (proxy: CuttingProxy) => void,
  ): Promise<Cut['outcome']> {
    await verb.prepare(safe, name)
    const pool = open()
    if (!isCold) await pool.query('select 1')
    arm(proxy)
    const outcome = await verb.call(storeOver(pool), name, [eventSample({ id: name })]).then(
      (value) => ({ value }),
      () => 'rejected' as const,
    )
    await pool.end()
    return outcome
  }

  return {
    async cut({ verb, direction, at, times = 1, isCold = false }) {
      await call({ verb, name: `measured ${calls++}`, isCold }, ({ restart }) => restart())
      const after = Math.round(at * (proxy.bytes[direction] - 1))
      const name = `cut ${calls++}`
      const outcome = await call({ verb, name, isCold }, (one) =>
        one.cut({ direction, after, times }),
      )
      proxy.restart()
      const isWritten = await verb.isWritten(safe, name, (sql, parameters) =>
        direct.query(sql, parameters),
      )
      const kept = (await safe.listEvents({ limit: 100 })).map(({ id }) => id)
      await safe.deleteEvents(kept)
      const isKept = WITHOUT_EVENTS.every((one) => verb !== VERBS[one]) ? kept.includes(name) : null
      return {
        outcome,
        isWritten,
        isKept,
        again: await verb.call(safe, name).catch(() => 'rejected'),
      }
    },
    async stop() {
      await direct.end()
      await proxy.stop()
      await database.stop()
    },
  }
}

/** Seeded pseudo-random numbers of at least 0 and less than 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
