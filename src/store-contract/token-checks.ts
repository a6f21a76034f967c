import type { Client } from '../policy/client.js'
import type { StoreWith } from '../store/groups.js'
import type { RotateRefreshToken } from '../store/store.js'
import { type Promised, race, same, settles, tally } from './check.js'
import {
  accessSample,
  clientSample,
  codeSample,
  grantSample,
  hash,
  HOSTILE,
  redemption,
  refreshSample,
  rotation,
  storeGrant,
  T,
} from './samples.js'

const DAY = 86_400

const issue = { code: codeSample(), pendingIdHash: null, consentKey: null }

/** Returns whether a refresh token, and the access token issued with it, are stored. */
async function pairExists(store: StoreWith, name: string): Promise<readonly boolean[]> {
  return [
    (await store.findRefreshToken(hash(`refresh ${name}`))) !== null,
    (await store.findAccessToken(hash(`access ${name}`))) !== null,
  ]
}

/** The checks of redemption, rotation and revocation. */
export const tokenChecks: readonly Promised[] = [
  {
    name: 'marks a redeemed code, and stores its grant and tokens with every field',
    async check(store) {
      await store.issueCode(issue)
      const { grant, accessToken, refreshToken } = redemption()
      same(await store.redeemCode(redemption()), 'redeemed', 'redeemCode')
      same(
        await store.findCode(issue.code.codeHash),
        { ...issue.code, redeemedAt: T + 1, client: null },
        'findCode',
      )
      same(
        await store.findAccessToken(accessToken.tokenHash),
        { accessToken, grant, client: null },
        'findAccessToken',
      )
      same(
        await store.findRefreshToken(refreshToken.tokenHash),
        { refreshToken, grant, successorUsed: false, client: null },
        'findRefreshToken',
      )
    },
  },
  {
    name: 'returns codes and tokens with their client as it is now, and null if it is deleted',
    async check(store) {
      await store.insertClient(clientSample({ clientId: 'app_2', name: 'another' }))
      const clients = async (): Promise<readonly (Client | null | undefined)[]> => [
        (await store.findCode(issue.code.codeHash))?.client,
        (await store.findAccessToken(hash('access 0')))?.client,
        (await store.findRefreshToken(hash('refresh 0')))?.client,
      ]
      await storeGrant(store)
      same(await clients(), [null, null, null], 'a client that is not stored')
      await store.insertClient(clientSample())
      same(
        await clients(),
        Array.from({ length: 3 }, () => clientSample()),
        'the client',
      )
      const changed = clientSample({ revision: 2, name: 'changed', disabled: true })
      await store.replaceClient(changed)
      same(await clients(), [changed, changed, changed], 'the client after its change')
      await store.replaceClient(clientSample({ revision: 3, deletedAt: T }))
      same(await clients(), [null, null, null], 'the client after its deletion')
    },
  },
  {
    name: 'returns grants and tokens with any text and times in them',
    async check(store) {
      for (const [index, text] of HOSTILE.entries()) {
        const grantId = `grant_${index}`
        const code = codeSample({ codeHash: hash(`code ${index}`), grantId })
        const grant = grantSample({
          grantId,
          subject: text,
          redirectUri: text,
          scopes: [],
          expiresAt: 2 ** 33,
        })
        await storeGrant(store, String(index), { code, grant })
        const found = await store.findAccessToken(hash(`access ${index}`))
        same(found?.grant, grant, 'the grant')
      }
    },
  },
  {
    name: 'stores the time of the first use of a client, and of no later use',
    async check(store) {
      await store.insertClient(clientSample())
      await store.insertClient(clientSample({ clientId: 'app_2' }))
      await storeGrant(store)
      same((await store.findClient('app_1'))?.usedAt, T + 1, 'usedAt after the first')
      const code = codeSample({ codeHash: hash('later'), grantId: 'grant_2' })
      await store.issueCode({ ...issue, code })
      await store.redeemCode({
        codeHash: code.codeHash,
        redeemedAt: T + 50,
        grant: grantSample({ grantId: 'grant_2' }),
        accessToken: accessSample({ tokenHash: hash('access 2'), grantId: 'grant_2' }),
        refreshToken: refreshSample({ tokenHash: hash('refresh 2'), grantId: 'grant_2' }),
      })
      same((await store.findClient('app_1'))?.usedAt, T + 1, 'usedAt after the second')
      same((await store.findClient('app_2'))?.usedAt, null, 'usedAt of another client')
    },
  },
  {
    name: 'redeems a code once when several callers try at the same time, and stores only the tokens of that caller',
    isRace: true,
    async check(store) {
      await store.issueCode(issue)
      const outcomes = await race(10, (index) => store.redeemCode(redemption(String(index))))
      same(tally(outcomes), { redeemed: 1, spent: 9 }, 'outcomes')
      for (const [index, outcome] of outcomes.entries()) {
        const there = outcome === 'redeemed'
        same(await pairExists(store, String(index)), [there, there], `tokens of caller ${index}`)
      }
    },
  },
  {
    name: 'writes nothing for a code that is spent or missing',
    async check(store) {
      await storeGrant(store)
      await store.insertClient(clientSample())
      same(await store.redeemCode(redemption('again')), 'spent', 'redeemCode again')
      const missing = redemption('none', {
        codeHash: hash('none'),
        grant: grantSample({ grantId: 'grant_none' }),
      })
      same(await store.redeemCode(missing), 'missing', 'redeemCode of no code')
      same(await pairExists(store, 'again'), [false, false], 'tokens of the second caller')
      same(await pairExists(store, 'none'), [false, false], 'tokens for no code')
      same((await store.findCode(issue.code.codeHash))?.redeemedAt, T + 1, 'redeemedAt')
      same((await store.findClient('app_1'))?.usedAt, null, 'usedAt')
    },
  },
  {
    name: 'redeems a code with all of its tokens or not at all',
    async check(store) {
      await storeGrant(store, 'taken')
      const taken = {
        grant: { grant: grantSample() },
        'access token': { accessToken: accessSample({ tokenHash: hash('access taken') }) },
        'refresh token': { refreshToken: refreshSample({ tokenHash: hash('refresh taken') }) },
      }
      for (const [what, fields] of Object.entries(taken)) {
        const grantId = `grant of ${what}`
        const codeHash = hash(`code ${what}`)
        await store.issueCode({ ...issue, code: codeSample({ codeHash, grantId }) })
        const settled = await settles(
          store.redeemCode({
            codeHash,
            redeemedAt: T + 1,
            grant: grantSample({ grantId }),
            accessToken: accessSample({ tokenHash: hash(`access ${what}`), grantId }),
            refreshToken: refreshSample({ tokenHash: hash(`refresh ${what}`), grantId }),
            ...fields,
          }),
        )
        // A second row with the same key cannot be stored: it simulates a fault half way.
        if (settled !== null) continue
        const saw = `after a fault at the ${what}`
        same((await store.findCode(codeHash))?.redeemedAt, null, `redeemedAt ${saw}`)
        same(await pairExists(store, what), [false, false], `tokens ${saw}`)
      }
    },
  },
  {
    name: 'stores the rotation of a refresh token and its new tokens with every field',
    async check(store) {
      await storeGrant(store)
      const rotated = rotation('0', '1')
      same(await store.rotateRefreshToken(rotated), 'rotated', 'rotateRefreshToken')
      const grant = grantSample()
      same(
        await store.findRefreshToken(hash('refresh 0')),
        {
          refreshToken: refreshSample({ rotation: rotated.rotation }),
          grant,
          successorUsed: false,
          client: null,
        },
        'the rotated token',
      )
      same(
        await store.findRefreshToken(hash('refresh 1')),
        { refreshToken: rotated.successor, grant, successorUsed: false, client: null },
        'the successor',
      )
      same(
        await store.findAccessToken(hash('access 1')),
        { accessToken: rotated.accessToken, grant, client: null },
        'the access token',
      )
      same(
        (await store.findAccessToken(hash('access 0')))?.accessToken,
        accessSample(),
        'the access token before',
      )
    },
  },
  {
    name: 'reports whether the successor of a rotated token was used',
    async check(store) {
      await storeGrant(store)
      const used = async (name: string): Promise<boolean | undefined> =>
        (await store.findRefreshToken(hash(`refresh ${name}`)))?.successorUsed
      await store.rotateRefreshToken(rotation('0', '1'))
      same(await used('0'), false, 'before the successor was used')
      await store.rotateRefreshToken(rotation('1', '2'))
      same(await used('0'), true, 'after the successor was used')
      same(await used('1'), false, 'of the successor itself')
      same(await used('2'), false, 'of the current token')
    },
  },
  {
    name: 'deletes the salts of earlier rotations of the grant until the given time, and no others',
    async check(store) {
      const other = grantSample({ grantId: 'grant_2' })
      await storeGrant(store)
      await storeGrant(store, 'other', {
        code: codeSample({ codeHash: hash('other'), grantId: 'grant_2' }),
        grant: other,
      })
      const at = (
        [from, to]: readonly [string, string],
        rotatedAt: number,
        { grantId, forgetSaltsUntil }: { grantId: string; forgetSaltsUntil: number },
      ): RotateRefreshToken => {
        const { successor, accessToken, rotation: record, tokenHash } = rotation(from, to)
        return {
          tokenHash,
          rotation: { ...record, rotatedAt },
          successor: { ...successor, issuedAt: rotatedAt, grantId },
          accessToken: { ...accessToken, grantId },
          forgetSaltsUntil,
        }
      }
      const saltOf = async (name: string): Promise<string | null | undefined> =>
        (await store.findRefreshToken(hash(`refresh ${name}`)))?.refreshToken.rotation?.salt
      const keep = { grantId: 'grant_1', forgetSaltsUntil: 0 }
      await store.rotateRefreshToken(at(['other', 'next'], T, { ...keep, grantId: 'grant_2' }))
      await store.rotateRefreshToken(at(['0', '1'], T, keep))
      await store.rotateRefreshToken(at(['1', '2'], T + DAY, keep))
      await store.rotateRefreshToken(at(['2', '3'], T + 3 * DAY, keep))
      same(await saltOf('0'), hash('salt 1'), 'a salt before any was deleted')
      const forget = { grantId: 'grant_1', forgetSaltsUntil: T + 2 * DAY }
      const lost = await store.rotateRefreshToken(at(['2', 'lost'], T + 6 * DAY, forget))
      same([lost, await saltOf('0')], ['spent', hash('salt 1')], 'a spent token')
      await store.rotateRefreshToken(at(['3', '4'], T + 6 * DAY, forget))
      same([await saltOf('0'), await saltOf('1')], [null, null], 'salts until then')
      same(await saltOf('2'), hash('salt 3'), 'a salt of a later rotation')
      same(await saltOf('3'), hash('salt 4'), 'the salt of the newest rotation')
      same(await saltOf('other'), hash('salt next'), 'a salt of another grant')
      const now = { grantId: 'grant_1', forgetSaltsUntil: T + 6 * DAY }
      await store.rotateRefreshToken(at(['4', '5'], T + 6 * DAY, now))
      same(await saltOf('3'), null, 'the salt with which the used token was issued')
      same(await saltOf('4'), hash('salt 5'), 'the salt of its own rotation')
    },
  },
  {
    name: 'rotates a refresh token once when several callers try at the same time, and stores one successor',
    isRace: true,
    async check(store) {
      await storeGrant(store)
      const outcomes = await race(10, (index) =>
        store.rotateRefreshToken(rotation('0', `of ${index}`)),
      )
      same(tally(outcomes), { rotated: 1, spent: 9 }, 'outcomes')
      for (const [index, outcome] of outcomes.entries()) {
        const there = outcome === 'rotated'
        same(await pairExists(store, `of ${index}`), [there, there], `tokens of caller ${index}`)
      }
      const kept = (await store.findRefreshToken(hash('refresh 0')))?.refreshToken.rotation
      const winner = `of ${outcomes.indexOf('rotated')}`
      same(kept, rotation('0', winner).rotation, 'the rotation kept')
    },
  },
  {
    name: 'writes nothing for a refresh token that is spent, revoked or missing',
    async check(store) {
      await storeGrant(store)
      await store.rotateRefreshToken(rotation('0', '1'))
      same(await store.rotateRefreshToken(rotation('0', 'again')), 'spent', 'a spent token')
      same(await store.rotateRefreshToken(rotation('none', 'none')), 'missing', 'no token')
      await store.revokeGrant({ grantId: 'grant_1', revokedAt: T + 200, revokedReason: 'test' })
      same(await store.rotateRefreshToken(rotation('1', 'late')), 'revoked', 'a revoked grant')
      for (const name of ['again', 'none', 'late'])
        same(await pairExists(store, name), [false, false], `tokens of "${name}"`)
      const current = await store.findRefreshToken(hash('refresh 1'))
      same(current?.refreshToken.rotation, null, 'rotation of the revoked token')
      const spent = await store.findRefreshToken(hash('refresh 0'))
      same(spent?.refreshToken.rotation, rotation('0', '1').rotation, 'the first rotation')
    },
  },
  {
    name: 'rotates a refresh token with both of its new tokens or not at all',
    async check(store) {
      await storeGrant(store)
      const taken = {
        successor: { successor: refreshSample() },
        'access token': { accessToken: accessSample() },
      }
      for (const [what, fields] of Object.entries(taken)) {
        const settled = await settles(store.rotateRefreshToken(rotation('0', what, fields)))
        if (settled !== null) return
        const saw = `after a fault at the ${what}`
        const found = await store.findRefreshToken(hash('refresh 0'))
        same(found?.refreshToken, refreshSample(), `the token ${saw}`)
        same(await pairExists(store, what), [false, false], `the pair ${saw}`)
      }
    },
  },
  {
    name: 'revokes a grant with all of its tokens, keeps the first reason, and changes no other grant',
    async check(store) {
      await storeGrant(store)
      await store.rotateRefreshToken(rotation('0', '1'))
      const code = codeSample({ codeHash: hash('other'), grantId: 'grant_2' })
      const other = grantSample({ grantId: 'grant_2' })
      await storeGrant(store, 'other', { code, grant: other })
      const revocation = { grantId: 'grant_1', revokedAt: T + 9, revokedReason: 'person' }
      same(await store.revokeGrant(revocation), 'revoked', 'revokeGrant')
      const later = { grantId: 'grant_1', revokedAt: T + 99, revokedReason: 'later' }
      same(await store.revokeGrant(later), 'missing', 'revokeGrant again')
      same(await store.revokeGrant({ ...later, grantId: 'none' }), 'missing', 'no grant')
      const revoked = grantSample({ revokedAt: T + 9, revokedReason: 'person' })
      for (const name of ['0', '1']) {
        same(
          (await store.findAccessToken(hash(`access ${name}`)))?.grant,
          revoked,
          `access ${name}`,
        )
        same(
          (await store.findRefreshToken(hash(`refresh ${name}`)))?.grant,
          revoked,
          `refresh ${name}`,
        )
      }
      same((await store.findAccessToken(hash('access other')))?.grant, other, 'another grant')
    },
  },
  {
    name: 'leaves no valid token when a rotation runs at the same time as a revocation',
    isRace: true,
    async check(store) {
      for (let round = 0; round < 10; round++) {
        const grantId = `grant_${round}`
        const code = codeSample({ codeHash: hash(`code ${round}`), grantId })
        await storeGrant(store, `${round}`, { code, grant: grantSample({ grantId }) })
        const rotate = (): Promise<string> =>
          store.rotateRefreshToken({
            ...rotation(`${round}`, `next ${round}`),
            successor: refreshSample({ tokenHash: hash(`refresh next ${round}`), grantId }),
            accessToken: accessSample({ tokenHash: hash(`access next ${round}`), grantId }),
          })
        const revoke = (): Promise<string> =>
          store.revokeGrant({ grantId, revokedAt: T + 9, revokedReason: 'person' })
        const [first, second] = round % 2 === 0 ? [rotate, revoke] : [revoke, rotate]
        await Promise.all([first(), second()])
        for (const name of [`${round}`, `next ${round}`]) {
          const found = await store.findRefreshToken(hash(`refresh ${name}`))
          if (found !== null) same(found.grant.revokedAt, T + 9, `the grant of refresh ${name}`)
        }
        same(await rotate().catch(String), 'revoked', 'a rotation afterwards')
      }
    },
  },
  {
    name: 'revokes one access token, once, and nothing else',
    async check(store) {
      await storeGrant(store)
      await store.rotateRefreshToken(rotation('0', '1'))
      const revocation = { tokenHash: hash('access 0'), revokedAt: T + 9 }
      same(await store.revokeAccessToken(revocation), 'revoked', 'revokeAccessToken')
      const again = { ...revocation, revokedAt: T + 99 }
      same(await store.revokeAccessToken(again), 'missing', 'revokeAccessToken again')
      const none = { ...revocation, tokenHash: hash('none') }
      same(await store.revokeAccessToken(none), 'missing', 'no token')
      const found = await store.findAccessToken(hash('access 0'))
      same(found?.accessToken, accessSample({ revokedAt: T + 9 }), 'the token')
      same(found?.grant, grantSample(), 'its grant')
      const other = await store.findAccessToken(hash('access 1'))
      same(other?.accessToken.revokedAt, null, 'another token of the grant')
      const refresh = await store.findRefreshToken(hash('refresh 1'))
      same(refresh?.refreshToken.rotation, null, 'the refresh token')
    },
  },
]

/** The checks of the group `stepUp`: grants to which a person adds scopes. */
export const stepUpChecks: readonly Promised<StoreWith<'stepUp'>>[] = [
  {
    name: 'finds a grant with its client by its identifier, also if it is revoked',
    async check(store) {
      await storeGrant(store)
      same(await store.findGrant('grant_1'), { grant: grantSample(), client: null }, 'findGrant')
      await store.insertClient(clientSample())
      await store.revokeGrant({ grantId: 'grant_1', revokedAt: T + 9, revokedReason: 'person' })
      const grant = grantSample({ revokedAt: T + 9, revokedReason: 'person' })
      const client = clientSample()
      same(await store.findGrant('grant_1'), { grant, client }, 'the revoked grant')
      await store.replaceClient(clientSample({ revision: 2, deletedAt: T }))
      same(await store.findGrant('grant_1'), { grant, client: null }, 'after the end of its client')
      same(await store.findGrant('grant_2'), null, 'no grant')
    },
  },
  {
    name: 'adds scopes to a grant and to its access tokens, each once, and changes nothing else',
    async check(store) {
      await storeGrant(store)
      await store.rotateRefreshToken(rotation('0', '1'))
      const code = codeSample({ codeHash: hash('other'), grantId: 'grant_2' })
      const other = grantSample({ grantId: 'grant_2' })
      await storeGrant(store, 'other', { code, grant: other })
      const scopes = ['account:write', 'openid', HOSTILE[0]!]
      const widening = { grantId: 'grant_1', scopes }
      same(await store.widenGrant(widening), 'widened', 'widenGrant')
      same(await store.widenGrant(widening), 'widened', 'widenGrant again')
      same(await store.widenGrant({ ...widening, scopes: [] }), 'widened', 'widenGrant of nothing')
      const all = ['openid', 'account:read', 'account:write', HOSTILE[0]!]
      const grant = grantSample({ scopes: all })
      const narrow = ['openid', 'account:write', HOSTILE[0]!]
      same(
        await store.findAccessToken(hash('access 0')),
        { accessToken: accessSample({ scopes: all }), grant, client: null },
        'the access token',
      )
      const { accessToken, successor } = rotation('0', '1')
      same(
        (await store.findAccessToken(hash('access 1')))?.accessToken,
        { ...accessToken, scopes: narrow },
        'an access token with fewer scopes',
      )
      same(
        await store.findRefreshToken(hash('refresh 1')),
        { refreshToken: successor, grant, successorUsed: false, client: null },
        'the current refresh token',
      )
      same(
        (await store.findRefreshToken(hash('refresh 0')))?.refreshToken.rotation,
        rotation('0', '1').rotation,
        'a rotation, which keeps the scopes that it issued',
      )
      same(
        (await store.findAccessToken(hash('access other')))?.accessToken.scopes,
        other.scopes,
        'an access token of another grant',
      )
      same((await store.findGrant('grant_2'))?.grant, other, 'another grant')
    },
  },
  {
    name: 'adds no scopes to a grant that is revoked or missing, nor to a revoked access token',
    async check(store) {
      await storeGrant(store)
      await store.rotateRefreshToken(rotation('0', '1'))
      await store.revokeAccessToken({ tokenHash: hash('access 0'), revokedAt: T + 8 })
      const widening = { grantId: 'grant_1', scopes: ['account:write'] }
      same(await store.widenGrant(widening), 'widened', 'widenGrant')
      same(
        (await store.findAccessToken(hash('access 0')))?.accessToken,
        accessSample({ revokedAt: T + 8 }),
        'the revoked access token',
      )
      await store.revokeGrant({ grantId: 'grant_1', revokedAt: T + 9, revokedReason: 'person' })
      const before = await store.findAccessToken(hash('access 1'))
      const late = { grantId: 'grant_1', scopes: ['email'] }
      same(await store.widenGrant(late), 'gone', 'a revoked grant')
      same(await store.findAccessToken(hash('access 1')), before, 'after the revocation')
      same(await store.widenGrant({ ...late, grantId: 'none' }), 'gone', 'no grant')
    },
  },
  {
    name: 'keeps the scopes of every caller that widens a grant at the same time',
    isRace: true,
    async check(store) {
      await storeGrant(store)
      const scopes = ['a', 'b', 'c', 'd', 'e', 'f']
      const outcomes = await race(scopes.length, (index) =>
        store.widenGrant({ grantId: 'grant_1', scopes: [scopes[index]!] }),
      )
      same(tally(outcomes), { widened: scopes.length }, 'outcomes')
      const found = await store.findAccessToken(hash('access 0'))
      const all = [...grantSample().scopes, ...scopes].toSorted()
      same(found?.grant.scopes.toSorted(), all, 'the grant')
      same(found?.accessToken.scopes.toSorted(), all, 'the access token')
    },
  },
  {
    name: 'finds no grant that another site stored, and adds no scopes to it',
    async check(store, other) {
      const widening = { grantId: 'grant_1', scopes: ['email'] }
      await storeGrant(other)
      same(await store.findGrant('grant_1'), null, 'findGrant')
      same(await store.widenGrant(widening), 'gone', 'widenGrant')
      await storeGrant(store)
      await store.widenGrant(widening)
      const theirs = await other.findAccessToken(hash('access 0'))
      same(theirs?.grant, grantSample(), 'their grant')
    },
  },
]
