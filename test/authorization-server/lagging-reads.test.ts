import { createMemoryStore, type Store } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { STORE_RESULTS } from '../../src/store/returned.js'
import type { StoreMethod } from '../../src/store/store.js'
import {
  approve,
  isAlive,
  post,
  reasonsOf,
  redeem,
  refresh,
  signIn,
  tokensOf,
} from '../support/school/flow.js'
import { createSchool, type School } from '../support/school/school.js'

const READS = /^(?:find|list|has)/

/** A store that writes to one place and reads from a copy, which follows when it is told to. */
function laggingStore(): { store: Store; catchUp: () => Promise<void>; lag: () => void } {
  const [primary, replica] = [createMemoryStore(), createMemoryStore()]
  type Verb = (...parameters: unknown[]) => Promise<unknown>
  const verbOf = (store: Store, name: string): Verb => store[name as StoreMethod] as Verb
  const behind: (() => Promise<unknown>)[] = []
  let lags = false
  const catchUp = async (): Promise<void> => {
    for (const write of behind.splice(0)) await write()
  }
  const methods = Object.fromEntries(
    Object.keys(STORE_RESULTS).map((name) => [
      name,
      async (...parameters: unknown[]) => {
        if (READS.test(name)) return verbOf(replica, name)(...parameters)
        const outcome = await verbOf(primary, name)(...parameters)
        behind.push(() => verbOf(replica, name)(...parameters))
        if (!lags) await catchUp()
        return outcome
      },
    ]),
  ) as unknown as Store
  // What it does not know of itself.
  const store: Store = { ...methods, guarantees: primary.guarantees }
  return { store, catchUp, lag: () => (lags = true) }
}

const revoke = (school: School, token: string): Promise<Response> =>
  post(school, '/api/oauth/revoke', { token, client_id: 'study-buddy' })

describe('a store whose reads lag behind its writes', () => {
  it('redeems a code once [F-09]', async () => {
    const { store, lag, catchUp } = laggingStore()
    const school = await createSchool({ store })
    const code = await approve(school)
    lag()
    const answers = [await redeem(school, code), await redeem(school, code)]
    expect(answers.map(({ status }) => status)).toEqual([200, 400])
    await catchUp()
    const { access_token } = await tokensOf(answers[0]!)
    expect(await isAlive(school, access_token)).toBe(true)
  })

  it('creates one successor of a refresh token [F-09]', async () => {
    const { store, lag, catchUp } = laggingStore()
    const school = await createSchool({ store })
    const { refresh_token } = await signIn(school)
    lag()
    const first = await tokensOf(await refresh(school, refresh_token))
    expect((await refresh(school, refresh_token)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_token_lost_race'])
    await catchUp()
    expect(await tokensOf(await refresh(school, refresh_token))).toMatchObject({
      refresh_token: first.refresh_token,
    })
  })

  it('gives nothing for a grant that is revoked, and its tokens end when the reads follow [F-09]', async () => {
    const { store, lag, catchUp } = laggingStore()
    const school = await createSchool({ store })
    const { access_token, refresh_token } = await signIn(school)
    lag()
    expect((await revoke(school, refresh_token)).status).toBe(200)
    expect((await refresh(school, refresh_token)).status).toBe(400)
    await catchUp()
    expect(await isAlive(school, access_token)).toBe(false)
    expect((await refresh(school, refresh_token)).status).toBe(400)
  })
})
