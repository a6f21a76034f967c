import { expect, it } from 'vitest'
import { modules, weigh, weighed } from '../scripts/weigh.js'

it('the library weighs what the table of architecture.md says, and no more', async () => {
  const weights = await weigh()
  const said = weighed()
  expect([...said.keys()]).toEqual(weights.map(({ what }) => what))
  for (const { what, figure, room } of weights) {
    expect(
      said.get(what),
      `${what}: the table under "Weight" of docs/understand/architecture.md says less: save some, or raise its row`,
    ).toBeGreaterThanOrEqual(figure)
    expect(said.get(what), `${what}: the page has a figure that is too high`).toBeLessThanOrEqual(
      figure + room,
    )
  }
})

it('a bundle holds no module of a block that it does not name', async () => {
  const {
    held: { 'a server with every block': all = [], ...without },
    ofBlocks,
  } = await modules()
  const those = (paths: readonly string[]) => paths.filter((path) => ofBlocks.includes(path))
  expect(those(all)).toEqual(
    expect.arrayContaining(['src/blocks/dpop.ts', 'src/policy/dpop-proof.ts']),
  )
  expect(Object.keys(without)).toHaveLength(5)
  for (const [what, paths] of Object.entries(without)) {
    expect(paths.length, what).toBeGreaterThan(20)
    expect(those(paths), what).toEqual([])
  }
})
