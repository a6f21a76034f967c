import { createMemoryStore, type Store, withoutChange } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { createAssertingSchool } from '../support/school/asserting-client.js'
import {
  createSigningSchool,
  form,
  ISSUER,
  REDIRECT,
  VERIFIER,
} from '../support/school/signing-client.js'

const AGAIN = 'the service is temporarily unavailable: try again shortly'

/** A store of which one call of a method fails: before it is made, or when its work is done. */
function failing(method: keyof Store, when: 'before' | 'after', fault: unknown) {
  const memory = createMemoryStore()
  let isArmed = false
  const call = memory[method] as (...parameters: never[]) => Promise<unknown>
  const store: Store = {
    ...memory,
    async [method](...parameters: never[]) {
      const fails = isArmed
      isArmed = false
      if (fails && when === 'before') throw fault
      const result = await call(...parameters)
      if (fails) throw fault
      return result
    },
  }
  return { store, arm: () => (isArmed = true) }
}

const descriptionOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { error_description: string }).error_description

describe('what a request has used up that got 503', () => {
  it('is given back if the store says that nothing was changed [F-50]', async () => {
    const { store, arm } = failing('redeemCode', 'before', withoutChange(new Error('deadlock')))
    const { send, assert } = await createAssertingSchool({ store })
    const assertion = await assert()
    arm()
    const failed = await send(assertion)
    expect([failed.status, await descriptionOf(failed)]).toEqual([503, AGAIN])
    expect((await send(assertion)).status).toBe(200)
    // It is used now.
    expect((await send(assertion)).status).toBe(400)
  })

  it.each(['before', 'after'] as const)(
    'remains used if the change may be stored, and the answer asks for a new one: %s its work [F-50]',
    async (when) => {
      const { store, arm } = failing('redeemCode', when, new Error('connection lost'))
      const { send, assert } = await createAssertingSchool({ store })
      const assertion = await assert()
      arm()
      const failed = await send(assertion)
      expect([failed.status, await descriptionOf(failed)]).toEqual([
        503,
        `${AGAIN}, with a new ID-JAG`,
      ])
      expect((await send(assertion)).status).toBe(400)
      expect((await send(await assert())).status).toBe(200)
    },
  )

  it('remains used if it cannot be given back, and the answer says so [F-50]', async () => {
    const { store, arm } = failing('redeemCode', 'before', withoutChange(new Error('deadlock')))
    const broken: Store = { ...store, giveBack: () => Promise.reject(new Error('down')) }
    const { send, assert, faults } = await createAssertingSchool({ store: broken })
    const assertion = await assert()
    arm()
    const failed = await send(assertion)
    expect(await descriptionOf(failed)).toBe(`${AGAIN}, with a new ID-JAG`)
    expect(faults).toHaveLength(2)
  })

  it('is a client assertion too, whose code names itself after a lost answer [F-50]', async () => {
    const { store, arm } = failing('redeemCode', 'after', new Error('connection lost'))
    const { sign, post, issue } = await createSigningSchool({ store })
    await issue('a')
    const assertion = form(await sign())
    arm()
    const failed = await post('token', {
      grant_type: 'authorization_code',
      code: 'a',
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT,
      resource: ISSUER,
      ...assertion,
    })
    expect([failed.status, await descriptionOf(failed)]).toEqual([
      503,
      `${AGAIN}, with a new client assertion; if that is refused, start again with a new authorization code`,
    ])
  })

  it('is given back to one of two requests at most, however they meet [F-50]', async () => {
    const { store, arm } = failing('redeemCode', 'before', withoutChange(new Error('deadlock')))
    const { send, assert } = await createAssertingSchool({ store })
    for (let round = 0; round < 50; round++) {
      const assertion = await assert()
      arm()
      const answers = await Promise.all([1, 2, 3].map(() => send(assertion)))
      const later = await Promise.all([1, 2].map(() => send(assertion)))
      expect([...answers, ...later].filter(({ status }) => status === 200)).toHaveLength(1)
    }
  })
})
