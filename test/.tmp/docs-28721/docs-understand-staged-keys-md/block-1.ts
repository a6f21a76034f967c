import { deepEqual } from 'node:assert/strict'
import { maintain } from 'hallpass/operations'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'

const { site, clock } = testSite()
const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters' })

async function statesAfter(seconds: number): Promise<readonly string[]> {
  clock.advance(seconds)
  await maintain(site, { keys })
  return (await site.store.listKeys()).map(({ state }) => state)
}
const day = 86_400
const wait = 600 + 60

deepEqual(await statesAfter(0), ['active'])
deepEqual(await statesAfter(90 * day - 2 * wait), ['active', 'published'])
deepEqual(await statesAfter(2 * wait), ['retiring', 'active'])
deepEqual(await statesAfter(600 + wait + 1), ['retired', 'active'])
