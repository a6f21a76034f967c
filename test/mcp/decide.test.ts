import {
  ANONYMOUS,
  decideToolCall,
  defineTools,
  toolError,
  type McpCaller,
  type Tool,
} from 'hallpass/mcp'
import { defineScopes, schoolRoles, schoolScopeTable } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { NOTES } from '../support/school/policy-samples.js'
import { STUDY_BUDDY } from '../support/school/school.js'
import { actionWith, choiceWith, memberWith, operatorWith, registryOf, toolWith } from './values.js'

const TOOLS: readonly Tool[] = [
  toolWith('get_school_info'),
  toolWith('list_my_courses', 'account:read'),
  toolWith('save_my_position', 'account:read', 'account:write'),
  toolWith('list_courses', 'courses:read'),
  toolWith('list_orders', 'orders:read'),
  toolWith('get_report', 'courses:read', 'orders:read'),
  toolWith('who_am_i', 'openid'),
  choiceWith('get_figures', [
    actionWith(['courses:read'], { value: 'courses' }),
    actionWith(['orders:read'], { value: 'orders' }),
    actionWith(['courses:read'], { value: 'archive', roles: ['owner', 'manager'] }),
  ]),
]
const REGISTRY = registryOf(...TOOLS)

const decide = (
  name: string,
  caller: McpCaller,
  args: Readonly<Record<string, unknown>> = {},
  registry = REGISTRY,
) => decideToolCall({ tool: registry.get(name)!, args, caller, registry })

/** What lets a call through, with the action at this place, or with none. */
const admitted = (
  name: string,
  caller: McpCaller,
  { at = 0, args = {} }: { at?: number | null; args?: Readonly<Record<string, unknown>> } = {},
) => {
  const tool = REGISTRY.get(name)!
  return {
    ok: true,
    call: { tool, action: at === null ? null : tool.actions[at], caller, args },
  }
}
const missing = (...requiredScopes: readonly string[]) => ({
  ok: false,
  refusal: {
    ok: false,
    error: 'invalid_token',
    reason: 'access_token_missing',
    description: 'this tool needs an access token',
    requiredScopes,
  },
})
const notGranted = (...requiredScopes: readonly string[]) => ({
  ok: false,
  refusal: {
    ok: false,
    error: 'insufficient_scope',
    reason: 'scope_not_granted',
    description: expect.stringMatching(
      /^this request needs \S+( and \S+)*: authorize again to get more$/,
    ),
    requiredScopes,
    missingScopes: requiredScopes.slice(-1),
  },
})
const otherAudience = (audience: string, kind: string) => ({
  ok: false,
  refusal: {
    ok: false,
    error: 'insufficient_scope',
    reason: 'tool_of_other_audience',
    description: `this tool is for ${audience} clients, but this client is for ${kind}s`,
  },
})
const beyondClient = (...missingScopes: readonly string[]) => ({
  ok: false,
  refusal: {
    ok: false,
    error: 'insufficient_scope',
    reason: 'scope_beyond_client',
    description: 'this client may not use a scope that this request needs',
    missingScopes,
  },
})
const FORBIDDEN_ROLE = {
  ok: false,
  fault: toolError('FORBIDDEN_ROLE', 'the role of this person does not allow this call'),
}

const MEMBER = memberWith(['openid', 'account:read'])
const READER = memberWith(['account:read'], STUDY_BUDDY)
const BOTH_BEFORE = memberWith(['account:read', 'account:write'], STUDY_BUDDY)
const OWNER = operatorWith(['courses:read'])
const LECTURER = operatorWith(['courses:read'], { role: 'lecturer' })
const CLIENT_BEFORE = operatorWith(['courses:write', 'courses:read'], { client: NOTES })

describe('decideToolCall', () => {
  it.each([
    ['anonymous', ANONYMOUS],
    ['a member', MEMBER],
    ['an operator', OWNER],
    ['a token without a scope', operatorWith([])],
  ])('lets %s use what everybody may', (_, caller) => {
    expect(decide('get_school_info', caller)).toEqual(admitted('get_school_info', caller))
  })

  it.each([
    ['list_my_courses', ['account:read']],
    ['save_my_position', ['account:read', 'account:write']],
    ['list_courses', ['courses:read']],
    ['get_report', ['courses:read', 'orders:read']],
    ['who_am_i', ['openid']],
  ])('sends anonymous callers of %s to sign in for every scope of it', (name, scopes) => {
    expect(decide(name, ANONYMOUS)).toEqual(missing(...scopes))
  })

  it.each([
    ['a member with the scope', 'list_my_courses', MEMBER],
    ['an operator with the scope', 'list_courses', OWNER],
    ['a lecturer with the scope', 'list_courses', LECTURER],
    ['an operator with both', 'get_report', operatorWith(['orders:read', 'courses:read'])],
    ['a member with a scope of any audience', 'who_am_i', MEMBER],
    ['an operator with a scope of any audience', 'who_am_i', operatorWith(['openid'])],
  ])('lets %s call %s', (_, name, caller) => {
    expect(decide(name, caller)).toEqual(admitted(name, caller))
  })

  it.each([
    ['list_my_courses', OWNER, otherAudience('member', 'operator')],
    ['save_my_position', OWNER, otherAudience('member', 'operator')],
    ['list_courses', MEMBER, otherAudience('operator', 'member')],
    ['get_figures', MEMBER, otherAudience('operator', 'member')],
  ])('offers no scope for %s to whom it is not for', (name, caller, expected) => {
    expect(decide(name, caller)).toEqual(expected)
  })

  it.each([
    ['save_my_position', MEMBER, notGranted('openid', 'account:read', 'account:write')],
    ['list_orders', OWNER, notGranted('courses:read', 'orders:read')],
    ['get_report', OWNER, notGranted('courses:read', 'orders:read')],
    ['list_courses', operatorWith([]), notGranted('courses:read')],
    ['who_am_i', READER, notGranted('account:read', 'openid')],
  ])('asks for what is held and what is needed: %s', (name, caller, expected) => {
    expect(decide(name, caller)).toEqual(expected)
  })

  it('asks for nothing that the client could not have again, though the token holds it', () => {
    expect(decide('list_orders', CLIENT_BEFORE)).toEqual(notGranted('courses:read', 'orders:read'))
  })

  it.each([
    ['the scope was never for this client', 'save_my_position', READER],
    ['the token holds it from before', 'save_my_position', BOTH_BEFORE],
  ])('offers no scope where %s', (_, name, caller) => {
    expect(decide(name, caller)).toEqual(beyondClient('account:write'))
  })

  it.each([
    ['the token lacks it too', LECTURER],
    ['the token holds it', operatorWith(['orders:read'], { role: 'lecturer' })],
  ])('is a fault where the role would not let it through and %s', (_, caller) => {
    expect(decide('list_orders', caller)).toEqual(FORBIDDEN_ROLE)
  })
})

describe('decideToolCall, where an argument chooses', () => {
  const call = (caller: McpCaller, action: unknown) => decide('get_figures', caller, { action })

  it.each([
    ['courses', 0],
    ['archive', 2],
  ])('lets the owner choose %s by the scope of that action', (action, at) => {
    const args = { action }
    expect(call(OWNER, action)).toEqual(admitted('get_figures', OWNER, { at, args }))
  })

  it('asks for the scope of the chosen action alone', () => {
    expect(call(OWNER, 'orders')).toEqual(notGranted('courses:read', 'orders:read'))
    expect(call(ANONYMOUS, 'orders')).toEqual(missing('orders:read'))
  })

  it("keeps to the action's own roles, whatever the scope and the ceiling say [MCP-13]", () => {
    expect(call(LECTURER, 'archive')).toEqual(FORBIDDEN_ROLE)
    const withoutScope = operatorWith(['events:read'], { role: 'lecturer' })
    expect(call(withoutScope, 'archive')).toEqual(FORBIDDEN_ROLE)
    expect(call(withoutScope, 'courses')).toEqual(notGranted('events:read', 'courses:read'))
  })

  it.each([[undefined], [null], ['nothing'], ['Courses'], [['courses']], ['constructor'], [0]])(
    'lets somebody who may choose something hear what there is instead of %j',
    (action) => {
      const args = { action }
      expect(call(OWNER, action)).toEqual(admitted('get_figures', OWNER, { at: null, args }))
    },
  )

  it('tells whoever may choose nothing what the first action needs', () => {
    expect(call(ANONYMOUS, 'nothing')).toEqual(missing('courses:read'))
    expect(call(operatorWith(['events:read']), 'nothing')).toEqual(
      notGranted('events:read', 'courses:read'),
    )
    expect(call(MEMBER, 'nothing')).toEqual(otherAudience('operator', 'member'))
  })
})

describe('decideToolCall, where a scope implies another', () => {
  const scopes = defineScopes({
    ...schoolScopeTable,
    'courses:write': { ...schoolScopeTable['courses:write'], implies: ['courses:read'] },
  })
  const registry = defineTools(
    [
      choiceWith('get_figures', [
        actionWith(['courses:read'], { value: 'courses' }),
        actionWith(['courses:read'], { value: 'archive', roles: ['owner'] }),
      ]),
    ],
    { scopes, roles: schoolRoles },
  )
  const client = { ...STUDY_BUDDY, kind: 'loopback', scopes: ['courses:write'] } as const
  const caller = (role: string) =>
    operatorWith(['courses:write'], { role, client, registry: scopes })

  it('takes the wider for the narrower', () => {
    expect(decide('get_figures', caller('owner'), { action: 'courses' }, registry).ok).toBe(true)
  })

  it('offers no narrower scope to a client that may only ask for the wider', () => {
    const without = operatorWith(['openid'], { client, registry: scopes })
    expect(decide('get_figures', without, { action: 'courses' }, registry)).toEqual(
      beyondClient('courses:read'),
    )
  })

  it('does not blame the client where only the role is missing', () => {
    expect(decide('get_figures', caller('lecturer'), { action: 'archive' }, registry)).toEqual(
      FORBIDDEN_ROLE,
    )
  })
})
