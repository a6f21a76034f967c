import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp } from '../../examples/express/src/app.js'
import { createAnswers } from '../../examples/school/src/pages/answers.js'
import type { SchoolSite } from '../../examples/school/src/school-site.js'
import { LANTERN } from '../../examples/school/src/sites.js'
import { type SharedExample, sharedExample } from '../support/example.js'
import { createSchool, ISSUER } from '../support/school.js'

/** What Express and Node write when they describe an exception. */
const TRACE = /URIError|Failed to decode|node_modules|\bat \w+ \(|\.[jt]s:\d+/

let school: SharedExample
beforeAll(async () => {
  school = await sharedExample()
})

describe('bytes that cannot be decoded', () => {
  it.each([
    '/docs/%',
    '/docs/%ff',
    '/account/graphiql/%C3%28',
    '/oauth/interaction/%',
    '/oauth/interaction/%E0%A4%A',
  ])('are refused without a trace of the program: %s [LOG-04]', async (path) => {
    const answer = await fetch(school.origin + path)
    const text = await answer.text()
    expect(text).not.toMatch(TRACE)
    expect([answer.status, JSON.parse(text)]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'the path is not percent-encoded UTF-8' },
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('are refused with a page where a person reads it [LOG-04]', async () => {
    const headers = { accept: 'text/html' }
    const answer = await fetch(`${school.origin}/docs/%`, { headers })
    const text = await answer.text()
    expect([answer.status, text.includes('The address may be mistyped')]).toEqual([400, true])
    expect(text).not.toMatch(TRACE)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it.each(['/%', '/oauth/applications/%ff', '/assets/%'])(
    'are nothing where no route reads them: %s',
    async (path) => {
      const answer = await fetch(school.origin + path)
      expect(answer.status).toBeLessThan(500)
      expect(await answer.text()).not.toMatch(TRACE)
    },
  )
})

describe('an exception between the routes', () => {
  /** A school whose limits fail as `fault` says. */
  async function listen(fault: unknown): Promise<string> {
    const { server } = await createSchool()
    const nothing = (): Response => new Response(null, { status: 404 })
    const graphiql = async (): Promise<null> => null
    const site = {
      ...createAnswers({ site: LANTERN, origin: ISSUER, demo: { graphiql } }),
      origin: ISSUER,
      server,
      ofAddress: async () => Promise.reject(fault),
      account: { graphql: nothing, schema: nothing },
      mcp: nothing,
      admin: { endpoint: nothing, openapi: nothing, authMd: nothing, reference: nothing },
    } as unknown as SchoolSite
    const http = createApp(site).listen(0, '127.0.0.1')
    await once(http, 'listening')
    onTestFinished(() => void http.close())
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  }

  it('is a 500 that says nothing, and told to the operator [LOG-04]', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => told.mockRestore())
    const fault = new Error('connect ECONNREFUSED 10.0.0.7:6379')
    const origin = await listen(fault)
    const answer = await fetch(`${origin}/mcp`)
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 'server_error', error_description: 'an unexpected error occurred' },
    ])
    const page = await fetch(origin, { headers: { accept: 'text/html' } })
    const text = await page.text()
    expect([page.status, text.includes('<h1>Something went wrong</h1>')]).toEqual([500, true])
    expect(text).not.toMatch(/ECONNREFUSED|10\.0\.0\.7/)
    expect(told.mock.calls).toEqual([[fault], [fault]])
  })
})
