import type { SignIn, Surface } from '../sign-in.js'
import type { Discovery } from './discovery.js'
import type { Answer, Http } from './http.js'
import type { Once } from './keep.js'
import type { Mcp } from './mcp.js'

/** A place at which an access token was tried. */
export interface Use {
  readonly surface: string
  readonly answer: Answer
  /** Whether the server took the token as valid. */
  readonly isAccepted: boolean
}

/** A place at which access tokens are tried, whatever they are sent with. */
export interface Place {
  readonly surface: string
  readonly url: URL
  readonly method: string
  /** `session` is a token whose MCP session the request is part of, if the server has sessions. */
  readonly send: (options: {
    readonly headers?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string>>
    readonly session?: string
  }) => Promise<Answer>
  /** Whether an answer shows that a token was taken as valid: where no one needs one, it lists further tools. */
  readonly isRead: (answer: Answer) => Promise<boolean>
}

export interface Places {
  /**
   * Tries an access token at every surface: `UserInfo`, `/mcp` and the paths of the sign-in. `at` names one of the first
   * two, is one of the sign-in, or is `paths` for all of these.
   */
  readonly use: (
    accessToken: string,
    at?: 'UserInfo' | '/mcp' | 'paths' | Surface,
  ) => Promise<readonly Use[]>
  /** The places at which access tokens are tried: UserInfo, the surfaces of the sign-in, and `/mcp`. */
  readonly places: () => Promise<readonly Place[]>
}

export function createPlaces({
  origin, http, discovery, mcp, signIn, once,
}: {
  readonly origin: string
  readonly http: Http
  readonly discovery: Discovery
  readonly mcp: Mcp
  readonly signIn: SignIn | null
  readonly once: Once
}): Places {
  function placeOf(surface: string, { path, method = 'GET', body }: Surface): Place {
    const url = new URL(path, origin)
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return {
      surface,
      url,
      method,
      isRead: async (answer) => isTaken(answer),
      send: ({ headers = {}, query = {} }) =>
        http.send(withQuery(url, query), { method, headers: { ...type, ...headers }, ...(body !== undefined && { body }) }),
    }
  }

  const mcpPlace = async (): Promise<Place> => ({
    surface: '/mcp',
    url: await mcp.mcpUrl(),
    method: 'POST',
    isRead: async (answer) => {
      if (!isTaken(answer)) return false
      const open = await once('mcp open', () => mcp.mcp())
      return !isTaken(open) || toolsOf(answer) !== toolsOf(open)
    },
    send: ({ headers = {}, query = {}, session }) =>
      mcp.mcp({ ...(session !== undefined && { token: session }), headers: { authorization: null, ...headers }, query }),
  })

  const places: Places['places'] = () =>
    once('places', async () => {
      const userinfo = await discovery.optionalEndpoint('userinfo_endpoint')
      return [
        ...(userinfo === null ? [] : [placeOf('UserInfo', { path: userinfo })]),
        ...(signIn?.surfaces ?? []).map((surface) => placeOf(surface.path, surface)),
        ...((await mcp.hasMcp()) ? [await mcpPlace()] : []),
      ]
    })

  return {
    places,
    async use(accessToken, at) {
      const isWanted = (surface: string): boolean =>
        at === undefined ||
        (typeof at === 'object' ? at.path === surface : at === surface) ||
        (at === 'paths' && surface !== 'UserInfo' && surface !== '/mcp')
      const uses: Use[] = []
      for (const { surface, send } of await places()) {
        if (!isWanted(surface)) continue
        const answer = await send({ headers: { authorization: `Bearer ${accessToken}` }, session: accessToken })
        uses.push({ surface, answer, isAccepted: isTaken(answer) })
      }
      return uses
    },
  }
} // prettier-ignore

/**
 * Whether a token was taken. A 403 for a missing scope is of a token that is valid, and so is an error of JSON-RPC about a
 * method or its parameters.
 */
export const isTaken = ({ status, headers, json }: Answer): boolean => {
  const { jsonrpc, error } = json as { jsonrpc?: unknown; error?: { code?: unknown } }
  if (/error="?insufficient_scope/.test(headers.get('www-authenticate') ?? '')) return true
  if (status >= 300) return false
  return jsonrpc === undefined || error === undefined || error.code === -32601 || error.code === -32602 // prettier-ignore
}

/** The names of the tools that a message lists. */
function toolsOf({ json }: Answer): string {
  const { tools } = (json['result'] ?? {}) as { tools?: readonly { name?: unknown }[] }
  return JSON.stringify((Array.isArray(tools) ? tools : []).map(({ name }) => name as unknown))
}

function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const target = new URL(url)
  for (const [name, value] of Object.entries(query)) target.searchParams.append(name, value)
  return target
}
