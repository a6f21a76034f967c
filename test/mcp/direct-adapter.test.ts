import fc from 'fast-check'
import * as sdk from '@modelcontextprotocol/server'
import { directAdapter, type McpAdapter, serverAdapter } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { openMcp, type TestMcp } from './support.js'

const REVISION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const CLIENT = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: META['io.modelcontextprotocol/clientInfo'],
}

interface Message {
  readonly method: string
  readonly params?: Record<string, unknown>
  readonly id: number | string | null
  readonly headers: Record<string, string>
}

const legacy = (method: string, params?: Record<string, unknown>, version?: string): Message => ({
  method,
  ...(params && { params }),
  id: 1,
  headers: version === undefined ? {} : { 'mcp-protocol-version': version },
})

const modern = (method: string, params: Record<string, unknown> = {}): Message => ({
  method,
  params: { ...params, _meta: META },
  id: 'one',
  headers: {
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
  },
})

const CALL = { name: 'get_school_info', arguments: { language: 'pt' } }
const USUAL: readonly Message[] = [
  ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2099-01-01'].map((protocolVersion) =>
    legacy('initialize', { ...CLIENT, protocolVersion }),
  ),
  legacy('initialize', {
    ...CLIENT,
    capabilities: { roots: { listChanged: true }, elicitation: { url: {} } },
  }),
  ...[undefined, '2025-11-25', '2025-06-18'].flatMap((version) => [
    legacy('ping', undefined, version),
    legacy('tools/list', {}, version),
    legacy('tools/list', { cursor: 'x', _meta: { progressToken: 1 } }, version),
    legacy('tools/call', CALL, version),
    legacy('tools/call', { name: 'get_school_info' }, version),
    legacy('tools/call', { name: 'get_school_info', arguments: { language: 'xx' } }, version),
    legacy('tools/call', { name: 'unknown' }, version),
    { ...legacy('notifications/initialized', undefined, version), id: null },
  ]),
  modern('server/discover'),
  modern('tools/list'),
  modern('tools/call', CALL),
  modern('tools/call', { name: 'unknown' }),
  modern('tools/call', { name: 'get_school_info', arguments: { language: 'xx' } }),
  { ...modern('notifications/cancelled', { requestId: 1 }), id: null },
]

/** Both adapters on schools with the same data, and how many messages ours left to the other. */
async function openBoth() {
  let left = 0
  const counted: McpAdapter = (info) => {
    const answer = serverAdapter(sdk)(info)
    return (exchange) => {
      left++
      return answer(exchange)
    }
  }
  const [theirs, ours] = await Promise.all([
    openMcp({ adapter: serverAdapter(sdk) }),
    openMcp({ adapter: directAdapter(counted) }),
  ])
  const answersTo = (message: Message): Promise<readonly unknown[]> =>
    Promise.all(
      [theirs, ours].map(async ({ rpc }) => {
        const response = await rpc(message)
        const { status, headers } = response
        const text = (await response.text()).replaceAll(/req_[\w-]{16}/g, 'req_')
        return {
          status,
          type: headers.get('content-type'),
          body: text === '' ? '' : (JSON.parse(text) as unknown),
        }
      }),
    )
  return { answersTo, theirs, ours, leftToOthers: () => left }
}

describe('directAdapter', () => {
  it('answers the usual messages itself, as the SDK does', async () => {
    const { answersTo, theirs, ours, leftToOthers } = await openBoth()
    for (const message of USUAL) {
      const [expected, actual] = await answersTo(message)
      expect([message, actual]).toEqual([message, expected])
    }
    expect(leftToOthers()).toBe(0)
    const told = ({ events }: TestMcp): unknown =>
      events.map((event) => ({ ...event, requestId: null }))
    expect(told(ours)).toEqual(told(theirs))
    expect(ours.events.length).toBeGreaterThan(8)
  })

  it('answers any message as the SDK does', async () => {
    const { answersTo, leftToOthers } = await openBoth()
    const value = fc.constantFrom<unknown>(
      undefined,
      null,
      1,
      '',
      'get_school_info',
      {},
      [],
      { a: 1 },
      META,
    )
    const version = fc.constantFrom('', '2025-11-25', REVISION, '1999-01-01')
    const changed = fc.record({
      message: fc.constantFrom(...USUAL),
      method: fc.option(
        fc.constantFrom(
          'ping',
          'initialize',
          'resources/list',
          'tools/list',
          'toString',
          'server/discover',
          'notifications/x',
        ),
      ),
      params: fc.dictionary(
        fc.constantFrom(
          '_meta',
          'name',
          'arguments',
          'cursor',
          'task',
          'capabilities',
          'clientInfo',
          'protocolVersion',
        ),
        value,
        { maxKeys: 2 },
      ),
      headers: fc.dictionary(
        fc.constantFrom('mcp-protocol-version', 'mcp-method', 'mcp-name'),
        fc.oneof(version, fc.constantFrom('tools/list', 'get_school_info')),
        { maxKeys: 1 },
      ),
      id: fc.constantFrom(1, 'one', null),
    })
    let asked = 0
    await fc.assert(
      fc.asyncProperty(changed, async ({ message, method, params, headers, id }) => {
        const odd: Message = {
          method: method ?? message.method,
          params: { ...message.params, ...params },
          headers: { ...message.headers, ...headers },
          id,
        }
        const [expected, actual] = await answersTo(odd)
        expect([odd, actual]).toEqual([odd, expected])
        asked++
      }),
      { numRuns: rounds(400, { soak: 10_000 }), seed: 7 },
    )
    expect(leftToOthers()).toBeGreaterThan(asked / 10)
    expect(leftToOthers()).toBeLessThan((asked * 9) / 10)
  })
})
