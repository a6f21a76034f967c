import { auditServer } from 'hallpass-audit'
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createBrokenServer } from './broken-server.js'

it('tells', async () => {
  const { handler, options } = await createBrokenServer({ isFapi2: true })
  const { rows, counts } = await auditServer(handler, options)
  writeFileSync('/tmp/a8dir/f.json', JSON.stringify(rows, null, 1))
  console.log(JSON.stringify(counts))
  expect(rows.length).toBe(1)
}, 200_000)
