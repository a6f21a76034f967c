import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eraseByCommand } from '../../examples/school/src/members/erase-command.js'
import { restoreByCommand } from '../../examples/school/src/members/restore-command.js'
import { readEnvironment } from '../../examples/school/src/platform/environment.js'
import { demo } from '../support/databases/templates.js'
import { type Dump, dumpOf, tablesWith } from '../support/databases/dump.js'
import {
  dataFolder,
  PATIENT,
  type RunningExample,
  startExpressExample,
} from '../support/processes/example.js'
import { runCommand } from '../support/processes/example-process.js'
import {
  createFormBrowser,
  type FormBrowser,
  signInAndAllow,
} from '../support/http/form-browser.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'

const PRIYA = ['mem_l07', 'Priya Nair', 'priya.nair@example.com']

interface Connected {
  readonly browser: FormBrowser
  readonly access_token: string
  readonly refresh_token: string
}

let database: TestDatabase
let example: RunningExample
let folder: ReturnType<typeof dataFolder>

beforeAll(async () => {
  database = await startPostgres(demo)
  example = await startExpressExample({
    environment: { ...PATIENT, DATABASE_URL: database.url },
  })
  folder = dataFolder()
})
afterAll(async () => {
  await example.stop()
  await database.stop()
  folder.remove()
})

/** Runs statements over one connection to the database, or to that of the server. */
async function connected<Result>(
  work: (client: pg.Client) => Promise<Result>,
  name?: string,
): Promise<Result> {
  const url = new URL(database.url)
  if (name !== undefined) url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

// The example writes its audit log and sends email every five seconds, also during a test.
const DELIVERIES: readonly string[] = ['hallpass_outbox', 'school_audit', 'school_notice']
const isOfNoDelivery = ([table]: Dump[number]): boolean => !DELIVERIES.includes(table)

/** Replaces a database by a copy of another. The example, which has no request, connects again with the next. */
const copy = (from: string, to: string): Promise<void> =>
  connected(async (client) => {
    await client.query(`drop database if exists ${to} with (force)`)
    for (let attempt = 1; ; attempt++)
      try {
        await client.query(
          'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
          [from],
        )
        await client.query(`create database ${to} template ${from}`)
        return
      } catch (fault) {
        if (attempt === 20) throw fault
      }
  }, 'postgres')

const dump = (site: string | null = null): Promise<Dump> =>
  connected((client) =>
    dumpOf({ execute: (sql, parameters) => client.query(sql, parameters) }, site),
  )

async function connect(email: string): Promise<Connected> {
  const browser = createFormBrowser(example.origin)
  const url = authorizeUrl(example.origin, { scope: 'openid email account:read' })
  const callback = await signInAndAllow(browser, url, { email })
  const redeemed = await redeemAt(example.origin, callback.searchParams.get('code')!)
  return { browser, ...((await redeemed.json()) as Omit<Connected, 'browser'>) }
}

const post = (path: string, form: Record<string, string>): Promise<Response> =>
  fetch(`${example.origin}${path}`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'study-buddy', ...form }),
  })
const refresh = (refresh_token: string): Promise<Response> =>
  post('/api/oauth/token', { grant_type: 'refresh_token', refresh_token })
async function isAlive({ access_token }: Pick<Connected, 'access_token'>): Promise<boolean> {
  const headers = { authorization: `Bearer ${access_token}` }
  return (await fetch(`${example.origin}/api/oauth/userinfo`, { headers })).status === 200
}
const isSignedIn = async ({ browser }: Connected): Promise<boolean> =>
  (await browser.open('/')).text.includes('Hello,')

describe('npm run restore', () => {
  it('ends what a restored copy revives, while the school runs, and erases again [ST-09]', async () => {
    const name = new URL(database.url).pathname.slice(1)
    const [mei, noor, priya] = [
      await connect('mei-ling.chou@example.com'),
      await connect('noor.haddad@example.com'),
      await connect(PRIYA[2]!),
    ]
    await copy(name, `${name}_backup`)

    // Since the backup, one person's app signs out, another one's refreshes, and a third person is erased.
    expect((await post('/api/oauth/revoke', { token: noor.refresh_token })).status).toBe(200)
    const refreshed = (await (await refresh(mei.refresh_token)).json()) as Connected
    await eraseByCommand(
      ['site_lantern', 'mem_l07'],
      readEnvironment({ DATABASE_URL: database.url }),
    )
    expect(await Promise.all([mei, noor, priya, refreshed].map(isAlive))).toEqual([
      true,
      false,
      false,
      true,
    ])

    await copy(`${name}_backup`, name)
    expect(await Promise.all([mei, noor, priya, refreshed].map(isAlive))).toEqual([
      true,
      true,
      true,
      false,
    ])
    const kiln = await dump('site_kiln')

    const file = join(folder.path, 'erased.txt')
    writeFileSync(file, 'mem_l07\r\n\nmem_never_there\n')
    const { status, output } = await runCommand('restore', ['site_lantern', file], {
      DATABASE_URL: database.url,
    })
    expect(output).toMatch(
      /^Everyone has to sign in again\. Sessions ended: 3\. Grants revoked: \d+\. Members erased: 1\.\n$/,
    )
    expect(status).toBe(0)
    for (const person of [mei, noor, priya, refreshed]) {
      expect(await isAlive(person)).toBe(false)
      const refused = await refresh(person.refresh_token)
      expect([refused.status, await refused.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'invalid_grant' }),
      ])
    }
    expect(await Promise.all([mei, noor, priya].map(isSignedIn))).toEqual([false, false, false])
    const after = await dump()
    expect(tablesWith(after, PRIYA)).toEqual([])
    expect(tablesWith(after, ['oauth.grants.revoked'])).toEqual(['school_audit'])
    expect(await dump('site_kiln')).toEqual(kiln)
    expect(await isAlive(await connect('noor.haddad@example.com'))).toBe(true)
    await connected((client) => client.query(`drop database ${name}_backup`), 'postgres')
  })

  it.each([
    [[], 'Usage: npm run restore -- <site>'],
    [['site_nowhere'], 'Usage: npm run restore -- <site>'],
    [['site_lantern', 'one', 'more'], 'Usage: npm run restore -- <site>'],
    [['site_lantern', '/nowhere/erased.txt'], 'no such file'],
  ])('explains itself and ends nothing: %j', async (words, message) => {
    const before = (await dump()).filter(isOfNoDelivery)
    const environment = readEnvironment({ DATABASE_URL: database.url })
    await expect(restoreByCommand(words, environment)).rejects.toThrow(message)
    expect((await dump()).filter(isOfNoDelivery)).toEqual(before)
  })

  it('names a member of the list who cannot be erased, after it has ended everything', async () => {
    const file = join(folder.path, 'owner.txt')
    writeFileSync(file, 'mem_l01\n')
    const mei = await connect('mei-ling.chou@example.com')
    const environment = readEnvironment({ DATABASE_URL: database.url })
    await expect(restoreByCommand(['site_lantern', file], environment)).rejects.toThrow(
      'mem_l01: The owner cannot be erased',
    )
    expect(await isAlive(mei)).toBe(false)
  })
})
