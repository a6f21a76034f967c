import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import { isRead, type Metadata } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { emptyList, otherType, quote, withoutForwardedHost } from './documents.js'
import { isSecure, listIn } from './expect.js'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const METHODS = ['header', 'body', 'query']
/** A token that the server did not issue. */
const UNKNOWN_TOKEN = 'a-token-of-no-server'

/** The address of the metadata of a resource (RFC 9728, section 3.1). */
function addressOf(resource: string): URL {
  const { origin, pathname, search } = new URL(resource)
  return new URL(`${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`, origin)
}

/** The path of the MCP endpoint; `null` if there is none. */
const mcpPathOf = async (on: Audit): Promise<string | null> =>
  (await on.hasMcp()) ? on.mcpPath() : null

/** The documents at the well-known addresses of the origin and of the MCP endpoint. Stops if there is none. */
async function documents(on: Audit): Promise<readonly Answer[]> {
  const path = await mcpPathOf(on)
  const answers = [await on.read(WELL_KNOWN)]
  if (path !== null && path !== '/') answers.push(await on.read(WELL_KNOWN + path))
  if (!answers.some(isRead))
    throw new Stop(notApplicable('the server has no protected resource metadata'))
  return answers.filter(isRead)
}

/** Held if no document is wrong. The report shows the first that is. */
async function inEach(
  on: Audit,
  good: string,
  wrong: (document: Metadata, answer: Answer) => string | null,
): Promise<Finding> {
  for (const answer of await documents(on)) {
    on.show(answer)
    const why = wrong(answer.json, answer)
    if (why !== null) return violated(`${answer.url.pathname}: ${why}`)
  }
  return held(good)
}

/** A 401 that names the metadata of its resource. */
interface Challenge {
  /** The URL that was requested, without its query. */
  readonly requested: string
  readonly metadata: string
  readonly answer: Answer
}

/** The answers of all surfaces to a token that the server did not issue. */
const challenges = (on: Audit): Promise<readonly Challenge[]> =>
  on.once('challenges of resources', async () =>
    (await on.use(UNKNOWN_TOKEN)).flatMap(({ answer }) => {
      const field = answer.headers.get('www-authenticate') ?? ''
      const metadata = /\bresource_metadata\s*=\s*(?:"([^"]*)"|([^\s",]+))/i.exec(field)
      const requested = answer.url.origin + answer.url.pathname
      return metadata === null
        ? []
        : [{ requested, metadata: metadata[1] ?? metadata[2] ?? '', answer }]
    }),
  )

/** Whether a URL belongs to a resource: it is the resource, or below it. */
function isWithin(requested: string, resource: unknown): boolean {
  if (typeof resource !== 'string') return false
  const start = resource.replace(/\/$/, '')
  return requested === resource || requested === start || requested.startsWith(`${start}/`)
}

/** The documents that a protected resource publishes about itself. */
export const resourceMetadata: readonly Check[] = [
  {
    id: 'resource-metadata/published',
    clause: {
      document: 'MCP Authorization',
      section: 'Authorization Server Location',
      level: 'MUST',
      says: 'An MCP server that asks for access tokens publishes protected resource metadata.',
    },
    depth: 'anonymous',
    change:
      'Serve the metadata of RFC 9728 at /.well-known/oauth-protected-resource and the path of the MCP endpoint, and name it in WWW-Authenticate. It is the only way in which clients find the authorization server.',
    async run(on) {
      const path = await on.mcpPath()
      const answer = await on.mcp({ token: UNKNOWN_TOKEN })
      const url = new URL(path, on.origin).href
      const named = (await challenges(on)).find(({ requested }) => requested === url)?.metadata
      // One at another origin stops here, because it cannot be read.
      const isNamed = named !== undefined && isSecure(named)
      const targets = [WELL_KNOWN + path, WELL_KNOWN, ...(isNamed ? [named] : [])]
      for (const target of targets)
        if (isRead(await on.read(target))) return held(`the metadata is at ${target}`)
      return answer.status === 401
        ? violated(`${path} asks for a token, and there is no metadata at ${targets.join(', ')}`)
        : notApplicable(`${path} asks for no token: ${answer.status}`)
    },
  },
  {
    id: 'resource-metadata/json',
    clause: {
      document: 'RFC 9728',
      section: '3.2',
      level: 'MUST',
      says: 'The metadata of a resource is sent as application/json.',
    },
    depth: 'passive',
    change: 'Send Content-Type: application/json with the document.',
    run: (on) => inEach(on, 'the metadata is application/json', (_, answer) => otherType(answer)),
  },
  {
    id: 'resource-metadata/resource',
    clause: {
      document: 'RFC 9728',
      section: '3.3',
      level: 'MUST',
      says: 'The resource in the metadata is exactly the identifier from which its address was formed.',
    },
    depth: 'passive',
    change:
      'Name the URL of the resource as clients are given it. Clients refuse the metadata of any other, because it may be that of an attacker.',
    async run(on) {
      const path = await mcpPathOf(on)
      return inEach(on, 'each document names its resource', ({ resource }, { url }) => {
        const own = on.origin + url.pathname.slice(WELL_KNOWN.length)
        // MCP lets the document of an endpoint be at the root, and the slash of a root is not part of its address.
        const others = own === on.origin ? [`${on.origin}/`, on.origin + (path ?? '')] : []
        return [own, ...others].includes(String(resource))
          ? null
          : `the resource is ${quote(resource)}, not ${own}`
      })
    },
  },
  {
    id: 'resource-metadata/resource-form',
    clause: {
      document: 'RFC 9728',
      section: '1.2',
      level: 'MUST',
      says: 'A resource identifier is an https URL without a fragment.',
    },
    depth: 'passive',
    change:
      'Name the resource by its URL, such as https://school.example/mcp. http is only for this computer.',
    run: (on) =>
      inEach(on, 'the resource has the form of an identifier', ({ resource }) =>
        typeof resource === 'string' && isSecure(resource) && !resource.includes('#')
          ? null
          : `the resource is ${quote(resource)}`,
      ),
  },
  {
    id: 'resource-metadata/authorization-servers',
    clause: {
      document: 'MCP Authorization',
      section: 'Authorization Server Location',
      level: 'MUST',
      says: 'The metadata of an MCP server names at least one authorization server.',
    },
    depth: 'passive',
    change: 'Publish "authorization_servers" with the issuer, also if it is of the same origin.',
    async run(on) {
      await on.mcpPath()
      return inEach(on, 'authorization servers are named', (document) =>
        listIn(document, 'authorization_servers')?.[0] === undefined
          ? `authorization_servers is ${quote(document['authorization_servers'])}`
          : null,
      )
    },
  },
  {
    id: 'resource-metadata/issuer-named',
    clause: {
      document: 'RFC 9728',
      section: '2',
      level: 'MUST',
      says: 'An authorization server is named by its issuer identifier, character by character.',
    },
    depth: 'passive',
    change:
      'Copy the issuer of the authorization server metadata into authorization_servers, without another slash or host.',
    async run(on) {
      const issuer = (await on.server().catch(() => null))?.['issuer']
      if (typeof issuer !== 'string')
        return notApplicable('the server is not an authorization server')
      let found = 0
      const finding = await inEach(on, `the issuer is named: ${issuer}`, (document) => {
        const servers = listIn(document, 'authorization_servers')
        if (servers === null) return null
        found += 1
        return servers.includes(issuer)
          ? null
          : `authorization_servers is ${quote(servers)}, and the issuer is ${quote(issuer)}`
      })
      return found > 0 ? finding : notApplicable('no authorization servers are named')
    },
  },
  {
    id: 'resource-metadata/bearer-methods',
    clause: {
      document: 'RFC 9728',
      section: '2',
      level: 'MUST',
      says: 'The ways in which a resource receives tokens are header, body and query.',
    },
    depth: 'passive',
    change: 'Publish "bearer_methods_supported": ["header"].',
    run: (on) => ofMethods(on, (methods) => methods.find((one) => !METHODS.includes(one))),
  },
  {
    id: 'resource-metadata/no-tokens-in-urls',
    clause: {
      document: 'RFC 9700',
      section: '4.3.2',
      level: 'MUST NOT',
      says: 'No access token is sent in a URL, which logs and browsers keep.',
    },
    depth: 'passive',
    change: 'Remove "query" from bearer_methods_supported, and ignore access_token in queries.',
    run: (on) => ofMethods(on, (methods) => methods.find((one) => one === 'query')),
  },
  {
    id: 'resource-metadata/scopes',
    clause: {
      document: 'RFC 9728',
      section: '2',
      level: 'SHOULD',
      says: 'The metadata lists scopes that clients of the resource request.',
    },
    depth: 'passive',
    change:
      'Publish scopes_supported with what a client needs at first. MCP clients request exactly these if a challenge names none.',
    run: (on) =>
      inEach(on, 'scopes_supported is there', (document) =>
        listIn(document, 'scopes_supported') === null
          ? `scopes_supported is ${quote(document['scopes_supported'])}`
          : null,
      ),
  },
  {
    id: 'resource-metadata/no-empty-lists',
    clause: {
      document: 'RFC 9728',
      section: '3.2',
      level: 'MUST NOT',
      says: 'A list without elements is left out of the metadata.',
    },
    depth: 'passive',
    change: 'Leave the member out: an empty list does not mean the same to every client.',
    run: (on) => inEach(on, 'no list is empty', emptyList),
  },
  {
    id: 'resource-metadata/challenge',
    clause: {
      document: 'RFC 9728',
      section: '3.3',
      level: 'MUST',
      says: 'The metadata that a 401 names is that of the resource that was requested.',
    },
    depth: 'anonymous',
    change:
      'Name the metadata of the resource that answers. Its "resource" is the URL that was requested, or one above it.',
    async run(on) {
      const asked = await challenges(on)
      if (asked.length === 0) return notApplicable('no 401 names the metadata of its resource')
      for (const { requested, metadata, answer: challenge } of asked) {
        on.show(challenge)
        const start = `the 401 of ${requested} names ${metadata || 'nothing'}`
        if (!isSecure(metadata)) return violated(`${start}, which is not an https URL`)
        const answer = await on.read(metadata)
        on.show(answer)
        if (!isRead(answer)) return violated(`${start}, which is answered by ${answer.status}`)
        const { resource } = answer.json
        if (!isWithin(requested, resource)) return violated(`${start}, whose resource is ${quote(resource)}`) // prettier-ignore
      }
      return held(`${asked.map(({ requested }) => requested).join(', ')} name their own metadata`)
    },
  },
  {
    id: 'resource-metadata/inserted-path',
    clause: {
      document: 'RFC 9728',
      section: '3',
      level: 'MUST',
      says: 'The metadata of a resource with a path is at the well-known path followed by that of the resource.',
    },
    depth: 'anonymous',
    change:
      'Serve the metadata of https://school.example/mcp at https://school.example/.well-known/oauth-protected-resource/mcp. Clients that saw no 401 look there first.',
    async run(on) {
      const named = (await challenges(on)).map(({ metadata }) => metadata)
      const isOwn = (one: string): boolean => URL.canParse(one) && new URL(one).origin === on.origin
      const addresses = [WELL_KNOWN, WELL_KNOWN + ((await mcpPathOf(on)) ?? ''), ...named.filter(isOwn)] // prettier-ignore
      const resources = new Set<string>()
      for (const address of addresses) {
        const { resource } = (await on.read(address)).json
        if (isOwn(String(resource))) resources.add(String(resource))
      }
      const own = [...resources]
      if (own.length === 0) return notApplicable('the server names no resource of its origin')
      const atRoot = (await on.read(WELL_KNOWN)).json['resource']
      for (const resource of own) {
        const answer = await on.read(addressOf(resource))
        // MCP lets the document of an endpoint be at the root.
        if (atRoot === resource || isRead(answer)) continue
        on.show(answer)
        return violated(`the metadata of ${resource} is not at ${answer.url.pathname}: ${answer.status}`) // prettier-ignore
      }
      return held(`there is metadata of ${own.join(', ')}`)
    },
  },
  {
    id: 'resource-metadata/other-resource',
    clause: {
      document: 'RFC 9728',
      section: '3.3',
      level: 'MUST NOT',
      says: 'The address of the metadata of another resource does not lead to the metadata of this one.',
    },
    depth: 'passive',
    change: 'Match the well-known path exactly, and answer any other by 404.',
    async run(on) {
      await documents(on)
      const path = `/hallpass-audit-${newSecret().slice(0, 8)}`
      const answer = await on.send(new URL(WELL_KNOWN + path, on.origin))
      const { resource } = answer.json
      return judge(
        resource === undefined || resource === on.origin + path,
        `nothing claims to be the resource ${on.origin}${path}: ${answer.status}`,
        `the resource at ${answer.url.pathname} is ${quote(resource)}`,
      )
    },
  },
  {
    id: 'resource-metadata/forwarded-host',
    clause: {
      document: 'RFC 9700',
      section: '4.13',
      level: 'MUST',
      says: 'Header fields that anyone can send do not decide what the metadata of a resource says.',
    },
    depth: 'anonymous',
    change:
      'Configure the resource and its authorization servers, and form neither from the request. A cache would send every client to the host that this request names.',
    async run(on) {
      // There is one, or `documents` stops.
      const [document] = await documents(on)
      return withoutForwardedHost(on, document!.url)
    },
  },
]

/** Judges the ways in which each resource receives tokens, by the first that is wrong. */
async function ofMethods(
  on: Audit,
  wrong: (methods: readonly string[]) => string | undefined,
): Promise<Finding> {
  const named = new Set<string>()
  const finding = await inEach(on, 'the methods are right', (document) => {
    const methods = listIn(document, 'bearer_methods_supported') ?? []
    for (const method of methods) named.add(method)
    const found = wrong(methods)
    return found === undefined ? null : `bearer_methods_supported has ${quote(found)}`
  })
  if (named.size === 0) return notApplicable('no document has bearer_methods_supported')
  return finding.verdict === 'held' ? held(`the methods are ${[...named].join(', ')}`) : finding
}
