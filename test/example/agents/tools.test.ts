import type { ToolDescription } from 'hallpass/mcp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, type McpDemo, openMcpDemo } from './demo.js'
import {
  EFFECTS,
  MEMBER_TOOLS,
  member,
  OPERATOR_TOOLS,
  OWNER,
  PUBLIC_TOOLS,
  SCOPES,
  staff,
} from './table.js'

const MEMBER_READS = MEMBER_TOOLS['account:read']
const MEMBER_WRITES = MEMBER_TOOLS['account:write']
const OPERATOR_NAMES = Object.keys(EFFECTS)

let demo: McpDemo
let all: readonly ToolDescription[]
beforeAll(async () => {
  demo = await openMcpDemo()
  all = await demo.listTools(OWNER, 'all')
})
afterAll(() => demo.close())

const namesOf = (tools: readonly ToolDescription[]): readonly string[] =>
  tools.map(({ name }) => name)
const listed = async (caller: Caller | null, toolset?: string): Promise<readonly string[]> =>
  namesOf(await demo.listTools(caller, toolset))
const call = (caller: Caller | null, name: string, args: object = {}) =>
  demo.rpc(caller, { method: 'tools/call', params: { name, arguments: args } })
const sorted = (names: readonly string[]): readonly string[] => names.toSorted()
const ofOperators = (): readonly ToolDescription[] =>
  all.filter(({ name }) => Object.hasOwn(EFFECTS, name))

/** The scopes that a challenge asks for; `null` = it asks for none. */
const askedFor = (headers: Headers): readonly string[] | null =>
  / scope="([^"]*)"/.exec(headers.get('www-authenticate')!)?.[1]!.split(' ') ?? null

describe('the tools of staff', () => {
  it('are those of the table, and no others', () => {
    const others = new Set<string>(PUBLIC_TOOLS)
    expect(sorted(namesOf(all).filter((name) => !others.has(name)))).toEqual(sorted(OPERATOR_NAMES))
    expect(OPERATOR_NAMES.length).toBe(60)
  })

  it.each(OPERATOR_NAMES)(
    '%s says truly whether it reads, writes or takes away [MCP-13]',
    (name) => {
      const { annotations } = all.find((tool) => tool.name === name)!
      expect(annotations).toEqual({
        title: expect.stringMatching(/^\p{Lu}/u) as unknown,
        readOnlyHint: EFFECTS[name] === 'r',
        destructiveHint: EFFECTS[name] === 'd',
        idempotentHint: expect.any(Boolean) as unknown,
        openWorldHint: false,
      })
      if (EFFECTS[name] === 'r') expect(annotations.idempotentHint).toBe(true)
    },
  )

  it.each(OPERATOR_NAMES)('%s names the scopes it needs', (name) => {
    const { securitySchemes, _meta } = all.find((tool) => tool.name === name)!
    expect(securitySchemes).toEqual([
      { type: 'oauth2', scopes: expect.arrayContaining([...SCOPES[name]!]) as unknown },
    ])
    expect(JSON.stringify(securitySchemes).match(/:(?:read|write)"/g)).toHaveLength(
      SCOPES[name]!.length,
    )
    expect(_meta.securitySchemes).toEqual(securitySchemes)
  })

  it.each(OPERATOR_NAMES)('%s can be tried where it changes anything, and only there', (name) => {
    const { inputSchema } = all.find((tool) => tool.name === name)!
    expect(Object.hasOwn(inputSchema['properties'] as object, 'dry_run')).toBe(
      EFFECTS[name] !== 'r',
    )
  })

  it.each([
    ['set_course_state', 'action', ['publish', 'unpublish', 'archive']],
    ['save_lecture', 'action', ['create', 'update', 'create_section', 'update_section']],
    ['set_enrollment_access', 'action', ['extend', 'expire', 'suspend', 'resume']],
    ['update_member', 'action', ['update', 'set_tags']],
    ['set_member_state', 'action', ['suspend', 'reactivate']],
    ['get_analytics', 'report', ['overview', 'revenue', 'enrollments', 'completion', 'engagement']],
    ['get_settings', 'category', ['school', 'appearance']],
    ['update_settings', 'category', ['school', 'appearance']],
    ['save_event', 'action', ['create', 'update', 'publish']],
    ['check_in_attendee', 'action', ['check_in', 'no_show']],
    ['save_membership_plan', 'action', ['create', 'update', 'archive']],
    ['change_subscription', 'action', ['grant', 'cancel', 'resume', 'extend']],
    ['save_coupon', 'action', ['create', 'update', 'deactivate']],
    ['save_post', 'action', ['create', 'update', 'publish', 'unpublish']],
    ['save_digital_product', 'action', ['create', 'update', 'publish', 'archive']],
    ['save_lecturer', 'action', ['create', 'update']],
    ['deploy_page', 'action', ['deploy', 'promote']],
  ])('%s has to be told its %s', (name, argument, values) => {
    const { inputSchema } = all.find((tool) => tool.name === name)!
    const { [argument]: choice } = inputSchema['properties'] as Record<string, { enum: string[] }>
    expect(sorted(choice!.enum)).toEqual(sorted(values))
    expect(inputSchema['required']).toContain(argument)
  })

  it('read before they write, and write before they take away', () => {
    const effects = ofOperators().map(({ name }) => EFFECTS[name])
    expect(effects.join('')).toMatch(/^r+w+d+$/)
  })

  it('begin with what is asked for most', () => {
    const [reads, writes] = ['r', 'w'].map((effect) =>
      namesOf(ofOperators()).filter((name) => EFFECTS[name] === effect),
    )
    expect(reads!.slice(0, 4)).toEqual([
      'list_courses',
      'get_course',
      'get_curriculum',
      'list_enrollments',
    ])
    expect(writes!.slice(0, 2)).toEqual(['create_course', 'update_course'])
  })
})

describe('every tool', () => {
  const callers: readonly (readonly [string, Caller | null])[] = [
    ['nobody', null],
    ['a member', member('account:read', 'account:write')],
    ['the owner', OWNER],
  ]

  it.each(callers)('of %s has a name, a title, words for agents and four hints', async (_, who) => {
    for (const tool of await demo.listTools(who, 'all')) {
      expect(tool.name).toMatch(/^[a-z][a-z0-9_]{0,39}$/)
      expect(tool.title).not.toBe('')
      expect(tool.description.length, tool.name).toBeGreaterThan(20)
      expect(Object.keys(tool.annotations).sort(), tool.name).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
        'title',
      ])
    }
  })

  it.each(callers)('of %s takes no unknown arguments, and says so briefly', async (_, who) => {
    for (const { name, inputSchema, outputSchema } of await demo.listTools(who, 'all')) {
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
      expect(outputSchema, name).toMatchObject({ type: 'object' })
      for (const schema of [inputSchema, outputSchema])
        expect(JSON.stringify(schema).length, name).toBeLessThan(30_000)
    }
  })

  it.each(callers)('of %s answers nothing that is secret', async (_, who) => {
    for (const { name, outputSchema } of await demo.listTools(who, 'all'))
      expect(
        membersOf(outputSchema).filter((one) =>
          /(?:^|_)(?:secret|password|hash|token)s?$/.test(one),
        ),
        name,
      ).toEqual([])
  })

  it('fits with all others into 220 kB', () => {
    expect(JSON.stringify(all).length).toBeLessThan(220_000)
  })
})

function membersOf(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: object }
  const own = properties === undefined || Array.isArray(schema) ? [] : Object.keys(properties)
  return [...own, ...Object.values(schema).flatMap(membersOf)]
}

describe('somebody without a token', () => {
  it('has eleven tools, which are always these', async () => {
    expect(await listed(null)).toEqual(PUBLIC_TOOLS)
    for (const toolset of ['all', 'teaching', 'sales', 'site'])
      expect(await listed(null, toolset)).toEqual(PUBLIC_TOOLS)
  })

  it('is sent to sign in by every other tool there is', async () => {
    for (const name of [...OPERATOR_NAMES, ...MEMBER_READS, ...MEMBER_WRITES]) {
      const { status, headers } = await call(null, name)
      const challenge = headers.get('www-authenticate')
      expect({ name, status }).toEqual({ name, status: 401 })
      expect(challenge).toContain(
        'resource_metadata="https://lantern.example/.well-known/oauth-protected-resource/mcp"',
      )
      const [needed] = askedFor(headers)!
      const expected: readonly string[] = SCOPES[name] ?? ['account:read', 'account:write']
      expect(expected, name).toContain(needed)
    }
  })

  it('is told that a tool does not exist', async () => {
    const { status, body } = await call(null, 'delete_everything')
    expect(status).toBe(200)
    expect(body.error).toMatchObject({ code: -32602 })
  })
})

describe('a member', () => {
  it('who lets a client read has nine more tools', async () => {
    const names = await listed(member('account:read'))
    expect(sorted(names)).toEqual(sorted([...PUBLIC_TOOLS, ...MEMBER_READS]))
  })

  it('who lets it write too has thirteen', async () => {
    const names = await listed(member('account:read', 'account:write'))
    expect(sorted(names)).toEqual(sorted([...PUBLIC_TOOLS, ...MEMBER_READS, ...MEMBER_WRITES]))
  })

  it('is asked for more by a tool that needs more: for what the client has, and what it needs', async () => {
    const { status, headers } = await call(member('account:read'), 'save_my_position')
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    expect(askedFor(headers)).toEqual(['account:read', 'account:write'])
  })

  it('is not asked for what the client can never have', async () => {
    const reader = { ...member('account:read'), clientId: 'study-buddy' }
    for (const [caller, name] of [
      [reader, 'save_my_position'],
      ...OPERATOR_NAMES.map((one) => [member('account:read', 'account:write'), one] as const),
    ] as const) {
      const { status, headers } = await call(caller, name)
      expect({ name, status, scope: askedFor(headers) }).toEqual({ name, status: 403, scope: null })
      expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    }
  })
})

describe('a lecturer whose client holds courses:read and orders:read', () => {
  const lecturer = staff('mem_l03', 'courses:read', 'orders:read')

  it('has the tools of courses, and none of orders', async () => {
    expect(await listed(lecturer)).toEqual([...PUBLIC_TOOLS, 'list_courses', 'get_course'])
  })

  it('is told by those that the role does not allow it, which no signing in would mend', async () => {
    for (const [name, args] of [
      ['list_orders', {}],
      ['get_order', { id: 'ord_l01' }],
    ] as const) {
      const { content, isError } = await demo.callTool(lecturer, name, args)
      expect(isError).toBe(true)
      expect(JSON.parse(content[0]!.text)).toEqual({
        code: 'FORBIDDEN_ROLE',
        message: 'the role of this person does not allow this call',
        recovery: "Do not repeat this call: the person's role at the school does not allow it.",
        request_id: expect.stringMatching(/^req_/) as unknown,
      })
    }
  })

  it('is asked for courses:write by a tool that needs it, beside what the client holds and the role allows', async () => {
    const { status, headers } = await call(lecturer, 'create_course')
    expect(status).toBe(403)
    expect(askedFor(headers)).toEqual(['courses:read', 'courses:write'])
  })

  it('is not asked for what the role does not allow', async () => {
    for (const name of ['get_settings', 'list_members', 'create_page']) {
      const { content, isError } = await demo.callTool(lecturer, name)
      expect({ name, isError }).toEqual({ name, isError: true })
      expect(content[0]!.text).toContain('FORBIDDEN_ROLE')
    }
  })
})

describe('an assistant who may write events', () => {
  const assistant = staff('mem_l04', 'events:read', 'events:write')

  it('checks people in, and changes no event', async () => {
    expect(await listed(assistant)).toEqual([
      ...PUBLIC_TOOLS,
      'list_event_registrations',
      'list_events',
      'get_event',
      'check_in_attendee',
    ])
    for (const [name, args] of [
      ['cancel_event', { id: 'evt_l01' }],
      ['save_event', { action: 'publish', id: 'evt_l01' }],
    ] as const) {
      const { content } = await demo.callTool(assistant, name, args)
      expect(content[0]!.text).toContain('FORBIDDEN_ROLE')
    }
  })
})

describe('somebody who may see how the school looks, and not its settings', () => {
  const designer = staff('mem_l02', 'appearance:read')

  it('sees no more of get_settings than that', async () => {
    const tools = await demo.listTools(designer)
    expect(namesOf(tools)).toEqual([...PUBLIC_TOOLS, 'get_settings'])
    const { inputSchema, outputSchema, securitySchemes } = tools.at(-1)!
    expect(inputSchema['properties']).toEqual({
      category: { type: 'string', enum: ['appearance'] },
    })
    expect(membersOf(outputSchema)).not.toContain('contact_email')
    expect(securitySchemes).toEqual([{ type: 'oauth2', scopes: ['appearance:read'] }])
  })

  it('is asked for the other scope by the other category', async () => {
    const { status, headers } = await call(designer, 'get_settings', { category: 'school' })
    expect(status).toBe(403)
    expect(askedFor(headers)).toEqual(['appearance:read', 'school:read'])
  })
})

describe('the owner, with every scope', () => {
  it('has 71 tools', async () => {
    expect(all.length).toBe(71)
    const { structuredContent } = await demo.callTool(OWNER, 'check_connection')
    expect(structuredContent).toMatchObject({
      caller: 'operator',
      tool_count: 71,
      roles: ['owner'],
    })
  })

  it('is listed 48 where the client chose no toolset: everything that reads among them', async () => {
    const names = await listed(OWNER)
    expect(names).toHaveLength(48)
    expect(names).toEqual(namesOf(all).slice(0, 48))
    const reads = OPERATOR_NAMES.filter((name) => EFFECTS[name] === 'r')
    expect(names).toEqual(expect.arrayContaining(reads))
  })

  it.each([
    ['teaching', ['courses', 'curriculum', 'students', 'events', 'comments', 'lecturers', 'analytics']], // prettier-ignore
    ['sales', ['orders', 'coupons', 'membership_plans', 'subscriptions', 'digital_products', 'members', 'analytics']], // prettier-ignore
    ['site', ['school appearance', 'posts', 'pages', 'forms', 'storage', 'lecturers']],
  ])('is listed at most 40 of the toolset %s', async (toolset, words) => {
    const names = await listed(OWNER, toolset)
    const expected = words.flatMap((one) => Object.keys(OPERATOR_TOOLS[one]!))
    expect(sorted(names)).toEqual(sorted([...PUBLIC_TOOLS, ...expected]))
    expect(names.length).toBeLessThanOrEqual(40)
  })

  it('finds every tool in some toolset', async () => {
    const sets = await Promise.all(['teaching', 'sales', 'site'].map((one) => listed(OWNER, one)))
    expect(sorted([...new Set(sets.flat())])).toEqual(sorted(namesOf(all)))
  })

  it('may call what is not listed', async () => {
    const listedNow = await listed(OWNER, 'site')
    expect(listedNow).not.toContain('get_order')
    const { structuredContent } = await demo.callTool(OWNER, 'list_orders', { limit: 1 })
    expect(structuredContent).toMatchObject({ data: [{}] })
  })
})
