import { auditServer } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { BROKEN } from './broken/index.js'
import { createBrokenServer } from './broken-server.js'
import { unheld, worded } from './faults.js'

const broken = Object.entries(BROKEN)
  .flatMap(([subject, all]) => all.map((one) => ({ subject, ...one })))
  .filter(({ whole }) => whole)

describe('a broken server, at which every check is tried', () => {
  // At once, because an audit waits for a second or two now and then.
  it.concurrent.each(broken)('$subject: $name', async ({ fault, violates }) => {
    const { handler, options } = await createBrokenServer(fault)
    const { rows } = await auditServer(handler, options)
    const found = unheld(rows, violates)
    const ids = found.map(({ check }) => check).toSorted()
    expect(ids, worded(found).join('\n')).toEqual([...violates].toSorted())
  })
})
