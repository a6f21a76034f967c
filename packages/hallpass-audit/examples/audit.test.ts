// Audits your server in Vitest: a clause that is no longer held fails the test, with what to change.
import { auditServer, renderReport } from 'hallpass-audit'
import { expect, it } from 'vitest'
// CHANGE: the function from a Request to a Response that is your server. One that listens has none:
// auditServer(origin, { signIn }).
import { handler } from './server.js'
import signIn from './sign-in.mjs'

// CHANGE: the issuer in its metadata.
const origin = 'http://127.0.0.1:3000'
// CHANGE: checks that you accept although they are not held, each with the reason.
const accepted: Readonly<Record<string, string>> = {}

it('holds every clause of what it promises', async () => {
  const report = await auditServer(handler, { origin, signIn })
  const left = report.rows.filter(
    ({ check, verdict }) =>
      (verdict === 'violated' || verdict === 'not reached') && !(check in accepted),
  )
  expect(
    left.map(({ check }) => check),
    renderReport(report, 'terminal', { accepted }),
  ).toEqual([])
}, 300_000)

// A single clause, next to the code that holds it.
it('compares the verifier of PKCE', async () => {
  const report = await auditServer(handler, { origin, signIn, only: ['pkce/wrong-verifier'] })
  expect(report.rows[0]?.verdict, renderReport(report, 'terminal')).toBe('held')
})
