import * as jose from 'jose'
import { createMemoryStore } from 'hallpass/store'
import { withLatency } from 'hallpass/testing'
import { createKeyRing, type KeyRing } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { approve, redeem, tokensOf } from '../support/school/flow.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, ISSUER, type School, T } from '../support/school/school.js'

const MINUTES = rounds(110, { soak: 2000 })

const jwksOf = async (school: School): Promise<jose.JSONWebKeySet> =>
  (await (await school.fetch(`${ISSUER}/.well-known/jwks.json`)).json()) as jose.JSONWebKeySet

describe('two processes that rotate the keys while requests come', () => {
  it('leave every ID token verifiable by a client that keeps the JWKS for ten minutes, and use no kid twice [F-10]', async () => {
    const memory = createMemoryStore()
    const school = await createSchool({ store: memory })
    const rings = [1, 2].map((seed): KeyRing =>
      createKeyRing(
        { ...school.site, store: withLatency(memory, { maxMilliseconds: 1, seed }) },
        { sealingSecret: 'a sealing secret of thirty-two characters', rotateAfterSeconds: 1400 },
      ),
    )
    let cached = await jwksOf(school)
    let cachedAt = T
    const signedWith: string[] = []
    for (let minute = 0; minute < MINUTES; minute++) {
      school.clock.now += 60
      const codes = [await approve(school), await approve(school)]
      const [tokens] = await Promise.all([
        Promise.all(codes.map(async (code) => tokensOf(await redeem(school, code)))),
        ...rings.map((ring) => ring.maintain()),
      ])
      const verified = await Promise.all(
        tokens.map(({ id_token: idToken }) =>
          jose.jwtVerify(idToken!, jose.createLocalJWKSet(cached), {
            currentDate: new Date(school.clock.now * 1000),
            algorithms: ['ES256'],
          }),
        ),
      )
      for (const { protectedHeader } of verified)
        if (signedWith.at(-1) !== protectedHeader.kid) signedWith.push(protectedHeader.kid!)
      if (school.clock.now - cachedAt >= 600)
        [cached, cachedAt] = [await jwksOf(school), school.clock.now]
    }
    // In the minute of a change, requests may see the old key and the new one in any order.
    const order = signedWith.filter((kid, index) => signedWith.indexOf(kid) === index)
    expect(order.length).toBeGreaterThanOrEqual(4)
    const keys = await memory.listKeys()
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
    const activated = order.map((kid) => keys.find((key) => key.kid === kid)!.activatedAt!)
    expect(activated).toEqual(activated.toSorted((one, other) => one - other))
    expect(new Set(activated).size).toBe(order.length)
  })
})
