// Audits your server in Vitest: a clause that is no longer held fails the test, with what to change.
import { auditServer } from 'hallpass-audit'
import { expect, it } from 'vitest'
// CHANGE: the function from a Request to a Response that is your server. One that listens has an origin instead:
// auditServer('http://127.0.0.1:3000', { signIn }).
import { handler } from './server.js'
import signIn from './sign-in.mjs'

it('holds every clause of what it promises', async () => {
  const { rows } = await auditServer(handler, { signIn })
  const left = rows.filter(({ verdict }) => verdict === 'violated' || verdict === 'not reached')
  expect(left.map((row) => `${row.check}: ${row.found}. ${row.change}`)).toEqual([])
}, 300_000)
