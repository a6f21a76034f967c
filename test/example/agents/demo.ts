import * as sdk from '@modelcontextprotocol/server'
import { createPostgresStore, type Execute } from 'hallpass/postgres'
import { serverAdapter, type ToolDescription } from 'hallpass/mcp'
import { hashToken } from 'hallpass/token'
import { openCounters } from '../../../examples/school/src/platform/counters.js'
import type { SchoolSite } from '../../../examples/school/src/school-site.js'
import { createSite } from '../../../examples/school/src/site.js'
import { KILN, LANTERN } from '../../../examples/school/src/sites.js'
import { openTestDatabase } from '../../support/databases/templates.js'
import { T } from '../../support/school/school.js'

/** Who calls, through which client of the demo, and what the person granted. */
export interface Caller {
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** An answer of `/mcp`. */
interface McpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly result?: Readonly<Record<string, unknown>>
    readonly error?: { readonly code: number; readonly message: string }
  }
}

export type Args = Readonly<Record<string, unknown>>

/** What a tool answered. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent?: Args
  readonly isError?: true
  readonly _meta?: Args
}

/** `/mcp` of the demo's first school, on a database of its own. */
export interface McpDemo {
  readonly clock: { now: number }
  readonly execute: Execute
  readonly site: SchoolSite
  /** Sends one message; `caller` `null` = without a token. */
  readonly rpc: (
    caller: Caller | null,
    message: { readonly method: string; readonly params?: unknown; readonly toolset?: string },
  ) => Promise<McpAnswer>
  readonly listTools: (
    caller: Caller | null,
    toolset?: string,
  ) => Promise<readonly ToolDescription[]>
  readonly callTool: (caller: Caller | null, name: string, args?: Args) => Promise<ToolAnswer>
  /** Calls the admin API. */
  readonly api: (
    caller: Caller,
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<{ readonly status: number; readonly headers: Headers; readonly body: unknown }>
  /** Every line of the log. */
  readonly logged: readonly Args[]
  readonly close: () => Promise<void>
}

const ORIGIN = 'https://lantern.example'

/** Opens both schools of the demo, as they were seeded at `T`. */
export async function openMcpDemo(): Promise<McpDemo> {
  const database = await openTestDatabase()
  const clock = { now: T }
  const logged: Args[] = []
  const counters = await openCounters({ redisUrl: null })
  const openSite = async (definition: typeof LANTERN, origin: string): Promise<SchoolSite> => {
    const site = createSite({
      definition,
      origin,
      database,
      counters,
      sealingSecret: 'a sealing secret of thirty-two characters',
      mcpAdapter: serverAdapter(sdk),
      rateLimits: false,
      log: (entry) => void logged.push(entry),
      fetchDocument: async () => new Response(null, { status: 404 }),
      now: () => clock.now,
    })
    await site.seed()
    return site
  }
  const site = await openSite(LANTERN, ORIGIN)
  await openSite(KILN, 'https://kiln.example')
  const tokenOf = createTokens(database.execute)

  const send = async (
    endpoint: (request: Request) => Response | Promise<Response>,
    target: string,
    {
      caller,
      ...init
    }: { caller: Caller | null; headers: Record<string, string>; method: string; body?: string },
  ) => {
    const authorization =
      caller === null ? {} : { authorization: `Bearer ${await tokenOf(caller)}` }
    const headers = { ...init.headers, ...authorization }
    const response = await endpoint(new Request(ORIGIN + target, { ...init, headers }))
    const text = await response.text()
    const body = text === '' ? null : (JSON.parse(text) as unknown)
    return { status: response.status, headers: response.headers, body }
  }

  const rpc: McpDemo['rpc'] = async (caller, { method, params = {}, toolset }) => {
    const target = toolset === undefined ? '/mcp' : `/mcp?toolset=${toolset}`
    const answer = await send((request) => site.mcp(request, { address: null }), target, {
      caller,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return answer as McpAnswer
  }

  return {
    clock,
    execute: database.execute,
    site,
    logged,
    rpc,
    async listTools(caller, toolset) {
      const { body } = await rpc(caller, {
        method: 'tools/list',
        ...(toolset !== undefined && { toolset }),
      })
      return body.result!['tools'] as readonly ToolDescription[]
    },
    async callTool(caller, name, args = {}) {
      const answer = await rpc(caller, { method: 'tools/call', params: { name, arguments: args } })
      if (answer.body?.result === undefined)
        throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.result as unknown as ToolAnswer
    },
    api: (caller, method, path, { body, headers = {} } = {}) =>
      send(site.admin.endpoint, `/api/v1${path}`, {
        caller,
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async close() {
      await counters.close()
      await database.close()
    },
  }
}

/** Issues access tokens of the first school as the code exchange does, one for each caller. */
function createTokens(execute: Execute): (caller: Caller) => Promise<string> {
  const store = createPostgresStore({ execute, site: LANTERN.id })
  const known = new Map<string, Promise<string>>()

  async function issue({ subject, clientId, scopes }: Caller, name: string): Promise<string> {
    const accessToken = `hpa_${hashToken(name)}`
    const [grantId, codeHash] = [`grant ${name}`, hashToken(`code ${name}`)]
    const expiresAt = T + 1e9
    const common = {
      clientId,
      subject,
      scopes,
      resource: ORIGIN,
      redirectUri: 'http://127.0.0.1/cb',
    }
    await store.issueCode({
      pendingIdHash: null,
      consentKey: null,
      code: {
        ...common, codeHash, grantId, resourceSent: false, codeChallenge: codeHash, nonce: null, grantEndsAt: null, authTime: null,
        issuedAt: T, expiresAt: T + 60, redeemedAt: null,
      },
    }) // prettier-ignore
    await store.redeemCode({
      codeHash,
      redeemedAt: T,
      grant: { ...common, grantId, createdAt: T, expiresAt, revokedAt: null, revokedReason: null },
      accessToken: {
        tokenHash: hashToken(accessToken), grantId, scopes, issuedAt: T, expiresAt, revokedAt: null,
      },
      refreshToken: {
        tokenHash: hashToken(`refresh ${name}`), grantId, issuedAt: T, expiresAt, rotation: null,
      },
    }) // prettier-ignore
    return accessToken
  }

  return (caller) => {
    const name = JSON.stringify(caller)
    const token = known.get(name) ?? issue(caller, name)
    known.set(name, token)
    return token
  }
}
