import { describe, expect, it } from 'vitest'
import { everyStore } from '../../support/databases/stores-of-file.js'
import { createAssertingSchool } from '../../support/school/asserting-client.js'

const STORES = everyStore()

describe('an identity assertion', () => {
  it.each(STORES)(
    'is accepted in one of fifty requests: %s [IDJ-05] [IDJ-18]',
    async (_, makeStore) => {
      const { assert, send, refusals, events, faults } = await createAssertingSchool({
        store: makeStore(),
      })
      const assertion = await assert()
      const all = await Promise.all(
        Array.from({ length: 50 }, async () => (await send(assertion)).status),
      )
      expect(all.filter((status) => status === 200)).toHaveLength(1)
      expect(all.filter((status) => status === 400)).toHaveLength(49)
      expect(new Set(refusals.map(({ reason }) => reason))).toEqual(
        new Set(['identity_assertion_used_before']),
      )
      expect(events.map(({ type }) => type)).toEqual(['oauth.grant.created', 'oauth.token.issued'])
      expect(faults).toEqual([])
    },
  )

  it.each(STORES)('gives a token that a gate reads: %s', async (_, makeStore) => {
    const { assert, send, post, store } = await createAssertingSchool({ store: makeStore() })
    const { access_token: token } = (await (await send(await assert())).json()) as {
      access_token: string
    }
    const headers = { authorization: `Bearer ${token}` }
    const userinfo = await post('userinfo', {}, headers)
    expect(await userinfo.json()).toMatchObject({ sub: 'per_ines' })
    expect(await store.findRefreshToken(token)).toBeNull()
  })
})
