import { defineSite } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { accountTools, createMcpEndpoint, defineTool } from 'hallpass/mcp'
import { toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import * as z from 'zod'
import { MEMBER, SOURCE } from '../account/common.mjs'
import { times } from '../subjects/common.mjs'
import { createIssuer } from '../subjects/hallpass-core.mjs'

/** The number of apps that are signed in. */
const GRANTS = 1000

const DATA = { name: 'Lantern Street Drawing School', courses: 6, time_zone: 'Europe/Lisbon' }

/** A public tool that does almost nothing, so that the measurement shows the cost of calling it. */
const SCHOOL_INFO = defineTool({
  name: 'get_school_info',
  title: 'About the school',
  description: 'Says what the school is.',
  input: z.strictObject({}),
  output: z.object({
    data: z.object({ name: z.string(), courses: z.int(), time_zone: z.string() }),
  }),
  run: async () => ({ data: DATA }),
})

/** Creates the tools that every subject of the mcp set serves, and the site for a gate. */
export async function createTools({ origin }) {
  const store = createMemoryStore()
  const site = defineSite({
    issuer: origin,
    name: 'Bench',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (subject) => (subject === MEMBER.subject ? MEMBER : null),
    onEvent: () => {},
  })
  const account = createAccountApi(site, { source: SOURCE, bucket: null })
  const { issueTokens } = await createIssuer({ store, origin, scopes: ['account:read'] })
  const issued = await times(GRANTS, () => issueTokens())
  return {
    site,
    tools: [SCHOOL_INFO, ...accountTools(account)],
    accessTokens: issued.map(({ accessToken }) => accessToken),
  }
}

/** Creates hallpass with an adapter: gate, registry, schemas, notices, one event for each call. */
export async function createHallpass({ origin, adapter, envelope }) {
  const { site, tools, accessTokens } = await createTools({ origin })
  const { endpoint } = createMcpEndpoint(site, { tools, adapter })
  return {
    listener: toNodeHandler(endpoint, { origin }),
    scenarios: scenariosOf({ envelope, accessTokens }),
  }
}

/** Returns a function that calls a tool without a gate, for servers that only implement the protocol. */
export async function createBareTools({ origin }) {
  const { site, tools, accessTokens } = await createTools({ origin })
  let access = null
  const learn = defineTool({
    ...{ name: 'learn', title: 'Learn', description: 'Learn.', scopes: ['account:read'] },
    input: z.strictObject({}),
    output: z.object({}),
    run: async ({ caller }) => {
      access = caller.access
      return {}
    },
  })
  // Only the gate creates an access, so one request obtains it.
  const { endpoint } = createMcpEndpoint(site, {
    tools: [learn],
    adapter: () => async (exchange) =>
      Response.json(await exchange.callTool(new AbortController().signal)),
  })
  await endpoint(
    new Request(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${accessTokens[0]}`,
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'learn' } },
      }),
    }),
  )
  const caller = { kind: 'member', access }
  const actions = new Map(tools.map(({ name, actions: [action] }) => [name, action]))
  return async ({ name, arguments: args = {} }) => {
    const now = Math.floor(Date.now() / 1000)
    const { signal } = new AbortController()
    const context = { caller, dryRun: false, requestId: 'req_bench', now, signal }
    const structuredContent = await actions.get(name).run(context, args)
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }
  }
}

/**
 * The scenarios. A modern client describes itself in each request; an older client does so only when it
 * connects.
 *
 * @param accessTokens - left out for a subject without a gate
 * @param session - left out for a subject without sessions
 */
export function scenariosOf({ envelope, accessTokens = [], session }) {
  let requests = 0
  // A session must not use an id twice.
  let id = 1
  const scenario = (name, isSignedIn) => ({
    expect: ['result.content.0.text'],
    prepare: (count) =>
      times(count, () => ({
        path: '/mcp',
        headers: headersOf(name, envelope, session),
        json: JSON.stringify({
          jsonrpc: '2.0',
          id: ++id,
          method: 'tools/call',
          params: { name, arguments: {}, ...(envelope && { _meta: META }) },
        }),
        accessToken: isSignedIn ? accessTokens[requests++ % accessTokens.length] : undefined,
      })),
  })
  return {
    public: scenario('get_school_info', false),
    courses: scenario('list_my_courses', accessTokens.length > 0),
  }
}

const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const headersOf = (name, envelope, session) => ({
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': envelope ? VERSION : '2025-11-25',
  ...(envelope && { 'Mcp-Method': 'tools/call', 'Mcp-Name': name }),
  ...(session !== undefined && { 'Mcp-Session-Id': session }),
})
