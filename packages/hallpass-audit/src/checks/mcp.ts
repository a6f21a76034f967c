import { type Check } from '../check.js'
import { ADVICE, jsonRpc, MCP, mcpBase, mcpLifecycle, mcpPing, mcpTools, mcpTransports, MUST, rfc9110 } from '../clause.js' // prettier-ignore
import { judge, notApplicable, notReached, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { INITIALIZE } from '../engine/mcp.js'
import { isLoopback } from '../issuer.js'
import { mcpAuthorizationChecks } from './mcp-authorization.js'
import { codeOf, hasRun, isChallenge, isObject, OUTSIDE, request, resultOf, say, shown, speaker, toolsOf } from './speaking.js' // prettier-ignore

// prettier-ignore
const TEXT = {
  initialize: mcpLifecycle('Initialization', MUST, MCP, 'The server MUST respond with its own capabilities and information:'),
  version: mcpLifecycle('Version Negotiation', MUST, MCP, 'If the server supports the requested protocol version, it MUST respond with the same version. Otherwise, the server MUST respond with another protocol version it supports.'),
  id: mcpBase('Result Responses', MUST, MCP, 'Result responses MUST include the same ID as the request they correspond to.'),
  type: mcpTransports('Sending Messages to the Server', MUST, MCP, 'If the input is a JSON-RPC request, the server MUST either return Content-Type: text/event-stream, to initiate an SSE stream, or Content-Type: application/json, to return one JSON object.'),
  ping: mcpPing('Behavior Requirements', MUST, MCP, 'The receiver MUST respond promptly with an empty response'),
  tool: mcpTools('Tool', MUST, MCP, 'name: Unique identifier for the tool … inputSchema: JSON Schema defining expected parameters … MUST be a valid JSON Schema object (not null)'),
  method: jsonRpc('5.1', MUST, MCP, 'code A Number that indicates the error type that occurred. This MUST be an integer. … -32601 | Method not found | The method does not exist / is not available.'),
  reply: jsonRpc('5', MUST, MCP, 'When a rpc call is made, the Server MUST reply with a Response, except for in the case of Notifications.'),
  inputs: mcpTools('Security Considerations', MUST, MCP, 'Servers MUST: … Validate all tool inputs'),
  parse: jsonRpc('5.1', MUST, MCP, 'code A Number that indicates the error type that occurred. This MUST be an integer. … -32700 | Parse error | Invalid JSON was received by the server.'),
  large: rfc9110('15.5.14', ADVICE, MCP, 'A body that is larger than a server takes is refused by 413, so that the sender knows why, and the server does not fail.'),
  notification: mcpTransports('Sending Messages to the Server', MUST, MCP, 'If the server accepts the input, the server MUST return HTTP status code 202 Accepted with no body.'),
  get: mcpTransports('Listening for Messages from the Server', MUST, MCP, 'The server MUST either return Content-Type: text/event-stream in response to this HTTP GET, or else return HTTP 405 Method Not Allowed, indicating that the server does not offer an SSE stream at this endpoint.'),
  header: mcpTransports('Protocol Version Header', MUST, MCP, 'If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it MUST respond with 400 Bad Request.'),
  origin: mcpTransports('Security Warning', MUST, MCP, 'If the Origin header is present and invalid, servers MUST respond with HTTP 403 Forbidden.'),
  rebinding: mcpTransports('Security Warning', MUST, MCP, 'Servers MUST validate the Origin header on all incoming connections to prevent DNS rebinding attacks'),
}

/** A name that no one can register, and that is not one of this computer. */
const FOREIGN = 'audit.invalid'
/** The most of a message that is sent on purpose, in characters. */
const MUCH = 4 * 1024 * 1024
/** A version that no server speaks. */
const OLD = '1999-01-01'

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

const isHere = async (on: Audit): Promise<boolean> => isLoopback((await on.mcpUrl()).origin)

/** The MCP endpoint: its messages, who may send them, and from which pages. */
export const mcp: readonly Check[] = [
  {
    id: 'mcp/initialize', clause: TEXT.initialize, depth: 'anonymous',
    change: 'Answer initialize with protocolVersion, capabilities and serverInfo. A client without an Origin header is not a page, and may call.',
    async run(on) {
      await on.mcpPath()
      const isOpen = !isChallenge(await on.initialize())
      const answer = await on.initialize(isOpen ? undefined : (await on.sharedTokens()).accessToken)
      if (codeOf(answer) === -32601) return notApplicable('the server speaks a version of MCP without initialization', answer)
      const { protocolVersion, capabilities, serverInfo } = resultOf(answer) ?? {}
      const { name, version } = isObject(serverInfo) ? serverInfo : {}
      return judge(
        answer,
        [protocolVersion, name, version].every((one) => typeof one === 'string') && isObject(capabilities),
        `the server is ${String(name)} and speaks ${String(protocolVersion)}`,
        `initialize is answered by ${shown(answer)}, without protocolVersion, capabilities, or name and version of serverInfo`,
      )
    },
  },
  {
    id: 'mcp/other-version', clause: TEXT.version, depth: 'anonymous',
    change: 'Compare the requested version with a list of those that you speak, and answer with the newest of the list if it is not there.',
    async run(on) {
      const message = { ...INITIALIZE, params: { ...INITIALIZE.params, protocolVersion: OLD } }
      const answer = await say(on, { message, headers: OUTSIDE })
      const version = resultOf(answer)?.['protocolVersion']
      const isOther = typeof version === 'string' && version !== OLD
      // The specification shows an error for this case too.
      return judge(answer, isOther || typeof codeOf(answer) === 'number', `${OLD} is answered by ${shown(answer)}: ${String(version)}`)
    },
  },
  {
    id: 'mcp/same-id', clause: TEXT.id, depth: 'anonymous',
    change: 'Copy the id of the request into the response, with its type.',
    async run(on) {
      const ofText = await say(on, { message: { ...request('ping'), id: 'audit-7' } })
      const ofNumber = await say(on, { message: request('ping') })
      if (ofText.json['id'] !== 'audit-7') return violated(ofText, `the id "audit-7" is answered with ${JSON.stringify(ofText.json['id'])}`)
      return judge(ofNumber, ofNumber.json['id'] === 7, 'a string and a number come back', `the id 7 is answered with ${JSON.stringify(ofNumber.json['id'])}`)
    },
  },
  {
    id: 'mcp/media-type', clause: TEXT.type, depth: 'anonymous',
    change: 'Set Content-Type to application/json or text/event-stream, as the body is.',
    async run(on) {
      const answer = await say(on, { message: request('ping') })
      const type = answer.headers.get('content-type') ?? 'nothing'
      return judge(answer, /^(?:application\/json|text\/event-stream)\b/i.test(type), `Content-Type is ${type}`)
    },
  },
  {
    id: 'mcp/ping', clause: TEXT.ping, depth: 'anonymous',
    change: 'Answer ping with "result": {}.',
    async run(on) {
      const answer = await say(on, { message: request('ping') })
      return judge(answer, resultOf(answer) !== null, `ping is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/tools', clause: TEXT.tool, depth: 'anonymous',
    change: 'Give each tool a name and an inputSchema such as {"type": "object"}, also if it has no arguments.',
    async run(on) {
      const who = await speaker(on)
      const first = await on.initialize(who.token)
      const capabilities = resultOf(first)?.['capabilities']
      if (!isObject(capabilities) || capabilities['tools'] === undefined) return notApplicable('the server has no tools', first)
      const answer = await on.mcp(who)
      if (!Array.isArray(resultOf(answer)?.['tools'])) return violated(answer, `tools/list is answered by ${shown(answer)}, without a list`)
      const tools = toolsOf(answer)
      const wrong = tools.filter(({ name, inputSchema }) => typeof name !== 'string' || !isObject(inputSchema))
      return judge(answer, wrong.length === 0, `each of ${tools.length} tools has both`, `${wrong.map(({ name }) => String(name)).join(', ')}: no name, or no schema`)
    },
  },
  {
    id: 'mcp/unknown-method', clause: TEXT.method, depth: 'anonymous',
    change: 'Answer an unknown method with the error code -32601.',
    async run(on) {
      const answer = await say(on, { message: request('audit/nothing') })
      return judge(answer, codeOf(answer) === -32601, `an unknown method is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/unknown-tool', clause: TEXT.reply, depth: 'anonymous',
    change: 'Answer an unknown tool with the error code -32602, and no exception.',
    async run(on) {
      const answer = await say(on, { message: request('tools/call', { name: 'audit_nothing', arguments: {} }) })
      return judge(answer, !hasRun(answer) && answer.status < 500, `an unknown tool is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/malformed-call', clause: TEXT.inputs, depth: 'anonymous',
    change: 'Validate the params of tools/call before you use them, and answer -32602.',
    async run(on) {
      const answer = await say(on, { message: request('tools/call', { name: 7, arguments: 'audit' }) })
      return judge(answer, !hasRun(answer) && answer.status < 500, `a call with a number as its name is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/parse-error', clause: TEXT.parse, depth: 'anonymous',
    change: 'Answer a body that cannot be parsed with 400 and the error code -32700.',
    async run(on) {
      const answer = await say(on, { message: '{"jsonrpc": "2.0", "id": 7, ' })
      const code = codeOf(answer)
      // A framework may refuse the body before JSON-RPC has a say.
      const isRefused = code === -32700 || (typeof code !== 'number' && answer.status >= 400 && answer.status < 500)
      return judge(answer, isRefused, `half a message is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/large-body', clause: TEXT.large, depth: 'anonymous',
    change: 'Limit the body, and answer 413 as soon as it is longer.',
    async run(on) {
      const answer = await say(on, { message: request('tools/list', { audit: 'a'.repeat(MUCH) }) })
      return judge(answer, answer.status < 500, `4 MiB are answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/notification', clause: TEXT.notification, depth: 'anonymous',
    change: 'Answer a message without an id with 202 and no body.',
    async run(on) {
      const answer = await say(on, { message: { jsonrpc: '2.0', method: 'notifications/initialized' } })
      const found = `a notification is answered by ${answer.status}${answer.text === '' ? '' : ' and a body'}`
      // A server may refuse a message that it does not expect.
      if (answer.status >= 400 && answer.status < 500) return notReached(found, answer)
      return judge(answer, answer.status === 202 && answer.text === '', found)
    },
  },
  {
    id: 'mcp/get', clause: TEXT.get, depth: 'anonymous',
    change: 'Answer GET with 405 unless you offer a stream.',
    async run(on) {
      const answer = await say(on, { method: 'GET', headers: { accept: 'text/event-stream', 'content-type': null } })
      const type = answer.headers.get('content-type') ?? 'no type'
      const isStream = answer.status === 200 && /^text\/event-stream\b/i.test(type)
      return judge(answer, isStream || answer.status === 405, `GET is answered by ${answer.status} and ${type}`)
    },
  },
  {
    id: 'mcp/version-header', clause: TEXT.header, depth: 'anonymous',
    change: 'Compare MCP-Protocol-Version with the versions that you speak, and answer 400 to any other.',
    async run(on) {
      const answer = await say(on, { headers: { 'mcp-protocol-version': OLD } })
      return judge(answer, answer.status === 400, `MCP-Protocol-Version: ${OLD} is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/origin', clause: TEXT.origin, depth: 'anonymous',
    change: 'Compare Origin, if it is there, with the origins whose pages may call, and answer 403 to any other.',
    async run(on) {
      const origin = `https://${FOREIGN}`
      const answer = await sayFrom(on, { origin })
      const allowed = answer.headers.get('access-control-allow-origin')
      // Away from loopback no one rebinds a name to the server, and it may let pages of every origin call.
      if (resultOf(answer) !== null && !(await isHere(on)) && (allowed === '*' || allowed === origin))
        return notApplicable(`pages of every origin may call (Access-Control-Allow-Origin: ${allowed})`, answer)
      return judge(answer, answer.status === 403, `the origin ${origin} is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/rebinding', clause: TEXT.rebinding, depth: 'anonymous',
    change: 'Compare Origin with a list of your own, never with the Host header, and accept loopback names only as Host.',
    async run(on) {
      if (!(await isHere(on))) return notApplicable('the server is not on this computer')
      const { protocol, port } = await on.mcpUrl()
      // The page of a host name that was pointed to this computer: both headers agree, and both are foreign.
      const host = `${FOREIGN}${port === '' ? '' : `:${port}`}`
      const answer = await sayFrom(on, { host, origin: `${protocol}//${host}` })
      return judge(answer, answer.status >= 400 && answer.status < 500, `a page of ${host} is answered by ${shown(answer)}`)
    },
  },
  ...mcpAuthorizationChecks,
] // prettier-ignore
