import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demo } from '../support/databases/templates.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { passTime } from '../support/processes/wait.js'
import { type Ask, patienceDuring, startLoad, summarize } from '../support/http/load.js'
import { codeRecord } from '../support/http/code-load.js'
import { type PostgresServer, startServer } from '../support/databases/postgres-server.js'
import { hashToken } from '../../src/token/opaque.js'

const VERIFIER = 'a-verifier-of-forty-three-characters-or-more'
const CALLBACK = 'http://127.0.0.1:7777/callback'
const SITE = 'site_lantern'

/** Half of the connections that the example has: with all of them stuck, speed decides who else gets one in time. */
const STUCK = 4

let server: PostgresServer
let example: RunningExample
let side: pg.Client
/** How long each fault lasts; less than a refresh may be repeated. */
const FAULT_MILLISECONDS = process.env['HALLPASS_SOAK'] === '1' ? 50_000 : 10_000

beforeAll(async () => {
  server = await startServer()
  await demo.fill(server.url)
  side = new pg.Client({ connectionString: server.url })
  side.on('error', () => {})
  await side.connect()
  const environment = { DATABASE_URL: server.url, HALLPASS_RATE_LIMITS: 'off' }
  example = await startExpressExample({ environment })
})
afterAll(async () => {
  server?.thaw()
  await example?.stop()
  await side?.end()
  await server?.stop()
})

const post = (path: string, fields: Record<string, string>): Promise<Response> =>
  fetch(example.origin + path, { method: 'POST', body: new URLSearchParams(fields) })

const random = (): string => randomBytes(32).toString('base64url')

/** A code in the database, as a person's consent puts it there. */
async function newCode(): Promise<string> {
  const code = `hpc_${random()}`
  const at = Math.floor(Date.now() / 1000)
  await side.query(
    `insert into hallpass_code (site, code_hash, client_id, subject, issued_at, due_at, record)
     values ($1, $2, 'study-buddy', 'mem_l05', $3::bigint, $3::bigint + 600 + 86400, $4)`,
    [
      SITE,
      hashToken(code),
      at,
      codeRecord({ origin: example.origin, at, grantId: `grant_${random()}` }),
    ],
  )
  return code
}

const exchange = (code: string): Promise<Response> =>
  post('/api/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    client_id: 'study-buddy',
    code_verifier: VERIFIER,
    resource: example.origin,
  })
const refresh = (token: string): Promise<Response> =>
  post('/api/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: 'study-buddy',
  })

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}
const tokensOf = async (): Promise<Tokens> =>
  (await (await exchange(await newCode())).json()) as Tokens

const register = (): Promise<Response> =>
  fetch(`${example.origin}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"client_name":"x","redirect_uris":["http://127.0.0.1:7777/cb"]}',
  })

const get =
  (path: string, headers: Record<string, string> = {}): Ask =>
  () =>
    fetch(example.origin + path, { headers, redirect: 'manual' })

/** What needs no database. */
const PUBLIC = ['jwks', 'metadata', 'resource metadata']

async function asks(): Promise<Record<string, Ask>> {
  const { access_token } = await tokensOf()
  const chains = [(await tokensOf()).refresh_token, (await tokensOf()).refresh_token]
  const bearer = { authorization: `Bearer ${access_token}` }
  const query = '{ viewer { id } }'
  return {
    jwks: get('/.well-known/jwks.json'),
    metadata: get('/.well-known/openid-configuration'),
    'resource metadata': get('/.well-known/oauth-protected-resource'),
    userinfo: get('/api/oauth/userinfo', bearer),
    // Each client continues a chain of its own, and repeats what got no answer.
    async refresh() {
      const token = chains.pop()!
      let next = token
      try {
        const response = await refresh(token)
        if (response.status === 200)
          next = ((await response.clone().json()) as Tokens).refresh_token
        return response
      } finally {
        chains.push(next)
      }
    },
    register,
    authorize: get('/oauth/authorize?client_id=study-buddy'),
    'connected apps': get('/oauth/authorized_applications', {
      accept: 'text/html',
      cookie: await signIn(),
    }),
    graphql: () =>
      fetch(`${example.origin}/account/graphql`, {
        method: 'POST',
        headers: { ...bearer, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      }),
    'admin API': get('/api/v1/courses', bearer),
  }
}

/** Signs a student in, and returns the cookies of the browser. */
async function signIn(): Promise<string> {
  const cookieOf = (response: Response): string =>
    response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]!).join('; ') // prettier-ignore
  const page = await fetch(`${example.origin}/`, { headers: { accept: 'text/html' } })
  const [, token = ''] = /name="csrf_token"[^>]*value="([^"]*)"/.exec(await page.text()) ?? []
  const response = await fetch(`${example.origin}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(page), origin: example.origin, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({
      csrf_token: token,
      email: 'mei-ling.chou@example.com',
      password: 'hallpass-demo',
      return_to: '/',
    }),
  })
  expect(response.status).toBe(303)
  return cookieOf(response)
}

type Summary = ReturnType<typeof summarize>

function print(title: string, rows: Summary): void {
  process.stdout.write(
    [title, ...rows.map(({ name, statuses, p99, slowest }) =>
      `  ${name.padEnd(18)} ${JSON.stringify(statuses).padEnd(24)} p99 ${p99} ms, slowest ${slowest} ms`,
    )].join('\n') + '\n',
  ) // prettier-ignore
}

/** The load before, during and after a fault; `heal` ends it. */
async function around(
  fault: () => Promise<void>,
  heal: () => Promise<void>,
): Promise<{
  readonly during: Summary
  readonly ended: Summary
  readonly healed: Summary
  readonly refused: number
  readonly patience: number
}> {
  const load = startLoad(await asks())
  try {
    await passTime(2000)
    await fault()
    const from = load.since()
    await passTime(FAULT_MILLISECONDS)
    const to = load.since()
    await heal()
    await passTime(4000)
    // Those that began before the fault ended may end after it.
    await load.stop()
    const during = load.samples.filter(({ at }) => at >= from && at < to)
    // Those that wait when the fault ends may yet succeed.
    const ended = during.filter(({ at, milliseconds }) => at + milliseconds < to)
    const refused = during.filter(({ status }) => status === 503)
    expect(refused.filter(({ retryAfter }) => retryAfter === null)).toEqual([])
    return {
      during: summarize(during, [from, to]),
      ended: summarize(ended, [from, to]),
      // What began two seconds after the end.
      healed: summarize(load.samples, [to + 2000, Infinity]),
      refused: refused.length,
      patience: patienceDuring(load.samples, from),
    }
  } finally {
    await load.stop()
  }
}

const NORMAL = [200, 201, 303, 400, 401, 403]

function expectHealed(healed: Summary): void {
  for (const { name, statuses } of healed)
    expect([name, Object.keys(statuses).filter((status) => !NORMAL.includes(Number(status)))]).toEqual([name, []]) // prettier-ignore
}

describe('PostgreSQL', () => {
  it('that is frozen costs no request more than two seconds, and heals within two [F-32]', async () => {
    const { during, ended, healed, refused, patience } = await around(
      async () => server.freeze(),
      async () => server.thaw(),
    )
    print(`PostgreSQL frozen for ${FAULT_MILLISECONDS / 1000} s`, during)
    print('two seconds later', healed)
    expect(refused).toBeGreaterThan(0)
    for (const { name, p99 } of during) expect([name, p99 <= patience]).toEqual([name, true])
    for (const { name, statuses } of ended) {
      const expected = PUBLIC.includes(name) ? ['200'] : ['503']
      expect([name, Object.keys(statuses).filter((status) => !expected.includes(status))]).toEqual([name, []]) // prettier-ignore
    }
    expectHealed(healed)
    expect(example.output()).toContain('the storage failed')
  })

  it('whose table of codes is locked leaves the rest as it was [F-33]', async () => {
    const locker = new pg.Client({ connectionString: server.url })
    locker.on('error', () => {})
    await locker.connect()
    const codes: string[] = []
    for (let index = 0; index < 1000; index++) codes.push(await newCode())
    let stuck: ReturnType<typeof startLoad> | undefined
    const { during, healed, patience } = await around(
      async () => {
        await locker.query('begin; lock table hallpass_code in share mode')
        stuck = startLoad(
          { exchange: () => exchange(codes.pop()!) },
          { clients: STUCK, every: 300 },
        )
      },
      async () => {
        await stuck!.stop()
        await locker.query('rollback')
      },
    )
    await locker.end()
    const exchanges = summarize(stuck!.samples, [0, Infinity])
    print(`${STUCK} clients whose statements are locked for ${FAULT_MILLISECONDS / 1000} s`, [
      ...exchanges,
      ...during,
    ])
    print('two seconds later', healed)
    for (const { name, statuses, p99 } of [...exchanges, ...during]) {
      expect([name, p99 <= patience]).toEqual([name, true])
      expect([name, statuses[0] ?? 0]).toEqual([name, 0])
    }
    expect(Object.keys(exchanges[0]!.statuses)).toEqual(['503'])
    for (const { name, statuses } of during)
      if (['userinfo', 'register', ...PUBLIC].includes(name))
        expect([name, statuses[503] ?? 0]).toEqual([name, 0])
    expectHealed(healed)
  })

  it('that was frozen while it wrote gives a refresh again, and no second pair [F-32]', async () => {
    const { refresh_token } = await tokensOf()
    await side.query('select 1')
    server.freeze()
    const cut = await refresh(refresh_token)
    expect([cut.status, cut.headers.get('retry-after')]).toEqual([503, '5'])
    server.thaw()
    const [one, two] = [await refresh(refresh_token), await refresh(refresh_token)]
    expect([one.status, two.status]).toEqual([200, 200])
    expect(((await one.json()) as Tokens).refresh_token).toBe(
      ((await two.json()) as Tokens).refresh_token,
    )
  })
})
