import type { StoreWith } from '../store/groups.js'
import type { RotateRefreshToken, Store } from '../store/store.js'
import { type Promised, same } from './check.js'
import {
  accessSample,
  clientSample,
  codeSample,
  grantSample,
  hash,
  pendingSample,
  redemption,
  refreshSample,
  rotation,
  storeGrant,
  T,
} from './samples.js'

const DAY = 86_400
const NOTHING = { grants: 0, codes: 0, consents: 0, pending: 0 }

/** The names of the rows that {@link storePerson} stores for a person. */
const GRANTS = ['active', 'revoked', 'expired'] as const

/** Stores, for one person: three grants, one of them rotated, a code with its consent, and a request. */
async function storePerson(store: StoreWith, subject: string): Promise<void> {
  for (const name of GRANTS) {
    const grantId = `${subject} ${name}`
    await storeGrant(store, grantId, {
      code: codeSample({ codeHash: hash(`code ${grantId}`), grantId, subject }),
      grant: grantSample({
        grantId,
        subject,
        expiresAt: name === 'expired' ? T + 2 : T + 100 * DAY,
      }),
    })
  }
  const active = `${subject} active`
  await store.rotateRefreshToken(rotationOf(active))
  await store.revokeGrant({ grantId: `${subject} revoked`, revokedAt: T, revokedReason: 'test' })
  await store.issueCode({
    code: codeSample({ codeHash: hash(`waiting ${subject}`), grantId: `${subject} next`, subject }),
    pendingIdHash: null,
    consentKey: hash(`consent ${subject}`),
  })
  const loginHint = `${subject}@School.example`
  await store.savePending(pendingSample({ idHash: hash(`pending ${subject}`), loginHint }))
}

/** Returns a rotation of a token of a grant. Without further names: of its first token, to the next. */
function rotationOf(
  grantId: string,
  { from = grantId, to = `next ${grantId}` }: { from?: string; to?: string } = {},
): RotateRefreshToken {
  const { successor, accessToken, ...record } = rotation(from, to)
  return {
    ...record,
    successor: { ...successor, grantId },
    accessToken: { ...accessToken, grantId },
  }
}

/** Returns the names of the rows of {@link storePerson} that are there. */
async function rowsOf(store: StoreWith, subject: string): Promise<readonly string[]> {
  const tokens = GRANTS.flatMap((name) => [`${subject} ${name}`, `next ${subject} ${name}`])
  const found: (readonly [name: string, row: unknown])[] = []
  for (const name of tokens) {
    found.push([`access ${name}`, await store.findAccessToken(hash(`access ${name}`))])
    found.push([`refresh ${name}`, await store.findRefreshToken(hash(`refresh ${name}`))])
    found.push([`code ${name}`, await store.findCode(hash(`code ${name}`))])
  }
  found.push(['waiting code', await store.findCode(hash(`waiting ${subject}`))])
  found.push(['consent', (await store.hasConsent(hash(`consent ${subject}`))) || null])
  found.push(['pending', await store.findPending(hash(`pending ${subject}`))])
  const query = { of: { subject }, after: null, limit: 9, now: 0 }
  const listed = (await store.listGrants(query)).map(({ grant }) => [grant.grantId, grant] as const)
  return [...found, ...listed].filter(([, row]) => row !== null).map(([name]) => name)
}

/** The checks of the erasure of a person. */
export const erasureChecks: readonly Promised<StoreWith<'erasure'>>[] = [
  {
    name: 'erases every row about a person, and no other',
    async check(store, other) {
      await store.insertClient(clientSample())
      for (const one of [store, other]) await storePerson(one, 'mem_1')
      await storePerson(store, 'mem_2')
      const [others, theirs] = [await rowsOf(store, 'mem_2'), await rowsOf(other, 'mem_1')]
      const erase = { subject: 'mem_1', loginHints: ['MEM_1@school.example', ''], erasedAt: T }
      const erased = { grants: 3, codes: 4, consents: 1, pending: 1 }
      same(await store.erasePerson(erase), erased, 'erasePerson')
      same(await rowsOf(store, 'mem_1'), [], 'what is left of the person')
      const redeem = redemption('late', { codeHash: hash('waiting mem_1') })
      same(await store.redeemCode(redeem), 'missing', 'a redemption afterwards')
      const rotate = rotationOf('mem_1 active', { to: 'late' })
      same(await store.rotateRefreshToken(rotate), 'missing', 'a refresh afterwards')
      same(await store.erasePerson(erase), NOTHING, 'a second time')
      same(await store.erasePerson({ ...erase, subject: '' }), NOTHING, 'nobody')
      same(await rowsOf(store, 'mem_2'), others, 'what is left of another person')
      same(await rowsOf(other, 'mem_1'), theirs, 'what is left of another site')
      const client = clientSample({ usedAt: T + 1 })
      same(await store.findClient('app_1'), client, 'the client')
    },
  },
  {
    name: 'issues no code for an erased person until purge forgets it, a day later',
    async check(store, other) {
      const issue = (subject: string, issuedAt = T): Parameters<Store['issueCode']>[0] => ({
        code: codeSample({ codeHash: hash(`code ${subject}`), subject, issuedAt }),
        pendingIdHash: pendingSample().idHash,
        consentKey: hash(`consent ${subject}`),
      })
      for (const one of [store, other])
        await one.savePending(pendingSample({ loginHint: null, expiresAt: T + 10 * DAY }))
      await store.erasePerson({ subject: 'mem_1', loginHints: [], erasedAt: T })
      const refused = async (when: string, issuedAt = T): Promise<void> => {
        same(await store.issueCode(issue('mem_1', issuedAt)), 'gone', `issueCode ${when}`)
        const silent = { ...issue('mem_1', issuedAt), pendingIdHash: null }
        same(await store.issueCode(silent), 'gone', `silent issueCode ${when}`)
        same(await store.findCode(hash('code mem_1')), null, `findCode ${when}`)
        same(await store.hasConsent(hash('consent mem_1')), false, `hasConsent ${when}`)
        const pending = await store.findPending(pendingSample().idHash)
        same(pending?.idHash, pendingSample().idHash, `findPending ${when}`)
      }
      await refused('immediately')
      same(await other.issueCode(issue('mem_1')), 'issued', 'issueCode at another site')
      same((await store.purge({ now: T + DAY - 1, limit: 100 })).rows, 0, 'a second too early')
      await refused('a second too early', T + DAY - 1)
      // Until it is forgotten, no clock of a caller decides.
      for (const issuedAt of [T + DAY, T + 30 * DAY])
        await refused(`before purge, with a code of ${issuedAt}`, issuedAt)
      await store.erasePerson({ subject: 'mem_1', loginHints: [], erasedAt: T + 5 })
      same((await store.purge({ now: T + DAY, limit: 100 })).rows, 0, 'after a second erasure')
      same((await store.purge({ now: T + DAY + 5, limit: 100 })).rows, 1, 'in time')
      same(await store.issueCode(issue('mem_1')), 'issued', 'issueCode afterwards')
    },
  },
  {
    name: 'leaves nothing of a person when codes are issued or redeemed, or tokens refreshed, at the same time as erasePerson',
    isRace: true,
    async check(store) {
      for (let round = 0; round < 8; round++) {
        const subject = `mem_${round}`
        await storePerson(store, subject)
        const idHash = hash(`consent page ${round}`)
        await store.savePending(pendingSample({ idHash, loginHint: null }))
        const active = `${subject} active`
        const grantId = `${subject} next`
        const name = `next ${subject} expired`
        const steps: readonly (() => Promise<unknown>)[] = [
          () => store.erasePerson({ subject, loginHints: [], erasedAt: T }),
          () =>
            store.issueCode({
              code: codeSample({ codeHash: hash(`code ${name}`), grantId: 'x', subject }),
              pendingIdHash: idHash,
              consentKey: hash(`consent ${subject}`),
            }),
          () =>
            store.redeemCode({
              codeHash: hash(`waiting ${subject}`),
              redeemedAt: T + 1,
              grant: grantSample({ grantId, subject }),
              accessToken: accessSample({ tokenHash: hash(`access ${name}`), grantId }),
              refreshToken: refreshSample({ tokenHash: hash(`refresh ${name}`), grantId }),
            }),
          () => store.rotateRefreshToken(rotationOf(`${subject} revoked`)),
          () =>
            store.rotateRefreshToken(rotationOf(active, { from: `next ${active}`, to: 'last' })),
          () => store.rotateRefreshToken(rotationOf(`${subject} expired`, { to: 'other' })),
        ]
        const turn = round % steps.length
        await Promise.all([...steps.slice(turn), ...steps.slice(0, turn)].map((step) => step()))
        const left = (await rowsOf(store, subject)).filter((row) => row !== 'pending')
        same(left, [], `what is left in round ${round}`)
        for (const late of ['last', 'other'])
          same(await store.findAccessToken(hash(`access ${late}`)), null, `access ${late}`)
      }
    },
  },
]
