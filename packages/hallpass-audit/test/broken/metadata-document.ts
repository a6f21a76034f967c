import { once } from 'node:events'
import { CLIENT_DOCUMENT, type Fault, fetchDocument } from '../broken-server.js'
import { both, type Broken, json, replaced, requested, returned } from '../faults.js'

const METADATA = '/.well-known/oauth-authorization-server'
const REDIRECT = 'http://127.0.0.1:47317/callback'
type Document = Record<string, unknown>

/** Reads documents differently than they are published; `null` is one that is not. */
const reading = (change: (document: Document | null, url: string) => Document | null): Fault => ({
  site: {
    documents: {
      allowedHosts: ['audit.example'],
      fetchDocument: async (url) => {
        const response = await fetchDocument(url)
        const document = change(response.ok ? ((await response.json()) as Document) : null, url)
        return document === null ? new Response(null, { status: 404 }) : Response.json(document)
      },
    },
  },
})

/** Takes a `client_id` that is such as this for that of the right document. */
const taking = (isTaken: (clientId: string) => boolean): Fault =>
  requested((query) => {
    if (isTaken(query.get('client_id') ?? '')) query.set('client_id', CLIENT_DOCUMENT)
  })

/** Answers a request whose client is at an IP address. */
const answeringAddresses = (answer: () => Response | Promise<Response>): Fault => ({
  wrap: (next) => (request) => {
    const { pathname, searchParams } = new URL(request.url)
    const isAddress = /^https:\/\/[\d.[\]:a-f]+\//.test(searchParams.get('client_id') ?? '')
    return pathname === '/oauth/authorize' && isAddress ? answer() : next(request)
  },
})

/** Changes every page that people see. */
const shown = (change: (html: string) => string): Fault => ({
  wrap: (next) => async (request) => {
    const answer = await next(request)
    if (!answer.headers.get('content-type')?.startsWith('text/html')) return answer
    const { status, headers } = answer
    return new Response(change(await answer.text()), { status, headers })
  },
})

const unsupported = json(METADATA, (metadata) => ({
  ...metadata,
  client_id_metadata_document_supported: undefined,
}))

export const metadataDocument: readonly Broken[] = [
  {
    name: 'nothing but a server without MCP and without them',
    fault: both(unsupported, replaced('/mcp', () => new Response(null, { status: 404 }))),
    violates: [],
  },
  {
    name: 'client ID metadata documents are not supported',
    fault: unsupported,
    violates: ['metadata-document/supported'],
  },
  {
    name: 'their support is published as a text',
    fault: json(METADATA, (metadata) => ({ ...metadata, client_id_metadata_document_supported: 'true' })),
    violates: ['metadata-document/supported'],
  },
  {
    name: 'clients that register get a URL',
    fault: json('/api/oauth/register', (client) => ({ ...client, client_id: `https://school.example/clients/${String(client['client_id'])}` }), 201),
    violates: ['metadata-document/generated-identifier'],
  },
  {
    name: 'an address that cannot be reached is an exception',
    fault: answeringAddresses(() => new Response('Internal Server Error', { status: 500 })),
    violates: [],
    unknown: ['metadata-document/special-addresses'],
  },
  {
    name: 'the server waits for an address that never responds',
    fault: answeringAddresses(async () => {
      await once(AbortSignal.timeout(2100), 'abort')
      return new Response('The document cannot be read', { status: 400 })
    }),
    violates: ['metadata-document/special-addresses'],
  },
  {
    name: 'a page tells which addresses respond',
    fault: answeringAddresses(() => new Response('fetch failed: connect ECONNREFUSED 10.0.0.1:443', { status: 400 })),
    violates: ['metadata-document/special-addresses'],
  },
  {
    name: 'the consent page shows the name of the document only',
    fault: shown((html) => html.replaceAll('audit.example', '')),
    violates: ['metadata-document/host-shown'],
  },
  {
    name: 'the consent page does not show where the answer goes',
    fault: shown((html) => html.replaceAll('127.0.0.1:47317', '')),
    violates: ['metadata-document/redirect-host-shown'],
  },
  {
    name: 'documents are published as supported and not fetched',
    fault: reading(() => null),
    violates: ['metadata-document/accepted'],
  },
  {
    name: 'redirect URIs are compared by their beginning',
    fault: (() => {
      let isOther = false
      return both(
        requested((query) => {
          isOther = query.get('redirect_uri') === `${REDIRECT}/other`
          if (isOther) query.set('redirect_uri', REDIRECT)
        }),
        returned((to) => {
          if (isOther) to.pathname += '/other'
        }),
      )
    })(),
    violates: ['metadata-document/unlisted-redirect-uri'],
  },
  {
    name: 'client_id of a document is not compared with its URL',
    fault: reading((document, url) => document && { ...document, client_id: url }),
    violates: ['metadata-document/other-client-id'],
    whole: true,
  },
  {
    name: 'a document that is not there is replaced by the request',
    fault: reading((document, url) => document ?? { client_id: url, client_name: url, redirect_uris: [REDIRECT] }),
    violates: ['metadata-document/missing'],
  },
  {
    name: 'a document without redirect URIs has that of the request',
    fault: reading((document) => document && { redirect_uris: [REDIRECT], ...document }),
    violates: ['metadata-document/without-redirect-uris'],
  },
  {
    name: 'the authentication method of a document is not read',
    fault: reading((document) => document && { ...document, token_endpoint_auth_method: 'none' }),
    violates: ['metadata-document/shared-secret'],
  },
  {
    name: 'a secret in a document is ignored',
    fault: reading((document) => document && { ...document, client_secret: undefined, client_secret_expires_at: undefined }),
    violates: ['metadata-document/published-secret'],
  },
  {
    name: 'any scheme of a client_id is accepted',
    fault: taking((clientId) => clientId.startsWith('http://')),
    violates: ['metadata-document/http'],
  },
  {
    name: 'a client_id is parsed before it is checked',
    fault: taking((clientId) => clientId.startsWith('https://') && new URL(clientId).href !== clientId && clientId.includes('/./')),
    violates: ['metadata-document/dot-segments'],
  },
  {
    name: 'a client_id is whatever can be fetched',
    fault: taking((clientId) => /^https:.*[@#]|^https:.*\/\.\//.test(clientId)),
    violates: [
      'metadata-document/fragment',
      'metadata-document/credentials',
      'metadata-document/dot-segments',
    ],
  },
  {
    name: 'documents have no limit',
    fault: reading((document) => document && { ...document, hallpass_audit_padding: undefined }),
    violates: ['metadata-document/large'],
  },
] // prettier-ignore
