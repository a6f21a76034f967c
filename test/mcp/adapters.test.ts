import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { OWNER, STUDENT } from '../support/school/school.js'
import { ADAPTERS, answerOf, connectNew, connectOld, MCP_URL, openMcp } from './support.js'

const names = ({ tools }: { tools: readonly { readonly name: string }[] }): readonly string[] =>
  tools.map(({ name }) => name)

const CALL = { name: 'get_school_info', arguments: {} }

/** The status of what came instead of an answer, or the client's own name for it. */
const statusOf = async (call: Promise<unknown>): Promise<unknown> => {
  const error = await call.then(
    () => ({ name: 'none' }),
    (fault: unknown) => fault,
  )
  const { name, status, code } = error as { name: string; code?: unknown; status?: unknown }
  return status ?? code ?? name
}

describe.each(ADAPTERS)('%s', (entry, adapter) => {
  const isNew = entry !== 'sdkAdapter'
  const clients = [
    ['the client of version 1', connectOld, '2025-11-25'],
    ['the client of version 2', connectNew, isNew ? '2026-07-28' : '2025-11-25'],
  ] as const

  describe.each(clients)('to %s', (_, connect, protocolVersion) => {
    it('speaks without a token [MCP-01]', async () => {
      const { fetch, faults } = await openMcp({ adapter })
      const client = await connect({ fetch })
      expect(client.protocolVersion()).toBe(protocolVersion)
      expect(names(await client.listTools())).toEqual(['check_connection', 'get_school_info'])
      const result = await client.callTool(CALL)
      expect(result['structuredContent']).toEqual({ data: { name: 'Lantern Street', courses: 6 } })
      await client.close()
      expect(faults).toEqual([])
    })

    it('speaks with a token of a member', async () => {
      const { fetch, memberToken } = await openMcp({ adapter })
      const token = await memberToken('account:read', 'account:write')
      const client = await connect({ fetch, token })
      expect(names(await client.listTools())).toContain('cancel_my_registration')
      expect(names(await client.listTools())).not.toContain('get_course')
      const who = await client.callTool({ name: 'check_connection' })
      expect(who['structuredContent']).toMatchObject({ subject: STUDENT.subject })
      const courses = await client.callTool({ name: 'list_my_courses', arguments: {} })
      expect(courses['structuredContent']).toMatchObject({ data: [{}] })
      await client.close()
    })

    it('speaks with a token of an operator', async () => {
      const { fetch, operatorToken } = await openMcp({ adapter })
      const client = await connect({ fetch, token: await operatorToken('courses:read') })
      expect(names(await client.listTools())).toEqual([
        'check_connection',
        'get_school_info',
        'get_course',
      ])
      const course = await client.callTool({ name: 'get_course', arguments: { id: 'crs_1' } })
      expect(course['structuredContent']).toMatchObject({ data: { id: 'crs_1' } })
      const nothing = await client.callTool({ name: 'get_course', arguments: { id: 'crs_9' } })
      expect(nothing['isError']).toBe(true)
      await client.close()
    })

    it('says 401 and 403 where a sign-in has to begin', async () => {
      const { fetch, operatorToken } = await openMcp({ adapter })
      const protectedCall = { name: 'get_course', arguments: { id: 'crs_1' } }
      const anonymous = await connect({ fetch })
      expect(await statusOf(anonymous.callTool(protectedCall))).toBe(401)
      const known = await connect({ fetch, token: await operatorToken('events:read') })
      expect(await statusOf(known.callTool(protectedCall))).toBe(
        known.generation === 1 ? 403 : 'InsufficientScopeError',
      )
      await Promise.all([anonymous.close(), known.close()])
    })

    it('has the hints and what else is said of a tool arrive', async () => {
      const { fetch, operatorToken } = await openMcp({ adapter })
      const client = await connect({ fetch, token: await operatorToken('courses:read') })
      const { tools } = await client.listTools()
      const [tool] = tools.filter(({ name }) => name === 'get_course')
      // Both clients drop the member `securitySchemes` itself, which no revision of MCP knows.
      expect(tool).toMatchObject({
        title: 'Get a course',
        annotations: {
          title: 'Get a course',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        _meta: { securitySchemes: [{ type: 'oauth2', scopes: ['courses:read'] }] },
      })
      const info = await client.callTool(CALL)
      expect(info['_meta']).toMatchObject({ 'hallpass/free_text': ['/data/name'] })
      await client.close()
    })
  })

  it('lets the client of version 2 begin its own sign-in', async () => {
    const { fetch } = await openMcp({ adapter })
    const client = new Client({ name: 'new', version: '1.0.0' })
    const authProvider = { token: async () => undefined }
    await client.connect(
      new StreamableHTTPClientTransport(new URL(MCP_URL), { fetch, authProvider }),
    )
    const call = client.callTool({ name: 'get_course', arguments: { id: 'crs_1' } })
    await expect(call).rejects.toThrow(UnauthorizedError)
    await client.close()
  })

  it('says on the wire how to be let in, beside the tool and in its _meta', async () => {
    const { rpc } = await openMcp({ adapter })
    const securitySchemes = [{ type: 'noauth' }]
    const { body } = await answerOf(await rpc({ method: 'tools/list' }))
    const { tools } = (body as { result: { tools: unknown[] } }).result
    expect(tools[0]).toMatchObject({ securitySchemes, _meta: { securitySchemes } })
  })

  it.each(['application/json', 'text/event-stream', '*/*', ''])(
    'answers one JSON object to a client that accepts %j',
    async (accept) => {
      const { rpc } = await openMcp({ adapter })
      for (const message of [{ method: 'ping' }, { method: 'tools/call', params: CALL }]) {
        const response = await rpc({ ...message, headers: { accept } })
        expect(response.headers.get('content-type')).toMatch(/^application\/json\b/)
        expect(await answerOf(response)).toMatchObject({ status: 200, body: { id: 1, result: {} } })
      }
    },
  )

  it('takes the newest revision it knows where a client begins with another', async () => {
    const { rpc } = await openMcp({ adapter, version: '3.1.0', instructions: 'Be kind.' })
    const clientInfo = { name: 'x', version: '1' }
    const params = { protocolVersion: '2199-01-01', capabilities: {}, clientInfo }
    const { body } = await answerOf(await rpc({ method: 'initialize', params }))
    expect(body).toMatchObject({
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: {
          name: 'site_lantern',
          title: 'Lantern Street Drawing School',
          version: '3.1.0',
          websiteUrl: 'https://lantern.example',
        },
        instructions: expect.stringMatching(/^Call check_connection .*\n\nBe kind\.$/s) as unknown,
      },
    })
  })

  it('answers a revision it does not know with 400', async () => {
    const { rpc, events } = await openMcp({ adapter })
    const headers = { 'mcp-protocol-version': '2199-01-01' }
    const response = await rpc({ method: 'tools/call', params: CALL, headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: isNew ? -32602 : -32000 } })
    expect(events).toEqual([])
  })

  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])('speaks the revision %s', async (version) => {
    const { rpc } = await openMcp({ adapter })
    const headers = { 'mcp-protocol-version': version }
    const response = await rpc({ method: 'tools/call', params: CALL, headers })
    expect(await answerOf(response)).toMatchObject({ status: 200, body: { result: {} } })
  })

  it('answers what it does not know, a ping and a notification', async () => {
    const { rpc } = await openMcp({ adapter })
    expect(await answerOf(await rpc({ method: 'no/such', id: 'a' }))).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 'a', error: { code: -32601, message: 'unknown method no/such' } },
    })
    expect(await answerOf(await rpc({ method: 'ping', id: 'b' }))).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 'b', result: {} },
    })
    for (const method of ['notifications/initialized', 'notifications/cancelled', 'tools/list'])
      expect(await answerOf(await rpc({ method, id: null })), method).toEqual({
        status: 202,
        body: null,
      })
  })

  it('gives no session, and takes none for anything [MCP-11]', async () => {
    const { rpc, memberToken, operatorToken } = await openMcp({ adapter })
    const [member, operator] = [await memberToken('account:read'), await operatorToken()]
    const headers = { 'mcp-session-id': 'of the member' }
    const call = { method: 'tools/call', params: { name: 'check_connection' }, headers }
    const answers = [await rpc({ ...call, token: member }), await rpc({ ...call, token: operator })]
    const texts = await Promise.all(answers.map((answer) => answer.text()))
    expect(
      texts.map((text) => [STUDENT, OWNER].map(({ subject }) => text.includes(subject))),
    ).toEqual([
      [true, false],
      [false, true],
    ])
    for (const { headers: had } of answers) expect(had.get('mcp-session-id')).toBeNull()
  })
})
