import { auditServer, type AuditRow, plannedCreations } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { school } from './school/broken.js'
import { createBrokenServer } from '../../packages/hallpass-audit/test/broken-server.js'
import { SCHOOL } from './school/index.js'

const named = (rows: readonly AuditRow[], verdict: AuditRow['verdict']): readonly string[] =>
  rows.filter((row) => row.verdict === verdict).map(({ check }) => check)

const audit = async (fault = {}, only: readonly string[] = ['school']) => {
  const { handler, options } = await createBrokenServer(fault)
  return auditServer(handler, { ...options, checks: SCHOOL, only })
}

describe('the profile of a school', () => {
  it('is held by a right server', async () => {
    const { counts, rows, created } = await audit()
    expect(rows.filter(({ verdict }) => verdict !== 'held')).toEqual([])
    expect(counts.held).toBe(SCHOOL.length)
    expect(new Set(rows.map(({ check }) => check)).size).toBe(SCHOOL.length)
    // Each row shows the request that decided, also where several share its answer.
    expect(rows.filter(({ request }) => request === null)).toEqual([])
    // What it says beforehand is true, and no more than a few times too much.
    const { authorizations } = plannedCreations(SCHOOL)
    expect(created.authorizations).toBeLessThanOrEqual(authorizations)
    expect(authorizations).toBeLessThan(40)
  })

  it.concurrent.each(school)('$name', async ({ fault, violates, only }) => {
    const { rows } = await audit(fault, only)
    expect(named(rows, 'violated').toSorted()).toEqual([...violates].toSorted())
  })

  it('has a broken server for each statement', () => {
    const proven = new Set(school.flatMap(({ violates }) => violates))
    expect(SCHOOL.map(({ id }) => id).filter((id) => !proven.has(id))).toEqual([])
  })
})
