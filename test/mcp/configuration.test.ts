import { OptionsError } from 'hallpass'
import { describe, expect, it } from 'vitest'
import { sdkAdapter, serverAdapter } from 'hallpass/mcp'
import { SDK_1 } from '../support/school/mcp-sdk.js'
import { openMcp, SCHOOL_INFO } from './support.js'
import { toolWith } from './values.js'

describe('createMcpEndpoint', () => {
  it.each<[object, string]>([
    [{ sesions: true }, 'sesions is not an option'],
    [
      { adapter: undefined },
      'adapter is missing: a function such as serverAdapter(sdk) from hallpass/mcp',
    ],
    [{ anonymous: 'no' }, 'anonymous must be serve or challenge, not "no"'],
    [{ maxListedTools: 0 }, 'maxListedTools must be a whole number of at least 1, not 0'],
    [{ maxListedTools: 1.5 }, 'maxListedTools must be a whole number of at least 1, not 1.5'],
    [
      { toolsets: ['a'] },
      'toolsets must be a table such as { courses: ["list_courses"] }, not an array',
    ],
    [
      { toolsets: { site: 'get_school_info' } },
      'toolsets.site must be an array in which each item is a string such as "list_courses", not a string',
    ],
    [
      { toolsets: { all: [] } },
      'toolsets: "all" must be a name of 1 to 40 characters, such as sales, but not all',
    ],
    [
      { toolsets: { 'A b': [] } },
      'toolsets: "A b" must be a name of 1 to 40 characters, such as sales, but not all',
    ],
    [
      { toolsets: { site: ['get_school_info', 'no_such'] } },
      'toolsets.site has the unknown tool "no_such"',
    ],
  ])('refuses %j', async (options, mistake) => {
    await expect(openMcp(options)).rejects.toThrow(new OptionsError('mcp', [mistake]))
  })

  it.each([
    [
      toolWith('check_connection'),
      'check_connection is defined twice: the other one is from createMcpEndpoint. Give your own another name',
    ],
    [toolWith('A'), 'A must have a snake_case name of 1 to 40 characters, such as list_courses'],
  ])('refuses a tool that contradicts itself or others: %j', async (tool, mistake) => {
    await expect(openMcp({ tools: [tool] })).rejects.toThrow(new OptionsError('tools', [mistake]))
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

it('an adapter refuses an SDK that lacks a part, and names it', () => {
  const lacking =
    /^serverAdapter: the SDK lacks .*createMcpHandler.*: pass those of @modelcontextprotocol\/server 2\.x$/
  expect(() => serverAdapter({} as never)).toThrow(lacking)
  expect(() => serverAdapter(undefined as never)).toThrow(lacking)
  expect(() => sdkAdapter({ Server: SDK_1.Server } as never)).toThrow(
    'sdkAdapter: the SDK lacks WebStandardStreamableHTTPServerTransport, AjvJsonSchemaValidator, ',
  )
})

it('takes no adapter that was given no SDK', async () => {
  await expect(openMcp({ adapter: serverAdapter as never })).rejects.toThrow(OptionsError)
})
