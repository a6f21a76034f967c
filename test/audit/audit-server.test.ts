import { auditServer, type Check } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { createBrokenServer } from './broken-server.js'

const check = (id: string, run: Check['run']): Check => ({
  id: `own/${id}`,
  clause: {
    document: 'RFC 6749',
    section: '1',
    level: 'MUST',
    says: 'A check of this test holds.',
  },
  depth: 'people',
  change: 'Nothing.',
  run,
})
const HELD = { verdict: 'held', found: '' } as const

describe('an audit with one person', () => {
  it('signs in as that one, and does not reach what needs two', async () => {
    const { handler, options } = await createBrokenServer()
    const { people, ...signIn } = options.signIn
    const codes = check('codes', async (on) => {
      for (let code = 0; code < 3; code++) await on.code()
      return HELD
    })
    const second = check('second', async (on) => {
      await on.code({ person: 1 })
      return HELD
    })
    const { rows, created } = await auditServer(handler, {
      ...options,
      signIn: { ...signIn, people: [people[0]] },
      only: ['own'],
      checks: [codes, second],
    })
    expect(rows.map(({ verdict, found }) => [verdict, found])).toEqual([
      ['held', ''],
      ['not reached', 'the check needs two people: give a second one in `people`'],
    ])
    expect(created.authorizations).toBe(3)
  })
})

describe('the request of a row', () => {
  it('is the one whose kept answer the check read, if it sent none', async () => {
    const { handler, options } = await createBrokenServer()
    const { rows } = await auditServer(handler, {
      ...options,
      only: ['pkce/s256-named', 'pkce/plain-not-named', 'own'],
      checks: [
        check('issues', async (on) => ({ ...HELD, found: (await on.sharedTokens()).accessToken })),
        check('reads', async (on) => ({ ...HELD, found: (await on.sharedTokens()).accessToken })),
        check('reads-and-sends', async (on) => {
          await on.sharedTokens()
          await on.send(`${on.origin}/courses`)
          await on.listOf('scopes_supported')
          return HELD
        }),
        check('nothing', async () => HELD),
      ],
    })
    expect(rows.map(({ request }) => request?.split('\n')[0] ?? null)).toEqual([
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/oauth-authorization-server',
      'POST /api/oauth/token',
      'POST /api/oauth/token',
      'GET /courses',
      null,
    ])
  })

  it('shows no token', async () => {
    const { handler, options } = await createBrokenServer()
    const report = await auditServer(handler, {
      ...options,
      only: ['own'],
      checks: [check('issues', async (on) => ({ ...HELD, found: (await on.sharedTokens()).accessToken }))], // prettier-ignore
    })
    const [{ found, request, answer }] = report.rows as [(typeof report.rows)[0]]
    expect(answer).toContain('"access_token":"')
    expect(`${request}${answer}`).not.toContain(found)
  })
})
