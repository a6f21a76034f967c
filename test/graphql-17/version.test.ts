import { versionInfo } from 'graphql'
import { expect, it } from 'vitest'

it('runs on graphql 17', () => {
  expect(versionInfo.major).toBe(17)
})
