import { ANONYMOUS, listTools, type McpCaller, type Tool } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import { callableTools } from '../../src/mcp/list.js'
import { STUDY_BUDDY } from '../support/school/school.js'
import { actionWith, choiceWith, memberWith, operatorWith, registryOf, toolWith } from './values.js'
import type { ListPolicy } from '../../src/mcp/list.js'

const REGISTRY = registryOf(
  toolWith('check'),
  toolWith('my_courses', 'account:read'),
  toolWith('save_position', 'account:read', 'account:write'),
  toolWith('courses', 'courses:read'),
  toolWith('catalog'),
  choiceWith('figures', [
    actionWith(['courses:read'], { value: 'courses' }),
    actionWith(['orders:read'], { value: 'orders' }),
    actionWith(['courses:read'], { value: 'archive', roles: ['owner'] }),
  ]),
  toolWith('orders', 'orders:read'),
  toolWith('who', 'openid'),
)

const POLICY: ListPolicy = {
  showProtectedTools: false,
  toolsets: new Map([
    ['teaching', new Set(['courses', 'figures'])],
    ['sales', new Set(['orders'])],
    ['none', new Set<string>()],
  ]),
  maxListedTools: 40,
}

const list = (
  caller: McpCaller,
  { toolset = null, ...policy }: Partial<ListPolicy> & { toolset?: string | null } = {},
): readonly string[] =>
  listTools(REGISTRY, { caller, toolset, policy: { ...POLICY, ...policy } }).map(({ name }) => name)

const OWNER = operatorWith(['courses:read', 'orders:read', 'openid'])
const EVERYTHING = ['check', 'courses', 'catalog', 'figures', 'orders', 'who']

describe('listTools', () => {
  it.each([
    ['anonymous callers', ANONYMOUS, ['check', 'catalog']],
    ['a token without a scope', operatorWith([]), ['check', 'catalog']],
    ['a member who reads', memberWith(['account:read']), ['check', 'my_courses', 'catalog']],
    [
      'a member who reads and writes',
      memberWith(['account:read', 'account:write', 'openid']),
      ['check', 'my_courses', 'save_position', 'catalog', 'who'],
    ],
    [
      'a member whose client may no longer write',
      memberWith(['account:read', 'account:write'], STUDY_BUDDY),
      ['check', 'my_courses', 'catalog'],
    ],
    ['the owner', OWNER, EVERYTHING],
    [
      'a lecturer, beyond whose ceiling orders are',
      operatorWith(['courses:read', 'orders:read'], { role: 'lecturer' }),
      ['check', 'courses', 'catalog', 'figures'],
    ],
    [
      'a student by an operator client',
      operatorWith(['courses:read'], { role: 'student' }),
      ['check', 'catalog'],
    ],
  ])(
    'lists for %s what they may use, in the order of the registry [MCP-12]',
    (_, caller, names) => {
      expect(list(caller)).toEqual(names)
      expect(list(caller)).toEqual(names)
      expect(callableTools(REGISTRY, caller)).toBe(names.length)
    },
  )

  it.each([
    ['the owner', OWNER, ['courses', 'orders', 'archive'], ['courses:read', 'orders:read']],
    [
      'an owner without orders',
      operatorWith(['courses:read']),
      ['courses', 'archive'],
      ['courses:read'],
    ],
    [
      'a lecturer',
      operatorWith(['courses:read', 'orders:read'], { role: 'lecturer' }),
      ['courses'],
      ['courses:read'],
    ],
    ['somebody with orders alone', operatorWith(['orders:read']), ['orders'], ['orders:read']],
  ])('describes for %s the actions they may choose', (_, caller, choices, scopes) => {
    const tools = listTools(REGISTRY, { caller, toolset: null, policy: POLICY })
    const { inputSchema, securitySchemes, _meta } = tools.find(({ name }) => name === 'figures')!
    expect(inputSchema).toEqual({
      type: 'object',
      properties: { action: { type: 'string', enum: choices } },
      required: ['action'],
      additionalProperties: false,
    })
    expect(securitySchemes).toEqual([{ type: 'oauth2', scopes }])
    expect(_meta).toEqual({ securitySchemes })
  })

  it('shows anonymous callers what signing in would open, where it is asked to', () => {
    const options = { showProtectedTools: true }
    expect(list(ANONYMOUS, options)).toEqual(REGISTRY.tools.map(({ name }) => name))
    expect(list(operatorWith([]), options)).toEqual(['check', 'catalog'])
    const tools = listTools(REGISTRY, {
      caller: ANONYMOUS,
      toolset: null,
      policy: { ...POLICY, ...options },
    })
    expect(tools.find(({ name }) => name === 'figures')!.inputSchema).toMatchObject({
      properties: { action: { enum: ['courses', 'orders', 'archive'] } },
    })
  })
})

describe('listTools, narrowed by the URL', () => {
  it.each([
    ['teaching', ['check', 'courses', 'catalog', 'figures']],
    ['sales', ['check', 'catalog', 'orders']],
    ['none', ['check', 'catalog']],
    ['all', EVERYTHING],
  ])('lists the toolset %s and what everybody may use', (toolset, names) => {
    expect(list(OWNER, { toolset })).toEqual(names)
  })

  it('lists of a toolset no more than a caller may use', () => {
    expect(list(operatorWith(['courses:read']), { toolset: 'sales' })).toEqual(['check', 'catalog'])
    expect(list(ANONYMOUS, { toolset: 'sales' })).toEqual(['check', 'catalog'])
  })

  it('leaves members theirs, with every toolset and every limit', () => {
    const member = memberWith(['account:read', 'account:write'])
    const own = ['check', 'my_courses', 'save_position', 'catalog']
    expect(list(member, { toolset: 'sales' })).toEqual(own)
    expect(list(member, { maxListedTools: 1 })).toEqual(own)
  })
})

describe('listTools, where there are more than clients cope with', () => {
  it.each([
    [7, EVERYTHING],
    [6, EVERYTHING],
    [5, ['check', 'courses', 'catalog', 'figures', 'orders']],
    [4, ['check', 'courses', 'catalog', 'figures']],
    [3, ['check', 'courses', 'catalog']],
    [2, ['check', 'catalog']],
    [1, ['check', 'catalog']],
  ])('lists %i: the last that need a token fall out', (maxListedTools, names) => {
    expect(list(OWNER, { maxListedTools })).toEqual(names)
  })

  it.each(['all', 'teaching'])('cuts nothing where the toolset %s was chosen', (toolset) => {
    expect(list(OWNER, { maxListedTools: 1, toolset })).toEqual(list(OWNER, { toolset }))
  })

  it('counts what is left out among what can be called', () => {
    expect(callableTools(REGISTRY, OWNER)).toBe(6)
  })
})

describe('a listed tool', () => {
  it('says of itself what its actions are taken together', () => {
    const read = actionWith(['courses:read'], { value: 'look' })
    const write = actionWith(['courses:write'], {
      value: 'mend',
      effect: 'write',
      idempotent: false,
    })
    const remove = { ...write, value: 'remove', destructive: true, idempotent: true }
    const annotationsOf = (...scopes: readonly string[]) =>
      listTools(registryOf(choiceWith('course', [read, write, remove])), {
        caller: operatorWith(scopes),
        toolset: null,
        policy: POLICY,
      })[0]!.annotations
    const common = { title: 'A tool', openWorldHint: false }
    expect(annotationsOf('courses:read')).toEqual({
      ...common,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    })
    expect(annotationsOf('courses:read', 'courses:write')).toEqual({
      ...common,
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
    })
  })

  it('has its words, its schemas and how to be let in, and nothing else', () => {
    const tool: Tool = { ...toolWith('check'), meta: () => ({ secret: true }) }
    const policy = POLICY
    const schemes = [{ type: 'noauth' }]
    expect(listTools(registryOf(tool), { caller: ANONYMOUS, toolset: null, policy })).toEqual([
      {
        name: 'check',
        title: 'A tool',
        description: 'Does something.',
        inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
        outputSchema: { type: 'object', properties: {}, required: [] },
        annotations: {
          title: 'A tool',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        securitySchemes: schemes,
        _meta: { securitySchemes: schemes },
      },
    ])
  })
})
