import { type Check } from '../check.js'
import { MCP, mcpAuthorization, mcpSecurity, mcpTransports, MUST, MUST_NOT, SHOULD } from '../clause.js' // prettier-ignore
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, isTaken } from '../engine/audit.js'
import { challenged } from '../engine/challenge.js'
import { isRead } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { INITIALIZE } from '../engine/mcp.js'
import { newSecret } from '../engine/random.js'
import { grantedScopes, NARROW, narrowTokens } from './expect.js'
import { hasRun, isChallenge, OUTSIDE, request, say, shown, speaker, type Tool, toolsOf } from './speaking.js' // prettier-ignore

// prettier-ignore
const TEXT = {
  token: mcpAuthorization('Token Handling', MUST, MCP, 'Invalid or expired tokens MUST receive a HTTP 401 response.'),
  noData: mcpAuthorization('Access Token Privilege Restriction', MUST, MCP, 'MCP servers MUST validate access tokens before processing the request, ensuring the access token is issued specifically for the MCP server, and take all necessary steps to ensure no data is returned to unauthorized parties.'),
  needed: mcpAuthorization('Protected Resource Metadata Discovery Requirements', SHOULD, MCP, 'MCP servers SHOULD include a scope parameter in the WWW-Authenticate header as defined in RFC 6750 Section 3 to indicate the scopes required for accessing the resource.'),
  scope: mcpAuthorization('Runtime Insufficient Scope Errors', SHOULD, MCP, 'When a client makes a request with an access token with insufficient scope during runtime operations, the server SHOULD respond with: … HTTP 403 Forbidden status code (per RFC 6750 Section 3.1) … error="insufficient_scope" - indicating the specific type of authorization failure'),
  scopes: mcpAuthorization('Runtime Insufficient Scope Errors', SHOULD, MCP, 'When responding with insufficient scope errors, servers SHOULD include the scopes needed to satisfy the current request in the scope parameter.'),
  metadata: mcpAuthorization('Runtime Insufficient Scope Errors', SHOULD, MCP, 'the server SHOULD respond with: … resource_metadata - the URI of the Protected Resource Metadata document (for consistency with 401 responses)'),
  session: mcpSecurity('Session Hijacking', MUST_NOT, MCP, 'MCP servers that implement authorization MUST verify all inbound requests. MCP Servers MUST NOT use sessions for authentication.'),
  sessionId: mcpTransports('Session Management', SHOULD, MCP, 'The session ID SHOULD be globally unique and cryptographically secure (e.g., a securely generated UUID, a JWT, or a cryptographic hash).'),
}

/** The tools that one list has and another does not. */
const beyond = (more: Answer, less: Answer): readonly Tool[] =>
  toolsOf(more).filter(({ name }) => !toolsOf(less).some((one) => one.name === name))

const isRequiring = ({ inputSchema }: Tool): boolean => (inputSchema?.required ?? []).length > 0

/** A tool that may be called without arguments: it only reads, or is refused without them. */
function harmless(tools: readonly Tool[]): string {
  const reads = tools.find(({ annotations }) => annotations?.readOnlyHint === true)
  const { name } = reads ?? tools.find(isRequiring) ?? {}
  if (typeof name === 'string') return name
  throw new Stop(notReached('no tool says that a call changes nothing (readOnlyHint)'))
}

const LIST = 'tools/list'
/** A request that needs a token, and has none: a list of the tools, or a call of one that is not listed without a token. */
const withoutToken = (on: Audit): Promise<{ readonly what: string; readonly answer: Answer }> =>
  on.once('mcp without a token', async () => {
    await on.mcpPath()
    const open = await on.mcp()
    if (isChallenge(open)) return { what: LIST, answer: open }
    const { accessToken } = await on.sharedTokens()
    const more = beyond(await on.mcp({ token: accessToken }), open)
    if (more.length === 0)
      throw new Stop(notApplicable('a token shows no more tools than a request without one', open))
    const name = harmless(more)
    const message = request('tools/call', { name, arguments: {} })
    return { what: name, answer: await on.mcp({ message }) }
  })

/** A call whose token lacks the scope that its tool needs, and the answer. */
const shortOfScope = async (on: Audit) => {
  await on.mcpPath()
  const [{ accessToken }, narrow] = [await on.sharedTokens(), await narrowTokens(on)]
  const call = await on.once('mcp short of scope', async () => {
    const { accessToken: token } = narrow
    const less = await on.mcp({ token })
    const more = beyond(await on.mcp({ token: accessToken }), less)
    if (more.length === 0)
      throw new Stop(notApplicable('the scope that was left out shows no more tools', less))
    // The arguments may be looked at before the scope.
    const name = harmless(more.filter((tool) => !isRequiring(tool)))
    const answer = await on.mcp({ token, message: request('tools/call', { name, arguments: {} }) })
    if (hasRun(answer)) throw new Stop(notReached(`${name} runs without the scope`, answer))
    return { name, answer }
  })
  return { ...call, granted: grantedScopes(narrow) }
}

const isForScope = ({ status, headers }: Answer): boolean =>
  status === 403 && challenged(headers, 'error') === 'insufficient_scope'

/** The challenge of a call that lacks a scope. Stops if there is none. */
async function scopeChallenge(on: Audit) {
  const call = await shortOfScope(on)
  if (isForScope(call.answer)) return call
  throw new Stop(notReached(`the call is answered by ${shown(call.answer)}, not by insufficient_scope`, call.answer)) // prettier-ignore
}

/** Who may use the MCP endpoint, and what a token decides there. */
export const mcpAuthorizationChecks: readonly Check[] = [
  {
    id: 'mcp/bad-token', clause: TEXT.token, depth: 'anonymous',
    change: 'If there is an Authorization header, verify it before you look at the message. Who sends a bad token wants to be asked to sign in again.',
    async run(on) {
      await on.mcpPath()
      const answer = await on.mcp({ token: newSecret() })
      if (isTaken(answer) && (await on.resourceIdentifier()) === null)
        return notApplicable('the endpoint takes no tokens: the server has no protected resource metadata', answer)
      return judge(answer, answer.status === 401, `an invented token is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/tool-without-token', clause: TEXT.noData, depth: 'people',
    change: 'Decide for each call whether its caller may make it, and not only which tools a list shows.',
    async run(on) {
      const { what, answer } = await withoutToken(on)
      return judge(answer, !hasRun(answer), `${what} without a token is answered by ${shown(answer)}`)
    },
  },
  {
    id: 'mcp/needed-scope', clause: TEXT.needed, depth: 'people',
    change: 'Add scope="…" to WWW-Authenticate of a 401, with the scopes that the request needs.',
    async run(on) {
      const { what, answer } = await withoutToken(on)
      const found = `${what} without a token is answered by ${shown(answer)}`
      // A list may need a token of whatever scope.
      if (answer.status !== 401 || what === LIST) return notApplicable(found, answer)
      const named = challenged(answer.headers, 'scope')
      return judge(answer, named !== null, `${found} and ${named === null ? 'no scope' : `the scope ${named}`}`)
    },
  },
  {
    id: 'mcp/insufficient-scope', clause: TEXT.scope, depth: 'people', shares: [NARROW],
    change: 'Answer 403 with WWW-Authenticate: Bearer error="insufficient_scope", scope="…" to a call whose token lacks a scope.',
    async run(on) {
      const { name, answer } = await shortOfScope(on)
      const code = challenged(answer.headers, 'error') ?? 'no error in a challenge'
      return judge(answer, isForScope(answer), `${name} is answered by ${shown(answer)} and ${code}`)
    },
  },
  {
    id: 'mcp/challenge-scope', clause: TEXT.scopes, depth: 'people', shares: [NARROW],
    change: 'Add scope="…" to WWW-Authenticate, with every scope that the call needs.',
    async run(on) {
      const { answer, granted } = await scopeChallenge(on)
      const named = challenged(answer.headers, 'scope') ?? ''
      const isNew = named.split(' ').some((one) => one !== '' && !granted.includes(one))
      return judge(answer, isNew, `the challenge names ${named}`, `the challenge names ${named || 'no scope'}, and the token has ${granted.join(' ')}`)
    },
  },
  {
    id: 'mcp/challenge-metadata', clause: TEXT.metadata, depth: 'people', shares: [NARROW],
    change: 'Add resource_metadata="…" to WWW-Authenticate, with the address of the protected resource metadata.',
    async run(on) {
      const { answer: challenge } = await scopeChallenge(on)
      const url = challenged(challenge.headers, 'resource_metadata') ?? ''
      if (!URL.canParse(url)) return violated(challenge, `the challenge has ${url || 'nothing'} as resource_metadata`)
      const answer = await on.read(url)
      return judge(answer, isRead(answer) && 'resource' in answer.json, `${url} is the metadata`, `${url} is not the metadata of a resource`)
    },
  },
  {
    id: 'mcp/session-is-no-login', clause: TEXT.session, depth: 'people',
    change: 'Verify the token of each request, and use the session for nothing but messages.',
    async run(on) {
      await on.mcpPath()
      const { accessToken: token } = await on.sharedTokens()
      const known = await on.mcp({ token })
      if (!isTaken(known)) return notReached(`the token is refused with ${known.status}`, known)
      const answer = await on.mcp({ token, headers: { authorization: null } })
      if (!isTaken(answer)) return held(answer, `a later request without the token is answered by ${shown(answer)}`)
      const open = await on.mcp()
      if (beyond(known, open).length === 0) return notApplicable('a token shows no more tools than a request without one', open)
      return judge(answer, beyond(answer, open).length === 0, 'a later request without the token sees what any sender sees', 'a later request without the token sees the tools of its person')
    },
  },
  {
    id: 'mcp/session-id', clause: TEXT.sessionId, depth: 'anonymous',
    change: 'Make the identifier of 128 random bits or more, such as by crypto.randomUUID().',
    async run(on) {
      const { token } = await speaker(on)
      const opened = await on.initialize(token)
      const first = opened.headers.get('mcp-session-id')
      if (first === null) return notApplicable('the server has no sessions', opened)
      const answer = await say(on, { message: INITIALIZE, headers: OUTSIDE })
      const second = answer.headers.get('mcp-session-id') ?? ''
      const differing = [...second].filter((one, index) => one !== first[index]).length
      return judge(answer, /^[\x21-\x7e]{16,}$/.test(second) && differing >= 8, `two identifiers of ${second.length} characters differ in ${differing}`)
    },
  },
] // prettier-ignore
