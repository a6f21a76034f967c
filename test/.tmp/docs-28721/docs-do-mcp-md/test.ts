// test.ts
import { deepEqual, ok } from 'node:assert/strict'
import { ANONYMOUS, decideToolCall, defineTool, defineTools } from 'hallpass/mcp'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import * as z from 'zod'

const listOrders = defineTool({
  name: 'list_orders',
  title: 'List orders',
  description: 'Lists orders.',
  scopes: ['orders:read'],
  input: z.strictObject({}),
  output: z.object({ data: z.array(z.object({ id: z.string() })) }),
  run: async () => ({ data: [] }),
})
const registry = defineTools([listOrders], { scopes: schoolScopes, roles: schoolRoles })
const tool = registry.get('list_orders')!

const decision = decideToolCall({ tool, args: {}, caller: ANONYMOUS, registry })
ok(!decision.ok && 'refusal' in decision)
const { error, reason, requiredScopes } = decision.refusal
deepEqual([error, reason], ['invalid_token', 'access_token_missing'])
deepEqual(requiredScopes, ['orders:read'])
