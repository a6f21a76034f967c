import type { Client } from 'hallpass/policy'
import { createMemoryStore, type PendingAuthorization, type Store } from 'hallpass/store'
import { storeContract } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { BROKEN_BOUND } from './broken-bound-stores.js'
import { BROKEN_CLIENTS, type Broken, pause, SHARED_CLIENTS } from './broken-client-stores.js'
import { BROKEN_EVENTS, SHARED_EVENTS } from './broken-event-stores.js'
import { BROKEN_KEYS } from './broken-key-stores.js'
import { BROKEN_TEXTS } from './broken-text-stores.js'
import { STORE_ARGUMENTS } from '../../src/store/arguments.js'
import type { Purged } from '../../src/store/store.js'
import { readSource } from '../support/source/compile.js'

// What a store does that knows no transactions: look, wait, and write whatever came in between.
const BROKEN: readonly Broken[] = [
  [
    'lacks half of a group',
    'has every method of the core and of its groups, and none of another group',
    () => ({ deleteEvents: undefined as never }),
  ],
  [
    'says nothing of its promises',
    'declares its guarantees in words that a site accepts',
    () => ({ guarantees: undefined as never }),
  ],
  [
    'reads from a replica, and says so',
    'declares its guarantees in words that a site accepts',
    ({ guarantees }) => ({ guarantees: { ...guarantees, reads: 'replica' } }),
  ],
  [
    'declares a clock that it does not have',
    'reads a clock of its own if it declares one',
    ({ guarantees }) => ({ guarantees: { ...guarantees, clock: 'own' } }),
  ],
  ...BROKEN_BOUND,
  ...BROKEN_CLIENTS,
  ...BROKEN_KEYS,
  ...BROKEN_EVENTS,
  ...BROKEN_TEXTS,
  [
    'drops the second secret of a client',
    'returns a client with every field as it was stored',
    (store) => ({
      insertClient: (client) =>
        store.insertClient({ ...client, secrets: client.secrets.slice(0, 1) }),
    }),
  ],
  [
    'drops what a client says of itself',
    'returns a client with every field as it was stored',
    (store) => ({ insertClient: (client) => store.insertClient({ ...client, about: null }) }),
  ],
  [
    'keeps what a client said of itself before',
    'replaces every field of a client except the time of its first use',
    (store) => ({
      async replaceClient(client) {
        const known = await store.findClient(client.clientId)
        return store.replaceClient({ ...client, about: known?.about ?? null })
      },
    }),
  ],
  [
    'replaces a client',
    'does not overwrite a client whose identifier is taken',
    (store) => {
      const replaced = new Map()
      return {
        async insertClient(client) {
          const outcome = await store.insertClient(client)
          if (outcome === 'exists') replaced.set(client.clientId, client)
          return outcome
        },
        findClient: async (id) => replaced.get(id) ?? (await store.findClient(id)),
      }
    },
  ],
  [
    'looks for a client and then inserts it',
    'inserts a client once when several callers try at the same time',
    (store) => ({
      async insertClient(client) {
        if ((await store.findClient(client.clientId)) !== null) return 'exists'
        await pause()
        await store.insertClient(client)
        return 'inserted'
      },
    }),
  ],
  [
    'finds clients whatever the case of their identifier',
    'finds nothing under a key that was never stored',
    (store) => ({ findClient: (id) => store.findClient(id.toLowerCase()) }),
  ],
  [
    'answers undefined for what is not there',
    'finds nothing under a key that was never stored',
    (store) => ({
      findCode: async (hash) => (await store.findCode(hash)) ?? (undefined as unknown as null),
    }),
  ],
  [
    'turns a missing nonce into an empty one',
    'returns a pending request with every field as it was stored',
    (store) => ({
      savePending: (pending) => store.savePending({ ...pending, nonce: pending.nonce ?? '' }),
    }),
  ],
  [
    'cuts long texts',
    'returns a pending request with every field as it was stored',
    (store) => ({
      savePending: (pending) =>
        store.savePending({ ...pending, state: pending.state?.slice(0, 255) ?? null }),
    }),
  ],
  [
    'hides what has expired by a clock of its own',
    'returns expired records, because its callers decide what has expired',
    (store) => ({
      async findPending(hash) {
        const pending = await store.findPending(hash)
        // oxlint-disable-next-line no-restricted-properties -- what is broken here
        return pending === null || pending.expiresAt <= Date.now() / 1000 ? null : pending
      },
    }),
  ],
  [
    'looks for a waiting request and then ends it',
    'ends a pending request once when several callers try at the same time',
    (store) => ({
      async endPending(hash) {
        if ((await store.findPending(hash)) === null) return 'gone'
        await pause()
        await store.endPending(hash)
        return 'ended'
      },
    }),
  ],
  [
    'forgets the sign-in time of a code',
    'returns a code with every field as it was stored',
    (store) => ({
      issueCode: (issue) => store.issueCode({ ...issue, code: { ...issue.code, authTime: null } }),
    }),
  ],
  [
    'leaves the waiting request when it issues the code',
    'ends the pending request when its code is issued, and remembers the consent',
    (store) => ({
      async issueCode(issue) {
        const { pendingIdHash } = issue
        if (pendingIdHash !== null && (await store.findPending(pendingIdHash)) === null)
          return 'gone'
        return store.issueCode({ ...issue, pendingIdHash: null })
      },
    }),
  ],
  [
    'fails on a consent that is there already',
    'accepts a consent that is already remembered',
    (store) => ({
      async issueCode(issue) {
        if (issue.consentKey !== null && (await store.hasConsent(issue.consentKey)))
          throw new Error('duplicate key')
        return store.issueCode(issue)
      },
    }),
  ],
  [
    'remembers the consent "null"',
    'remembers no consent when the consent key is null',
    (store) => ({
      issueCode: (issue) => store.issueCode({ ...issue, consentKey: String(issue.consentKey) }),
    }),
  ],
  [
    'remembers the consent before it looks for the waiting request',
    'writes nothing when the pending request no longer exists',
    (store) => {
      const consents = new Set<string>()
      return {
        async issueCode(issue) {
          if (issue.consentKey !== null) consents.add(issue.consentKey)
          return store.issueCode(issue)
        },
        hasConsent: async (key) => consents.has(key),
      }
    },
  ],
  [
    'looks for the waiting request and then issues the code',
    'issues one code for a pending request when several callers try at the same time',
    (store) => ({
      async issueCode(issue) {
        const { pendingIdHash } = issue
        if (pendingIdHash === null) return store.issueCode(issue)
        if ((await store.findPending(pendingIdHash)) === null) return 'gone'
        await pause()
        await store.endPending(pendingIdHash)
        return store.issueCode({ ...issue, pendingIdHash: null })
      },
    }),
  ],
  [
    'issues a code for a request that was cancelled meanwhile',
    'either issues a code for a pending request or ends it, never both',
    (store) => ({
      async issueCode(issue) {
        const { pendingIdHash } = issue
        if (pendingIdHash === null) return store.issueCode(issue)
        if ((await store.findPending(pendingIdHash)) === null) return 'gone'
        await pause()
        return store.issueCode({ ...issue, pendingIdHash: null })
      },
    }),
  ],
  [
    'does not mark a redeemed code',
    'marks a redeemed code, and stores its grant and tokens with every field',
    (store) => ({
      async findCode(hash) {
        const code = await store.findCode(hash)
        return code === null ? null : { ...code, redeemedAt: null }
      },
    }),
  ],
  [
    'rounds times beyond 2038 down to what 32 bits hold',
    'returns grants and tokens with any text and times in them',
    (store) => ({
      redeemCode: (redeem) =>
        store.redeemCode({
          ...redeem,
          grant: { ...redeem.grant, expiresAt: Math.min(redeem.grant.expiresAt, 2 ** 31 - 1) },
        }),
    }),
  ],
  [
    'notes the latest use of a client',
    'stores the time of the first use of a client, and of no later use',
    (store) => {
      const used = new Map<string, number>()
      return {
        async redeemCode(redeem) {
          const outcome = await store.redeemCode(redeem)
          if (outcome === 'redeemed') used.set(redeem.grant.clientId, redeem.redeemedAt)
          return outcome
        },
        async findClient(id) {
          const client = await store.findClient(id)
          return client === null ? null : { ...client, usedAt: used.get(id) ?? null }
        },
      }
    },
  ],
  [
    'looks at a code and then redeems it',
    'redeems a code once when several callers try at the same time, and stores only the tokens of that caller',
    (store) => ({
      async redeemCode(redeem) {
        const code = await store.findCode(redeem.codeHash)
        if (code === null) return 'missing'
        if (code.redeemedAt !== null) return 'spent'
        await pause()
        await store.redeemCode(redeem)
        return 'redeemed'
      },
    }),
  ],
  [
    'stores the tokens of a code that is spent',
    'writes nothing for a code that is spent or missing',
    (store) => ({
      async redeemCode(redeem) {
        const outcome = await store.redeemCode(redeem)
        if (outcome !== 'spent') return outcome
        const codeHash = `copy of ${redeem.accessToken.tokenHash}`
        const code = (await store.findCode(redeem.codeHash))!
        await store.issueCode({
          code: { ...code, codeHash, redeemedAt: null },
          pendingIdHash: null,
          consentKey: null,
        })
        await store.redeemCode({ ...redeem, codeHash })
        return outcome
      },
    }),
  ],
  [
    'marks the code first and fails at the tokens',
    'redeems a code with all of its tokens or not at all',
    (store) => ({
      async redeemCode(redeem) {
        const taken =
          (await store.findAccessToken(redeem.accessToken.tokenHash)) ??
          (await store.findRefreshToken(redeem.refreshToken.tokenHash))
        const outcome = await store.redeemCode(redeem)
        if (outcome === 'redeemed' && taken !== null) throw new Error('duplicate key')
        return outcome
      },
    }),
  ],
  [
    'forgets the salt of a rotation',
    'stores the rotation of a refresh token and its new tokens with every field',
    (store) => ({
      rotateRefreshToken: (rotate) =>
        store.rotateRefreshToken({ ...rotate, rotation: { ...rotate.rotation, salt: '' } }),
    }),
  ],
  [
    'keeps every salt',
    'deletes the salts of earlier rotations of the grant until the given time, and no others',
    (store) => ({
      rotateRefreshToken: (rotate) => store.rotateRefreshToken({ ...rotate, forgetSaltsUntil: 0 }),
    }),
  ],
  [
    'deletes salts that are still needed',
    'deletes the salts of earlier rotations of the grant until the given time, and no others',
    (store) => ({
      rotateRefreshToken: (rotate) =>
        store.rotateRefreshToken({ ...rotate, forgetSaltsUntil: rotate.rotation.rotatedAt }),
    }),
  ],
  [
    'never tells that a successor was used',
    'reports whether the successor of a rotated token was used',
    (store) => ({
      async findRefreshToken(hash) {
        const found = await store.findRefreshToken(hash)
        return found === null ? null : { ...found, successorUsed: false }
      },
    }),
  ],
  [
    'looks at a refresh token and then rotates it',
    'rotates a refresh token once when several callers try at the same time, and stores one successor',
    (store) => ({
      async rotateRefreshToken(rotate) {
        const found = await store.findRefreshToken(rotate.tokenHash)
        if (found === null) return 'missing'
        if (found.grant.revokedAt !== null) return 'revoked'
        if (found.refreshToken.rotation !== null) return 'spent'
        await pause()
        await store.rotateRefreshToken(rotate)
        return 'rotated'
      },
    }),
  ],
  [
    'widens a grant, but not its access tokens',
    'adds scopes to a grant and to its access tokens, each once, and changes nothing else',
    (store) => {
      const issued = new Map<string, readonly string[]>()
      return {
        async redeemCode(redemption) {
          issued.set(redemption.accessToken.tokenHash, redemption.accessToken.scopes)
          return store.redeemCode(redemption)
        },
        async findAccessToken(hash) {
          const found = await store.findAccessToken(hash)
          const scopes = issued.get(hash)
          return found === null || scopes === undefined
            ? found
            : { ...found, accessToken: { ...found.accessToken, scopes } }
        },
      }
    },
  ],
  [
    'looks at the scopes of a grant and then adds to them',
    'keeps the scopes of every caller that widens a grant at the same time',
    (store) => {
      const widened = new Map<string, readonly string[]>()
      return {
        async widenGrant({ grantId, scopes }) {
          const found = await store.findGrant(grantId)
          if (found === null) return 'gone'
          const held = widened.get(grantId) ?? found.grant.scopes
          await pause()
          widened.set(grantId, [...held, ...scopes])
          return 'widened'
        },
        async findAccessToken(hash) {
          const found = await store.findAccessToken(hash)
          const scopes = widened.get(found?.grant.grantId ?? '')
          if (found === null || scopes === undefined) return found
          const { accessToken, grant } = found
          return { ...found, accessToken: { ...accessToken, scopes }, grant: { ...grant, scopes } }
        },
      }
    },
  ],
  [
    'widens a grant that is revoked',
    'adds no scopes to a grant that is revoked or missing, nor to a revoked access token',
    (store) => ({
      async widenGrant(widening) {
        await store.widenGrant(widening)
        return (await store.findGrant(widening.grantId)) === null ? 'gone' : 'widened'
      },
    }),
  ],
  [
    'adds the scopes to what a rotation issued, too',
    'adds scopes to a grant and to its access tokens, each once, and changes nothing else',
    (store) => {
      const added: string[] = []
      return {
        async widenGrant(widening) {
          added.push(...widening.scopes)
          return store.widenGrant(widening)
        },
        async findRefreshToken(hash) {
          const found = await store.findRefreshToken(hash)
          const rotation = found?.refreshToken.rotation ?? null
          if (found === null || rotation === null) return found
          const wider = { ...rotation, scopes: [...rotation.scopes, ...added] }
          return { ...found, refreshToken: { ...found.refreshToken, rotation: wider } }
        },
      }
    },
  ],
  [
    'finds no grant that is revoked',
    'finds a grant with its client by its identifier, also if it is revoked',
    (store) => ({
      async findGrant(grantId) {
        const found = await store.findGrant(grantId)
        return found === null || found.grant.revokedAt !== null ? null : found
      },
    }),
  ],
  [
    'rotates a token whose grant is revoked',
    'writes nothing for a refresh token that is spent, revoked or missing',
    (store) => {
      const revoked = new Map<string, { revokedAt: number; revokedReason: string }>()
      return {
        async revokeGrant({ grantId, ...revocation }) {
          revoked.set(grantId, revocation)
          return 'revoked'
        },
        async findRefreshToken(hash) {
          const found = await store.findRefreshToken(hash)
          if (found === null) return null
          return { ...found, grant: { ...found.grant, ...revoked.get(found.grant.grantId) } }
        },
      }
    },
  ],
  [
    'marks the rotated token first and fails at the pair',
    'rotates a refresh token with both of its new tokens or not at all',
    (store) => ({
      async rotateRefreshToken(rotate) {
        const taken =
          (await store.findAccessToken(rotate.accessToken.tokenHash)) ??
          (await store.findRefreshToken(rotate.successor.tokenHash))
        const outcome = await store.rotateRefreshToken(rotate)
        if (outcome === 'rotated' && taken !== null) throw new Error('duplicate key')
        return outcome
      },
    }),
  ],
  [
    'finds the client of a code that it was issued to, deleted or not',
    'returns codes and tokens with their client as it is now, and null if it is deleted',
    (store) => {
      const clients = new Map<string, Client>()
      return {
        async insertClient(client) {
          clients.set(client.clientId, client)
          return store.insertClient(client)
        },
        async findCode(hash) {
          const code = await store.findCode(hash)
          return code && { ...code, client: clients.get(code.clientId) ?? null }
        },
      }
    },
  ],
  [
    'lets a later reason replace the first',
    'revokes a grant with all of its tokens, keeps the first reason, and changes no other grant',
    (store) => {
      const reasons = new Map<string, string>()
      return {
        async revokeGrant(revocation) {
          reasons.set(revocation.grantId, revocation.revokedReason)
          return store.revokeGrant(revocation)
        },
        async findAccessToken(hash) {
          const found = await store.findAccessToken(hash)
          if (found === null) return null
          const revokedReason = reasons.get(found.grant.grantId) ?? null
          return { ...found, grant: { ...found.grant, revokedReason } }
        },
      }
    },
  ],
  [
    'revokes the tokens it sees instead of the grant',
    'leaves no valid token when a rotation runs at the same time as a revocation',
    (store) => {
      const dead = new Set<string>()
      const alive = new Map<string, string>()
      return {
        async redeemCode(redeem) {
          alive.set(redeem.refreshToken.tokenHash, redeem.grant.grantId)
          return store.redeemCode(redeem)
        },
        async rotateRefreshToken(rotate) {
          if (dead.has(rotate.tokenHash)) return 'revoked'
          await pause()
          await pause()
          const outcome = await store.rotateRefreshToken(rotate)
          alive.set(rotate.successor.tokenHash, rotate.successor.grantId)
          return outcome
        },
        async revokeGrant({ grantId }) {
          for (const [hash, of] of alive) if (of === grantId) dead.add(hash)
          return 'revoked'
        },
        async findRefreshToken(hash) {
          const found = await store.findRefreshToken(hash)
          if (found === null || !dead.has(hash)) return found
          return { ...found, grant: { ...found.grant, revokedAt: 1_795_165_209 } }
        },
      }
    },
  ],
  [
    'ends the whole grant with one access token',
    'revokes one access token, once, and nothing else',
    (store) => ({
      async revokeAccessToken(revocation) {
        const found = await store.findAccessToken(revocation.tokenHash)
        if (found !== null)
          await store.revokeGrant({ ...found.grant, ...revocation, revokedReason: 'token' })
        return store.revokeAccessToken(revocation)
      },
    }),
  ],
  [
    'lists keys as they were inserted',
    'returns keys oldest first, with every field as it was stored',
    (store) => {
      const order: string[] = []
      return {
        async insertKey(key) {
          order.push(key.kid)
          return store.insertKey(key)
        },
        async listKeys() {
          const keys = await store.listKeys()
          return keys.toSorted((one, other) => order.indexOf(one.kid) - order.indexOf(other.kid))
        },
      }
    },
  ],
  [
    'says that a key was inserted when it was not',
    'does not overwrite a key whose identifier is taken',
    (store) => ({
      async insertKey(key) {
        await store.insertKey(key)
        return 'inserted'
      },
    }),
  ],
  [
    'keeps the private key of a retired key',
    'moves a key only from its current state, and stores every field of the move',
    (store) => ({
      async moveKey({ key, from }) {
        const before = (await store.listKeys()).find((one) => one.kid === key.kid)
        const sealedPrivateKey = before?.sealedPrivateKey ?? null
        return store.moveKey({ key: { ...key, sealedPrivateKey }, from })
      },
    }),
  ],
  [
    'looks at the state of a key and then moves it',
    'moves a key once when several callers try at the same time',
    (store) => ({
      async moveKey(move) {
        const key = (await store.listKeys()).find((one) => one.kid === move.key.kid)
        if (key?.state !== move.from) return 'conflict'
        await pause()
        await store.moveKey(move)
        return 'moved'
      },
    }),
  ],
  [
    'moves a key whatever it is sealed with',
    'seals a key again in its state, only while it is sealed as it was read',
    (store) => ({ moveKey: ({ key, from }) => store.moveKey({ key, from }) }),
  ],
  [
    'counts a key that stays active as a second one',
    'seals a key again in its state, only while it is sealed as it was read',
    (store) => ({
      moveKey: async (move) =>
        move.from === 'active' && move.key.state === 'active' ? 'conflict' : store.moveKey(move),
    }),
  ],
  [
    'lets two keys be active',
    'activates one key when several callers try at the same time',
    (store) => {
      const active = new Set<string>()
      return {
        async moveKey(move) {
          if (move.key.state !== 'active') return store.moveKey(move)
          active.add(move.key.kid)
          return 'moved'
        },
        async listKeys() {
          const keys = await store.listKeys()
          return keys.map((key) => (active.has(key.kid) ? { ...key, state: 'active' } : key))
        },
      }
    },
  ],
  [
    'purges what is due in a second',
    'purges what is no longer needed, to the second',
    (store) => ({ purge: ({ now, limit }) => store.purge({ now: now + 1, limit }) }),
  ],
  [
    'purges codes as soon as they expire',
    'keeps redeemed codes, rotated tokens and revoked grants, so that a replay is recognized',
    (store) => ({ purge: ({ now, limit }) => store.purge({ now: now + 86_400, limit }) }),
  ],
  [
    'purges unused clients after six days',
    'purges only self-registered clients that were not used within seven days',
    (store) => ({ purge: ({ now, limit }) => store.purge({ now: now + 86_400, limit }) }),
  ],
  [
    'purges without a limit',
    'purges no more rows of a kind than the limit allows',
    (store) => ({ purge: ({ now }) => store.purge({ now, limit: Infinity }) }),
  ],
  [
    'purges what was stored first',
    'purges what has been due for longest, and reports since when the rest has been',
    (store) => {
      const stored: PendingAuthorization[] = []
      return {
        savePending(pending) {
          stored.push(pending)
          return store.savePending(pending)
        },
        async purge({ now, limit }) {
          const due = stored.splice(0, limit).filter(({ expiresAt }) => expiresAt <= now)
          for (const { idHash } of due) await store.endPending(idHash)
          return { rows: due.length, dueSince: due.length < limit ? null : due.at(-1)!.expiresAt }
        },
      }
    },
  ],
  [
    'says that nothing is left',
    'purges what has been due for longest, and reports since when the rest has been',
    (store) => ({ purge: async (purge) => ({ ...(await store.purge(purge)), dueSince: null }) }),
  ],
  [
    'says that something is left for ever',
    'purges what has been due for longest, and reports since when the rest has been',
    (store) => ({
      async purge(purge) {
        const { rows, dueSince } = await store.purge(purge)
        return { rows, dueSince: dueSince ?? purge.now }
      },
    }),
  ],
  [
    'counts rows that another purge deleted',
    'deletes each row once when several callers purge at the same time',
    (store) => {
      let counted: Promise<Purged> | null = null
      return {
        async purge(purge) {
          counted ??= store.purge(purge)
          const purged = await counted
          await pause()
          counted = null
          return purged
        },
      }
    },
  ],
  [
    'forgets that the clock has leapt',
    'returns the mark of the clock with every field as it was stored, at its own site only',
    (store) => ({
      async findClock() {
        const found = await store.findClock()
        return { ...found, mark: found.mark && { ...found.mark, leap: null } }
      },
    }),
  ],
  [
    'compares only when the clock was last trusted',
    'moves the mark of the clock only from the mark that is stored',
    (store) => ({
      async moveClock({ from, to }) {
        const { mark } = await store.findClock()
        const isSame = mark?.trustedAt === from?.trustedAt
        return store.moveClock({ from: isSame ? mark : from, to })
      },
    }),
  ],
  [
    'looks at the mark of the clock and then writes it',
    'moves the mark of the clock once when several callers try at the same time',
    (store) => ({
      async moveClock({ from, to }) {
        const { mark } = await store.findClock()
        if (JSON.stringify(mark) !== JSON.stringify(from)) return 'conflict'
        await pause()
        await store.moveClock({ from: (await store.findClock()).mark, to })
        return 'moved'
      },
    }),
  ],
  [
    'has a clock and purges by that of its caller',
    'purges nothing that is live by a clock of its own, whatever time the caller has',
    (store) => ({
      findClock: async () => ({ ...(await store.findClock()), now: 1_700_000_000 }),
    }),
  ],
  [
    'lets every key be used again',
    'lets a key be used once, and every other key too, each at its own site',
    () => ({ useOnce: async () => 'first' }),
  ],
  [
    'forgets at a purge which keys were used',
    'remembers a key until its time, to the second, and purges it then',
    (store) => {
      let purges = 0
      return {
        async purge(step) {
          purges++
          return store.purge(step)
        },
        useOnce: ({ key, until }) => store.useOnce({ key: `${key} ${purges}`, until }),
      }
    },
  ],
  [
    'keeps a used key for ever',
    'remembers a key until its time, to the second, and purges it then',
    (store) => ({
      useOnce: ({ key }) => store.useOnce({ key, until: Number.MAX_SAFE_INTEGER }),
    }),
  ],
  [
    'lets a key be used again with a later time',
    'lets a key be used once, and every other key too, each at its own site',
    (store) => ({
      useOnce: ({ key, until }) => store.useOnce({ key: `${key} ${until}`, until }),
    }),
  ],
  [
    'looks for a used key and then stores it',
    'lets a key be used once when several callers try at the same time',
    () => {
      const used = new Set<string>()
      return {
        async useOnce({ key }) {
          if (used.has(key)) return 'again'
          await pause()
          used.add(key)
          return 'first'
        },
      }
    },
  ],
  [
    'forgets a used key a second early',
    'remembers a key until its time, to the second, and purges it then',
    (store) => ({
      useOnce: ({ key, until }) => store.useOnce({ key, until: until - 1 }),
    }),
  ],
  ...(
    [
      ['gives nothing back', () => ({ giveBack: async () => {} })],
      [
        'gives a key back to anyone',
        (store) => ({
          useOnce: (use) => store.useOnce({ ...use, claim: 'one for all' }),
          giveBack: ({ key }) => store.giveBack({ key, claim: 'one for all' }),
        }),
      ],
      [
        'gives every key of a claim back',
        (store) => {
          const keys = new Map<string, string>()
          return {
            useOnce(use) {
              keys.set(use.claim ?? '', use.key)
              return store.useOnce(use)
            },
            giveBack: ({ claim }) => store.giveBack({ key: keys.get(claim) ?? '', claim }),
          }
        },
      ],
      [
        'lets a claim use its key again',
        (store) => {
          const claims = new Set<string>()
          return {
            async useOnce(use) {
              const outcome = await store.useOnce(use)
              if (outcome === 'again' && use.claim === 'mine' && claims.has(use.claim))
                return 'first'
              claims.add(use.claim ?? '')
              return outcome
            },
          }
        },
      ],
      [
        'takes a use without a claim for one with an empty claim',
        (store) => ({ useOnce: ({ claim = '', ...use }) => store.useOnce({ ...use, claim }) }),
      ],
    ] satisfies readonly (readonly [string, Broken[2]])[]
  ).map(([fault, break_]): Broken => [
    fault,
    'gives a key back for the claim that used it, and for no other, however often it is asked',
    break_,
  ]),
  [
    'forgets a key that was given back for good',
    'lets a key that was given back be used once when several callers try at the same time',
    (store) => {
      const free = new Set<string>()
      return {
        async giveBack({ key, claim }) {
          free.add(`${key} ${claim}`)
          await store.giveBack({ key, claim })
        },
        useOnce: async (use) => (free.has(`${use.key} first`) ? 'first' : store.useOnce(use)),
      }
    },
  ],
  [
    'ends a request without the next one',
    'stores a pending request in place of the one that it ends, and not if that has ended',
    (store) => ({ endPending: (idHash, events) => store.endPending(idHash, events) }),
  ],
  [
    'stores the next request of who came late',
    'stores a pending request in place of the one that it ends, and not if that has ended',
    (store) => ({
      async endPending(idHash, events, next) {
        const outcome = await store.endPending(idHash, events)
        if (next !== undefined) await store.savePending(next)
        return outcome
      },
    }),
  ],
  [
    'lets the last browser continue a request',
    'stores one pending request in place of another when several callers try at the same time',
    (store) => ({
      async endPending(idHash, events, next) {
        const outcome = await store.endPending(idHash, events)
        await pause()
        if (
          next !== undefined &&
          (outcome === 'ended' || (await store.findPending(next.idHash)) !== null)
        )
          await store.savePending(next)
        return outcome
      },
    }),
  ],
]

/** Stores that know no sites: what one stores, the other finds. */
const SHARED: readonly Broken[] = [
  ...SHARED_CLIENTS,
  ...SHARED_EVENTS,
  ['knows no sites', 'finds nothing that another site stored', () => ({})],
  [
    'finds a grant at every site',
    'finds no grant that another site stored, and adds no scopes to it',
    () => ({}),
  ],
  [
    'uses up a key at every site',
    'lets a key be used once, and every other key too, each at its own site',
    () => ({}),
  ],
  [
    'asks for the site only when it reads',
    'changes nothing that another site stored, even under the same identifiers',
    () => ({}),
  ],
]

async function failures(makeStore: () => Store): Promise<string[]> {
  const names: string[] = []
  for (const { name, run } of storeContract(makeStore)) {
    const kept = await run().then(
      () => true,
      (fault: unknown) => {
        expect(fault).toBeInstanceOf(Error)
        return false
      },
    )
    if (!kept) names.push(name)
  }
  return names
}

function broken([, , break_]: Broken): Store {
  const store = createMemoryStore()
  return { ...store, ...break_(store) }
}

/** Methods that name no row, or look for a part of a text. */
const NAMELESS = ['listClients', 'listKeys', 'findClock', 'moveClock', 'revokeAllGrants', 'purge']

describe('the contract', () => {
  it('asks each method that names a row for one whose name only resembles', () => {
    const text = readSource('src/store-contract/near-key-checks.ts')
    const unasked = Object.keys(STORE_ARGUMENTS).filter((name) => !text.includes(`store.${name}(`))
    expect(unasked.toSorted()).toEqual(NAMELESS.toSorted())
  })

  it.each(BROKEN)('catches a store that %s [ST-02]', async (...row) => {
    expect(await failures(() => broken(row))).toContain(row[1])
  })

  it.each(SHARED)('catches a store that %s [ST-02]', async (...row) => {
    const one = broken(row)
    expect(await failures(() => one)).toContain(row[1])
  })

  it('catches a store that takes sites whose names differ in case for one', async () => {
    const stores = new Map<string, Store>()
    const failed: string[] = []
    const checks = storeContract((site) => {
      const key = site.toLowerCase()
      if (!stores.has(key)) stores.set(key, createMemoryStore())
      return stores.get(key)!
    })
    for (const { name, run } of checks) await run().catch(() => failed.push(name))
    expect(failed).toContain('finds nothing that another site stored')
  })

  it('has a broken store for each of its promises', () => {
    const caught = new Set([...BROKEN, ...SHARED].map(([, promise]) => promise))
    const promises = storeContract(() => createMemoryStore()).map(({ name }) => name)
    expect(promises.filter((name) => !caught.has(name))).toEqual([])
  })
})
