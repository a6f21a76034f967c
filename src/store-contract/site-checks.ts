import type { StoreWith } from '../store/groups.js'
import { type Promised, race, same } from './check.js'
import {
  clientSample,
  codeSample,
  grantSample,
  hash,
  keySample,
  pendingSample,
  refreshSample,
  redemption,
  rotation,
  storeGrant,
  T,
} from './samples.js'

const DAY = 86_400

async function storeOne(store: StoreWith, subject: string): Promise<void> {
  await store.insertClient(clientSample({ name: subject }))
  await store.insertKey(keySample({ state: 'active', publicJwk: `"${subject}"` }))
  await store.savePending(pendingSample({ state: subject }))
  await storeGrant(store, '0', {
    code: codeSample({ subject }),
    grant: grantSample({ subject }),
  })
}

/** The checks of the separation of sites, and of `purge`. */
export const siteChecks: readonly Promised[] = [
  {
    name: 'reads each change as soon as its method has resolved',
    async check(store) {
      await store.insertClient(clientSample())
      same((await store.findClient('app_1'))?.disabled, false, 'a new client')
      await store.savePending(pendingSample())
      same((await store.findPending(pendingSample().idHash))?.clientId, 'app_1', 'a request')
      const issue = { code: codeSample(), pendingIdHash: pendingSample().idHash }
      await store.issueCode({ ...issue, consentKey: hash('consent') })
      same(await store.findPending(pendingSample().idHash), null, 'a request that has ended')
      await store.redeemCode(redemption())
      const fresh = await store.findAccessToken(hash('access 0'))
      same(fresh?.accessToken.revokedAt, null, 'a new token')
      await store.rotateRefreshToken(rotation('0', '1'))
      const used = await store.findRefreshToken(hash('refresh 0'))
      same(used?.refreshToken.rotation === null, false, 'a rotated token')
      await store.revokeAccessToken({ tokenHash: hash('access 0'), revokedAt: T + 9 })
      const revoked = await store.findAccessToken(hash('access 0'))
      same(revoked?.accessToken.revokedAt, T + 9, 'a revoked token')
      await store.replaceClient(clientSample({ revision: 2, disabled: true }))
      const disabled = await store.findAccessToken(hash('access 1'))
      same(disabled?.client?.disabled, true, 'a disabled client of a token')
      await store.revokeGrant({ grantId: 'grant_1', revokedAt: T + 9, revokedReason: 'test' })
      const ended = await store.findAccessToken(hash('access 1'))
      same(ended?.grant.revokedAt, T + 9, 'a token of a revoked grant')
      await store.insertKey(keySample())
      await store.moveKey({ key: keySample({ state: 'active' }), from: 'generated' })
      same((await store.listKeys())[0]?.state, 'active', 'a key')
    },
  },
  {
    name: 'finds nothing that another site stored',
    async check(store, other) {
      await storeOne(other, 'theirs')
      await other.issueCode({
        code: codeSample({ codeHash: hash('fresh'), grantId: 'grant_fresh' }),
        pendingIdHash: null,
        consentKey: hash('consent'),
      })
      same(await store.findClient('app_1'), null, 'findClient')
      same(await store.findPending(pendingSample().idHash), null, 'findPending')
      same(await store.findCode(hash('code')), null, 'findCode')
      same(await store.findAccessToken(hash('access 0')), null, 'findAccessToken')
      same(await store.findRefreshToken(hash('refresh 0')), null, 'findRefreshToken')
      same(await store.hasConsent(hash('consent')), false, 'hasConsent')
      same(await store.listKeys(), [], 'listKeys')
    },
  },
  {
    name: 'changes nothing that another site stored, even under the same identifiers',
    async check(store, other) {
      await storeOne(other, 'theirs')
      const redeem = redemption('mine', { codeHash: hash('fresh') })
      same(await store.endPending(pendingSample().idHash), 'gone', 'endPending')
      same(await store.redeemCode(redeem), 'missing', 'redeemCode')
      same(await store.rotateRefreshToken(rotation('0', '1')), 'missing', 'rotateRefreshToken')
      const revoke = { revokedAt: T, revokedReason: 'test' }
      same(await store.revokeGrant({ grantId: 'grant_1', ...revoke }), 'missing', 'revokeGrant')
      const access = { tokenHash: hash('access 0'), revokedAt: T }
      same(await store.revokeAccessToken(access), 'missing', 'revokeAccessToken')
      const key = keySample({ state: 'retiring' })
      same(await store.moveKey({ key, from: 'active' }), 'conflict', 'moveKey')

      await storeOne(store, 'ours')
      await store.revokeGrant({ grantId: 'grant_1', ...revoke })
      same(await store.endPending(pendingSample().idHash), 'ended', 'endPending of our own')
      same(
        (await store.purge({ now: T + 400 * DAY, limit: 100 })).rows > 0,
        true,
        'purge removes ours',
      )
      same((await other.findClient('app_1'))?.name, 'theirs', 'their client')
      same((await other.findPending(pendingSample().idHash))?.state, 'theirs', 'their request')
      const theirs = await other.findAccessToken(hash('access 0'))
      same(theirs?.grant, grantSample({ subject: 'theirs' }), 'their grant')
      same((await other.listKeys())[0]?.state, 'active', 'their key')
    },
  },
  {
    name: 'purges what is no longer needed, to the second',
    async check(store) {
      const grant = grantSample({ expiresAt: T + 100 * DAY })
      await storeGrant(store, '0', { grant })
      await store.savePending(pendingSample({ expiresAt: T + 600 }))
      const purge = async (now: number): Promise<number> =>
        (await store.purge({ now, limit: 100 })).rows
      const left = async (): Promise<Record<string, boolean>> => ({
        pending: (await store.findPending(pendingSample().idHash)) !== null,
        access: (await store.findAccessToken(hash('access 0'))) !== null,
        code: (await store.findCode(hash('code'))) !== null,
        refresh: (await store.findRefreshToken(hash('refresh 0'))) !== null,
      })
      same(await purge(T + 599), 0, 'purge before anything is due')
      same(await purge(T + 600), 1, 'purge of the request')
      same(await left(), { pending: false, access: true, code: true, refresh: true }, 'then left')
      same(await purge(T + 3600), 0, 'purge before the access token is due')
      same(await purge(T + 3601), 1, 'purge of the access token')
      same(await purge(T + 60 + DAY - 1), 0, 'purge before the code is due')
      same(await purge(T + 60 + DAY), 1, 'purge of the code')
      same(await left(), { pending: false, access: false, code: false, refresh: true }, 'then left')
      same(await purge(T + 100 * DAY - 1), 0, 'purge before the grant is due')
      same(await purge(T + 100 * DAY), 2, 'purge of the grant and its refresh token')
      same(await left(), { pending: false, access: false, code: false, refresh: false }, 'at last')
    },
  },
  {
    name: 'keeps redeemed codes, rotated tokens and revoked grants, so that a replay is recognized',
    async check(store) {
      await storeGrant(store)
      await store.rotateRefreshToken(rotation('0', '1'))
      await store.revokeGrant({ grantId: 'grant_1', revokedAt: T + 9, revokedReason: 'person' })
      await store.purge({ now: T + 3600, limit: 100 })
      same((await store.findCode(hash('code')))?.redeemedAt, T + 1, 'the spent code')
      const { expiresAt } = refreshSample()
      await store.purge({ now: expiresAt - 1, limit: 100 })
      const rotated = await store.findRefreshToken(hash('refresh 0'))
      same(rotated?.refreshToken.rotation, rotation('0', '1').rotation, 'the rotated token')
      await store.purge({ now: T + 100 * DAY, limit: 100 })
      const newest = await store.findRefreshToken(hash('refresh 1'))
      same(newest?.refreshToken, rotation('0', '1').successor, 'the newest token')
      same(newest?.grant.revokedReason, 'person', 'the revoked grant')
    },
  },
  {
    name: 'purges only self-registered clients that were not used within seven days',
    async check(store) {
      const clients = [
        clientSample({ clientId: 'due', kind: 'loopback', createdAt: T }),
        clientSample({ clientId: 'young', kind: 'loopback', createdAt: T + 1 }),
        clientSample({ clientId: 'used', kind: 'loopback', createdAt: T, usedAt: T }),
        clientSample({ clientId: 'member', kind: 'member', createdAt: T }),
      ]
      for (const client of clients) await store.insertClient(client)
      same((await store.purge({ now: T + 7 * DAY, limit: 100 })).rows, 1, 'purge')
      for (const client of clients)
        same(
          (await store.findClient(client.clientId)) === null,
          client.clientId === 'due',
          client.clientId,
        )
    },
  },
  {
    name: 'purges no more rows of a kind than the limit allows',
    async check(store) {
      for (let index = 0; index < 5; index++)
        await store.savePending(pendingSample({ idHash: hash(`${index}`), expiresAt: T }))
      same((await store.purge({ now: T, limit: 2 })).rows, 2, 'the first purge')
      same((await store.purge({ now: T, limit: 2 })).rows, 2, 'the second purge')
      same((await store.purge({ now: T, limit: 2 })).rows, 1, 'the third purge')
      same((await store.purge({ now: T, limit: 2 })).rows, 0, 'the fourth purge')
    },
  },
  {
    name: 'purges what has been due for longest, and reports since when the rest has been',
    async check(store) {
      const expiries = [T + 4, T + 1, T + 3, T, T + 2]
      const idHashOf = (expiresAt: number): string => hash(`${expiresAt}`)
      for (const expiresAt of expiries)
        await store.savePending(pendingSample({ idHash: idHashOf(expiresAt), expiresAt }))
      const left = async (): Promise<readonly number[]> => {
        const found = await Promise.all(expiries.map((at) => store.findPending(idHashOf(at))))
        return found
          .flatMap((pending) => (pending === null ? [] : [pending.expiresAt - T]))
          .sort((one, other) => one - other)
      }
      const first = await store.purge({ now: T + 9, limit: 2 })
      same(await left(), [2, 3, 4], 'what the first purge left')
      const since = (first.dueSince ?? 0) - T
      same(since >= 1 && since <= 2, true, `the first purge says ${since}, and that`)
      await store.purge({ now: T + 9, limit: 2 })
      const { dueSince } = await store.purge({ now: T + 9, limit: 2 })
      same([await left(), dueSince], [[], null], 'what the third purge left')
    },
  },
  {
    name: 'deletes each row once when several callers purge at the same time',
    isRace: true,
    async check(store) {
      for (let index = 0; index < 20; index++)
        await store.savePending(pendingSample({ idHash: hash(`${index}`), expiresAt: T + index }))
      let deleted = 0
      for (let round = 0; round < 6; round++)
        for (const { rows } of await race(4, () => store.purge({ now: T + 99, limit: 4 })))
          deleted += rows
      same(deleted, 20, 'rows')
      same(await store.purge({ now: T + 99, limit: 4 }), { rows: 0, dueSince: null }, 'the rest')
    },
  },
]
