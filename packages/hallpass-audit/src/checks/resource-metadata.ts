import { type Check } from '../check.js'
import { ADVICE, MCP, mcpAuthorization, MUST, rfc9728, RS, SHOULD } from '../clause.js'
import { held, notApplicable, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import { challenged } from '../engine/challenge.js'
import { isRead } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { emptyList, inEach, listed, otherType, quote, withoutForwardedHost, type Wrong } from './documents.js' // prettier-ignore
import { isSecure, listIn } from './expect.js'

// prettier-ignore
const TEXT = {
  published: mcpAuthorization('Authorization Server Location', MUST, MCP, 'MCP servers MUST implement the OAuth 2.0 Protected Resource Metadata (RFC9728) specification to indicate the locations of authorization servers.'),
  json: rfc9728('3.2', MUST, RS, 'A successful response MUST use the 200 OK HTTP status code and return a JSON object using the application/json content type that contains a set of metadata parameters as its members that are a subset of the metadata parameters defined in Section 2.'),
  resource: rfc9728('3.3', MUST, RS, "The resource value returned MUST be identical to the protected resource's resource identifier value into which the well-known URI path suffix was inserted to create the URL used to retrieve the metadata."),
  form: rfc9728('2', MUST, RS, "resource REQUIRED. The protected resource's resource identifier, as defined in Section 1.2."),
  servers: mcpAuthorization('Authorization Server Location', MUST, MCP, 'The Protected Resource Metadata document returned by the MCP server MUST include the authorization_servers field containing at least one authorization server.'),
  address: rfc9728('3', MUST, RS, "Protected resources supporting metadata MUST make a JSON document containing metadata as specified in Section 2 available at a URL formed by inserting a well-known URI string into the protected resource's resource identifier between the host component and the path and/or query components, if any."),
  methods: rfc9728('2', ADVICE, RS, 'Clients know the methods header, body and query, and no other.'),
  inUrls: rfc9728('2', ADVICE, RS, 'Clients must not send tokens in URLs, which logs and browsers keep, so that a resource that offers it only invites mistakes.'),
  scopes: rfc9728('2', SHOULD, RS, 'scopes_supported RECOMMENDED. JSON array containing a list of scope values, as defined in OAuth 2.0 [RFC6749], that are used in authorization requests to request access to this protected resource.'),
  empty: rfc9728('3.2', MUST, RS, 'Parameters with zero values MUST be omitted from the response.'),
  challenge: rfc9728('3.3', MUST, RS, 'If the protected resource metadata was retrieved from a URL returned by the protected resource via the WWW-Authenticate resource_metadata parameter, then the resource value returned MUST be identical to the URL that the client used to make the request to the resource server.'),
  other: rfc9728('3.3', ADVICE, RS, 'Every client refuses the metadata of another resource, which only hides that there is none at this address.'),
  forwarded: rfc9728('7.3', ADVICE, RS, 'If a header field that anyone can send decides what the metadata says, a cache may send other clients to the host that it names.'),
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const METHODS = ['header', 'body', 'query']
/** A token that the server did not issue. */
const UNKNOWN_TOKEN = 'a-token-of-no-server'

/** The address of the metadata of a resource (RFC 9728, section 3.1). */
function addressOf(resource: string): URL {
  const { origin, pathname, search } = new URL(resource)
  return new URL(`${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`, origin)
}

/** Reads a document of the origin that has the resource. */
const readThere = async (on: Audit, target: string): Promise<Answer> =>
  on.read(new URL(target, await on.resourceOrigin()))

/** The path of the MCP endpoint; `null` if there is none. */
const mcpPathOf = async (on: Audit): Promise<string | null> =>
  (await on.hasMcp()) ? on.mcpPath() : null

/** The documents at the well-known addresses of the origin and of the MCP endpoint. Stops if there is none. */
async function documents(on: Audit): Promise<readonly Answer[]> {
  const path = await mcpPathOf(on)
  const answers = [await readThere(on, WELL_KNOWN)]
  if (path !== null && path !== '/') answers.push(await readThere(on, WELL_KNOWN + path))
  if (!answers.some(isRead))
    throw new Stop(notApplicable('the server has no protected resource metadata', answers[0]))
  return answers.filter(isRead)
}

/** Reads each document. */
const each = (good: string, wrong: Wrong): Check['run'] =>
  async (on) => inEach(await documents(on), good, wrong) // prettier-ignore

/** Reads each list of ways in which a resource receives tokens. */
const eachMethod = (good: string, isWrong: (method: string) => boolean): Check['run'] => async (on) => {
  const read = (await documents(on)).filter(({ json }) => listIn(json, 'bearer_methods_supported')?.length)
  if (read.length === 0) return notApplicable('no document has bearer_methods_supported')
  return inEach(read, good, (document) => {
    const found = listIn(document, 'bearer_methods_supported')?.find(isWrong)
    return found === undefined ? null : `bearer_methods_supported has ${quote(found)}`
  })
} // prettier-ignore

/** A 401 that names the metadata of its resource. */
interface Named {
  /** The URL that was requested, without its query. */
  readonly requested: string
  readonly metadata: string
  readonly answer: Answer
}

/** Returns the addresses that all places name to a request without a token and to one with a token from elsewhere. */
const challenges = (on: Audit): Promise<readonly Named[]> =>
  on.once('challenges of resources', async () => {
    const answers: Answer[] = []
    for (const { send } of await on.places())
      answers.push(
        await send({}),
        await send({ headers: { authorization: `Bearer ${UNKNOWN_TOKEN}` }, session: UNKNOWN_TOKEN }),
      )
    return answers.flatMap((answer) => {
      const metadata = challenged(answer.headers, 'resource_metadata')
      const requested = answer.url.origin + answer.url.pathname
      return answer.status === 401 && metadata !== null ? [{ requested, metadata, answer }] : []
    })
  }) // prettier-ignore

/** Whether a URL belongs to a resource: it is the resource, or below it. */
function isWithin(requested: string, resource: unknown): boolean {
  if (typeof resource !== 'string') return false
  const start = resource.replace(/\/$/, '')
  return requested === resource || requested === start || requested.startsWith(`${start}/`)
}

/** Whether an identifier is meant for an issuer, but has another scheme, a slash or capitals. */
const isMisspelled = (one: string, issuer: string): boolean =>
  one !== issuer && URL.canParse(one) && placeOf(one) === placeOf(issuer)
const placeOf = (url: string): string =>
  (new URL(url).host + new URL(url).pathname).replace(/\/$/, '')

/** The documents that a protected resource publishes about itself. */
export const resourceMetadata: readonly Check[] = [
  {
    id: 'resource-metadata/published', clause: TEXT.published, depth: 'anonymous',
    change: 'Serve the metadata of RFC 9728 at /.well-known/oauth-protected-resource and the path of the MCP endpoint, and name it in WWW-Authenticate. It is the only way in which clients find the authorization server.',
    async run(on) {
      const path = await on.mcpPath()
      const asked = await on.mcp({ token: UNKNOWN_TOKEN })
      const { href: url } = await on.mcpUrl()
      const named = (await challenges(on)).find(({ requested }) => requested === url)?.metadata
      // One at another origin stops here, because it cannot be read.
      const isNamed = named !== undefined && isSecure(named)
      const targets = [WELL_KNOWN + path, WELL_KNOWN, ...(isNamed ? [named] : [])]
      for (const target of targets) {
        const answer = await readThere(on, target)
        if (isRead(answer)) return held(answer, `the metadata is at ${target}`)
      }
      return asked.status === 401
        ? violated(asked, `${path} asks for a token, and there is no metadata at ${targets.join(', ')}`)
        : notApplicable(`${path} asks for no token: ${asked.status}`, asked)
    },
  },
  {
    id: 'resource-metadata/json', clause: TEXT.json, depth: 'passive',
    change: 'Send Content-Type: application/json with the document.',
    run: each('the metadata is application/json', otherType),
  },
  {
    id: 'resource-metadata/resource', clause: TEXT.resource, depth: 'passive',
    change: 'Name the URL of the resource as clients are given it. Clients refuse the metadata of any other, because it may be that of an attacker.',
    async run(on) {
      const path = await mcpPathOf(on)
      return each('each document names its resource', ({ resource }, { url }) => {
        const own = url.origin + url.pathname.slice(WELL_KNOWN.length)
        // MCP lets the document of an endpoint be at the root, and the slash of a root is not part of its address.
        const others = own === url.origin ? [`${own}/`, own + (path ?? '')] : []
        return [own, ...others].includes(String(resource)) ? null : `the resource is ${quote(resource)}, not ${own}`
      })(on)
    },
  },
  {
    id: 'resource-metadata/resource-form', clause: TEXT.form, depth: 'passive',
    change: 'Name the resource by its URL, such as https://school.example/mcp. http is only for this computer.',
    run: each('the resource has the form of an identifier', ({ resource }) =>
      typeof resource === 'string' && isSecure(resource) && !resource.includes('#')
        ? null
        : `the resource is ${quote(resource)}`,
    ),
  },
  {
    id: 'resource-metadata/authorization-servers', clause: TEXT.servers, depth: 'passive',
    change: 'Publish "authorization_servers" with the issuer, also if it is of the same origin.',
    async run(on) {
      // Stops if there is no MCP endpoint.
      await on.mcpPath()
      return each('authorization servers are named', listed('authorization_servers'))(on)
    },
  },
  {
    id: 'resource-metadata/issuer-named', clause: TEXT.address, depth: 'passive',
    change: 'Copy the issuer of the authorization server metadata into authorization_servers, without another slash or host.',
    async run(on) {
      const issuer = (await on.server().catch(() => null))?.['issuer']
      if (typeof issuer !== 'string' || !URL.canParse(issuer)) return notApplicable('the server is not an authorization server')
      const read = await documents(on)
      const found = inEach(read, `the issuer is named: ${issuer}`, (document) => {
        const wrong = listIn(document, 'authorization_servers')?.find((one) => isMisspelled(one, issuer))
        return wrong === undefined ? null : `authorization_servers has ${quote(wrong)}, and the issuer is ${quote(issuer)}`
      })
      const isNamed = read.some(({ json }) => listIn(json, 'authorization_servers')?.includes(issuer))
      return found.verdict === 'held' && !isNamed ? notApplicable('the resources name other authorization servers', read[0]) : found
    },
  },
  {
    id: 'resource-metadata/bearer-methods', clause: TEXT.methods, depth: 'passive',
    change: 'Publish "bearer_methods_supported": ["header"].',
    run: eachMethod('each method is one of the three', (method) => !METHODS.includes(method)),
  },
  {
    id: 'resource-metadata/no-tokens-in-urls', clause: TEXT.inUrls, depth: 'passive',
    change: 'Remove "query" from bearer_methods_supported, and ignore access_token in queries.',
    run: eachMethod('no token is sent in a URL', (method) => method === 'query'),
  },
  {
    id: 'resource-metadata/scopes', clause: TEXT.scopes, depth: 'passive',
    change: 'Publish scopes_supported with what a client needs at first. MCP clients request exactly these if a challenge names none.',
    run: each('scopes_supported is there', listed('scopes_supported')),
  },
  {
    id: 'resource-metadata/no-empty-lists', clause: TEXT.empty, depth: 'passive',
    change: 'Leave the member out: an empty list does not mean the same to every client.',
    // Only in this list, nothing says something: that tokens are received in no way (RFC 9728, section 2).
    run: each('no list is empty', (document, answer) =>
      emptyList({ ...document, bearer_methods_supported: undefined }, answer),
    ),
  },
  {
    id: 'resource-metadata/challenge', clause: TEXT.challenge, depth: 'anonymous',
    change: 'Name the metadata of the resource that answers. Its "resource" is the URL that was requested, or one above it.',
    async run(on) {
      const asked = await challenges(on)
      for (const { requested, metadata, answer: challenge } of asked) {
        const start = `the 401 of ${requested} names ${metadata || 'nothing'}`
        if (!isSecure(metadata)) return violated(challenge, `${start}, which is not an https URL`)
        const answer = await on.read(metadata)
        if (!isRead(answer)) return violated(answer, `${start}, which is answered by ${answer.status}`)
        const { resource } = answer.json
        if (!isWithin(requested, resource)) return violated(answer, `${start}, whose resource is ${quote(resource)}`)
      }
      const [first] = asked
      if (first === undefined) return notApplicable('no 401 names the metadata of its resource')
      const all = new Set(asked.map(({ requested }) => requested))
      return held(first.answer, `${[...all].join(', ')}: each names its own metadata`)
    },
  },
  {
    id: 'resource-metadata/inserted-path', clause: TEXT.address, depth: 'anonymous',
    change: 'Serve the metadata of https://school.example/mcp at https://school.example/.well-known/oauth-protected-resource/mcp. Clients that saw no 401 look there first.',
    async run(on) {
      const named = (await challenges(on)).map(({ metadata }) => metadata)
      const isOwn = (one: string): boolean => URL.canParse(one) && on.reaches(new URL(one))
      const root = await readThere(on, WELL_KNOWN)
      const resources = new Set<string>()
      for (const address of [WELL_KNOWN, WELL_KNOWN + ((await mcpPathOf(on)) ?? ''), ...named.filter(isOwn)]) {
        const { resource } = (await readThere(on, address)).json
        if (isOwn(String(resource))) resources.add(String(resource))
      }
      if (resources.size === 0) return notApplicable('the server names no resource of its origin', root)
      for (const resource of resources) {
        const answer = await on.read(addressOf(resource))
        // MCP lets the document of an endpoint be at the root.
        if (root.json['resource'] !== resource && !isRead(answer))
          return violated(answer, `the metadata of ${resource} is not at ${answer.url.pathname}: ${answer.status}`)
      }
      return held(root, `there is metadata of ${[...resources].join(', ')}`)
    },
  },
  {
    id: 'resource-metadata/other-resource', clause: TEXT.other, depth: 'passive',
    change: 'Match the well-known path exactly, and answer any other by 404.',
    async run(on) {
      // Stops if there is no metadata at all.
      await documents(on)
      const path = `/hallpass-audit-${newSecret().slice(0, 8)}`
      const origin = await on.resourceOrigin()
      const answer = await on.send(origin + WELL_KNOWN + path)
      return inEach([answer], `nothing claims to be the resource ${origin}${path}: ${answer.status}`, ({ resource }) =>
        resource === undefined || resource === origin + path ? null : `the resource is ${quote(resource)}`,
      )
    },
  },
  {
    id: 'resource-metadata/forwarded-host', clause: TEXT.forwarded, depth: 'anonymous',
    change: 'Configure the resource and its authorization servers, and form neither from the request. A cache would send every client to the host that this request names.',
    async run(on) {
      const [document] = await documents(on)
      return withoutForwardedHost(on, document!)
    },
  },
] // prettier-ignore
