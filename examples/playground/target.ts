import { type Check, cimd, compared, oidc, rfc } from '../walk/check.js'
import { newDraft } from './draft.js'
import { dispatch, MAX_MILLISECONDS, type Reply } from './send.js'
import type { Sent, Session } from './session.js'

type Metadata = Readonly<Record<string, unknown>>

/** The metadata that a client finds at the address of a server. */
export interface Discovered {
  readonly metadata: Metadata | null
  /** The `resource` in its own metadata, or `null` if it has none. */
  readonly resource: string | null
  readonly sent: readonly Sent[]
  /** The first two decide whether a client may use the server at all. */
  readonly checks: readonly Check[]
}

/** Inserts a well-known path before the path of an address (RFC 8414, section 3.1). */
const wellKnown = (address: string, name: string): string => {
  const { origin, pathname } = new URL(address)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`
}

const read = async (url: string): Promise<Reply | null> => {
  try {
    return await dispatch(newDraft('GET', url))
  } catch {
    return null
  }
}

/** Reads the first document that exists. */
async function readFirst(urls: readonly string[]): Promise<readonly (Reply | null)[]> {
  const replies: (Reply | null)[] = []
  for (const url of new Set(urls)) {
    const reply = await read(url)
    replies.push(reply)
    if (reply?.ok === true && Object.keys(reply.json).length > 0) break
  }
  return replies
}

/** Whether a server responds at all: the response cannot be read. */
async function responds(address: string): Promise<boolean> {
  try {
    await fetch(address, {
      mode: 'no-cors',
      credentials: 'omit',
      signal: AbortSignal.timeout(MAX_MILLISECONDS),
    })
    return true
  } catch {
    return false
  }
}

/**
 * Discovers a server from one address, as a client does: the metadata of the resource names the authorization
 * server, whose metadata names the endpoints. For an agent, the resource is the MCP endpoint.
 *
 * @throws `unreachable` if nothing responds, `unreadable` if the server lets no page of another origin read it
 */
export async function discoverAt({ target, track }: Session): Promise<Discovered> {
  const { origin, pathname } = new URL(target)
  const address = track === 'mcp' && pathname === '/' ? `${origin}/mcp` : target
  const resources = await readFirst([
    wellKnown(address, 'oauth-protected-resource'),
    wellKnown(origin, 'oauth-protected-resource'),
  ])
  const described = lastOk(resources)
  const [issuer = target.replace(/\/$/, '')] = listOf(described?.json['authorization_servers'])
  const found = await readFirst([
    wellKnown(issuer, 'oauth-authorization-server'),
    `${issuer}/.well-known/openid-configuration`,
    wellKnown(issuer, 'openid-configuration'),
  ])
  const replies = [...resources, ...found]
  if (replies.every((reply) => reply === null))
    throw new Error((await responds(target)) ? 'unreadable' : 'unreachable')
  const metadata = lastOk(found)?.json ?? null
  const resource = described?.json['resource']
  return {
    metadata,
    resource: typeof resource === 'string' && URL.canParse(resource) ? resource : null,
    sent: replies.flatMap((reply) => (reply === null ? [] : [reply.sent])),
    checks: checksOf({ issuer, metadata: metadata ?? {}, described: described?.json ?? {} }),
  }
}

const lastOk = (replies: readonly (Reply | null)[]): Reply | null =>
  replies.find((reply) => reply?.ok === true && Object.keys(reply.json).length > 0) ?? null

const listOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** Says what a server has, and what it lacks, of that which a careful client wants. */
function checksOf({
  issuer,
  metadata,
  described,
}: {
  issuer: string
  metadata: Metadata
  described: Metadata
}): readonly Check[] {
  const has = (name: string, value: string): string | null =>
    listOf(metadata[name]).includes(value) ? value : null
  const names = (name: string): boolean => typeof metadata[name] === 'string'
  const there = (said: string, isThere: boolean, section: Check['section']): Check => ({
    said,
    ok: isThere,
    decision: null,
    answer: isThere ? 'yes' : 'no',
    section,
  })
  return [
    compared(
      'The issuer is the one that was asked',
      [metadata['issuer'], issuer],
      rfc(8414, '3.3'),
    ),
    there(
      'A code cannot go to another server: responses name their issuer, or one origin has both endpoints',
      metadata['authorization_response_iss_parameter_supported'] === true ||
        originOf(metadata['authorization_endpoint']) === originOf(metadata['token_endpoint']),
      rfc(9700, '4.4'),
    ),
    there(
      'The resource describes itself, and names its authorization server',
      listOf(described['authorization_servers']).length > 0,
      rfc(9728, '2'),
    ),
    compared(
      'PKCE with S256',
      [has('code_challenge_methods_supported', 'S256'), 'S256'],
      rfc(8414, '2'),
    ),
    compared(
      'Responses name their issuer',
      [metadata['authorization_response_iss_parameter_supported'], true],
      rfc(9207, '3'),
    ),
    compared(
      'Public clients, without a secret',
      [has('token_endpoint_auth_methods_supported', 'none'), 'none'],
      rfc(8414, '2'),
    ),
    there('Clients can register', names('registration_endpoint'), rfc(7591, '3')),
    compared(
      'Clients can have a metadata document',
      [metadata['client_id_metadata_document_supported'], true],
      cimd('5'),
    ),
    there('Tokens can be renewed', grantsRefresh(metadata), rfc(6749, '6')),
    there('Tokens can be revoked', names('revocation_endpoint'), rfc(7009, '2')),
    there('UserInfo', names('userinfo_endpoint'), oidc('5.3', 'UserInfo')),
  ]
}

const originOf = (url: unknown): string | null =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : null

// Without the member, a server has the code and the implicit grant only (RFC 8414, section 2).
const grantsRefresh = (metadata: Metadata): boolean =>
  listOf(metadata['grant_types_supported']).includes('refresh_token')
