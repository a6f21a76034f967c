import type { Client } from '../policy/client.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import {
  type ClockMark,
  EVENT_SECONDS,
  type KeyRecord,
  type PendingAuthorization,
  type StoredEvent,
} from './records.js'
import type { Purged, Store } from './store.js'

const DAY_SECONDS = 86_400

/**
 * Creates a store in process memory, for tests and demos: a restart loses everything, and a second
 * process sees nothing of it. No method awaits between reading and writing, so each one is atomic.
 *
 * @returns an empty store; each call returns a store of its own
 * @example
 * ```ts
 * import { createMemoryStore } from 'hallpass/store'
 *
 * const store = createMemoryStore()
 * await store.findClient('study-app') // => null
 * await store.revokeGrants({
 *   clientId: 'study-app',
 *   subject: null,
 *   revokedAt: 1795165200,
 *   revokedReason: 'client_deleted',
 * }) // => 0
 * await store.purge({ now: 1795165200, limit: 1000 }) // => { rows: 0, dueSince: null }
 * ```
 *
 * @group Stores
 */
export function createMemoryStore(): Store {
  return storeOver(emptyTables())
}

/** The rows of a memory store, each under its key. Rows are replaced, never changed. */
export interface Tables {
  readonly clients: Map<string, Client>
  readonly pendings: Map<string, PendingAuthorization>
  readonly consents: Map<string, { readonly clientId: string; readonly subject: string }>
  readonly codes: Map<string, AuthorizationCode>
  readonly grants: Map<string, Grant>
  readonly accessTokens: Map<string, AccessToken>
  readonly refreshTokens: Map<string, RefreshToken>
  readonly keys: Map<string, KeyRecord>
  readonly erasures: Map<string, { readonly erasedAt: number }>
  /** The mark of the clock, under `mark`. */
  readonly clock: Map<string, ClockMark>
  /** In the order in which they were stored. */
  readonly events: Map<string, StoredEvent>
}

/** Creates the tables of a store that holds nothing. */
export const emptyTables = (): Tables => ({
  clients: new Map(),
  pendings: new Map(),
  consents: new Map(),
  codes: new Map(),
  grants: new Map(),
  accessTokens: new Map(),
  refreshTokens: new Map(),
  keys: new Map(),
  erasures: new Map(),
  clock: new Map(),
  events: new Map(),
})

/** Creates a store that reads and writes these tables. */
export function storeOver(tables: Tables): Store {
  const { clients, pendings, consents, codes, grants, accessTokens, refreshTokens } = tables
  const { keys, erasures, clock, events: kept } = tables
  const keep = (events: readonly StoredEvent[] = []): void => {
    for (const event of events) if (!kept.has(event.id)) kept.set(event.id, event)
  }
  const liveGrants = (now: number): readonly Grant[] =>
    [...grants.values()].filter((grant) => grant.revokedAt === null && grant.expiresAt > now)
  const lastIssuedAt = ({ grantId, createdAt }: Grant): number =>
    [...refreshTokens.values()]
      .filter((token) => token.grantId === grantId)
      .reduce((latest, { issuedAt }) => Math.max(latest, issuedAt), createdAt)

  const storedClient = (clientId: string): Client | null => {
    const client = clients.get(clientId)
    return client === undefined || client.deletedAt !== null ? null : client
  }

  return {
    async findClient(clientId) {
      return storedClient(clientId)
    },
    async insertClient(client, events) {
      if (clients.has(client.clientId)) return 'exists'
      clients.set(client.clientId, client)
      keep(events)
      return 'inserted'
    },
    async replaceClient(client, events) {
      const stored = clients.get(client.clientId)
      if (stored === undefined || stored.deletedAt !== null) return 'missing'
      if (stored.revision !== client.revision - 1) return 'conflict'
      clients.set(client.clientId, { ...client, usedAt: stored.usedAt })
      keep(events)
      return 'replaced'
    },
    async listClients({ kinds, search, after, limit, now }) {
      const wanted = search?.toLowerCase() ?? ''
      return [...clients.values()]
        .filter(({ kind, name, deletedAt }) => {
          const matches = name.toLowerCase().includes(wanted)
          return deletedAt === null && kinds.includes(kind) && matches
        })
        .map((client) => ({ client, createdAt: client.createdAt, id: client.clientId }))
        .sort(newestFirst)
        .filter(
          (place) => after === null || newestFirst({ ...after, id: after.clientId }, place) < 0,
        )
        .slice(0, limit)
        .map(({ client }) => {
          const own = liveGrants(now).filter(({ clientId }) => clientId === client.clientId)
          const times = own.map((grant) => lastIssuedAt(grant))
          return {
            client,
            people: new Set(own.map(({ subject }) => subject)).size,
            lastIssuedAt: times.length === 0 ? null : Math.max(...times),
          }
        })
    },

    async savePending(pending) {
      pendings.set(pending.idHash, pending)
    },
    async findPending(idHash) {
      return pendings.get(idHash) ?? null
    },
    async endPending(idHash, events) {
      if (!pendings.delete(idHash)) return 'gone'
      keep(events)
      return 'ended'
    },

    async hasConsent(consentKey) {
      return consents.has(consentKey)
    },

    async issueCode({ code, pendingIdHash, consentKey }, events) {
      if (erasures.has(code.subject)) return 'gone'
      if (pendingIdHash !== null && !pendings.delete(pendingIdHash)) return 'gone'
      codes.set(code.codeHash, code)
      if (consentKey !== null) consents.set(consentKey, code)
      keep(events)
      return 'issued'
    },
    async findCode(codeHash) {
      const code = codes.get(codeHash)
      return code === undefined ? null : { ...code, client: storedClient(code.clientId) }
    },
    async redeemCode({ codeHash, redeemedAt, grant, accessToken, refreshToken }, events) {
      const code = codes.get(codeHash)
      if (code === undefined) return 'missing'
      if (code.redeemedAt !== null) return 'spent'
      codes.set(codeHash, { ...code, redeemedAt })
      grants.set(grant.grantId, grant)
      accessTokens.set(accessToken.tokenHash, accessToken)
      refreshTokens.set(refreshToken.tokenHash, refreshToken)
      const client = clients.get(grant.clientId)
      if (client?.usedAt === null) clients.set(client.clientId, { ...client, usedAt: redeemedAt })
      keep(events)
      return 'redeemed'
    },

    async findRefreshToken(tokenHash) {
      const refreshToken = refreshTokens.get(tokenHash)
      const grant = refreshToken && grants.get(refreshToken.grantId)
      if (grant === undefined) return null
      const { rotation } = refreshToken!
      const successor = rotation === null ? undefined : refreshTokens.get(rotation.successorHash)
      const successorUsed = successor !== undefined && successor.rotation !== null
      const client = storedClient(grant.clientId)
      return { refreshToken: refreshToken!, grant, successorUsed, client }
    },
    async rotateRefreshToken({ tokenHash, rotation, successor, accessToken }, events) {
      const refreshToken = refreshTokens.get(tokenHash)
      const grant = refreshToken && grants.get(refreshToken.grantId)
      if (grant === undefined) return 'missing'
      if (grant.revokedAt !== null) return 'revoked'
      if (refreshToken!.rotation !== null) return 'spent'
      refreshTokens.set(tokenHash, { ...refreshToken!, rotation })
      refreshTokens.set(successor.tokenHash, successor)
      accessTokens.set(accessToken.tokenHash, accessToken)
      keep(events)
      return 'rotated'
    },

    async findAccessToken(tokenHash) {
      const accessToken = accessTokens.get(tokenHash)
      const grant = accessToken && grants.get(accessToken.grantId)
      return grant === undefined
        ? null
        : { accessToken: accessToken!, grant, client: storedClient(grant.clientId) }
    },
    async revokeAccessToken({ tokenHash, revokedAt }, events) {
      const accessToken = accessTokens.get(tokenHash)
      if (accessToken === undefined || accessToken.revokedAt !== null) return 'missing'
      accessTokens.set(tokenHash, { ...accessToken, revokedAt })
      keep(events)
      return 'revoked'
    },
    async revokeGrant({ grantId, revokedAt, revokedReason }, events) {
      const grant = grants.get(grantId)
      if (grant === undefined || grant.revokedAt !== null) return 'missing'
      grants.set(grantId, { ...grant, revokedAt, revokedReason })
      keep(events)
      return 'revoked'
    },
    async revokeGrants({ clientId, subject, revokedAt, revokedReason }, events = []) {
      const isMeant = (row: { clientId: string; subject: string }): boolean =>
        row.clientId === clientId && (subject === null || row.subject === subject)
      remove(codes, (code) => code.redeemedAt === null && isMeant(code))
      remove(consents, isMeant)
      const alive = [...grants.values()].filter(
        (grant) => grant.revokedAt === null && isMeant(grant),
      )
      for (const grant of alive) grants.set(grant.grantId, { ...grant, revokedAt, revokedReason })
      keep(events.map((event) => ({ ...event, grants: alive.length })))
      return alive.length
    },
    async revokeAllGrants({ issuedBefore, revokedAt, revokedReason, limit }, events) {
      const alive = [...grants.values()]
        .filter((grant) => grant.revokedAt === null && grant.createdAt < issuedBefore)
        .slice(0, limit)
      for (const grant of alive) grants.set(grant.grantId, { ...grant, revokedAt, revokedReason })
      const revoked = {
        grants: alive.length,
        codes: remove(
          codes,
          (code) => code.redeemedAt === null && code.issuedAt < issuedBefore,
          limit,
        ),
        consents: remove(consents, () => true, limit),
        pending: remove(pendings, ({ createdAt }) => createdAt < issuedBefore, limit),
      }
      if (Object.values(revoked).every((count) => count === 0)) keep(events)
      return revoked
    },
    async listGrants({ clientId, subject, after, limit, now }) {
      return liveGrants(now)
        .filter((grant) => clientId === null || grant.clientId === clientId)
        .filter((grant) => subject === null || grant.subject === subject)
        .map((grant) => ({ grant, createdAt: grant.createdAt, id: grant.grantId }))
        .sort(newestFirst)
        .filter(
          (place) => after === null || newestFirst({ ...after, id: after.grantId }, place) < 0,
        )
        .slice(0, limit)
        .map(({ grant }) => ({ grant, lastIssuedAt: lastIssuedAt(grant) }))
    },
    async erasePerson({ subject, loginHints, erasedAt }, events = []) {
      erasures.set(subject, { erasedAt })
      const hints = new Set(loginHints.map((hint) => hint.toLowerCase()))
      const isTheirs = (row: { subject: string }): boolean => row.subject === subject
      const hasGrant = ({ grantId }: { grantId: string }): boolean => {
        const grant = grants.get(grantId)
        return grant !== undefined && isTheirs(grant)
      }
      remove(accessTokens, hasGrant)
      remove(refreshTokens, hasGrant)
      for (const [id, event] of kept) kept.set(id, withoutPerson(event, subject))
      const erased = {
        grants: remove(grants, isTheirs),
        codes: remove(codes, isTheirs),
        consents: remove(consents, isTheirs),
        pending: remove(pendings, ({ loginHint }) => hints.has(loginHint?.toLowerCase() ?? '')),
      }
      keep(events.map((event) => ({ ...event, grants: erased.grants })))
      return erased
    },

    async listKeys() {
      return [...keys.values()].sort((one, other) => one.createdAt - other.createdAt)
    },
    async insertKey(key) {
      if (keys.has(key.kid)) return 'exists'
      keys.set(key.kid, key)
      return 'inserted'
    },
    async moveKey({ key, from, sealed = null }, events) {
      const stored = keys.get(key.kid)
      if (stored?.state !== from) return 'conflict'
      if (sealed !== null && stored.sealedPrivateKey !== sealed) return 'conflict'
      const active = [...keys.values()].some(
        ({ state, kid }) => state === 'active' && kid !== key.kid,
      )
      if (key.state === 'active' && active) return 'conflict'
      keys.set(key.kid, key)
      keep(events)
      return 'moved'
    },

    async findClock() {
      return { now: null, mark: clock.get('mark') ?? null }
    },
    async moveClock({ from, to }, events) {
      if (!isSameMark(clock.get('mark') ?? null, from)) return 'conflict'
      clock.set('mark', to)
      keep(events)
      return 'moved'
    },

    async listEvents({ limit }) {
      return [...kept.values()].slice(0, limit)
    },
    async deleteEvents(ids) {
      for (const id of ids) kept.delete(id)
    },

    async purge({ now, limit }) {
      const expiryOf = (row: { readonly expiresAt: number }): number => row.expiresAt
      const oldest = <Row>(rows: Map<string, Row>, dueAt: (row: Row) => number): Purged =>
        removeOldest(rows, { dueAt, now, limit })
      const purged = [
        oldest(pendings, expiryOf),
        oldest(accessTokens, expiryOf),
        oldest(codes, (code) => code.expiresAt + DAY_SECONDS),
        oldest(refreshTokens, ({ grantId, rotation, expiresAt }) => {
          // An erasure leaves no token of its grants.
          const grantExpiresAt = grants.get(grantId)?.expiresAt ?? 0
          return rotation === null ? grantExpiresAt : Math.min(expiresAt, grantExpiresAt)
        }),
        oldest(grants, expiryOf),
        oldest(kept, ({ at }) => at + EVENT_SECONDS),
        oldest(erasures, ({ erasedAt }) => erasedAt + DAY_SECONDS),
        oldest(clients, (client) =>
          client.usedAt === null ? unusedSince(client) + 7 * DAY_SECONDS : Infinity,
        ),
      ]
      const left = purged.flatMap(({ dueSince }) => (dueSince === null ? [] : [dueSince]))
      return {
        rows: purged.reduce((total, { rows }) => total + rows, 0),
        dueSince: left.length === 0 ? null : Math.min(...left),
      }
    },
  }
}

const isSameMark = (one: ClockMark | null, other: ClockMark | null): boolean =>
  one?.trustedAt === other?.trustedAt &&
  one?.leap?.from === other?.leap?.from &&
  one?.leap?.to === other?.leap?.to &&
  one?.leap?.steadySeconds === other?.leap?.steadySeconds

/** Returns the event with `null` in place of a person. */
function withoutPerson(event: StoredEvent, person: string): StoredEvent {
  const names = ['subject', 'actor'].filter((name) => event[name] === person)
  return { ...event, ...Object.fromEntries(names.map((name) => [name, null])) }
}

interface Place {
  readonly createdAt: number
  readonly id: string
}

function newestFirst(one: Place, other: Place): number {
  if (one.createdAt !== other.createdAt) return other.createdAt - one.createdAt
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}

/** Returns the time from which an unused client ages towards its purge; `Infinity` if it is never purged. */
function unusedSince({ kind, createdAt, scopes, disabled, deletedAt, document }: Client): number {
  if (deletedAt !== null) return Infinity
  if (kind === 'loopback') return createdAt
  return document !== null && scopes === null && !disabled ? document.fetchedAt : Infinity
}

/** Removes the rows that a predicate names, at most `limit`, and returns their number. */
function remove<Row>(
  rows: Map<string, Row>,
  isMeant: (row: Row) => boolean,
  limit = Infinity,
): number {
  const meant = [...rows].filter(([, row]) => isMeant(row)).slice(0, limit)
  for (const [key] of meant) rows.delete(key)
  return meant.length
}

/** Removes the rows that have been due for longest, as {@link Store.purge} does. */
function removeOldest<Row>(
  rows: Map<string, Row>,
  { dueAt, now, limit }: { dueAt: (row: Row) => number; now: number; limit: number },
): Purged {
  const due: { key: string; at: number }[] = []
  for (const [key, row] of rows) {
    const at = dueAt(row)
    if (at <= now) due.push({ key, at })
  }
  const oldest = due.sort((one, other) => one.at - other.at).slice(0, limit)
  for (const { key } of oldest) rows.delete(key)
  return { rows: oldest.length, dueSince: due[oldest.length]?.at ?? null }
}
