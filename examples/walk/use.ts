import { explainAccess } from './explain.js'
import { type Answer, type Asked, send } from './exchange.js'
import { type Tokens, type Walk, withOutcome } from './walk.js'

/** Asks for something with the access token. */
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
        ? 'One token opens three doors. What it may do is decided anew for every request: its scopes, within what the client may have, within what your role allows now.'
        : walk.ended === null
          ? 'Not every door opened.'
          : 'The token is the same, and opens nothing any more: its grant has ended.',
      exchanges: [who.exchange, courses.exchange, tools.exchange],
      checks: [
        explain('UserInfo, which needs openid', ['openid']),
        explain('Courses of the admin API, which need courses:read', ['courses:read']),
        explain('MCP, which lists what these scopes can call', []),
      ],
    },
  )
}

/** What a page can show of 24 kB: the name of each tool. */
function namesOfTools({ result, ...rest }: Readonly<Record<string, unknown>>): unknown {
  const tools = (result as { tools?: readonly { name: string }[] } | undefined)?.tools ?? []
  return { ...rest, result: { tools: tools.map(({ name }) => name) } }
}
