import { Stop } from '../finding.js'
import type { Audit } from './audit.js'
import { asksForToken } from './challenge.js'
import { isRead, metadataOf } from './discovery.js'
import type { Answer } from './http.js'

/**
 * Throws unless there is a server of OAuth or MCP, and says what is there instead. No check would find that out: each
 * of them would blame the server for one clause.
 */
export async function requireServer(audit: Audit): Promise<void> {
  const { issuer, origin, read, signIn } = audit
  const path = issuer.slice(origin.length)
  const [first, other] = metadataOf(path)
  const answer = await answerOf(audit, first)
  if (isRead(answer) || signIn?.endpoints !== undefined) return
  if (isRead(await answerOf(audit, other))) return
  const resource = await audit.resourceAnswer()
  const servers = resource.json['authorization_servers']
  const [server] = Array.isArray(servers) ? (servers as unknown[]) : []
  if (isRead(resource)) {
    if (typeof server !== 'string' || server.startsWith(origin)) return
    throw new Error(`${issuer} is a resource, and its authorization server is ${server}: audit that with --origin ${origin}`)
  }
  // An MCP server without authorization is one too.
  const mcp = await audit.initialize().catch(() => null)
  if (mcp !== null && (mcp.json['jsonrpc'] !== undefined || asksForToken(mcp.headers))) return
  if (path !== '') {
    const [one, two] = metadataOf('')
    const above = await read(one).then((found) => isRead(found) ? found : read(two))
    const { issuer: named } = above.json
    if (isRead(above)) throw new Error(`there is no server at ${issuer}: the issuer is ${typeof named === 'string' ? named : origin}`)
  }
  throw new Error(faultOf(issuer, answer))
} // prettier-ignore

async function answerOf({ read, origin }: Audit, target: string): Promise<Answer> {
  try {
    return await read(target)
  } catch (error) {
    const why = error instanceof Stop ? error.finding.found : (error as Error).message
    throw new Error(`${origin} does not answer: ${why}`, { cause: error })
  }
}

/** Says which site answers in the place of a server, and how to correct that. */
function faultOf(issuer: string, { status, headers, location, url }: Answer): string {
  const where = `${url.pathname} of ${url.origin}`
  if (status >= 500) return `${where} is answered by ${status}: the server may still start, or its log says why`
  if (location !== null)
    return location.origin === url.origin
      ? `${where} redirects to ${location.pathname}: clients read it without a sign-in, so serve it to everyone`
      : `${where} redirects to ${location.origin}: audit that`
  if (status === 401 || status === 403 || status === 407)
    return `${where} is answered by ${status}: clients read it without a sign-in, so serve it to everyone`
  const isPage = /html/i.test(headers.get('content-type') ?? '')
  return `${issuer} is not a server of OAuth: ${url.pathname} is answered by ${status}${isPage ? ' and a page' : ''}, and there is no other metadata. The issuer may have a path, such as ${url.origin}/realms/school; for a server without metadata, give \`endpoints\` in the file of --sign-in`
} // prettier-ignore
