import { type Fault, ORIGIN } from '../broken-server.js'
import { answers, both, type Broken, headers, json, replaced } from '../faults.js'

const ROOT = '/.well-known/oauth-protected-resource'
const OF_MCP = `${ROOT}/mcp`
type Document = Record<string, unknown>

/** Changes the documents of the origin and of the MCP endpoint. */
const inBoth = (change: (document: Document) => Document): Fault =>
  both(json(ROOT, change), json(OF_MCP, change))
const missing = () => new Response('Not found', { status: 404 })

/** Names other metadata in the challenges of a path. */
const naming = (path: string, metadata: string): Fault =>
  headers(path, (of, { status }) => {
    if (status !== 401) return
    const field = of.get('www-authenticate') ?? ''
    of.set('www-authenticate', field.replace(/resource_metadata="[^"]*"/, `resource_metadata="${metadata}"`))
  }) // prettier-ignore

/** Serves at one path what the server has at another. */
const serving = (path: string, other: string): Fault => ({
  wrap: (next) => (request) =>
    next(new URL(request.url).pathname === path ? new Request(ORIGIN + other) : request),
})

export const resourceMetadata: readonly Broken[] = [
  {
    name: 'the MCP server publishes nothing',
    fault: both(answers(ROOT, missing), answers(OF_MCP, missing), naming('/courses', ''), naming('/api/oauth/userinfo', ''), naming('/mcp', '')),
    violates: ['resource-metadata/published', 'resource-metadata/challenge'],
  },
  {
    name: 'the document is a static file without an extension',
    fault: headers(ROOT, (of) => of.set('content-type', 'application/octet-stream')),
    violates: ['resource-metadata/json'],
  },
  {
    name: 'another resource is named',
    fault: json(ROOT, (document) => ({ ...document, resource: 'https://api.school.example' })),
    violates: ['resource-metadata/resource', 'resource-metadata/challenge', 'metadata-document/accepted', 'authorization/unknown-parameter', 'authorization/empty-parameter', 'redirects/loopback-port', 'client-credentials/granted', 'resource/accepted'],
    whole: true,
  },
  {
    name: 'the resource of the MCP endpoint has a slash at its end',
    fault: json(OF_MCP, (document) => ({ ...document, resource: `${ORIGIN}/mcp/` })),
    violates: ['resource-metadata/resource', 'resource-metadata/inserted-path'],
  },
  {
    name: 'the resource has a fragment',
    fault: json(OF_MCP, (document) => ({ ...document, resource: `${ORIGIN}/mcp#tools` })),
    violates: ['resource-metadata/resource', 'resource-metadata/resource-form', 'resource-metadata/challenge'],
  },
  {
    name: 'the document of the MCP endpoint names no authorization server',
    fault: json(OF_MCP, ({ authorization_servers, ...document }) => (authorization_servers ? document : {})),
    violates: ['resource-metadata/authorization-servers'],
  },
  {
    name: 'the issuer is named with a slash at its end',
    fault: inBoth((document) => ({ ...document, authorization_servers: [`${ORIGIN}/`] })),
    violates: ['resource-metadata/issuer-named'],
  },
  {
    name: 'the issuer is named with the scheme of the proxy',
    fault: json(OF_MCP, (document) => ({ ...document, authorization_servers: [ORIGIN.replace('http:', 'https:')] })),
    violates: ['resource-metadata/issuer-named'],
  },
  {
    name: 'nothing but an authorization server elsewhere',
    fault: inBoth((document) => ({ ...document, authorization_servers: ['https://login.school.example'] })),
    violates: [],
  },
  {
    name: 'nothing but a resource that takes no tokens by itself',
    fault: json(ROOT, (document) => ({ ...document, bearer_methods_supported: [] })),
    violates: [],
  },
  {
    name: 'the way of tokens has a name of its own',
    fault: json(ROOT, (document) => ({ ...document, bearer_methods_supported: ['authorization_header'] })),
    violates: ['resource-metadata/bearer-methods'],
  },
  {
    name: 'tokens in URLs are offered',
    fault: json(ROOT, (document) => ({ ...document, bearer_methods_supported: ['header', 'query'] })),
    violates: ['resource-metadata/no-tokens-in-urls'],
  },
  {
    name: 'the scopes of the resource are not published',
    fault: json(OF_MCP, ({ scopes_supported, ...document }) => (scopes_supported ? document : {})),
    violates: ['resource-metadata/scopes'],
  },
  {
    name: 'a list is empty',
    fault: json(ROOT, (document) => ({ ...document, resource_signing_alg_values_supported: [] })),
    violates: ['resource-metadata/no-empty-lists'],
  },
  {
    name: 'the API names the metadata of the MCP endpoint',
    fault: naming('/courses', ORIGIN + OF_MCP),
    violates: ['resource-metadata/challenge'],
  },
  {
    name: 'only who has no token is sent to the metadata of another resource',
    fault: {
      wrap: (next, parts) => {
        const wrong = naming('/courses', ORIGIN + OF_MCP).wrap!(next, parts)
        return (request) => (request.headers.has('authorization') ? next : wrong)(request)
      },
    },
    violates: ['resource-metadata/challenge'],
  },
  {
    name: 'the metadata has the host of the server behind the proxy',
    fault: both(
      naming('/courses', `${ORIGIN}${ROOT}/courses`),
      replaced(`${ROOT}/courses`, () => Response.json({ resource: 'http://10.0.0.7:8080/courses' })),
    ),
    violates: ['resource-metadata/challenge'],
  },
  {
    name: 'the metadata is named with http behind a proxy that ends TLS',
    fault: naming('/api/oauth/userinfo', `http://school.example${ROOT}`),
    violates: ['resource-metadata/challenge'],
  },
  {
    name: 'the API names a path in place of a URL',
    fault: naming('/courses', ROOT),
    violates: ['resource-metadata/challenge'],
  },
  {
    name: 'the metadata of the MCP endpoint is only where its 401 says',
    fault: both(
      serving('/mcp-metadata', OF_MCP),
      answers(OF_MCP, missing),
      naming('/mcp', `${ORIGIN}/mcp-metadata`),
    ),
    violates: ['resource-metadata/inserted-path'],
  },
  {
    name: 'every path below the well-known one has the document of the origin',
    fault: {
      wrap: (next) => async (request) => {
        const { pathname } = new URL(request.url)
        const answer = await next(request)
        return answer.status === 404 && pathname.startsWith(`${ROOT}/`) ? next(new Request(ORIGIN + ROOT)) : answer
      },
    },
    violates: ['resource-metadata/other-resource'],
  },
  {
    name: 'URLs are formed from X-Forwarded-Host of anybody',
    fault: answers(ROOT, async (answer, request) => {
      const host = request.headers.get('x-forwarded-host') ?? '127.0.0.1:3000'
      const text = (await answer.text()).replaceAll(ORIGIN, `http://${host}`)
      return new Response(text, { headers: answer.headers })
    }),
    violates: ['resource-metadata/forwarded-host'],
  },
] // prettier-ignore
