import { expect, it } from 'vitest'
import { weigh, weighed } from '../scripts/weigh.js'

it('the library weighs what the table of architecture.md says, and no more', async () => {
  const weights = await weigh()
  const said = weighed()
  expect([...said.keys()]).toEqual(weights.map(({ what }) => what))
  for (const { what, figure, room } of weights) {
    expect(said.get(what), what).toBeGreaterThanOrEqual(figure)
    expect(said.get(what), `${what}: the page has a figure that is too high`).toBeLessThanOrEqual(
      figure + room,
    )
  }
})
