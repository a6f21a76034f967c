import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CHECKS } from '../src/checks/index.js'

it('notes on the servers of others are about checks that there are', () => {
  const file = new URL('../../../bench/audit-peers/about.json', import.meta.url)
  const { notes } = JSON.parse(readFileSync(file, 'utf8')) as {
    notes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  const noted = Object.values(notes).flatMap((of) => Object.keys(of))
  const known = new Set(CHECKS.map(({ id }) => id))
  expect(noted.filter((check) => !known.has(check))).toEqual([])
  expect(noted.length).toBeGreaterThan(0)
})
