import { auditServer } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { BROKEN } from './broken/index.js'
import { createBrokenServer } from './broken-server.js'
import { DEVIATIONS } from './faults.js'

const broken = Object.entries(BROKEN)
  .flatMap(([subject, all]) => all.map((one) => ({ subject, ...one })))
  .filter(({ whole }) => whole)

describe('a broken server, at which every check is tried', () => {
  // At once, because an audit waits for a second or two now and then.
  it.concurrent.each(broken)('$subject: $name', async ({ fault, violates }) => {
    const { handler, options } = await createBrokenServer(fault)
    const { rows } = await auditServer(handler, options)
    const found = rows.filter(
      ({ check, verdict }) =>
        (verdict === 'violated' || verdict === 'advice') &&
        (!DEVIATIONS.includes(check) || violates.includes(check)),
    )
    const worded = found.map((row) => `${row.check}: ${row.found}`).join('\n')
    expect(found.map(({ check }) => check).toSorted(), worded).toEqual([...violates].toSorted())
  })
})
