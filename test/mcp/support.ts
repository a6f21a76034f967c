import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as sdk from '@modelcontextprotocol/server'
import { defineSite, type FaultNotice, type SiteOptions, type SiteEvent } from 'hallpass'
import {
  accountTools,
  createMcpEndpoint,
  defineTool,
  directAdapter,
  type McpAdapter,
  type McpEndpointOptions,
  operationTools,
  sdkAdapter,
  serverAdapter,
  toolError,
} from 'hallpass/mcp'
import type { Store } from 'hallpass/store'
import * as z from 'zod'
import { createTestApi, type TestApi } from '../admin/support.js'
import { openAccount, type OpenAccount, SCRIBE } from '../support/school/account-api.js'
import { split } from '../support/school/bare-server.js'
import { createSchool, ISSUER, STUDENT, STUDY_BUDDY } from '../support/school/school.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

type McpEvent = Extract<SiteEvent, { tool: string | null }>

/** The adapters of the SDKs, by the names of their entries, and our own. */
export const ADAPTERS: readonly (readonly [string, McpAdapter])[] = [
  ['sdkAdapter', sdkAdapter(SDK_1)],
  ['serverAdapter', serverAdapter(sdk)],
  ['directAdapter', directAdapter(serverAdapter(sdk))],
]

export const MCP_URL = `${ISSUER}/mcp`

/** Where challenges lead to. */
export const METADATA = `${ISSUER}/.well-known/oauth-protected-resource/mcp`

/** The challenge to a token that does not count. */
export const BAD_TOKEN = `Bearer error="invalid_token", error_description="the access token is missing, malformed, expired, revoked or was issued for another resource", resource_metadata="${METADATA}"`

/** A public tool with text that somebody wrote. */
export const SCHOOL_INFO = defineTool({
  name: 'get_school_info',
  title: 'About the school',
  description: 'Says what the school is.',
  input: z.strictObject({ language: z.enum(['en', 'pt']).optional() }),
  output: z.object({ data: z.object({ name: z.string(), courses: z.int() }) }),
  run: async ({ signal }, { language = 'en' }) => {
    if (signal.aborted) return toolError('UPSTREAM', 'gone')
    return { data: { name: language === 'en' ? 'Lantern Street' : 'Rua da Lanterna', courses: 6 } }
  },
})

export interface TestMcp {
  readonly mcp: ReturnType<typeof createMcpEndpoint>
  readonly operator: TestApi
  readonly account: OpenAccount
  readonly events: McpEvent[]
  readonly reasons: string[]
  readonly faults: Pick<FaultNotice, 'fault' | 'requestId'>[]
  /** Tokens, issued in an instant: of the student's by Scribe, or of the owner's by Desk CLI. */
  readonly memberToken: (...scopes: readonly string[]) => Promise<string>
  readonly operatorToken: (...scopes: readonly string[]) => Promise<string>
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Sends a body, or none, as a client without an SDK does. */
  readonly send: (
    body: string | Uint8Array<ArrayBuffer> | null,
    options?: SendOptions,
  ) => Promise<Response>
  /** Sends one message as a client without an SDK does. */
  readonly rpc: (message: RpcMessage) => Promise<Response>
}

interface SendOptions {
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly target?: string
  readonly signal?: AbortSignal
  /** Of HTTP. */
  readonly verb?: string
}

interface RpcMessage extends SendOptions {
  readonly method: string
  readonly params?: unknown
  /** `null` = a notification. */
  readonly id?: number | string | null
}

/** `/mcp` of a school in memory: one public tool, the member tools, the tools of {@link operationsOn}. */
export async function openMcp(
  options: Partial<SiteOptions & McpEndpointOptions> = {},
  storage: Partial<Store> = {},
): Promise<TestMcp> {
  const school = await createSchool()
  const operator = await createTestApi({ store: school.store })
  operator.people.set(STUDENT.subject, STUDENT)
  const account = await openAccount({}, school)
  const events: McpEvent[] = []
  const reasons: string[] = []
  const faults: TestMcp['faults'] = []
  const { ofSite, own } = split<McpEndpointOptions>(options)
  const site = defineSite({
    ...school.siteOptions,
    store: { ...school.store, ...storage },
    vendors: [],
    findPerson: async (subject) => operator.people.get(subject) ?? null,
    onEvent: (event) => events.push(event as McpEvent),
    onRefusal: ({ reason }) => reasons.push(reason),
    onFault: ({ fault, requestId }) => faults.push({ fault, requestId }),
    now: () => operator.clock.now,
    ...ofSite,
  })
  const mcp = createMcpEndpoint(site, {
    tools: [SCHOOL_INFO, ...accountTools(account.api), ...operationTools(operator.api)],
    adapter: sdkAdapter(SDK_1),
    ...own,
  })
  const fetch: TestMcp['fetch'] = (input, init) => mcp.endpoint(new Request(input, init))
  const send: TestMcp['send'] = (
    body,
    { token = null, headers = {}, target = '/mcp', signal, verb = 'POST' } = {},
  ) =>
    fetch(ISSUER + target, {
      method: verb,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== null && { body }),
      ...(signal !== undefined && { signal }),
    })
  return {
    mcp, operator, account, events, reasons, faults, fetch,
    memberToken: (...scopes) =>
      operator.tokenOf({
        client: scopes.includes('account:write') ? SCRIBE : STUDY_BUDDY,
        subject: STUDENT.subject,
        scopes,
      }),
    operatorToken: (...scopes) => operator.tokenOf({ scopes }),
    send,
    rpc: ({ method, params = {}, id = 1, ...rest }) =>
      send(JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, params }), rest),
  } // prettier-ignore
}

/** What tests ask of the official client, in both generations. */
export interface TestClient {
  readonly generation: 1 | 2
  readonly protocolVersion: () => string | undefined
  readonly listTools: () => Promise<{ readonly tools: readonly { readonly name: string }[] }>
  readonly callTool: (call: {
    name: string
    arguments?: Record<string, unknown>
  }) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => Promise<void>
}

type ClientOptions = {
  readonly fetch: TestMcp['fetch']
  readonly token?: string | null
  readonly url?: string
}

const bearing = (token: string | null): RequestInit =>
  token === null ? {} : { headers: { authorization: `Bearer ${token}` } }

/** Version 1 of the official client, connected. */
export async function connectOld({
  fetch,
  token = null,
  url = MCP_URL,
}: ClientOptions): Promise<TestClient> {
  const client = new OldClient({ name: 'old', version: '1.0.0' })
  const transport = new OldTransport(new URL(url), { fetch, requestInit: bearing(token) })
  await client.connect(transport)
  return {
    generation: 1,
    protocolVersion: () => transport.protocolVersion,
    listTools: () => client.listTools(),
    callTool: (call) => client.callTool(call),
    close: () => client.close(),
  }
}

/** Version 2 of the official client, connected. It takes the newest protocol that the server speaks. */
export async function connectNew({
  fetch,
  token = null,
  url = MCP_URL,
}: ClientOptions): Promise<TestClient> {
  const client = new NewClient(
    { name: 'new', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  await client.connect(new NewTransport(new URL(url), { fetch, requestInit: bearing(token) }))
  return {
    generation: 2,
    protocolVersion: () => client.getNegotiatedProtocolVersion(),
    listTools: () => client.listTools(),
    callTool: (call) => client.callTool(call),
    close: () => client.close(),
  }
}

/** What a test compares of an answer. */
export const answerOf = async (response: Response) => {
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
}

/** The result of a call that has one. */
export async function resultOf(response: Response): Promise<Record<string, unknown>> {
  const { result } = (await response.json()) as { result: Record<string, unknown> }
  return result
}
