import { auditServer, type AuditRow, CHECKS, plannedCreations, type Verdict } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { MOST_SHARED_GRANTS } from '../src/engine/audit.js'
import { BROKEN } from './broken/index.js'
import { createBrokenServer } from './broken-server.js'
import { DEVIATIONS, unheld, worded } from './faults.js'

// Prints nothing and tries a few subjects only, such as `AUDIT_ONLY=pkce,code`, while one writes a check.
const asked = process.env['AUDIT_ONLY']?.split(',') ?? null
const isAsked = (subject: string): boolean => asked === null || asked.includes(subject)
// What waits has tests of its own, in which the clock of the server goes on.
const checks = CHECKS.filter(
  ({ id, patient }) => patient !== true && isAsked(id.slice(0, id.indexOf('/'))),
)
const broken = Object.entries(BROKEN)
  .filter(([subject]) => isAsked(subject))
  .flatMap(([subject, all]) => all.map((one) => ({ subject, ...one })))

const named = (rows: readonly AuditRow[], verdict: Verdict): readonly string[] =>
  rows.filter((row) => row.verdict === verdict).map(({ check }) => check)
const unreached = (rows: readonly AuditRow[]): readonly AuditRow[] =>
  rows.filter(({ verdict }) => verdict === 'not reached')

/**
 * What this server does not have, and a broken server of the check has: sessions of MCP, nonces of DPoP, a URL of its
 * sign-in that says where to return to, and two scopes. Nor has it FAPI 2.0.
 */
const ABSENT = [
  'mcp/session-id',
  'dpop/nonce',
  'sign-in/return-address',
  'userinfo/address',
  'userinfo/phone',
]

describe('a server with every block', () => {
  it('holds every clause but those that hallpass breaks on purpose', async () => {
    const { handler, options } = await createBrokenServer()
    const only = asked === null ? {} : { only: asked }
    const { rows } = await auditServer(handler, { ...options, ...only })
    const found = [...unheld(rows, DEVIATIONS), ...unreached(rows)]
    const known = found.filter(({ check }) => DEVIATIONS.includes(check))
    expect(worded(found.filter((row) => !known.includes(row)))).toEqual([])
    expect(known.map(({ check }) => check).toSorted()).toEqual(DEVIATIONS.filter((id) => checks.some((check) => check.id === id)).toSorted()) // prettier-ignore
    const absent = named(rows, 'not applicable').filter(
      (id) => !ABSENT.includes(id) && !id.startsWith('fapi2/'),
    )
    if (absent.length === 0) return
    // What does not apply to http applies to a server with TLS.
    const secure = await createBrokenServer({ origin: 'https://school.example' })
    const further = await auditServer(secure.handler, { ...secure.options, only: absent })
    expect(further.rows.filter(({ verdict }) => verdict !== 'held')).toEqual([])
  })

  // One server for all of them: each audit counts what it creates itself.
  let shared: ReturnType<typeof createBrokenServer> | undefined
  it.each(checks.map((check) => ({ check, id: check.id })))(
    'has no more of $id than it says',
    async ({ check, id }) => {
      const { handler, options } = await (shared ??= createBrokenServer())
      const { created } = await auditServer(handler, { ...options, only: [id] })
      const planned = plannedCreations([check])
      expect(created.clients).toBeLessThanOrEqual(planned.clients)
      // This server ends no shared grant, so that one is enough.
      const further = MOST_SHARED_GRANTS - 1
      expect(created.authorizations).toBeLessThanOrEqual(planned.authorizations - (check.depth === 'people' ? further : 0)) // prettier-ignore
    },
  )
})

describe('a broken server', () => {
  // At once, because a check may wait until a sign-in is old.
  it.concurrent.each(broken)(
    '$subject: $name',
    async ({ subject, fault, violates, unknown, holds = [] }) => {
      const { handler, options } = await createBrokenServer(fault)
      const only = [
        ...new Set([subject, ...[...violates, ...holds].map((id) => id.slice(0, id.indexOf('/')))]),
      ]
      const { rows } = await auditServer(handler, { ...options, only })
      const found = unheld(rows, violates)
      expect(named(rows, 'held')).toEqual(expect.arrayContaining([...holds]))
      const ids = found.map(({ check }) => check).toSorted()
      expect(ids, worded(found).join('\n')).toEqual([...violates].toSorted())
      // What decided is shown, and what breaks no text is never counted as a violation.
      for (const { request, answer, verdict, clause } of found) {
        expect([request, answer].every((shown) => (shown ?? '') !== '')).toBe(true)
        expect(verdict).toBe(clause.level === 'advice' ? 'advice' : 'violated')
      }
      // A server that is right in another way is as good as any.
      if (violates.length === 0 && unknown === undefined)
        expect(worded(unreached(rows))).toEqual([])
      if (unknown !== undefined)
        expect(named(rows, 'not reached').toSorted()).toEqual([...unknown].toSorted())
    },
  )

  it('is there for each check', () => {
    const proven = new Set([...DEVIATIONS, ...broken.flatMap(({ violates }) => violates)])
    expect(checks.map(({ id }) => id).filter((id) => !proven.has(id))).toEqual([])
  })
})
