import { expect, it } from 'vitest'
import { auditOfSchool, faultsOf } from './school/running.js'

it('an audit of the running school with no block violates nothing and reaches everything', async () => {
  const rows = await auditOfSchool([])
  expect(faultsOf(rows)).toEqual([])
  expect(rows.length).toBeGreaterThan(300)
})
