import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eraseByCommand } from '../../examples/school/src/members/erase-command.js'
import { readEnvironment } from '../../examples/school/src/platform/environment.js'
import { demo } from '../support/databases/templates.js'
import { dumpOf, tablesWith } from '../support/databases/dump.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { runCommand } from '../support/processes/example-process.js'
import { waitFor } from '../support/processes/wait.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'

const EMAIL = 'priya.nair@example.com'
const WORDS = ['mem_l07', 'Priya Nair', EMAIL]

let database: TestDatabase
let pool: pg.Pool
let example: RunningExample

beforeAll(async () => {
  database = await startPostgres(demo)
  pool = new pg.Pool({ connectionString: database.url, max: 1 })
  example = await startExpressExample({ environment: { DATABASE_URL: database.url } })
})
afterAll(async () => {
  await example.stop()
  await pool.end()
  await database.stop()
})

/** Waits until the running school has written every event to its audit log. */
async function delivered(): Promise<void> {
  const waiting = 'select from hallpass_outbox limit 1'
  await waitFor(async () => (await pool.query(waiting)).rows.length === 0)
}
const dump = () => dumpOf({ execute: (sql, parameters) => pool.query(sql, parameters) })

describe('npm run erase', () => {
  it('ends the access of a member at a running school, and leaves no trace in its database [ST-07]', async () => {
    const { origin } = example
    const browser = createFormBrowser(origin)
    const url = authorizeUrl(origin, { scope: 'openid email account:read' })
    const callback = await signInAndAllow(browser, url, { email: EMAIL })
    const redeemed = await redeemAt(origin, callback.searchParams.get('code')!)
    const tokens = (await redeemed.json()) as { access_token: string; refresh_token: string }
    const userinfo = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${tokens.access_token}` }
      return (await fetch(`${origin}/api/oauth/userinfo`, { headers })).status
    }
    // A request that waits for a decision, and names her.
    await createFormBrowser(origin).open(authorizeUrl(origin, { login_hint: EMAIL.toUpperCase() }))
    expect(await userinfo()).toBe(200)
    expect((await browser.open('/')).text).toContain('Hello,')
    const before = await dump()
    expect(tablesWith(before, WORDS)).toEqual(
      expect.arrayContaining(['hallpass_grant', 'school_audit', 'school_person', 'school_session']),
    )
    expect(tablesWith(before, [EMAIL.toUpperCase()])).toEqual(['hallpass_pending'])

    const { status, output } = await runCommand('erase', ['site_lantern', 'mem_l07'], {
      DATABASE_URL: database.url,
    })
    expect(output).toMatch(
      /^The member is erased, and is called mem_[\w-]{16} wherever a row stays\. Grants deleted: 2\.\n$/,
    )
    expect(status).toBe(0)
    expect(await userinfo()).toBe(401)
    const refreshed = await fetch(`${origin}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: 'study-buddy',
      }),
    })
    expect([refreshed.status, await refreshed.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_grant' }),
    ])
    expect((await browser.open('/')).text).not.toContain('Hello,')
    await expect(
      signInAndAllow(createFormBrowser(origin), authorizeUrl(origin), { email: EMAIL }),
    ).rejects.toThrow('no such form')
    const after = await dump()
    expect(tablesWith(after, [...WORDS, EMAIL.toUpperCase()])).toEqual([])
    const entries = (rows: typeof after) =>
      rows.filter(([table]) => table === 'school_audit').length
    expect(entries(after)).toBeGreaterThan(entries(before))
  })

  it.each([
    [[], 'Usage: npm run erase -- <site> <member>'],
    [['site_lantern'], 'Usage: npm run erase -- <site> <member>'],
    [['site_nowhere', 'mem_l05'], 'Usage: npm run erase -- <site> <member>'],
    [['site_lantern', 'mem_l05', 'mem_l06'], 'Usage: npm run erase -- <site> <member>'],
    [['site_lantern', 'mem_k01'], 'The school has no such member.'],
    [['site_lantern', 'mem_l01'], 'The owner cannot be erased'],
  ])('explains itself and erases nobody: %j', async (words, message) => {
    await delivered()
    const before = await dump()
    const environment = readEnvironment({ DATABASE_URL: database.url })
    await expect(eraseByCommand(words, environment)).rejects.toThrow(message)
    expect(await dump()).toEqual(before)
  })

  it('ends with status 1 and the message if nobody was erased', async () => {
    const { status, output } = await runCommand('erase', [], { DATABASE_URL: database.url })
    expect(output).toMatch(/^Usage: npm run erase -- <site> <member>.*\n$/)
    expect(status).toBe(1)
  })
})
