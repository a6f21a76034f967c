import { randomUUID } from 'node:crypto'
import type { Fault } from '../broken-server.js'
import { answers, type Broken, both, headers, json, replaced } from '../faults.js'

const MCP = '/mcp'

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: Readonly<Record<string, unknown>>
  readonly error?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
}

/** Changes the answer to a message: its body, or all of it. */
const replies = (
  change: (sent: Message, body: Message, answer: Response) => object | Response,
): Required<Pick<Fault, 'wrap'>> =>
  answers(MCP, async (answer, request) => {
    const text = await answer.text()
    const sent = parsed(await request.text())
    const body = parsed(text)
    const changed = sent === null || body === null ? text : change(sent, body, answer)
    if (changed instanceof Response) return changed
    return new Response(typeof changed === 'string' ? changed || null : JSON.stringify(changed), {
      status: answer.status,
      headers: answer.headers,
    })
  })

function parsed(text: string): Message | null {
  try {
    return JSON.parse(text) as Message
  } catch {
    return null
  }
}

/** Changes the headers of each message, before the server reads them. */
const sentWith = (change: (headers: Headers) => void): Required<Pick<Fault, 'wrap'>> => ({
  wrap: (next) => (request) => {
    if (new URL(request.url).pathname !== MCP) return next(request)
    const changed = new Headers(request.headers)
    change(changed)
    return next(new Request(request, { headers: changed }))
  },
})

const failed = (status: number): Response =>
  Response.json({ message: 'Internal error' }, { status })

/** Opens a session with each initialization, and requires it. It may remember who opened it. */
function sessions(newId: () => string, remembers = false): Fault {
  const known = new Map<string, string | null>()
  return {
    wrap: (next) => async (request) => {
      if (new URL(request.url).pathname !== MCP) return next(request)
      const id = request.headers.get('mcp-session-id')
      const authorization = request.headers.get('authorization')
      const changed = new Headers(request.headers)
      const owner = known.get(id ?? '') ?? null
      if (remembers && authorization === null && owner !== null) changed.set('authorization', owner)
      const sent = request.method === 'POST' ? parsed(await request.clone().text()) : null
      const answer = await next(new Request(request, { headers: changed }))
      if (answer.status === 401 || answer.status === 403) return answer
      if (sent?.method === 'initialize') {
        const opened = newId()
        known.set(opened, authorization)
        answer.headers.set('mcp-session-id', opened)
        return answer
      }
      if (id !== null && known.has(id)) return answer
      const error = { code: -32000, message: 'send the identifier of a session' }
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: id === null ? 400 : 404 })
    },
  }
}

/** Answers each request by a stream of events that does not end, in which the response is the third. */
const streamed: Fault = answers(MCP, async (answer, request) => {
  const isOpened = request.method === 'GET'
  if (!isOpened && (answer.status !== 200 || answer.body === null)) return answer
  const log = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'audit' } }
  const events = ['id: 1\ndata: ', `event: message\ndata: ${JSON.stringify(log)}`, `event: message\ndata: ${await answer.text()}`]
  const body = new ReadableStream({
    start(controller) {
      if (!isOpened) controller.enqueue(new TextEncoder().encode(events.map((one) => `${one}\r\n\r\n`).join('')))
    },
  })
  const all = new Headers(answer.headers)
  all.set('content-type', 'text/event-stream')
  return new Response(body, { status: 200, headers: all })
}) // prettier-ignore

/** Sends who has no token to the address that always asks for one. */
const closed: Fault = {
  wrap: (next) => (request) => {
    const url = new URL(request.url)
    if (url.pathname !== MCP || request.headers.has('authorization') || request.headers.has('origin')) return next(request)
    url.pathname = '/mcp/signed-in'
    return next(new Request(url, request))
  },
} // prettier-ignore

/** Changes the challenge to a token that lacks a scope. */
const challenge = (change: (value: string) => string): Fault =>
  headers(MCP, (all, { status }) => {
    const value = all.get('www-authenticate')
    if (status === 403 && value !== null) all.set('www-authenticate', change(value))
  })

/** An endpoint that anyone may use, and that takes no tokens, next to an authorization server. */
const unprotected: Fault = both(
  {
    wrap: (next) => (request) => {
      const changed = new Headers(request.headers)
      if (new URL(request.url).pathname === MCP) changed.delete('authorization')
      return next(new Request(request, { headers: changed }))
    },
  },
  replaced('/.well-known/oauth-protected-resource', () => new Response(null, { status: 404 })),
  replaced('/.well-known/oauth-protected-resource/mcp', () => new Response(null, { status: 404 })),
)

let opened = 0

export const mcp: readonly Broken[] = [
  { name: 'nothing but sessions', fault: sessions(randomUUID), violates: [] },
  { name: 'nothing but streams', fault: streamed, violates: [] },
  { name: 'nothing but a token for every message', fault: closed, violates: [] },
  { name: 'nothing but an endpoint without tokens', fault: unprotected, violates: [] },
  {
    name: 'nothing but sessions, streams and a token for every message',
    fault: both(streamed, closed, sessions(randomUUID)),
    violates: [],
  },
  {
    name: 'the server does not say who it is',
    fault: replies((_, { result: { serverInfo: _name, ...result } = {}, ...body }) => ({ ...body, ...(body.error === undefined && { result }) })),
    violates: ['mcp/initialize'],
  },
  {
    name: 'the server speaks every version',
    fault: replies(({ method, params }, body) =>
      method === 'initialize' ? { ...body, result: { ...body.result, protocolVersion: params?.['protocolVersion'] } } : body),
    violates: ['mcp/other-version'],
  },
  {
    name: 'each id becomes a text',
    fault: replies((_, body) => ({ ...body, id: String(body.id) })),
    violates: ['mcp/same-id'],
  },
  {
    name: 'a response is text',
    fault: headers(MCP, (all) => all.set('content-type', 'text/plain')),
    violates: ['mcp/media-type'],
  },
  {
    name: 'ping is unknown',
    fault: replies(({ method, id }, body) =>
      method === 'ping' ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown method' } } : body),
    violates: ['mcp/ping'],
  },
  {
    name: 'a tool without arguments has no schema',
    fault: json(MCP, (body) => {
      const { tools } = (body['result'] ?? {}) as { tools?: readonly object[] }
      return tools === undefined ? body : { ...body, result: { tools: tools.map((one) => ({ ...one, inputSchema: null })) } }
    }),
    violates: ['mcp/tools'],
  },
  {
    name: 'an unknown method is an internal error',
    fault: replies((_, body) => (body.error?.['code'] === -32601 ? { ...body, error: { ...body.error, code: -32603 } } : body)),
    violates: ['mcp/unknown-method'],
  },
  {
    name: 'an unknown tool is an exception',
    fault: replies((_, body) => (String(body.error?.['message']).startsWith('unknown tool') ? failed(500) : body)),
    violates: ['mcp/unknown-tool'],
  },
  {
    name: 'the members of a call are not validated',
    fault: replies(({ params }, body) => (typeof (params?.['name'] ?? '') === 'string' ? body : failed(500))),
    violates: ['mcp/malformed-call'],
  },
  {
    name: 'a body that is no JSON is an exception',
    fault: answers(MCP, (answer, request) => (answer.status === 400 && request.headers.get('mcp-protocol-version') === '2025-11-25' ? failIfBroken(answer, request) : answer)),
    violates: ['mcp/parse-error'],
  },
  {
    name: 'a body that is too large is an exception',
    fault: answers(MCP, (answer) => (answer.status === 413 ? failed(500) : answer)),
    violates: ['mcp/large-body'],
  },
  {
    name: 'a notification gets an answer',
    fault: answers(MCP, (answer) => (answer.status === 202 ? Response.json({}) : answer)),
    violates: ['mcp/notification'],
  },
  {
    name: 'a notification is answered by 202 and a result',
    fault: answers(MCP, (answer) => (answer.status === 202 ? Response.json({}, { status: 202 }) : answer)),
    violates: ['mcp/notification'],
  },
  {
    name: 'GET says that the server is there',
    fault: answers(MCP, (answer, { method }) => (method === 'GET' ? new Response('It works!') : answer)),
    violates: ['mcp/get'],
  },
  {
    name: 'the header of the version is not read',
    fault: sentWith((all) => all.delete('mcp-protocol-version')),
    violates: ['mcp/version-header'],
  },
  {
    name: 'pages of every origin may call /mcp',
    fault: sentWith((all) => all.delete('origin')),
    violates: ['mcp/origin'],
    whole: true,
  },
  {
    name: 'the origin is compared with the host of the request',
    fault: sentWith((all) => {
      if (new URL(all.get('origin') ?? 'null:').host !== all.get('host')) return
      all.delete('origin')
      all.set('host', '127.0.0.1:3000')
    }),
    violates: ['mcp/rebinding'],
  },
  {
    name: 'a bad token is forbidden',
    fault: answers(MCP, (answer, request) =>
      answer.status === 401 && request.headers.has('authorization')
        ? new Response(answer.body, { status: 403, headers: answer.headers })
        : answer),
    violates: ['mcp/bad-token'],
  },
  {
    name: 'a tool that is not listed runs for anyone',
    fault: answers(MCP, async (answer, request) => {
      const { id, params } = parsed(await request.text()) ?? {}
      if (answer.status !== 401 || request.headers.has('authorization') || params?.['name'] !== 'list_courses') return answer
      return Response.json({ jsonrpc: '2.0', id, result: { content: [], structuredContent: { titles: ['Glazing'] } } })
    }),
    violates: ['mcp/tool-without-token'],
  },
  {
    name: 'who has no token is not told what to ask for',
    fault: headers(MCP, (all, { status }) => {
      const value = all.get('www-authenticate')
      if (status === 401 && value !== null) all.set('www-authenticate', value.replace(/scope="[^"]*", /, ''))
    }),
    violates: ['mcp/needed-scope'],
  },
  {
    name: 'a missing scope is an error of JSON-RPC',
    fault: replies(({ id }, body, { headers: all }) =>
      /insufficient_scope/.test(all.get('www-authenticate') ?? '') ? Response.json({ jsonrpc: '2.0', id, error: { code: -32000, message: 'forbidden' } }) : body),
    violates: ['mcp/insufficient-scope'],
  },
  {
    name: 'a missing scope is answered by 401',
    fault: answers(MCP, (answer) =>
      /insufficient_scope/.test(answer.headers.get('www-authenticate') ?? '')
        ? new Response(answer.body, { status: 401, headers: answer.headers })
        : answer),
    violates: ['mcp/insufficient-scope'],
  },
  {
    name: 'a missing scope is forbidden without an error',
    fault: challenge((value) => value.replaceAll('insufficient_scope', 'forbidden')),
    violates: ['mcp/insufficient-scope'],
  },
  {
    name: 'the challenge does not name the scopes',
    fault: challenge((value) => value.replace(/scope="[^"]*", /, '')),
    violates: ['mcp/challenge-scope'],
  },
  {
    name: 'the challenge names the scopes of the token',
    fault: challenge((value) => value.replace(/scope="[^"]*"/, 'scope="openid"')),
    violates: ['mcp/challenge-scope'],
  },
  {
    name: 'the challenge does not name the metadata',
    fault: challenge((value) => value.replace(/, resource_metadata="[^"]*"/, '')),
    violates: ['mcp/challenge-metadata'],
  },
  {
    name: 'the challenge names metadata that is elsewhere',
    fault: challenge((value) => value.replace('/.well-known/', '/well-known/')),
    violates: ['mcp/challenge-metadata'],
  },
  {
    name: 'a session remembers who opened it',
    fault: sessions(randomUUID, true),
    violates: ['mcp/session-is-no-login'],
  },
  {
    name: 'sessions are counted',
    fault: sessions(() => `session-${String((opened += 1)).padStart(16, '0')}`),
    violates: ['mcp/session-id'],
  },
] // prettier-ignore

const failIfBroken = async (answer: Response, request: Request): Promise<Response> =>
  parsed(await request.text()) === null ? failed(500) : answer
