import type { Client } from '../policy/client.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { ClockMark, KeyRecord } from '../store/records.js'
import type { PendingAuthorization } from './records.js'
import type { Store } from './store.js'

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
 * await store.purge({ now: 1795165200, limit: 1000 }) // => 0
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
})

/** Creates a store that reads and writes these tables. */
export function storeOver(tables: Tables): Store {
  const { clients, pendings, consents, codes, grants, accessTokens, refreshTokens } = tables
  const { keys, erasures, clock } = tables
  const liveGrants = (now: number): readonly Grant[] =>
    [...grants.values()].filter((grant) => grant.revokedAt === null && grant.expiresAt > now)
  const lastIssuedAt = ({ grantId, createdAt }: Grant): number =>
    [...refreshTokens.values()]
      .filter((token) => token.grantId === grantId)
      .reduce((latest, { issuedAt }) => Math.max(latest, issuedAt), createdAt)

  return {
    async findClient(clientId) {
      const client = clients.get(clientId)
      return client === undefined || client.deletedAt !== null ? null : client
    },
    async insertClient(client) {
      if (clients.has(client.clientId)) return 'exists'
      clients.set(client.clientId, client)
      return 'inserted'
    },
    async replaceClient(client) {
      const stored = clients.get(client.clientId)
      if (stored === undefined || stored.deletedAt !== null) return 'missing'
      if (stored.revision !== client.revision - 1) return 'conflict'
      clients.set(client.clientId, { ...client, usedAt: stored.usedAt })
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
    async endPending(idHash) {
      return pendings.delete(idHash) ? 'ended' : 'gone'
    },

    async hasConsent(consentKey) {
      return consents.has(consentKey)
    },

    async issueCode({ code, pendingIdHash, consentKey }) {
      if (erasures.has(code.subject)) return 'gone'
      if (pendingIdHash !== null && !pendings.delete(pendingIdHash)) return 'gone'
      codes.set(code.codeHash, code)
      if (consentKey !== null) consents.set(consentKey, code)
      return 'issued'
    },
    async findCode(codeHash) {
      return codes.get(codeHash) ?? null
    },
    async redeemCode({ codeHash, redeemedAt, grant, accessToken, refreshToken }) {
      const code = codes.get(codeHash)
      if (code === undefined) return 'missing'
      if (code.redeemedAt !== null) return 'spent'
      codes.set(codeHash, { ...code, redeemedAt })
      grants.set(grant.grantId, grant)
      accessTokens.set(accessToken.tokenHash, accessToken)
      refreshTokens.set(refreshToken.tokenHash, refreshToken)
      const client = clients.get(grant.clientId)
      if (client?.usedAt === null) clients.set(client.clientId, { ...client, usedAt: redeemedAt })
      return 'redeemed'
    },

    async findRefreshToken(tokenHash) {
      const refreshToken = refreshTokens.get(tokenHash)
      const grant = refreshToken && grants.get(refreshToken.grantId)
      if (grant === undefined) return null
      const { rotation } = refreshToken!
      const successor = rotation === null ? undefined : refreshTokens.get(rotation.successorHash)
      const successorUsed = successor !== undefined && successor.rotation !== null
      return { refreshToken: refreshToken!, grant, successorUsed }
    },
    async rotateRefreshToken({ tokenHash, rotation, successor, accessToken }) {
      const refreshToken = refreshTokens.get(tokenHash)
      const grant = refreshToken && grants.get(refreshToken.grantId)
      if (grant === undefined) return 'missing'
      if (grant.revokedAt !== null) return 'revoked'
      if (refreshToken!.rotation !== null) return 'spent'
      refreshTokens.set(tokenHash, { ...refreshToken!, rotation })
      refreshTokens.set(successor.tokenHash, successor)
      accessTokens.set(accessToken.tokenHash, accessToken)
      return 'rotated'
    },

    async findAccessToken(tokenHash) {
      const accessToken = accessTokens.get(tokenHash)
      const grant = accessToken && grants.get(accessToken.grantId)
      return grant === undefined ? null : { accessToken: accessToken!, grant }
    },
    async revokeAccessToken({ tokenHash, revokedAt }) {
      const accessToken = accessTokens.get(tokenHash)
      if (accessToken === undefined || accessToken.revokedAt !== null) return 'missing'
      accessTokens.set(tokenHash, { ...accessToken, revokedAt })
      return 'revoked'
    },
    async revokeGrant({ grantId, revokedAt, revokedReason }) {
      const grant = grants.get(grantId)
      if (grant === undefined || grant.revokedAt !== null) return 'missing'
      grants.set(grantId, { ...grant, revokedAt, revokedReason })
      return 'revoked'
    },
    async revokeGrants({ clientId, subject, revokedAt, revokedReason }) {
      const isMeant = (row: { clientId: string; subject: string }): boolean =>
        row.clientId === clientId && (subject === null || row.subject === subject)
      remove(codes, Infinity, (code) => code.redeemedAt === null && isMeant(code))
      remove(consents, Infinity, isMeant)
      const alive = [...grants.values()].filter(
        (grant) => grant.revokedAt === null && isMeant(grant),
      )
      for (const grant of alive) grants.set(grant.grantId, { ...grant, revokedAt, revokedReason })
      return alive.length
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
    async erasePerson({ subject, loginHints, erasedAt }) {
      erasures.set(subject, { erasedAt })
      const hints = new Set(loginHints.map((hint) => hint.toLowerCase()))
      const isTheirs = (row: { subject: string }): boolean => row.subject === subject
      const hasGrant = ({ grantId }: { grantId: string }): boolean => {
        const grant = grants.get(grantId)
        return grant !== undefined && isTheirs(grant)
      }
      remove(accessTokens, Infinity, hasGrant)
      remove(refreshTokens, Infinity, hasGrant)
      return {
        grants: remove(grants, Infinity, isTheirs),
        codes: remove(codes, Infinity, isTheirs),
        consents: remove(consents, Infinity, isTheirs),
        pending: remove(pendings, Infinity, ({ loginHint }) =>
          hints.has(loginHint?.toLowerCase() ?? ''),
        ),
      }
    },

    async listKeys() {
      return [...keys.values()].sort((one, other) => one.createdAt - other.createdAt)
    },
    async insertKey(key) {
      if (keys.has(key.kid)) return 'exists'
      keys.set(key.kid, key)
      return 'inserted'
    },
    async moveKey({ key, from }) {
      if (keys.get(key.kid)?.state !== from) return 'conflict'
      const active = [...keys.values()].some((other) => other.state === 'active')
      if (key.state === 'active' && active) return 'conflict'
      keys.set(key.kid, key)
      return 'moved'
    },

    async findClock() {
      return { now: null, mark: clock.get('mark') ?? null }
    },
    async moveClock({ from, to }) {
      if (!isSameMark(clock.get('mark') ?? null, from)) return 'conflict'
      clock.set('mark', to)
      return 'moved'
    },

    async purge({ now, limit }) {
      const isOver = (row: { readonly expiresAt: number }): boolean => row.expiresAt <= now
      return (
        remove(pendings, limit, isOver) +
        remove(accessTokens, limit, isOver) +
        remove(codes, limit, (code) => code.expiresAt + DAY_SECONDS <= now) +
        remove(refreshTokens, limit, (token) => {
          const grant = grants.get(token.grantId)
          return grant === undefined || isOver(grant)
        }) +
        remove(grants, limit, isOver) +
        remove(erasures, limit, ({ erasedAt }) => erasedAt + DAY_SECONDS <= now) +
        remove(
          clients,
          limit,
          (client) => client.usedAt === null && unusedSince(client) + 7 * DAY_SECONDS <= now,
        )
      )
    },
  }
}

const isSameMark = (one: ClockMark | null, other: ClockMark | null): boolean =>
  one?.trustedAt === other?.trustedAt &&
  one?.leap?.from === other?.leap?.from &&
  one?.leap?.to === other?.leap?.to &&
  one?.leap?.steadySeconds === other?.leap?.steadySeconds

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

function remove<Row>(rows: Map<string, Row>, limit: number, isDue: (row: Row) => boolean): number {
  let removed = 0
  for (const [key, row] of rows) {
    if (removed === limit) break
    if (isDue(row) && rows.delete(key)) removed++
  }
  return removed
}
