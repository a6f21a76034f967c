import { explainAccess } from './explain.js'
import { type Answer, type Asked, send } from './exchange.js'
import { type Tokens, type Walk, withOutcome } from './walk.js'

/** Sends a request with the access token. */
export const useAs = (
  { accessToken }: Tokens,
  path: string,
  more: Partial<Asked> = {},
): Promise<Answer> => send({ method: 'GET', path, accessToken, ...more })

/** Uses the access token for UserInfo, the admin API and MCP. */
export async function use(walk: Walk): Promise<Walk> {
  const client = walk.client!
  const tokens = walk.tokens!
  const [who, courses, tools] = await Promise.all([
    useAs(tokens, '/api/oauth/userinfo'),
    useAs(tokens, '/api/v1/courses?limit=2&fields=id,title,state'),
    useAs(tokens, '/mcp', {
      method: 'POST',
      accept: 'application/json, text/event-stream',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      outline: namesOfTools,
    }),
  ])
  const claimed = who.json['roles']
  const roles = Array.isArray(claimed) ? (claimed as string[]) : walk.roles
  const explain = (said: string, required: readonly string[]) =>
    explainAccess(said, { tokens, client, ended: walk.ended, roles, required })
  const ok = who.ok && courses.ok && tools.ok
  return withOutcome(
    { ...walk, roles },
    {
      act: 'use',
      ok,
      said: ok
        ? 'One token works for three APIs. Each request decides again what it may do: its scopes, limited to what the client may have and to what your role allows now.'
        : walk.ended === null
          ? 'Not every request succeeded.'
          : 'The token is the same, but it no longer works: its grant has ended.',
      exchanges: [who.exchange, courses.exchange, tools.exchange],
      checks: [
        explain('May it open UserInfo, which needs openid?', ['openid']),
        explain('May it read courses of the admin API, which needs courses:read?', [
          'courses:read',
        ]),
        explain('May it open MCP, which lists the tools for these scopes?', []),
      ],
    },
  )
}

/** Shortens a tool list of 24 kB to the names of the tools. */
function namesOfTools({ result, ...rest }: Readonly<Record<string, unknown>>): unknown {
  const tools = (result as { tools?: readonly { name: string }[] } | undefined)?.tools ?? []
  return { ...rest, result: { tools: tools.map(({ name }) => name) } }
}
