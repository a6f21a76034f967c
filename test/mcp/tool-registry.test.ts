import { OptionsError } from 'hallpass'
import { defineTools, type Tool, type ToolAction } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { actionWith, choiceWith, registryOf, TABLES, toolWith } from './values.js'

/** What is said of a tool named `a` with this about it. */
function faultOf(changes: Partial<Tool>): string {
  try {
    defineTools([{ ...toolWith('a'), ...changes }], TABLES)
    return 'none'
  } catch (fault) {
    return String(fault)
  }
}
const faultOfAction = (...action: Parameters<typeof actionWith>): string =>
  faultOf({ actions: [actionWith(...action)] })
const faultOfChoice = (...actions: readonly ToolAction[]): string =>
  faultOf(choiceWith('a', actions))

const one = actionWith([], { value: 'one' })

describe('defineTools', () => {
  it('keeps the order, and finds each tool by its name', () => {
    const tools = ['get_b', 'get_c', 'get_a'].map((name) => toolWith(name))
    const registry = registryOf(...tools)
    expect(registry.tools.map(({ name }) => name)).toEqual(['get_b', 'get_c', 'get_a'])
    expect(registry.get('get_c')).toBe(registry.tools[1])
    expect(registry.scopes).toBe(TABLES.scopes)
    expect(registry.roles).toBe(TABLES.roles)
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', '', 'GET_A', 'get_a '])(
    'knows no tool %j',
    (name) => {
      expect(registryOf(toolWith('get_a')).get(name)).toBeUndefined()
    },
  )

  it('takes a tool that has the name of a member that every object has', () => {
    expect(registryOf(toolWith('constructor')).get('constructor')?.name).toBe('constructor')
  })

  it.each([
    [[], 'public'],
    [[[]], 'public'],
    [[['openid']], 'any'],
    [[['account:read', 'openid']], 'member'],
    [[['openid', 'account:read']], 'member'],
    [[['courses:read'], ['orders:read']], 'operator'],
    [[['openid'], ['courses:read']], 'operator'],
    [[[], ['openid']], 'any'],
  ])('has tools with the scopes %j for %s', (scopes, audience) => {
    const actions = (scopes.length === 0 ? [[]] : scopes).map((some, at) =>
      actionWith(some, { value: `v${at}` }),
    )
    expect(registryOf(choiceWith('a', actions)).tools[0]!.audience).toBe(audience)
  })

  it('describes a tool once for each set of actions', () => {
    const two = actionWith(['openid'], { value: 'two' })
    const { describe: describeFor } = registryOf(choiceWith('a', [one, two])).tools[0]!
    expect(describeFor([one, two])).toBe(describeFor([one, two]))
    expect(describeFor([one])).not.toEqual(describeFor([one, two]))
  })
})

describe('defineTools refuses a tool', () => {
  it.each(['', 'A', 'list-courses', 'list courses', '1st', '_a', 'é', 'a'.repeat(41)])(
    'with the name %j',
    (name) => {
      expect(faultOf({ name })).toBe(
        `OptionsError: tools: ${name} must have a snake_case name of 1 to 40 characters, such as list_courses`,
      )
    },
  )

  it('with a name of 40 characters never', () => {
    expect(faultOf({ name: 'a'.repeat(40) })).toBe('none')
  })

  it.each([
    [{ title: ' ' }, 'a has no title'],
    [{ description: '\n' }, 'a has no description'],
    [choiceWith('a', [one, one]), 'a has the action "one" twice'],
    [{ actions: [one, actionWith([])] }, 'a has several actions but no selector'],
    [
      { ...choiceWith('a', [one]), selector: 'Action' },
      'a has the selector "Action", which must be a snake_case name other than dry_run',
    ],
    [
      { ...choiceWith('a', [one]), selector: 'dry_run' },
      'a has the selector "dry_run", which must be a snake_case name other than dry_run',
    ],
  ] as const)('of %o: %s', (changes, fault) => {
    expect(faultOf(changes as Partial<Tool>)).toBe(`OptionsError: tools: ${fault}`)
  })

  it.each([
    ['several audiences', [['account:read'], ['courses:read']], 'member, operator'],
    ['public and not', [[], ['courses:read']], 'public, operator'],
    ['several in one action', [['courses:read', 'account:read']], 'operator, member'],
  ])('for %s', (_, scopes, audiences) => {
    const actions = scopes.map((some, at) => actionWith(some, { value: `v${at}` }))
    expect(faultOfChoice(...actions)).toBe(
      `OptionsError: tools: a is for several audiences: ${audiences}`,
    )
  })

  it.each(['', 'One', 'one two', 'a'.repeat(41)])('with the action %j', (value) => {
    expect(faultOfChoice(one, actionWith([], { value }))).toBe(
      'OptionsError: tools: a has an action whose value is not a snake_case name',
    )
  })

  it.each([
    [['no:such'], {}, 'needs the unknown scope "no:such"'],
    [['constructor'], {}, 'needs the unknown scope "constructor"'],
    [['courses:read'], { roles: ['king'] }, 'names the unknown role "king"'],
    [['courses:read'], { roles: ['toString'] }, 'names the unknown role "toString"'],
    [[], { roles: ['owner'] }, 'names roles, but needs no scope'],
    [[], { effect: 'write' }, 'writes, but needs no scope'],
    [['courses:read'], { effect: 'write' }, 'writes, but needs no scope with write access'],
    [['openid'], { effect: 'write' }, 'writes, but needs no scope with write access'],
    [[], { destructive: true }, 'is destructive, but its effect is read'],
    [[], { dryRun: true }, 'has a dry run, but its effect is read'],
    [
      [],
      { input: z.strictObject({ dry_run: z.boolean() }) },
      'has an input "dry_run", which is a reserved name',
    ],
    [[], { input: z.object({}) }, 'accepts unknown members: use z.strictObject'],
    [[], { input: z.looseObject({}) }, 'accepts unknown members: use z.strictObject'],
  ] as const)('whose action with the scopes %j and %o %s', (scopes, changes, fault) => {
    expect(faultOfAction(scopes, changes)).toBe(`OptionsError: tools: a ${fault}`)
  })

  it.each(['input', 'output'])('whose %s stands within itself', (io) => {
    const Reply = z.strictObject({
      text: z.string(),
      get replies() {
        return z.array(Reply)
      },
    })
    expect(faultOfAction([], { [io]: z.strictObject({ reply: Reply }) })).toBe(
      'OptionsError: tools: a has a schema that JSON Schema cannot express, such as a recursive one',
    )
  })

  // MCP 2026-07-28, tools: a server must compare the two, or something in between acts on another value.
  it.each([
    ['an argument', z.string().meta({ 'x-mcp-header': 'Region' })],
    ['a part of one', z.strictObject({ id: z.string().meta({ 'x-mcp-header': 'Region' }) })],
    ['each of several', z.array(z.string().meta({ 'x-mcp-header': 'Region' }))],
  ])('that has clients repeat %s in a header', (_, region) => {
    expect(faultOfAction([], { input: z.strictObject({ region }) })).toBe(
      'OptionsError: tools: a has an input with x-mcp-header, which is not supported: headers are not compared with inputs',
    )
  })

  it('with an argument of the name x-mcp-header never', () => {
    const input = z.strictObject({ 'x-mcp-header': z.string() })
    expect(faultOfAction([], { input })).toBe('none')
  })

  it('whose input has a name never', () => {
    const input = z.strictObject({ id: z.string() }).meta({ id: 'Input' })
    expect(faultOfAction([], { input })).toBe('none')
  })

  it('whose action takes what chooses it', () => {
    const input = z.strictObject({ action: z.string() })
    expect(faultOfChoice(one, actionWith([], { value: 'two', input }))).toBe(
      'OptionsError: tools: a has an input "action", which is a reserved name',
    )
    expect(faultOfAction([], { input })).toBe('none')
  })

  it('that is defined twice, once for all the times', () => {
    const tools = ['a', 'b', 'a', 'a', 'b'].map((name) => toolWith(name))
    expect(() => defineTools(tools, TABLES)).toThrow(
      new OptionsError('tools', [
        'a is defined twice: give one of the tools another name',
        'b is defined twice: give one of the tools another name',
      ]),
    )
  })

  it('naming every fault of every tool at once', () => {
    const wrong = { ...toolWith('B', 'no:such'), title: '', description: '' }
    const writes = {
      ...toolWith('c'),
      actions: [actionWith([], { effect: 'write', roles: ['king'], input: z.object({}) })],
    } as const
    expect(() => defineTools([toolWith('a'), wrong, writes, toolWith('a')], TABLES)).toThrow(
      new OptionsError('tools', [
        'B must have a snake_case name of 1 to 40 characters, such as list_courses',
        'B has no title',
        'B has no description',
        'B needs the unknown scope "no:such"',
        'c names the unknown role "king"',
        'c writes, but needs no scope',
        'c names roles, but needs no scope',
        'c accepts unknown members: use z.strictObject',
        'a is defined twice: give one of the tools another name',
      ]),
    )
  })
})

describe('defineTools names by its option', () => {
  it.each<[string, unknown, object, readonly string[]]>([
    [
      'no tools',
      undefined,
      TABLES,
      ['tools is missing: an array in which each item is a tool of defineTool'],
    ],
    [
      'tools of nothing',
      [{ ...toolWith('a'), name: 7 }, {}],
      TABLES,
      [
        'tools[0] lacks name: a tool of defineTool',
        'tools[1] lacks name, title, description, actions: a tool of defineTool',
      ],
    ],
    [
      'no tables',
      [toolWith('a')],
      {},
      [
        'scopes is missing: a registry of scopes such as defineScopes({ … })',
        'roles is missing: a table of roles such as { owner: { staff: true, scopes: "all" } }',
      ],
    ],
    [
      'tables of another kind',
      [toolWith('a')],
      { scopes: {}, roles: ['owner'] },
      [
        'scopes lacks names, get: a registry of scopes such as defineScopes({ … })',
        'roles must be a table of roles, not an array',
      ],
    ],
  ])('%s', (_, tools, tables, mistakes) => {
    expect(() => defineTools(tools as Tool[], tables as typeof TABLES)).toThrow(
      new OptionsError('tools', mistakes),
    )
  })
})
