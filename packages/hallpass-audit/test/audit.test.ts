import { auditServer, type AuditRow, CHECKS, plannedCreations, type Verdict } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { MOST_SHARED_GRANTS } from '../src/engine/audit.js'
import { BROKEN } from './broken/index.js'
import { createBrokenServer } from './broken-server.js'

// Prints nothing and tries a few subjects only, such as `AUDIT_ONLY=pkce,code`, while one writes a check.
const asked = process.env['AUDIT_ONLY']?.split(',') ?? null
const isAsked = (subject: string): boolean => asked === null || asked.includes(subject)
const checks = CHECKS.filter(({ id }) => isAsked(id.slice(0, id.indexOf('/'))))
const broken = Object.entries(BROKEN)
  .filter(([subject]) => isAsked(subject))
  .flatMap(([subject, all]) => all.map((one) => ({ subject, ...one })))

const named = (rows: readonly AuditRow[], verdict: Verdict): readonly string[] =>
  rows.filter((row) => row.verdict === verdict).map(({ check }) => check)
/** With what was found, so that a red test says why. */
const worded = (rows: readonly AuditRow[], verdict: Verdict): readonly string[] =>
  rows.filter((row) => row.verdict === verdict).map(({ check, found }) => `${check}: ${found}`)

/** What this server does not have, and a broken server of the check has: sessions of MCP and nonces of DPoP. Nor has it FAPI 2.0. */
const ABSENT = ['mcp/session-id', 'dpop/nonce']

describe('a server with every block', () => {
  it('holds every clause', async () => {
    const { handler, options } = await createBrokenServer()
    const only = asked === null ? {} : { only: asked }
    const { rows } = await auditServer(handler, { ...options, ...only })
    expect([...worded(rows, 'violated'), ...worded(rows, 'not reached')]).toEqual([])
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
    async ({ subject, fault, violates, unknown, whole = false }) => {
      const { handler, options } = await createBrokenServer(fault)
      const only = [...new Set([subject, ...violates.map((id) => id.slice(0, id.indexOf('/')))])]
      // Those of FAPI 2.0 are audited whole by `fapi2.test.ts`.
      const isWhole = whole && asked === null && subject !== 'fapi2'
      const { rows } = await auditServer(handler, isWhole ? options : { ...options, only })
      const found = worded(rows, 'violated').join('\n')
      expect(named(rows, 'violated').toSorted(), found).toEqual([...violates].toSorted())
      // A server that is right in another way is as good as any.
      if (violates.length === 0 && unknown === undefined)
        expect(worded(rows, 'not reached')).toEqual([])
      if (unknown !== undefined)
        expect(named(rows, 'not reached').toSorted()).toEqual([...unknown].toSorted())
    },
  )

  it('is there for each check', () => {
    const proven = new Set(broken.flatMap(({ violates }) => violates))
    expect(checks.map(({ id }) => id).filter((id) => !proven.has(id))).toEqual([])
  })
})
