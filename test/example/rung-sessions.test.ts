import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { testSite } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { networkOf } from '../../examples/common/address.js'
import { tooManyAttempts } from '../../examples/common/pages.js'
import { dataFolder } from '../support/processes/example-process.js'
import { ROOT } from '../support/source/root.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'

const HOUR = 3600

let people: typeof import('../../examples/common/people.js')
let store: typeof import('../../examples/common/store.js')
let database: TestDatabase
const folder = dataFolder()

beforeAll(async () => {
  database = await startPostgres()
  vi.stubEnv('DATABASE_URL', database.url)
  vi.stubEnv('HALLPASS_DATA_DIR', folder.path)
  store = await import('../../examples/common/store.js')
  people = await import('../../examples/common/people.js')
  vi.unstubAllEnvs()
  await people.createDemoUsers()
})
afterAll(async () => {
  await store?.close()
  await database?.stop()
  folder.remove()
})

// oxlint-disable-next-line no-restricted-properties -- that of the database
const now = (): number => Math.floor(Date.now() / 1000)
type SignIn = ReturnType<typeof people.signInTo>

/** The sign-in of a site that reads the network from a header. */
const signInOfSite = (): SignIn =>
  people.signInTo(testSite({ networkOf: ({ headers }) => headers.get('x-network') }).site)

const sessionId = (name: string): string => name.padEnd(43, 'x')

async function begin(name: string, signedInAt: number): Promise<void> {
  const hash = createHash('sha256').update(sessionId(name)).digest('hex')
  await store.execute('insert into sessions values ($1, $2, $3)', [hash, 'usr_1', signedInAt])
}

const left = async (): Promise<number> =>
  (await store.execute('select from sessions', [])).rows.length

const askedBy = (name: string, body?: string): Request =>
  new Request('http://127.0.0.1:3000/sign-in', {
    headers: {
      cookie: `session-3000=${sessionId(name)}`,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(body !== undefined && { method: 'POST', body }),
  })

describe('the sessions of the examples on PostgreSQL', () => {
  it('last 12 hours by the clock that began them', async () => {
    const clock = vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    // The clock of the process is a day behind that of the database.
    clock.setSystemTime((now() - 24 * HOUR) * 1000)
    const at = now()
    await begin('new', at)
    expect(await people.currentPerson(askedBy('new'))).toEqual({ subject: 'usr_1', authTime: at })
    clock.setSystemTime((at + 12 * HOUR - 1) * 1000)
    expect(await people.currentPerson(askedBy('new'))).not.toBeNull()
    clock.setSystemTime((at + 12 * HOUR + 1) * 1000)
    expect(await people.currentPerson(askedBy('new'))).toBeNull()
  })

  it('are deleted by the time that `maintain` trusts, and never by a sign-in', async () => {
    await store.execute('delete from sessions', [])
    const at = now()
    await begin('old', at - 20 * HOUR)
    await begin('older', at - 30 * HOUR)
    await begin('own', at)
    const returnTo = `/oauth/interaction/${'x'.repeat(43)}`
    const { status } = await signInOfSite()(
      askedBy('own', String(new URLSearchParams({ return_to: returnTo }))),
    )
    expect([status, await left()]).toEqual([303, 2])
    await people.endSessions(null)
    expect(await left()).toBe(2)
    await people.endSessions(at - 10 * HOUR)
    expect(await left()).toBe(1)
  })
})

const RETURN_TO = `/oauth/interaction/${'x'.repeat(43)}`

/** Sends the sign-in form to an origin. */
const signIn = (
  email: string,
  password: string,
  { origin = 'http://127.0.0.1:3000', ...headers }: Record<string, string> = {},
  send = signInOfSite(),
): Promise<Response> =>
  send(
    new Request(`${origin}/sign-in`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams({ return_to: RETURN_TO, email, password }),
    }),
  )

describe('the passwords of the examples', () => {
  it('can be set anew by a command, which ends the sessions of the old one [RUNG-03]', async () => {
    await begin('own', now())
    const args = ['--import', 'tsx', 'examples/common/password.ts']
    const env = { ...process.env, DATABASE_URL: database.url, HALLPASS_DATA_DIR: folder.path }
    const run = promisify(execFile)
    const options = { cwd: ROOT, env }
    const { stdout } = await run(process.execPath, [...args, 'Owner@example.com'], options)
    const [, password = ''] = /^The new password of Owner@example\.com: (\S+)\n$/.exec(stdout)!
    expect(await people.currentPerson(askedBy('own'))).toBeNull()
    expect((await signIn('owner@example.com', password)).headers.get('location')).toBe(RETURN_TO)
    await expect(run(process.execPath, [...args, 'no@example.com'], options)).rejects.toMatchObject(
      {
        code: 1,
        stderr:
          'No user in this database has the address "no@example.com". The first start creates owner@example.com\n',
      },
    )
  })

  it('belong to the spellings of an address that attempts are counted for, and to no other', async () => {
    await store.execute("insert into users select 'usr_9', 'élise@example.com', password, role, name, null, false, null, null, joined_at from users where id = $1", ['usr_1']) // prettier-ignore
    const password = (await people.setPassword('élise@example.com'))!
    expect((await signIn('ÉLISE@example.com', password)).headers.get('location')).toBe(RETURN_TO)
    // A database may take this one for an i.
    const folded = await signIn('él\u0130se@example.com', password)
    expect(folded.headers.get('location')).toBe(`${RETURN_TO}?wrong`)
    await store.execute('delete from sessions', [])
    await store.execute('delete from users where id = $1', ['usr_9'])
  })

  it('begin a session in a cookie that only its own https host can set [RUNG-03]', async () => {
    const password = (await people.setPassword('student@example.com'))!
    const origin = 'https://school.example'
    const { headers } = await signIn('student@example.com', password, { origin })
    const [, id] = /^__Host-session=([\w-]{43}); Path=\/; HttpOnly; SameSite=Lax; Secure$/.exec(
      headers.getSetCookie()[0]!,
    )!
    const found = (name: string) =>
      people.currentPerson(new Request(origin, { headers: { cookie: `${name}=${id}` } }))
    expect(await found('__Host-session')).toMatchObject({ subject: 'usr_2' })
    expect(await found('session-')).toBeNull()
  })
})

describe('attempts to sign in to the examples', () => {
  const owner = 'owner@example.com'
  const wrong = (network: string, send: SignIn) =>
    signIn(owner, 'wrong', { 'x-network': network }, send)
  const cookieIn = (response: Response): string =>
    response.headers.getSetCookie().map((one) => one.split(';', 1)[0]).join('; ') // prettier-ignore

  it('keep the owner out of no browser that is known, and of no new one elsewhere [RUNG-02]', async () => {
    const password = (await people.setPassword(owner))!
    const send = signInOfSite()
    const cookie = cookieIn(await signIn(owner, password, { 'x-network': 'home' }, send))
    expect(cookie).toMatch(/^session-3000=[\w-]{43}; __Host-known-browser=\S+$/)
    for (const network of ['one', 'two', 'three', 'four', 'home'])
      for (let at = 0; at < 6; at++) await wrong(network, send)
    const waits = await wrong('home', send)
    expect([waits.status, waits.headers.get('retry-after')]).toEqual([429, '100'])
    const known = { 'x-network': 'home', cookie }
    expect((await signIn(owner, password, known, send)).headers.get('location')).toBe(RETURN_TO)
    const elsewhere = { 'x-network': 'elsewhere' }
    expect((await signIn(owner, password, elsewhere, send)).headers.get('location')).toBe(RETURN_TO)
  }, 60_000)

  it('wait as long as the response says', async () => {
    const response = await tooManyAttempts({ retryAfterSeconds: 61 })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '61'])
    expect(await response.text()).toContain('try again in 2 minutes')
    const minute = await tooManyAttempts({ retryAfterSeconds: 60 })
    expect(await minute.text()).toContain('try again in a minute')
  })
})

describe('the network of a request', () => {
  it('is what the proxy in front of a public origin says last, and nothing else that a client can send', () => {
    const from = (origin: string, header: string) =>
      networkOf(new Request(origin, { headers: { 'x-forwarded-for': header } }))
    expect(from('https://school.example', '192.0.2.1, 203.0.113.7')).toBe('203.0.113.7')
    expect(from('https://school.example', 'unknown')).toBeNull()
    expect(from('http://127.0.0.1:3000', '203.0.113.7')).toBeNull()
    expect(networkOf(new Request('https://school.example'))).toBeNull()
  })
})
