import type { McpEndpointOptions } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { openMcp, SCHOOL_INFO } from './support.js'
import { toolWith } from './values.js'

describe('createMcpEndpoint', () => {
  it.each([
    [{ sesions: true }, 'mcp: unknown option "sesions"'],
    [{ anonymous: 'no' }, 'mcp: anonymous must be serve or challenge'],
    [{ maxListedTools: 0 }, 'mcp: maxListedTools must be a whole number above 0'],
    [{ maxListedTools: 1.5 }, 'mcp: maxListedTools must be a whole number above 0'],
    [{ toolsets: { all: [] } }, 'mcp: "all" cannot be a toolset'],
    [{ toolsets: { 'A b': [] } }, 'mcp: "A b" cannot be a toolset'],
    [
      { toolsets: { site: ['get_school_info', 'no_such'] } },
      'mcp: toolset "site" has the unknown tool "no_such"',
    ],
    [{ tools: [toolWith('check_connection')] }, 'tools: check_connection stands twice'],
    [{ tools: [toolWith('A')] }, /^tools: A is no name of at most 40 characters/],
  ])('refuses %j', async (options, message) => {
    const opening = openMcp(options as Partial<McpEndpointOptions>)
    await expect(opening).rejects.toThrow(TypeError)
    await expect(opening).rejects.toThrow(
      typeof message === 'string' ? new TypeError(message) : message,
    )
  })

  it('names every fault of its options at once', async () => {
    const options = { a: 1, b: 2, maxListedTools: -1, toolsets: { all: ['x'] } }
    await expect(openMcp(options as Partial<McpEndpointOptions>)).rejects.toThrow(
      new TypeError(
        [
          'mcp: unknown option "a"',
          'unknown option "b"',
          '"all" cannot be a toolset',
          'toolset "all" has the unknown tool "x"',
          'maxListedTools must be a whole number above 0',
        ].join('; '),
      ),
    )
  })

  it('says what tools there are, its own first', async () => {
    const { mcp } = await openMcp({ tools: [SCHOOL_INFO] })
    expect(mcp.registry.tools.map(({ name }) => name)).toEqual([
      'check_connection',
      'get_school_info',
    ])
  })

  it('goes on where what it tells somebody throws, and tells of that', async () => {
    const broken = (): never => {
      throw new Error('the log is full')
    }
    const { rpc, faults } = await openMcp({ onEvent: broken, onRefusal: broken })
    const params = { name: 'get_school_info', arguments: {} }
    expect((await rpc({ method: 'tools/call', params })).status).toBe(200)
    const headers = { authorization: 'Bearer nobody' }
    expect((await rpc({ method: 'ping', headers })).status).toBe(401)
    expect(faults).toMatchObject(Array.from({ length: 3 }, () => ({ requestId: null })))
  })

  it('goes on where whoever hears of faults throws', async () => {
    const onFault = (): never => {
      throw new Error('the log is full')
    }
    const { rpc } = await openMcp(
      { onFault },
      { findAccessToken: () => Promise.reject(new Error()) },
    )
    expect((await rpc({ method: 'ping', headers: { authorization: 'Bearer a' } })).status).toBe(503)
  })
})
