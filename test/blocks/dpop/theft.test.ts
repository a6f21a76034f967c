import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { deriveSuccessors } from '../../../src/token/opaque.js'
import { createDpopSchool, createKeys, type Tokens } from '../../support/school/dpop-school.js'
import { ISSUER } from '../../support/school/signing-client.js'

const HOUR = 3600
const DAYS = 20

type School = Awaited<ReturnType<typeof createDpopSchool>>
type Sign = () => Promise<string | null>

/** Whether an access token opens UserInfo, by either scheme. */
async function opens(school: School, token: string, sign: Sign): Promise<boolean> {
  const proof = await sign()
  const [dpop, bearer] = [
    await school.userinfo(`DPoP ${token}`, proof),
    await school.userinfo(`Bearer ${token}`, proof),
  ]
  return dpop.status === 200 || bearer.status === 200
}

/**
 * An app works from nine to five, and refreshes each hour. Its refresh token is copied on the second day. The thief comes
 * right behind the app, again and again, with the newest token that it has.
 */
async function trail(school: School, { app, thief }: { app: Sign; thief: Sign }) {
  const { issue, redeem, refresh, clock } = school
  await issue('a')
  let own: Tokens = (await redeem('a', await app())).body
  let stolen: string | null = null
  const got: string[] = []
  const reasons = new Set<string>()
  for (let hour = 0; hour < DAYS * 24; hour++) {
    clock.advance(HOUR)
    if (hour % 24 < 9 || hour % 24 > 16) continue
    const before: string = own.refresh_token
    const refreshed = await refresh(before, await app())
    if (refreshed.status !== 200) return { got, reasons, endedAt: hour }
    own = refreshed.body
    if (hour === 33) stolen = before
    if (stolen === null) continue
    clock.advance(1)
    const { status, body, reason } = await refresh(stolen, await thief())
    if (status === 200) {
      stolen = body.refresh_token
      got.push(body.access_token)
    } else reasons.add(String(reason))
  }
  return { got, reasons, endedAt: null }
}

describe('a thief who trails an honest public app', () => {
  it('gets nothing of a grant that is bound to its key, for weeks, and ends nothing [DPOP-43]', async () => {
    const school = await createDpopSchool()
    const [keys, other] = [await createKeys(), await createKeys()]
    const { got, reasons, endedAt } = await trail(school, {
      app: () => school.proofFor(keys),
      // By turns without a proof, and with one of a key of its own.
      thief: async () => (Math.random() < 0.5 ? null : school.proofFor(other)),
    })
    expect({ got, reasons: [...reasons], endedAt }).toEqual({
      got: [],
      reasons: ['refresh_token_bound'],
      endedAt: null,
    })
    expect(school.faults).toEqual([])
  })

  it('gets tokens of a grant that is not bound, so that this is what binds', async () => {
    const school = await createDpopSchool()
    const nobody: Sign = async () => null
    const { got } = await trail(school, { app: nobody, thief: nobody })
    expect(got.length).toBeGreaterThan(0)
    expect(await opens(school, got[0]!, nobody)).toBe(false)
  })
})

describe('who has found a copied refresh token', () => {
  it('ends its grant at the revocation endpoint without a proof, and gets nothing', async () => {
    const school = await createDpopSchool()
    const { issue, redeem, refresh, post, proofFor, proofOf } = school
    const keys = await createKeys()
    await issue('a')
    const own = (await redeem('a', await proofFor(keys))).body
    const { refresh_token: token, access_token: accessToken } = own
    expect(await opens(school, accessToken, () => proofOf(keys, accessToken))).toBe(true)
    expect(await refresh(token)).toMatchObject({ status: 400, reason: 'refresh_token_bound' })
    expect(await post('revoke', { client_id: 'notes', token })).toMatchObject({
      status: 200,
      body: {},
    })
    expect(await opens(school, accessToken, () => proofOf(keys, accessToken))).toBe(false)
    expect(await refresh(token, await proofFor(keys))).toMatchObject({ status: 400 })
  })
})

describe('a thief with an old refresh token, the database and every secret of the server', () => {
  it.each(['notes', 'desk'])(
    'derives the newest tokens of %s, and gets nothing for them [DPOP-44]',
    async (clientId) => {
      const school = await createDpopSchool()
      const { issue, redeem, refresh, proofFor, proofOf, store, clock } = school
      const [keys, thief] = [await createKeys(), await createKeys()]
      await issue('a', clientId)
      let own: Tokens = (await redeem('a', await proofFor(keys), clientId)).body
      const old = own.refresh_token
      for (let index = 0; index < 20; index++) {
        clock.advance(HOUR / 2)
        own = (await refresh(own.refresh_token, await proofFor(keys), clientId)).body
      }
      // What a look at the rows gives: each salt, from one token to the next. The sealing secret was stolen too.
      const [secret] = school.keys.refreshSecrets()
      let [derived, accessToken] = [old, '']
      for (;;) {
        const found = await store.findRefreshToken(hashToken(derived))
        const salt = found?.refreshToken.rotation?.salt ?? null
        if (salt === null) break
        const pair = deriveSuccessors({ presented: derived, salt, secret: secret! })
        derived = pair.refreshToken
        accessToken = pair.accessToken
      }
      const isNewest = derived === own.refresh_token
      // The salts of the distant past are deleted, and whoever follows them ends there.
      if (isNewest) expect(accessToken).toBe(own.access_token)
      const newest = [own.access_token, accessToken].filter((one) => one !== '')
      for (const token of newest)
        expect(await opens(school, token, () => proofOf(thief, token))).toBe(false)
      for (const token of [derived, own.refresh_token, old])
        for (const sign of [null, await proofFor(thief)]) {
          // Without the secret of a confidential client, it stops before.
          const refused = await school.post(
            'token',
            { grant_type: 'refresh_token', client_id: 'notes', refresh_token: token },
            sign,
          )
          expect(refused.status).toBe(400)
        }
      const token = own.access_token
      const proof = await proofOf(keys, token)
      expect(await school.userinfo(`DPoP ${token}`, proof)).toMatchObject({ status: 200 })
      // Nor does the proof of one request help with another, while it is new.
      const again = await school.router(
        new Request(`${ISSUER}/api/oauth/userinfo`, {
          headers: { authorization: `DPoP ${token}`, dpop: proof },
        }),
      )
      expect(again.status).toBe(401)
    },
  )
})
