import * as sdk from '@modelcontextprotocol/server'
import { serverAdapter } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { answerOf, openMcp } from './support.js'

const REVISION = '2026-07-28'

/** What each request of this revision says of itself. */
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const CALL = {
  method: 'tools/call',
  params: { name: 'get_school_info', arguments: {}, _meta: META },
}
const headersFor = (method: string, name?: string): Record<string, string> => ({
  'mcp-protocol-version': REVISION,
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
})
const encoded = (name: string): string => `=?base64?${Buffer.from(name).toString('base64')}?=`

describe('serverAdapter in the revision 2026-07-28', () => {
  const open = () => openMcp({ adapter: serverAdapter(sdk) })

  it('says what it is to whoever asks first', async () => {
    const { rpc } = await open()
    const method = 'server/discover'
    const { status, body } = await answerOf(
      await rpc({ method, params: { _meta: META }, headers: headersFor(method) }),
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({
      result: {
        supportedVersions: [REVISION],
        capabilities: { tools: {} },
        instructions: expect.stringContaining('check_connection') as unknown,
        ttlMs: 0,
        cacheScope: 'private',
      },
    })
  })

  it('has nobody keep a list', async () => {
    const { rpc } = await open()
    const method = 'tools/list'
    const response = await rpc({ method, params: { _meta: META }, headers: headersFor(method) })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({
      result: { ttlMs: 0, cacheScope: 'private', tools: { length: 2 } },
    })
  })

  it.each(['get_school_info', encoded('get_school_info')])(
    'does a call whose headers say the same: %s',
    async (name) => {
      const { rpc, events } = await open()
      const response = await rpc({ ...CALL, headers: headersFor('tools/call', name) })
      expect(await answerOf(response)).toMatchObject({
        status: 200,
        body: { result: { structuredContent: { data: { courses: 6 } } } },
      })
      expect(events).toMatchObject([{ tool: 'get_school_info', outcome: 'done' }])
    },
  )

  it.each([
    ['another method', headersFor('tools/list', 'get_school_info')],
    ['no method', { 'mcp-protocol-version': REVISION, 'mcp-name': 'get_school_info' }],
    ['another tool', headersFor('tools/call', 'check_connection')],
    ['another tool, encoded', headersFor('tools/call', encoded('check_connection'))],
    ['no tool', headersFor('tools/call')],
    [
      'another revision',
      { ...headersFor('tools/call', 'get_school_info'), 'mcp-protocol-version': '2025-11-25' },
    ],
  ])('does no call whose headers name %s [MCP-07]', async (_, headers) => {
    const { rpc, events } = await open()
    expect(await answerOf(await rpc({ ...CALL, headers }))).toMatchObject({
      status: 400,
      body: { id: 1, error: { code: -32020 } },
    })
    expect(events).toEqual([])
  })

  it('judges the body where its headers name a tool that everybody may call', async () => {
    const { rpc, events } = await open()
    const params = { ...CALL.params, name: 'get_course' }
    const headers = headersFor('tools/call', 'get_school_info')
    const response = await rpc({ ...CALL, params, headers })
    expect(response.status).toBe(401)
    expect(events).toMatchObject([{ type: 'mcp.denied', tool: 'get_course' }])
  })

  it('names the revisions it knows to whoever speaks another [MCP-08]', async () => {
    const { rpc } = await open()
    const revision = '2199-01-01'
    const other = { ...META, 'io.modelcontextprotocol/protocolVersion': revision }
    const headers = { ...headersFor('tools/list'), 'mcp-protocol-version': revision }
    const response = await rpc({ method: 'tools/list', params: { _meta: other }, headers })
    expect(await answerOf(response)).toMatchObject({
      status: 400,
      body: { error: { code: -32022, data: { supported: [REVISION], requested: revision } } },
    })
  })

  it('answers an unknown method with 404, and an unknown tool with -32602 [MCP-08]', async () => {
    const { rpc } = await open()
    const unknown = await rpc({
      method: 'no/such',
      params: { _meta: META },
      headers: headersFor('no/such'),
    })
    expect(await answerOf(unknown)).toMatchObject({
      status: 404,
      body: { error: { code: -32601 } },
    })
    const params = { ...CALL.params, name: 'no_such' }
    const tool = await rpc({ ...CALL, params, headers: headersFor('tools/call', 'no_such') })
    expect(await answerOf(tool)).toMatchObject({ status: 200, body: { error: { code: -32602 } } })
  })
})
