import { auditServer, type SignIn } from 'hallpass-audit'
import { beforeAll, describe, expect, it } from 'vitest'
import { startRung } from '../support/attack/rungs.js'
import { sharedService } from '../support/run/shared-service.js'

/** A code that is sent again within five seconds ends nothing: its client may have lost the response. */
const RESENT = 'code/used-twice-revokes'

/** Each small example, and what it violates beside that. */
const RUNGS: readonly (readonly [name: string, violated: readonly string[]])[] = [
  ['minimal', []],
  ['server', []],
  ['fastify', []],
  ['hono', []],
  ['members', []],
  // Registration is enough for what it shows: it fetches no documents, which MCP only recommends.
  ['agents', ['metadata-document/supported']],
  ['workers', []],
]

beforeAll(async () => {
  // They run on hallpass's `dist`.
  await sharedService('express')
})

describe('an audit of a rung', () => {
  it.each(RUNGS)('examples/%s violates nothing else', async (name, violated) => {
    const rung = await startRung(name)
    try {
      const { email = '', password = '' } = rung.signInFields
      const person = { ...(email !== '' && { email }), password }
      const signIn: SignIn = {
        people: [person],
        scope: 'openid profile email courses:read',
        surfaces: rung.serves.has('courses') ? [{ path: '/courses', scope: 'courses:read' }] : [],
      }
      const { rows } = await auditServer(rung.issuer, { signIn })
      const found = rows.filter(({ verdict }) => verdict === 'violated').map(({ check }) => check)
      expect(found.toSorted()).toEqual([RESENT, ...violated].toSorted())
    } finally {
      await rung.stop()
    }
  })
})
