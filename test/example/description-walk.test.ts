import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Description, walk } from '../support/http/description-walk.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { rounds } from '../support/run/rounds.js'
import { knowledgeOf } from '../support/http/walk-knowledge.js'

let school: RunningExample
beforeAll(async () => {
  // The walk changes what the school has.
  school = await startExample({ environment: { HALLPASS_RATE_LIMITS: 'off' } })
})
afterAll(() => school.stop())

it('every response of every endpoint is in /openapi.json [DISC-22]', async () => {
  const description = (await (await fetch(`${school.origin}/openapi.json`)).json()) as Description
  const walked = await walk(description, await knowledgeOf(school.origin, description), {
    rounds: rounds(10, { soak: 100 }),
    seed: 20_261_122,
    isIncluded: () => true,
  })
  const all = [...walked.statuses].filter(([name]) => !name.includes(' '))
  const done = all.filter(([, statuses]) => [...statuses].some((status) => status < 400))
  expect(walked.problems).toEqual([])
  // Most operations did what they were asked at least once.
  expect(done.length).toBeGreaterThan(all.length * 0.75)
})
