import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { demo as demoRows } from '../support/databases/templates.js'
import { startPostgres } from '../support/databases/test-database.js'
import { createFormBrowser } from '../support/http/form-browser.js'
import { findLocalhostNames } from '../support/http/localhost-names.js'
import { connectAgent } from '../support/http/mcp-agent.js'
import { PATIENT, type RunningExample, startExample } from '../support/processes/example.js'

const MOST = 100
const password = 'hallpass-demo'
let demo: RunningExample
let domain: string
let database: Awaited<ReturnType<typeof startPostgres>>
const forget = findLocalhostNames()

beforeAll(async () => {
  database = await startPostgres(demoRows)
  demo = await startExample({ environment: { ...PATIENT, DATABASE_URL: database.url } })
  domain = `localhost:${new URL(demo.origin).port}`
})
afterAll(async () => {
  forget()
  await demo?.stop()
  await database?.stop()
})

/** Opens a school as a visitor does, and returns the page that follows. */
async function open(name: string) {
  const visitor = createFormBrowser(demo.origin)
  return visitor.submit(await visitor.open('/schools'), { name })
}

/** Opens many schools, which one visitor may not. */
async function openMany(count: number): Promise<void> {
  const client = new pg.Client(database.url)
  await client.connect()
  const sql = `insert into schools (host, name, revision)
    select 'pottery' || n || '.' || $1::text, 'Pottery ' || n, 1000 + n from generate_series(1, $2::int) n`
  await client.query(sql, [domain, count])
  await client.end()
}

describe('a school that a visitor of the demo opened', () => {
  it('lets an agent sign in for staff, and an app of its own for a member', async () => {
    expect((await open('School of Art')).url.pathname).toBe('/schools/art')
    const origin = `http://art.${domain}`

    const agent = await connectAgent({ origin, password })
    expect(await agent.call('list_courses')).toMatchObject({
      structuredContent: { school: 'School of Art' },
    })
    await expect(agent.call('list_people')).rejects.toThrow('Unauthorized')
    await agent.signIn('owner@example.com')
    expect(await agent.call('list_people')).toMatchObject({
      structuredContent: { data: [{ name: 'Ada Okafor' }, { name: 'Mei-Ling Chou' }] },
    })
    await agent.close()

    const app = await connectAgent({ origin, password }, 'study-buddy')
    await expect(app.call('get_my_profile')).rejects.toThrow('Unauthorized')
    await app.signIn('student@example.com')
    expect(await app.call('get_my_profile')).toMatchObject({
      structuredContent: { name: 'Mei-Ling Chou' },
    })
    await app.close()
  })

  it('says how to connect, and names its own addresses only', async () => {
    const origin = `http://art.${domain}`
    const guide = await (await fetch(`${origin}/auth.md`)).text()
    expect(guide).toContain(`${origin}/mcp`)
    expect(guide).toContain(`${origin}/account/graphql`)
    expect(guide).not.toContain('/api/v1')
    expect((await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`)).status).toBe(200)
  })
})

describe('the demo', () => {
  it('opens a hundred schools and no more, and says so to the next', async () => {
    // School of Art is one, and Glazing the last.
    await openMany(MOST - 2)
    expect((await open('Glazing')).url.pathname).toBe('/schools/glazing')

    const refused = await open('One too many')
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('There are too many new schools now')
    expect(refused.text).toContain(`href="http://glazing.${domain}"`)
    // Those that are open stay so.
    expect(await (await fetch(`http://art.${domain}/`)).text()).toContain('<h1>School of Art</h1>')
    expect((await fetch(`http://one-too-many.${domain}/`)).status).toBe(421)
  })
})
