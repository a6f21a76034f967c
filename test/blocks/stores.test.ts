import { describe, expect, it } from 'vitest'
import { everyStore } from '../support/databases/stores-of-file.js'
import { createSigningSchool, form } from '../support/school/signing-client.js'

const STORES = everyStore()

describe('a client with private_key_jwt', () => {
  it.each(STORES)('redeems, once for each assertion: %s [BLK-01]', async (_, makeStore) => {
    const { sign, redeem, issue } = await createSigningSchool({ store: makeStore() })
    await Promise.all(['a', 'b'].map((name) => issue(name)))
    const assertion = await sign()
    expect(await redeem('a', form(assertion))).toEqual([200, null])
    expect(await redeem('b', form(assertion))).toEqual([401, 'assertion_used_before'])
    expect(await redeem('b', form(await sign()))).toEqual([200, null])
  })

  it.each(STORES)('is one of fifty with one assertion: %s [BLK-01]', async (_, makeStore) => {
    const { sign, redeem, issue, refusals } = await createSigningSchool({ store: makeStore() })
    const names = Array.from({ length: 50 }, (_unused, index) => `code_${index}`)
    await Promise.all(names.map((name) => issue(name)))
    const assertion = await sign()
    const all = await Promise.all(names.map((name) => redeem(name, form(assertion))))
    expect(all.filter(([status]) => status === 200)).toHaveLength(1)
    expect(all.filter(([status]) => status === 401)).toHaveLength(49)
    expect(new Set(refusals.map(({ reason }) => reason))).toEqual(
      new Set(['assertion_used_before']),
    )
  })
})
