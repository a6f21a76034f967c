import { createHealthEndpoints } from 'hallpass/operations'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { createKeyRing } from 'hallpass/token'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type CuttingProxy, startCuttingProxy } from '../support/processes/cutting-proxy.js'
import {
  approve,
  isAlive,
  post,
  redeem,
  refresh,
  signIn,
  userinfo,
} from '../support/school/flow.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { rounds } from '../support/run/rounds.js'
import { createSchool, T } from '../support/school/school.js'

const OUTAGES = rounds(5, { soak: 50 })

let database: TestDatabase
let proxy: CuttingProxy
let pool: pg.Pool
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
beforeAll(async () => {
  database = await startPostgres()
  proxy = await startCuttingProxy(database.url)
  pool = new pg.Pool({ connectionString: proxy.url, max: 4 })
  pool.on('error', () => {})
  await migratePostgres({ execute })
})
afterAll(async () => {
  await pool.end()
  await proxy.stop()
  await database.stop()
})

it('a database that is away under load leads to 503, never to 200 of a revocation or to 401, and works when it is back [F-08]', async () => {
  const school = await createSchool({
    store: createPostgresStore({ execute, site: 'outage', now: () => T }),
  })
  for (let outage = 0; outage < OUTAGES; outage++) {
    const tokens = await signIn(school)
    const code = await approve(school)
    const revoke = (token: string): Promise<Response> =>
      post(school, '/api/oauth/revoke', { token, client_id: 'study-buddy' })
    const ask = (): Promise<Response>[] => [
      userinfo(school, tokens.access_token),
      refresh(school, tokens.refresh_token),
      redeem(school, code),
      revoke(tokens.refresh_token),
    ]
    proxy.cut({ direction: 'up', after: 0, times: Infinity })
    const away = await Promise.all(Array.from({ length: 10 }, ask).flat())
    expect([...new Set(away.map(({ status }) => status))]).toEqual([503])
    expect([...new Set(away.map(({ headers }) => headers.get('retry-after')))]).toEqual(['5'])
    proxy.restart()
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    expect((await redeem(school, code)).status).toBe(200)
    expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
    expect((await revoke(tokens.refresh_token)).status).toBe(200)
    expect(await isAlive(school, tokens.access_token)).toBe(false)
  }
})

it('a server that is read-only refuses what writes, serves what reads, and readyz says so [OPS-06]', async () => {
  const options = '-c default_transaction_read_only=on'
  const standby = new pg.Pool({ connectionString: database.url, max: 1, options })
  onTestFinished(() => standby.end())
  let isReadOnly = false
  const store = createPostgresStore({
    execute: (sql, parameters) => (isReadOnly ? standby : pool).query(sql, parameters),
    site: 'read-only',
    now: () => T,
  })
  const school = await createSchool({ store })
  const keys = createKeyRing(school.site, {
    sealingSecret: 'a sealing secret of thirty-two characters',
  })
  const { readyz } = createHealthEndpoints(school.site, { keys })
  const ready = async (): Promise<unknown> => {
    school.clock.now++
    const response = await readyz(new Request('https://school.example/readyz'))
    return [response.status, await response.json()]
  }
  const { access_token, refresh_token } = await signIn(school)
  isReadOnly = true
  expect((await refresh(school, refresh_token)).status).toBe(503)
  expect(await isAlive(school, access_token)).toBe(true)
  expect(await ready()).toEqual([200, { status: 'read_only', failing: ['write'] }])
  isReadOnly = false
  expect((await refresh(school, refresh_token)).status).toBe(200)
  expect(await ready()).toEqual([200, { status: 'ready', failing: [] }])
})
