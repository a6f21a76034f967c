import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, isTaken } from '../engine/audit.js'
import { asksForToken, challenged } from '../engine/challenge.js'
import type { Answer } from '../engine/http.js'
import { INITIALIZE, type McpOptions } from '../engine/mcp.js'
import { newSecret } from '../engine/random.js'
import { grantedScopes, NARROW, narrowTokens } from './expect.js'

const TRANSPORTS = { document: 'MCP Transports', level: 'MUST' } as const
/** A name that no one can register, and that is not one of this computer. */
const FOREIGN = 'audit.invalid'
/** The most of a message that is sent on purpose, in characters. */
const MUCH = 4 * 1024 * 1024

interface Tool {
  readonly name?: unknown
  readonly inputSchema?: { readonly type?: unknown; readonly required?: readonly unknown[] }
  readonly annotations?: { readonly readOnlyHint?: unknown }
}

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 7, method, params })
const resultOf = ({ json }: Answer): Readonly<Record<string, unknown>> | null => {
  const { result } = json
  return typeof result === 'object' && result !== null ? (result as Record<string, unknown>) : null
}
const codeOf = ({ json }: Answer): unknown =>
  (json['error'] as { code?: unknown } | undefined)?.code
const isChallenge = ({ status }: Answer): boolean => status === 401 || status === 403

/** Returns an answer in words. */
function shown(answer: Answer): string {
  const code = codeOf(answer)
  return `${answer.status}${typeof code === 'number' ? ` and the error ${code}` : resultOf(answer) === null ? '' : ' and a result'}`
}

/** Whether a call has run: an error of JSON-RPC or of the tool says that it has not. */
const hasRun = (answer: Answer): boolean => {
  const result = resultOf(answer)
  return result !== null && result['isError'] !== true
}

/** Returns who may speak: no one if the endpoint lets anyone list its tools, otherwise the holder of the shared token. */
const speaker = (on: Audit): Promise<{ readonly token?: string }> =>
  on.once('mcp speaker', async () => {
    await on.mcpPath()
    const isOpen = !isChallenge(await on.initialize()) && !isChallenge(await on.mcp())
    const who = isOpen ? {} : { token: (await on.sharedTokens()).accessToken }
    const first = await on.initialize(who.token)
    if (codeOf(first) === -32601)
      throw new Stop(notApplicable('the server speaks a version of MCP without initialization'))
    if (resultOf(first) === null)
      throw new Stop(notReached(`an initialization is answered by ${shown(first)}`))
    return who
  })

const say = async (on: Audit, options: McpOptions): Promise<Answer> =>
  on.mcp({ ...(await speaker(on)), ...options })

/** Sends headers as the sender that may speak. If there is none, a refusal without a token says enough. */
async function sayFrom(on: Audit, headers: Readonly<Record<string, string>>): Promise<Answer> {
  let stop: unknown = null
  const who = await speaker(on).catch((error: unknown) => {
    stop = error
    return {}
  })
  const answer = await on.mcp({ ...who, headers })
  if (stop !== null && answer.status === 401) throw stop
  return answer
}

const toolsOf = (answer: Answer): readonly Tool[] => {
  const tools = resultOf(answer)?.['tools']
  return Array.isArray(tools) ? (tools as Tool[]) : []
}

/** The tools that one list has and another does not. */
const beyond = (more: readonly Tool[], less: readonly Tool[]): readonly Tool[] =>
  more.filter(({ name }) => !less.some((one) => one.name === name))

/** A tool that may be called without arguments: it only reads, or is refused without them. */
function harmless(tools: readonly Tool[]): string {
  const tool =
    tools.find(({ annotations }) => annotations?.readOnlyHint === true) ??
    tools.find(({ inputSchema }) => (inputSchema?.required ?? []).length > 0)
  if (typeof tool?.name !== 'string')
    throw new Stop(notReached('no tool says that a call changes nothing (readOnlyHint)'))
  return tool.name
}

/** A call whose token lacks the scope that its tool needs, and the answer. */
const shortOfScope = async (on: Audit) => {
  await on.mcpPath()
  const [wide, narrow] = [await on.sharedTokens(), await narrowTokens(on)]
  const call = await on.once('mcp short of scope', async () => {
    const { accessToken: token } = narrow
    const more = beyond(
      toolsOf(await on.mcp({ token: wide.accessToken })),
      toolsOf(await on.mcp({ token })),
    )
    if (more.length === 0)
      throw new Stop(notApplicable('the scope that was left out shows no more tools'))
    // The arguments may be looked at before the scope.
    const name = harmless(
      more.filter(({ inputSchema }) => (inputSchema?.required ?? []).length === 0),
    )
    const answer = await on.mcp({ token, message: request('tools/call', { name, arguments: {} }) })
    if (hasRun(answer)) throw new Stop(notReached(`${name} runs without the scope`))
    return { name, answer }
  })
  on.show(call.answer)
  return { ...call, granted: grantedScopes(narrow) }
}

const isForScope = ({ status, headers }: Answer): boolean =>
  status === 403 && challenged(headers, 'error') === 'insufficient_scope'

const isLoopback = (on: Audit): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\]|localhost|[\w.-]+\.localhost)$/.test(new URL(on.origin).hostname)

/** The MCP endpoint: its messages, who may send them, and from which pages. */
export const mcp: readonly Check[] = [
  {
    id: 'mcp/initialize',
    clause: {
      document: 'MCP Lifecycle',
      section: 'Initialization',
      level: 'MUST',
      says: 'The answer to initialize names the version, the capabilities and the server.',
    },
    depth: 'anonymous',
    change: 'Answer initialize with protocolVersion, capabilities and serverInfo. A client without an Origin header is not a page, and may call.',
    async run(on) {
      await on.mcpPath()
      const isOpen = !isChallenge(await on.initialize())
      const answer = await on.initialize(isOpen ? undefined : (await on.sharedTokens()).accessToken)
      on.show(answer)
      if (codeOf(answer) === -32601) return notApplicable('the server speaks a version of MCP without initialization')
      const { protocolVersion, capabilities, serverInfo } = resultOf(answer) ?? {}
      const { name, version } = (serverInfo ?? {}) as { name?: unknown; version?: unknown }
      return judge(
        typeof protocolVersion === 'string' && typeof capabilities === 'object' && typeof name === 'string' && typeof version === 'string',
        `the server is ${String(name)} and speaks ${String(protocolVersion)}`,
        `initialize is answered by ${shown(answer)}, without protocolVersion, capabilities, or name and version of serverInfo`,
      )
    },
  },
  {
    id: 'mcp/other-version',
    clause: {
      document: 'MCP Lifecycle',
      section: 'Version Negotiation',
      level: 'MUST',
      says: 'To a version that it does not speak, the server answers with one that it speaks.',
    },
    depth: 'anonymous',
    change: 'Compare the requested version with a list of those that you speak, and answer with the newest of the list if it is not there.',
    async run(on) {
      const message = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: '1999-01-01' } }
      const answer = await say(on, { message, headers: { 'mcp-session-id': null, 'mcp-protocol-version': null } })
      const version = resultOf(answer)?.['protocolVersion']
      const isOther = typeof version === 'string' && version !== '1999-01-01'
      // The specification shows an error for this case too.
      return judge(isOther || typeof codeOf(answer) === 'number', `1999-01-01 is answered by ${isOther ? version : shown(answer)}`, `1999-01-01 is answered by ${shown(answer)}: ${String(version)}`)
    },
  },
  {
    id: 'mcp/same-id',
    clause: {
      document: 'MCP Base Protocol',
      section: 'Responses',
      level: 'MUST',
      says: 'A response has the id of its request, which is a string or an integer.',
    },
    depth: 'anonymous',
    change: 'Copy the id of the request into the response, with its type.',
    async run(on) {
      for (const id of ['audit-7', 7]) {
        const { json, status } = await say(on, { message: { ...request('ping'), id } })
        if (json['id'] !== id) return violated(`the id ${JSON.stringify(id)} is answered with ${JSON.stringify(json['id'])} (${status})`)
      }
      return held('a string and a number come back')
    },
  },
  {
    id: 'mcp/media-type',
    clause: {
      ...TRANSPORTS,
      section: 'Sending Messages to the Server',
      says: 'A request is answered with one JSON object, or with a stream of events.',
    },
    depth: 'anonymous',
    change: 'Set Content-Type to application/json or text/event-stream, as the body is.',
    async run(on) {
      const { headers } = await say(on, { message: request('ping') })
      const type = headers.get('content-type') ?? 'nothing'
      return judge(/^(?:application\/json|text\/event-stream)\b/i.test(type), `Content-Type is ${type}`, `Content-Type is ${type}`)
    },
  },
  {
    id: 'mcp/ping',
    clause: {
      document: 'MCP Ping',
      section: 'Behavior Requirements',
      level: 'MUST',
      says: 'A ping is answered with an empty result.',
    },
    depth: 'anonymous',
    change: 'Answer ping with "result": {}.',
    async run(on) {
      const answer = await say(on, { message: request('ping') })
      return judge(resultOf(answer) !== null, 'ping is answered', `ping is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/tools',
    clause: {
      document: 'MCP Tools',
      section: 'Data Types',
      level: 'MUST',
      says: 'Each tool has a name, and a JSON Schema of an object for its arguments.',
    },
    depth: 'anonymous',
    change: 'Give each tool a name and an inputSchema with "type": "object", also if it has no arguments.',
    async run(on) {
      const who = await speaker(on)
      const capabilities = resultOf(await on.initialize(who.token))?.['capabilities'] as Record<string, unknown> | undefined
      if (capabilities?.['tools'] === undefined) return notApplicable('the server has no tools')
      const answer = await on.mcp(who)
      const wrong = toolsOf(answer).filter(({ name, inputSchema }) => typeof name !== 'string' || inputSchema?.type !== 'object')
      if (!Array.isArray(resultOf(answer)?.['tools'])) return violated(`tools/list is answered by ${shown(answer)}, without a list`)
      return judge(wrong.length === 0, `each of ${toolsOf(answer).length} tools has both`, `${wrong.map(({ name }) => String(name)).join(', ')}: no name, or no schema of an object`)
    },
  },
  {
    id: 'mcp/unknown-method',
    clause: {
      document: 'JSON-RPC 2.0',
      section: '5.1',
      level: 'MUST',
      says: 'A method that there is not is answered by the error -32601.',
    },
    depth: 'anonymous',
    change: 'Answer an unknown method with the error code -32601.',
    async run(on) {
      const answer = await say(on, { message: request('audit/nothing') })
      return judge(codeOf(answer) === -32601, 'an unknown method is answered by -32601', `an unknown method is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/unknown-tool',
    clause: {
      document: 'MCP Tools',
      section: 'Error Handling',
      level: 'SHOULD',
      says: 'A call to a tool that there is not is answered by an error, of JSON-RPC or in the result.',
    },
    depth: 'anonymous',
    change: 'Answer an unknown tool with the error code -32602, and no exception.',
    async run(on) {
      const answer = await say(on, { message: request('tools/call', { name: 'audit_nothing', arguments: {} }) })
      return judge(!hasRun(answer) && answer.status < 500, `an unknown tool is answered by ${shown(answer)}`, `an unknown tool is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/malformed-call',
    clause: {
      document: 'MCP Tools',
      section: 'Security Considerations',
      level: 'MUST',
      says: 'What a call contains is validated: members of wrong types run nothing, and fail nothing.',
    },
    depth: 'anonymous',
    change: 'Validate the params of tools/call before you use them, and answer -32602.',
    async run(on) {
      const answer = await say(on, { message: request('tools/call', { name: 7, arguments: 'audit' }) })
      return judge(!hasRun(answer) && answer.status < 500, `it is answered by ${shown(answer)}`, `a call with a number as its name is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/parse-error',
    clause: {
      document: 'JSON-RPC 2.0',
      section: '5.1',
      level: 'MUST',
      says: 'A body that is not JSON is answered by the error -32700.',
    },
    depth: 'anonymous',
    change: 'Answer a body that cannot be parsed with 400 and the error code -32700.',
    async run(on) {
      const answer = await say(on, { message: '{"jsonrpc": "2.0", "id": 7, ' })
      const code = codeOf(answer)
      // A framework may refuse the body before JSON-RPC has a say.
      const isRefused = code === -32700 || (typeof code !== 'number' && answer.status >= 400 && answer.status < 500)
      return judge(isRefused, `half a message is answered by ${shown(answer)}`, `half a message is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/large-body',
    clause: {
      document: 'RFC 9110',
      section: '15.5.14',
      level: 'SHOULD',
      says: 'A body that is larger than the server takes is refused with 413, and does not make it fail.',
    },
    depth: 'anonymous',
    change: 'Limit the body, and answer 413 as soon as it is longer.',
    async run(on) {
      const answer = await say(on, { message: request('tools/list', { audit: 'a'.repeat(MUCH) }) })
      return judge(answer.status < 500, `4 MiB are answered by ${shown(answer)}`, `4 MiB are answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/notification',
    clause: {
      ...TRANSPORTS,
      section: 'Sending Messages to the Server',
      says: 'A notification is answered by 202 without a body.',
    },
    depth: 'anonymous',
    change: 'Answer a message without an id with 202 and no body.',
    async run(on) {
      const answer = await say(on, { message: { jsonrpc: '2.0', method: 'notifications/initialized' } })
      // A server may refuse a message that it does not expect.
      if (answer.status >= 400 && answer.status < 500) return notReached(`the notification is refused with ${answer.status}`)
      return judge(answer.status === 202 && answer.text === '', 'a notification is answered by 202', `a notification is answered by ${answer.status}${answer.text === '' ? '' : ' and a body'}`)
    },
  },
  {
    id: 'mcp/get',
    clause: {
      ...TRANSPORTS,
      section: 'Listening for Messages from the Server',
      says: 'GET opens a stream of events, or is answered by 405.',
    },
    depth: 'anonymous',
    change: 'Answer GET with 405 unless you offer a stream.',
    async run(on) {
      const answer = await say(on, { method: 'GET', headers: { accept: 'text/event-stream', 'content-type': null } })
      const type = answer.headers.get('content-type') ?? 'no type'
      const isStream = answer.status === 200 && /^text\/event-stream\b/i.test(type)
      return judge(isStream || answer.status === 405, `GET is answered by ${answer.status}`, `GET is answered by ${answer.status} and ${type}`)
    },
  },
  {
    id: 'mcp/version-header',
    clause: {
      ...TRANSPORTS,
      section: 'Protocol Version Header',
      says: 'A request with a version that the server does not speak is answered by 400.',
    },
    depth: 'anonymous',
    change: 'Compare MCP-Protocol-Version with the versions that you speak, and answer 400 to any other.',
    async run(on) {
      const answer = await say(on, { headers: { 'mcp-protocol-version': '1999-01-01' } })
      return judge(answer.status === 400, '1999-01-01 is answered by 400', `MCP-Protocol-Version: 1999-01-01 is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/origin',
    clause: {
      ...TRANSPORTS,
      section: 'Security Warning',
      says: 'A request of a page whose origin is not allowed is answered by 403.',
    },
    depth: 'anonymous',
    change: 'Compare Origin, if it is there, with the origins whose pages may call, and answer 403 to any other.',
    async run(on) {
      const origin = `https://${FOREIGN}`
      const answer = await sayFrom(on, { origin })
      const allowed = answer.headers.get('access-control-allow-origin')
      // Away from loopback no one rebinds a name to the server, and it may let pages of every origin call.
      if (resultOf(answer) !== null && !isLoopback(on) && (allowed === '*' || allowed === origin))
        return notApplicable(`pages of every origin may call (Access-Control-Allow-Origin: ${allowed})`)
      return judge(answer.status === 403, `the origin ${origin} is answered by 403`, `the origin ${origin} is answered by ${shown(answer)}, not by 403`)
    },
  },
  {
    id: 'mcp/rebinding',
    clause: {
      ...TRANSPORTS,
      section: 'Security Warning',
      says: 'A server on this computer refuses a page whose host name was pointed to it: Origin and Host then agree, and both are foreign.',
    },
    depth: 'anonymous',
    change: 'Compare Origin with a list of your own, never with the Host header, and accept loopback names only as Host.',
    async run(on) {
      if (!isLoopback(on)) return notApplicable('the server is not on this computer')
      const { protocol, port } = new URL(on.origin)
      const host = `${FOREIGN}${port === '' ? '' : `:${port}`}`
      const answer = await sayFrom(on, { host, origin: `${protocol}//${host}` })
      const isRefused = answer.status >= 400 && answer.status < 500
      return judge(isRefused, `a page of ${host} is answered by ${answer.status}`, `a page of ${host} is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/bad-token',
    clause: {
      document: 'MCP Authorization',
      section: 'Token Handling',
      level: 'MUST',
      says: 'An invalid token is answered by 401, also where no one needs a token.',
    },
    depth: 'anonymous',
    change: 'If there is an Authorization header, verify it before you look at the message. Who sends a bad token wants to be asked to sign in again.',
    async run(on) {
      await on.mcpPath()
      const answer = await on.mcp({ token: newSecret() })
      if (isTaken(answer) && (await on.resourceIdentifier()) === null)
        return notApplicable('the endpoint takes no tokens: the server has no protected resource metadata')
      return judge(answer.status === 401, 'an invented token is answered by 401', `an invented token is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/tool-without-token',
    clause: {
      document: 'MCP Authorization',
      section: 'Error Handling',
      level: 'MUST',
      says: 'A call that needs a token does not run without one, and a 401 asks for it.',
    },
    depth: 'people',
    change: 'Decide for each call whether its caller may make it, and not only which tools a list shows.',
    async run(on) {
      await on.mcpPath()
      const open = await on.mcp()
      if (isChallenge(open))
        return judge(asksForToken(open.headers), `who has no token is answered by ${open.status}`, `who has no token is answered by ${open.status} without a challenge`)
      const { accessToken } = await on.sharedTokens()
      const more = beyond(toolsOf(await on.mcp({ token: accessToken })), toolsOf(open))
      if (more.length === 0) return notApplicable('a token shows no more tools than a request without one')
      const name = harmless(more)
      const answer = await on.mcp({ message: request('tools/call', { name, arguments: {} }) })
      if (hasRun(answer)) return violated(`${name} runs for who has no token`)
      return judge(answer.status !== 401 || asksForToken(answer.headers), `${name} is answered by ${shown(answer)}`, `${name} is answered by 401 without a challenge`)
    },
  },
  {
    id: 'mcp/insufficient-scope',
    clause: {
      document: 'MCP Authorization',
      section: 'Runtime Insufficient Scope Errors',
      level: 'SHOULD',
      says: 'A call that needs another scope is answered by 403 and a challenge with insufficient_scope, so that a client asks for it.',
    },
    depth: 'people',
    shares: [NARROW],
    change: 'Answer 403 with WWW-Authenticate: Bearer error="insufficient_scope", scope="…" to a call whose token lacks a scope.',
    async run(on) {
      const { name, answer } = await shortOfScope(on)
      return judge(
        isForScope(answer),
        `${name} is answered by insufficient_scope`,
        `${name} is answered by ${shown(answer)}, not by 403 with insufficient_scope`,
      )
    },
  },
  {
    id: 'mcp/challenge-scope',
    clause: {
      document: 'MCP Authorization',
      section: 'Runtime Insufficient Scope Errors',
      level: 'SHOULD',
      says: 'The challenge names the scopes that the call needs, so that a client can ask for them.',
    },
    depth: 'people',
    shares: [NARROW],
    change: 'Add scope="…" to WWW-Authenticate, with every scope that the call needs.',
    async run(on) {
      const { answer, granted } = await shortOfScope(on)
      if (!isForScope(answer)) return notReached(`the call is answered by ${shown(answer)}, not by insufficient_scope`)
      const named = challenged(answer.headers, 'scope')
      const isNew = named?.split(' ').some((one) => one !== '' && !granted.includes(one)) === true
      return judge(isNew, `the challenge names ${named}`, named === null ? 'the challenge has no scope' : `the challenge names ${named}, which the token has`)
    },
  },
  {
    id: 'mcp/challenge-metadata',
    clause: {
      document: 'MCP Authorization',
      section: 'Runtime Insufficient Scope Errors',
      level: 'SHOULD',
      says: 'The challenge names the metadata of the resource, as that of a missing token does.',
    },
    depth: 'people',
    shares: [NARROW],
    change: 'Add resource_metadata="…" to WWW-Authenticate, with the address of the protected resource metadata.',
    async run(on) {
      const { answer } = await shortOfScope(on)
      if (!isForScope(answer)) return notReached(`the call is answered by ${shown(answer)}, not by insufficient_scope`)
      const url = challenged(answer.headers, 'resource_metadata')
      if (url === null) return violated('the challenge has no resource_metadata')
      const { status, json } = URL.canParse(url) ? await on.read(url) : { status: 0, json: {} }
      return judge(status === 200 && 'resource' in json, `${url} is the metadata`, `${url} is not the metadata of a resource`)
    },
  },
  {
    id: 'mcp/session-is-no-login',
    clause: {
      document: 'MCP Security Best Practices',
      section: 'Session Hijacking',
      level: 'MUST NOT',
      says: 'Who has sent a token once is not recognized without it: each request is authorized by its own.',
    },
    depth: 'people',
    change: 'Verify the token of each request, and use the session for nothing but messages.',
    async run(on) {
      await on.mcpPath()
      const { accessToken } = await on.sharedTokens()
      const known = await on.mcp({ token: accessToken })
      if (!isTaken(known)) return notReached(`the token is refused with ${known.status}`)
      const answer = await on.mcp({ token: accessToken, headers: { authorization: null } })
      if (!isTaken(answer)) return held(`a later request without the token is answered by ${shown(answer)}`)
      const open = toolsOf(await on.mcp())
      if (beyond(toolsOf(known), open).length === 0) return notApplicable('a token shows no more tools than a request without one')
      on.show(answer)
      return judge(beyond(toolsOf(answer), open).length === 0, 'a later request without the token sees what any sender sees', 'a later request without the token sees the tools of its person')
    },
  },
  {
    id: 'mcp/session-id',
    clause: {
      document: 'MCP Transports',
      section: 'Session Management',
      level: 'SHOULD',
      says: 'The identifier of a session is unique and cannot be guessed.',
    },
    depth: 'anonymous',
    change: 'Make the identifier of 128 random bits or more, such as by crypto.randomUUID().',
    async run(on) {
      const { token } = await speaker(on)
      const first = (await on.initialize(token)).headers.get('mcp-session-id')
      if (first === null) return notApplicable('the server has no sessions')
      const headers = { 'mcp-session-id': null, 'mcp-protocol-version': null }
      const second = (await say(on, { message: INITIALIZE, headers })).headers.get('mcp-session-id') ?? ''
      const differing = [...second].filter((one, index) => one !== first[index]).length
      return judge(
        /^[\x21-\x7e]{16,}$/.test(second) && differing >= 8,
        `two identifiers of ${second.length} characters differ in ${differing}`,
        `two identifiers of ${second.length} characters differ in ${differing}: they can be guessed`,
      )
    },
  },
] // prettier-ignore
