import * as sdk from '@modelcontextprotocol/server'
import { directAdapter, sdkAdapter, serverAdapter } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { openMcp } from './support.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

const REVISION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const OLDER = '2025-06-18'
const HELLO = {
  protocolVersion: OLDER,
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
}
type Params = Record<string, unknown>
const said = async (response: Response): Promise<unknown> => {
  const { id, error } = (await response.json()) as {
    id: unknown
    error: { code: number; message: string }
  }
  return [response.status, id, error.code, error.message]
}

const OF_VERSION_2 = [
  ['version 2', directAdapter(serverAdapter(sdk))],
  ['version 2 without directAdapter', serverAdapter(sdk)],
] as const

describe.each([...OF_VERSION_2, ['version 1', directAdapter(sdkAdapter(SDK_1))] as const])(
  'the faults that the SDK finds: %s',
  (_, adapter) => {
    it.each<[string, Params, number, string]>([
      ['resources/list', {}, -32601, 'unknown method resources/list'],
      ['tools/list', { cursor: 5 }, -32602, 'params.cursor is missing or malformed'],
      ['initialize', {}, -32602, 'params.protocolVersion is missing or malformed'],
      [
        'tools/call',
        { name: 'get_school_info', task: 1 },
        -32602,
        'params.task is missing or malformed',
      ],
      ['tools/call', { name: 'no_tool' }, -32602, 'unknown tool no_tool'],
    ])('have our words and the id: %s %j [MCP-21]', async (method, params, code, message) => {
      const { rpc } = await openMcp({ adapter })
      expect(await said(await rpc({ method, params, id: 'mine' }))).toEqual([
        200,
        'mine',
        code,
        message,
      ])
    })

    it.each(['ping', 'initialize'])(
      'have the id of a request with an unknown version in its header: %s [MCP-21, MCP-24]',
      async (method) => {
        const { rpc } = await openMcp({ adapter })
        const params = method === 'ping' ? {} : HELLO
        const headers = { 'mcp-protocol-version': '1999-01-01' }
        expect(await said(await rpc({ method, params, id: 7, headers }))).toEqual([
          400,
          7,
          -32000,
          'unsupported protocol version: 1999-01-01 (supported versions: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07)',
        ])
        const known = await rpc({ method, params, headers: { 'mcp-protocol-version': OLDER } })
        expect([known.status, (await rpc({ method, params })).status]).toEqual([200, 200])
      },
    )

    it('are none where null stands for what is absent [MCP-20]', async () => {
      const { rpc } = await openMcp({ adapter })
      for (const [method, params] of [
        ['ping', null],
        ['tools/list', { cursor: null }],
        ['tools/call', { name: 'get_school_info', arguments: null, _meta: null }],
      ] as const) {
        const response = await rpc({ method, params: params! })
        expect([method, response.status, await response.json()]).toMatchObject([
          method,
          200,
          { result: {} },
        ])
      }
    })
  },
)

describe('a message that is none', () => {
  it('is answered with the id that it has', async () => {
    const { rpc } = await openMcp({ adapter: directAdapter(serverAdapter(sdk)) })
    const response = await rpc({ method: 'ping', params: [] as never, id: 9 })
    expect(await said(response)).toEqual([400, 9, -32602, 'params must be an object'])
    const toolset = await rpc({ method: 'ping', id: 9, target: '/mcp?toolset=nothing' })
    expect(await said(toolset)).toEqual([400, 9, -32602, 'toolset must be one of all'])
    const none = await rpc({ method: 'ping', id: 9, target: '/mcp?toolset=' })
    expect(none.status).toBe(200)
  })
})

it.each(OF_VERSION_2)(
  'the faults of %s keep the data from which a client learns [MCP-21]',
  async (_, adapter) => {
    const { rpc } = await openMcp({ adapter })
    const other = { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }
    const headers = { 'mcp-protocol-version': '2030-01-01', 'mcp-method': 'tools/list' }
    const response = await rpc({ method: 'tools/list', params: { _meta: other }, id: 7, headers })
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32022,
        message: 'unsupported protocol version: 2030-01-01',
        data: { supported: [REVISION], requested: '2030-01-01' },
      },
    })
  },
)
