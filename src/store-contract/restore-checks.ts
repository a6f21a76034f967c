import type { StoreWith } from '../store/groups.js'
import type { Store } from '../store/store.js'
import { type Promised, same } from './check.js'
import {
  codeSample,
  grantSample,
  hash,
  pendingSample,
  redemption,
  rotation,
  storeGrant,
  T,
} from './samples.js'

const NOTHING: Awaited<ReturnType<Store['revokeAllGrants']>> = {
  grants: 0,
  codes: 0,
  consents: 0,
  pending: 0,
}
const REVOCATION = { issuedBefore: T, revokedAt: T + 9, revokedReason: 'restored', limit: 100 }

/** Stores a grant, a code with its consent, and a pending request, all issued at one time under one name. */
async function storeAt(store: StoreWith, name: string, issuedAt: number): Promise<void> {
  await storeGrant(store, name, {
    code: codeSample({ codeHash: hash(`spent ${name}`), grantId: name, issuedAt }),
    grant: grantSample({ grantId: name, subject: name, createdAt: issuedAt }),
  })
  await store.issueCode({
    code: codeSample({ codeHash: hash(`code ${name}`), grantId: `next ${name}`, issuedAt }),
    pendingIdHash: null,
    consentKey: hash(`consent ${name}`),
  })
  await store.savePending(pendingSample({ idHash: hash(`pending ${name}`), createdAt: issuedAt }))
}

/** Returns what is left of the rows of {@link storeAt}. */
async function rowsOf(store: StoreWith, name: string): Promise<readonly string[]> {
  const access = await store.findAccessToken(hash(`access ${name}`))
  const found: readonly (readonly [string, boolean])[] = [
    ['grant', access !== null && access.grant.revokedAt === null],
    ['spent code', (await store.findCode(hash(`spent ${name}`))) !== null],
    ['code', (await store.findCode(hash(`code ${name}`))) !== null],
    ['consent', await store.hasConsent(hash(`consent ${name}`))],
    ['pending', (await store.findPending(hash(`pending ${name}`))) !== null],
  ]
  return found.filter(([, isThere]) => isThere).map(([row]) => row)
}

/** The checks of `revokeAllGrants`, for a database that was restored. */
export const restoreChecks: readonly Promised<StoreWith<'restore'>>[] = [
  {
    name: 'ends all that was issued before a time, and nothing else',
    async check(store, other) {
      for (const one of [store, other]) {
        await storeAt(one, 'old', T - 1)
        await storeAt(one, 'new', T)
      }
      await storeGrant(store, 'revoked', {
        code: codeSample({ codeHash: hash('spent revoked'), grantId: 'revoked' }),
        grant: grantSample({ grantId: 'revoked', createdAt: T - 1 }),
      })
      await store.revokeGrant({ grantId: 'revoked', revokedAt: T, revokedReason: 'person' })
      const others = await rowsOf(other, 'old')
      const ended = { grants: 1, codes: 1, consents: 2, pending: 1 }
      same(await store.revokeAllGrants(REVOCATION), ended, 'the first call')
      same(await rowsOf(store, 'old'), ['spent code'], 'what is left of what is old')
      const left = ['grant', 'spent code', 'code', 'pending']
      same(await rowsOf(store, 'new'), left, 'what is left of what is new')
      same(await rowsOf(other, 'old'), others, 'what is left of another site')
      const old = await store.findRefreshToken(hash('refresh old'))
      same([old?.grant.revokedAt, old?.grant.revokedReason], [T + 9, 'restored'], 'why')
      const { successor, ...rotate } = rotation('old', 'late')
      const refresh = { ...rotate, successor: { ...successor, grantId: 'old' } }
      same(await store.rotateRefreshToken(refresh), 'revoked', 'a refresh afterwards')
      const revoked = await store.findAccessToken(hash('access revoked'))
      same(revoked?.grant.revokedReason, 'person', 'the first reason')
      same(await store.revokeAllGrants(REVOCATION), NOTHING, 'the second call')
    },
  },
  {
    name: 'ends no more rows of a kind than the limit allows',
    async check(store) {
      for (const name of ['a', 'b', 'c']) await storeAt(store, name, T - 1)
      const call = (): ReturnType<Store['revokeAllGrants']> =>
        store.revokeAllGrants({ ...REVOCATION, limit: 2 })
      same(await call(), { grants: 2, codes: 2, consents: 2, pending: 2 }, 'the first call')
      same(await call(), { grants: 1, codes: 1, consents: 1, pending: 1 }, 'the second call')
      same(await call(), NOTHING, 'the third call')
    },
  },
  {
    name: 'leaves no active grant when a redemption or a refresh runs at the same time as revokeAllGrants',
    isRace: true,
    async check(store) {
      const end = async (): Promise<void> => {
        const ended = await store.revokeAllGrants(REVOCATION)
        if (Object.values(ended).some((count) => count > 0)) await end()
      }
      for (let round = 0; round < 8; round++) {
        const name = `round ${round}`
        await storeAt(store, name, T - 1)
        const { accessToken, refreshToken, ...redeem } = redemption(`next ${name}`)
        const grantId = `next ${name}`
        const rotate = rotation(name, `late ${name}`)
        await Promise.all([
          store.redeemCode({
            ...redeem,
            codeHash: hash(`code ${name}`),
            grant: grantSample({ grantId, createdAt: T - 1 }),
            accessToken: { ...accessToken, grantId },
            refreshToken: { ...refreshToken, grantId },
          }),
          store.rotateRefreshToken({
            ...rotate,
            successor: { ...rotate.successor, grantId: name },
            accessToken: { ...rotate.accessToken, grantId: name },
          }),
          end(),
        ])
        const query = { of: 'everyone', after: null, limit: 100, now: T } as const
        same(await store.listGrants(query), [], `active grants in ${name}`)
      }
    },
  },
]
