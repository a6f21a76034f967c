import { notApplicable, notReached, Stop } from '../finding.js'
import type { Answer, Http } from './http.js'
import type { Once } from './keep.js'

/** A document that a server publishes, as JSON. */
export type Metadata = Readonly<Record<string, unknown>>

/** The documents that a server publishes. Each of them is read once for an audit. */
export interface Discovery {
  /** Reads a document of the server, once for an audit. */
  readonly read: (target: URL | string) => Promise<Answer>
  /** The answer with the authorization server metadata of RFC 8414. */
  readonly serverAnswer: () => Promise<Answer>
  /** That of OpenID Connect Discovery. */
  readonly openidAnswer: () => Promise<Answer>
  /** That of the protected resource metadata of RFC 9728, of an origin or of `/mcp` there. */
  readonly resourceAnswer: () => Promise<Answer>
  /** The origin of the resource that is audited, such as an MCP server on a host of its own. */
  readonly resourceOrigin: () => Promise<string>
  readonly keysAnswer: () => Promise<Answer>
  /** The authorization server metadata; that of OpenID Connect where there is no other. */
  readonly server: () => Promise<Metadata>
  /** Stops as not applicable if the server has none. */
  readonly openid: () => Promise<Metadata>
  /** Stops as not applicable if the server has none. */
  readonly resource: () => Promise<Metadata>
  /** The public keys, which have a `kid`, an `alg` and so on if the server gave them one. */
  readonly keys: () => Promise<readonly Metadata[]>
  /** The URL of an endpoint. Stops as not applicable if the metadata does not name it. */
  readonly endpoint: (name: string) => Promise<string>
  readonly optionalEndpoint: (name: string) => Promise<string | null>
  /** A list of strings in the metadata; empty if it has none. */
  readonly listOf: (name: string) => Promise<readonly string[]>
  /** Stops as not applicable unless a list of the metadata has this value. */
  readonly requires: (name: string, value: string) => Promise<void>
  /** Whether every client has to sign, and none can be public or have a secret. */
  readonly takesSignersOnly: () => Promise<boolean>
  /** Stops as not applicable if no client can be public. */
  readonly requiresPublic: () => Promise<void>
  readonly resourceIdentifier: () => Promise<string | null>
}

/** The addresses of a server. */
export interface DiscoveryOptions {
  readonly issuer: string
  /** The origins of the server: that of the issuer, and further ones. */
  readonly origins: readonly string[]
  /** The URL of the MCP endpoint; `null` if the metadata leads to it. */
  readonly mcpUrl: URL | null
  readonly endpoints: Readonly<Record<string, string>> | null
  readonly http: Http
  readonly once: Once
}

const RESOURCE = '/.well-known/oauth-protected-resource'

export function createDiscovery({
  issuer,
  origins,
  mcpUrl,
  endpoints,
  http,
  once,
}: DiscoveryOptions): Discovery {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const get = (target: URL | string): Promise<Answer> => {
    const url = new URL(target, origin)
    return once(`GET ${url.href}`, () =>
      http.send(url, { headers: { accept: 'application/json' } }),
    )
  }
  /** A document that the server need not publish if its operator has named its endpoints. */
  const published = async (target: string): Promise<Answer> => {
    const answer = await get(target)
    if (endpoints !== null && !isRead(answer))
      throw new Stop(notApplicable('the server publishes no metadata, and the file of --sign-in names its endpoints')) // prettier-ignore
    return answer
  }
  const [ofServer, ofOpenId] = metadataOf(path)
  const serverAnswer = () => published(ofServer)
  const openidAnswer = () => published(ofOpenId)
  const resourceAnswer = async (): Promise<Answer> => {
    const targets =
      mcpUrl === null
        ? origins.flatMap((one) => [one + RESOURCE, `${one}${RESOURCE}/mcp`])
        : [mcpUrl.origin + RESOURCE + mcpUrl.pathname.replace(/\/$/, ''), mcpUrl.origin + RESOURCE]
    let found: Answer | undefined
    for (const target of targets) {
      const answer = await get(target)
      if (isRead(answer)) return answer
      found ??= answer
    }
    return found!
  }
  const openid = async (): Promise<Metadata> => {
    const answer = await openidAnswer()
    if (!isRead(answer)) throw new Stop(notApplicable('the server has no OpenID configuration'))
    return answer.json
  }
  const resource = async (): Promise<Metadata> => {
    const answer = await resourceAnswer()
    if (!isRead(answer))
      throw new Stop(notApplicable('the server has no protected resource metadata'))
    return answer.json
  }
  const server = async (): Promise<Metadata> => {
    const answer = await get(ofServer)
    if (isRead(answer)) return answer.json
    const other = await get(ofOpenId)
    if (isRead(other)) return other.json
    if (endpoints !== null) return endpoints
    throw new Stop(
      notReached(`the server has no metadata: ${answer.status} at ${answer.url.pathname}`),
    )
  }
  const optionalEndpoint = async (name: string): Promise<string | null> => {
    const named = (await server())[name] ?? (await openid().catch((): Metadata => ({})))[name]
    return typeof named === 'string' && URL.canParse(named) ? named : null
  }
  const endpoint = async (name: string): Promise<string> => {
    const url = await optionalEndpoint(name)
    if (url === null) throw new Stop(notApplicable(`the metadata names no ${name}`))
    return url
  }
  const listOf = async (name: string): Promise<readonly string[]> => {
    const named = (await server())[name]
    return Array.isArray(named) ? named.filter((one) => typeof one === 'string') : []
  }
  const takesSignersOnly = async (): Promise<boolean> => {
    const methods = await listOf('token_endpoint_auth_methods_supported')
    return methods.length > 0 && methods.every((one) => one === 'private_key_jwt')
  }
  const keysAnswer = async () => get(await endpoint('jwks_uri'))
  return {
    read: get,
    serverAnswer,
    openidAnswer,
    resourceAnswer,
    resourceOrigin: async () => {
      if (mcpUrl !== null) return mcpUrl.origin
      const answer = await resourceAnswer()
      return isRead(answer) ? answer.url.origin : origin
    },
    keysAnswer,
    server,
    openid,
    resource,
    keys: async () => {
      const { keys } = (await keysAnswer()).json
      return Array.isArray(keys) ? (keys as Metadata[]) : []
    },
    endpoint,
    optionalEndpoint,
    listOf,
    requires: async (name, value) => {
      if (!(await listOf(name)).includes(value))
        throw new Stop(notApplicable(`${name} of the metadata has no ${value}`))
    },
    takesSignersOnly,
    requiresPublic: async () => {
      if (await takesSignersOnly())
        throw new Stop(notApplicable('every client has to sign, so that none is public'))
    },
    resourceIdentifier: async () => {
      const named = (await resource().catch((): Metadata => ({})))['resource']
      return typeof named === 'string' ? named : null
    },
  }
}

/**
 * The addresses of the metadata of an issuer with a path: RFC 8414, section 3.1, inserts the well-known path before it,
 * and OpenID Connect appends it.
 */
export const metadataOf = (path: string): readonly [string, string] => [
  `/.well-known/oauth-authorization-server${path}`,
  `${path}/.well-known/openid-configuration`,
]

/** Whether an answer is a document: a JSON object with members. */
export const isRead = ({ status, json }: Answer): boolean =>
  status === 200 && Object.keys(json).length > 0
