import { describe, expect, it } from 'vitest'
import { databaseStores } from '../support/databases/stores-of-file.js'
import { refresh } from '../support/school/flow.js'
import { createSchool } from '../support/school/school.js'
import { clock, moves, OLD, outcomeOf } from './move-grant-support.js'

for (const [name, makeStore] of databaseStores(() => clock.now)) moves(name, makeStore)

describe('ten thousand rows', () => {
  it('are moved one after another, and are there already when they are moved again [MOVE-02]', async () => {
    const school = await createSchool()
    const tokens = Array.from({ length: 10_000 }, (_row, index) => `${OLD}${index}`)
    for (const refreshToken of tokens)
      expect(await outcomeOf(school, { refreshToken })).toBe('moved')
    for (const refreshToken of tokens)
      expect(await outcomeOf(school, { refreshToken })).toBe('exists')
    expect((await refresh(school, tokens.at(-1)!)).status).toBe(200)
    expect(await outcomeOf(school)).toBe('moved')
  })
})
