import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFormBrowser } from '../support/http/form-browser.js'
import { findLocalhostNames } from '../support/http/localhost-names.js'
import { connectAgent } from '../support/http/mcp-agent.js'
import { type RunningExample, startExample } from '../support/processes/example.js'

const MOST = 100
const password = 'hallpass-demo'
let demo: RunningExample
let domain: string
const forget = findLocalhostNames()

beforeAll(async () => {
  demo = await startExample({ environment: { HALLPASS_TRUST_PROXY: '1' } })
  domain = `localhost:${new URL(demo.origin).port}`
})
afterAll(async () => {
  forget()
  await demo?.stop()
})

/** Opens a school as someone of a network does, and returns the page that follows. */
async function open(name: string, network = 1) {
  const visitor = createFormBrowser(demo.origin, { 'x-forwarded-for': `198.51.${network}.7` })
  return visitor.submit(await visitor.open('/schools'), { name })
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
    // Those of the test before count as well.
    const others = Array.from({ length: MOST - 1 }, (_, index) => open('Pottery', 10 + (index % 9)))
    const statuses = (await Promise.all(others)).map(({ status }) => status)
    const opened = statuses.filter((status) => status === 200).length
    expect(opened).toBeGreaterThan(80)
    // Some were tried at the same moment as another, and lost.
    for (let more = opened; more < MOST - 1; more++)
      expect((await open('Pottery', 30 + Math.floor(more / 20))).status).toBe(200)

    const refused = await open('One too many', 40)
    expect(refused.status).toBe(429)
    expect(refused.text).toContain('There are too many new schools now')
    expect(refused.text).toContain('value="One too many"')
    expect(refused.text.match(/href="http:\/\/pottery[^"]*"/g)).toHaveLength(10)
    // Those that are open stay so.
    expect(await (await fetch(`http://art.${domain}/`)).text()).toContain('<h1>School of Art</h1>')
    expect((await fetch(`http://one-too-many.${domain}/`)).status).toBe(421)
  })
})
