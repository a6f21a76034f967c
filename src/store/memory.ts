import type { Client } from '../policy/client.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { KeyRecord } from '../token/key-lifecycle.js'
import type { PendingAuthorization } from './records.js'
import type { Store } from './store.js'

const DAY_SECONDS = 86_400

/**
 * A store that keeps everything in this process: for tests, and for a server that may forget. Each
 * method does its work without waiting in between, which makes it atomic.
 */
export function createMemoryStore(): Store {
  const clients = new Map<string, Client>()
  const pendings = new Map<string, PendingAuthorization>()
  const consents = new Set<string>()
  const codes = new Map<string, AuthorizationCode>()
  const grants = new Map<string, Grant>()
  const accessTokens = new Map<string, AccessToken>()
  const refreshTokens = new Map<string, RefreshToken>()
  const keys = new Map<string, KeyRecord>()

  return {
    async findClient(clientId) {
      return clients.get(clientId) ?? null
    },
    async insertClient(client) {
      if (clients.has(client.clientId)) return 'exists'
      clients.set(client.clientId, client)
      return 'inserted'
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
      if (pendingIdHash !== null && !pendings.delete(pendingIdHash)) return 'gone'
      codes.set(code.codeHash, code)
      if (consentKey !== null) consents.add(consentKey)
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
        remove(
          clients,
          limit,
          ({ kind, usedAt, createdAt }) =>
            kind === 'loopback' && usedAt === null && createdAt + 7 * DAY_SECONDS <= now,
        )
      )
    },
  }
}

function remove<Row>(rows: Map<string, Row>, limit: number, isDue: (row: Row) => boolean): number {
  let removed = 0
  for (const [key, row] of rows) {
    if (removed === limit) break
    if (isDue(row) && rows.delete(key)) removed++
  }
  return removed
}
