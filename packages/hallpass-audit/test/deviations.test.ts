import { CHECKS } from 'hallpass-audit'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { deviations } from '../sign-in/deviations.mjs'
import { DEVIATIONS } from './faults.js'

/** The checks that the page of standards names as deviations of hallpass. */
const page = readFileSync(new URL('../../../docs/look-up/standards.md', import.meta.url), 'utf8')
const [, section = ''] = page.split('\n## Deviations\n')
const named = [...section.split('\n## ')[0]!.matchAll(/\(`([a-z-]+\/[a-z0-9-]+)`/g)].map(([, id]) => id!) // prettier-ignore

it('deviations of the page are checks, and the sign-in of the demo has the reason of each that is no advice', () => {
  const levels = new Map(CHECKS.map(({ id, clause }) => [id, clause.level]))
  expect(named.filter((id) => !levels.has(id))).toEqual([])
  const accepted = named.filter((id) => levels.get(id) !== 'advice') // prettier-ignore
  expect(Object.keys(deviations).toSorted()).toEqual(accepted.toSorted())
  // What the audited server of these tests does not hold is on the page too.
  expect(DEVIATIONS.filter((id) => !named.includes(id))).toEqual([])
})
