import { expect, it } from 'vitest'
import { createGrantEnds } from '../../../examples/school/src/sign-in/grant-ends.js'
import { KILN, LANTERN } from '../../../examples/school/src/sites.js'

it.each([
  ['lantern', LANTERN, '2026-11-23T12:00:00Z', '2026-12-18T18:00:00Z', '18 Dec 2026, 18:00'],
  ['lantern', LANTERN, '2026-12-18T17:59:59Z', '2026-12-18T18:00:00Z', '18 Dec 2026, 18:00'],
  ['lantern', LANTERN, '2026-12-18T18:00:00Z', '2027-06-25T17:00:00Z', '25 Jun 2027, 18:00'],
  ['kiln', KILN, '2026-12-31T12:00:00Z', '2027-01-15T10:00:00Z', '15 Jan 2027, 18:00'],
  ['kiln', KILN, '2031-07-01T00:00:00Z', '2032-01-15T10:00:00Z', '15 Jan 2032, 18:00'],
])('%s offers the end of its next term', (_, site, at, end, words) => {
  const now = Date.parse(at) / 1000
  const [day, term] = createGrantEnds({ site, now: () => now })()
  expect(day).toEqual({ id: 'day', label: 'For one day', endsAt: now + 86_400 })
  expect(term).toMatchObject({ id: 'term', endsAt: Date.parse(end) / 1000 })
  expect(term?.label).toContain(words)
})
