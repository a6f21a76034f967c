import { createServer, request as httpRequest } from 'node:http'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp } from '../../examples/express/src/app.js'
import { createAnswers } from '../../examples/school/src/pages/answers.js'
import {
  createRequests,
  requestIdNow,
  withRequestId,
} from '../../examples/school/src/platform/requests.js'
import type { SchoolSite } from '../../examples/school/src/school-site.js'
import { LANTERN } from '../../examples/school/src/sites.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { openPort } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { createSchool, ISSUER } from '../support/school/school.js'

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

/** A school in this process that logs to `log`, with parts of its own. */
async function listen(
  log: Record<string, unknown>[],
  parts: Partial<Pick<SchoolSite, 'ofSender' | 'mcp'>>,
): Promise<string> {
  const { server } = await createSchool({ options: { requestIdOf: requestIdNow } })
  const nothing = (): Response => new Response(null, { status: 404 })
  const none = async (): Promise<null> => null
  const site = {
    ...createAnswers({
      site: LANTERN,
      origin: ISSUER,
      demo: { graphiql: none, playground: () => null, connect: async () => null },
      logos: { answer: none },
    }),
    origin: ISSUER,
    server,
    ofSender: async () => 0,
    account: { graphql: nothing, schema: nothing },
    mcp: nothing,
    ...parts,
    admin: { endpoint: nothing, openapi: nothing, authMd: nothing, reference: nothing },
    health: { livez: nothing, readyz: nothing },
    requests: createRequests({ site: LANTERN.id, log: withRequestId((line) => log.push(line)) }),
  } as unknown as SchoolSite
  const http = createServer(createApp(site))
  const port = await openPort(http)
  onTestFinished(() => void http.close())
  return `http://127.0.0.1:${port}`
}

describe('an exception between the routes', () => {
  it('is a 500 that says nothing, and told to the operator [LOG-04]', async () => {
    const told = vi.spyOn(console, 'error')
    onTestFinished(() => told.mockRestore())
    const fault = new Error('connect ECONNREFUSED 10.0.0.7:6379')
    const log: Record<string, unknown>[] = []
    const origin = await listen(log, { ofSender: async () => Promise.reject(fault) })
    const answer = await fetch(`${origin}/mcp`)
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 'server_error', error_description: 'an unexpected error occurred' },
    ])
    const page = await fetch(origin, { headers: { accept: 'text/html' } })
    const text = await page.text()
    expect([page.status, text.includes('<h1>Something went wrong</h1>')]).toEqual([500, true])
    expect(text).not.toMatch(/ECONNREFUSED|10\.0\.0\.7/)
    expect(told.mock.calls).toEqual([])
    const lines = [answer, page].map(({ headers }) => ({
      site: LANTERN.id,
      type: 'fault',
      endpoint: 'http',
      fault: fault.message,
      requestId: headers.get('x-request-id'),
    }))
    expect(log.filter(({ type }) => type === 'fault')).toEqual(lines)
  })
})

describe('the log', () => {
  it('has a line for each request, with the identifier of the response, and with no secret of its address [LOG-01, LOG-08]', async () => {
    const log: Record<string, unknown>[] = []
    const mcp = async (): Promise<Response> => new Response('done', { status: 202 })
    const origin = await listen(log, { mcp })
    const secret = 's'.repeat(43)
    const answers = [
      await fetch(`${origin}/mcp?code=${secret}`, { method: 'POST', body: 'a' }),
      await fetch(`${origin}/oauth/interaction/${secret}`),
      await fetch(`${origin}/${'a/'.repeat(500)}`),
    ]
    for (const answer of answers) await answer.text()
    await waitFor(() => log.filter(({ type }) => type === 'request').length === 3)
    const line = (index: number, method: string, path: string) => ({
      site: LANTERN.id,
      type: 'request',
      requestId: answers[index]!.headers.get('x-request-id'),
      method,
      path,
      status: answers[index]!.status,
      milliseconds: expect.any(Number) as number,
    })
    expect(log.filter(({ type }) => type === 'request')).toEqual([
      line(0, 'POST', '/mcp'),
      line(1, 'GET', '/oauth/interaction/…'),
      line(2, 'GET', `/${'a/'.repeat(500)}`.slice(0, 200)),
    ])
    expect(new Set(log.map(({ requestId }) => requestId)).size).toBe(3)
    expect(log[0]!['requestId']).toMatch(/^req_[\w-]{16}$/)
    expect(JSON.stringify(log)).not.toContain(secret)
  })

  it('names a request that must wait as its response does [LOG-01]', async () => {
    const log: Record<string, unknown>[] = []
    const origin = await listen(log, { ofSender: async () => 30 })
    const { status, headers, json } = await fetch(`${origin}/api/v1/courses`).then(
      async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        json: await answer.json(),
      }),
    )
    await waitFor(() => log.length === 1)
    expect([status, json.request_id, headers.get('x-request-id')]).toEqual([
      429,
      log[0]!['requestId'],
      log[0]!['requestId'],
    ])
  })

  it('has no fault where the client disconnects before the end of its request [LOG-08]', async () => {
    const log: Record<string, unknown>[] = []
    const origin = await listen(log, {
      mcp: async (request) => new Response(await request.text()),
    })
    const sent = httpRequest(`${origin}/mcp`, { method: 'POST', headers: { 'content-length': 9 } })
    sent.on('error', () => {})
    sent.write('half')
    sent.once('socket', (socket) =>
      socket.once('connect', () => setImmediate(() => sent.destroy())),
    )
    await waitFor(() => log.length > 0)
    expect(log).toEqual([expect.objectContaining({ type: 'request', path: '/mcp', status: null })])
  })
})
