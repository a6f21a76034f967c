import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { urlsOf } from '../client-documents.js'
import { type Audit, type Client, describe, type Ended, REDIRECT_URI } from '../engine/audit.js'
import type { Page } from '../engine/browser.js'
import { usualPage } from './asking.js'

const COMPARE =
  'Compare client_id of the document with the URL that the client sent, as text, before you store or use the client.'
const FORM =
  'Check the text of client_id before you fetch it: https, a path, and no fragment, user information or dot segments.'

/** Stops as not applicable unless the metadata says that a URL can be a client identifier. */
async function requireDocuments(on: Audit): Promise<void> {
  if ((await on.server())['client_id_metadata_document_supported'] !== true)
    throw new Stop(notApplicable('client_id_metadata_document_supported is not true'))
  await on.requiresPublic()
}

/** The identifiers of the documents that the operator publishes. */
async function documents(on: Audit): Promise<ReturnType<typeof urlsOf>> {
  await requireDocuments(on)
  if (on.clientDocument === null)
    throw new Stop(notReached('publish the client documents, and give their URL with --client-document')) // prettier-ignore
  return { ...urlsOf(new URL('.', on.clientDocument).href), client: on.clientDocument }
}

const clientOf = async (on: Audit, clientId: string): Promise<Client> => ({
  clientId,
  secret: null,
  redirectUri: REDIRECT_URI,
  scope: await on.scope(),
})

/** Lets a person allow a client what it requests. */
const connect = async (on: Audit, clientId: string): Promise<Ended> =>
  on.authorize({ client: await clientOf(on, clientId) })

const codeOf = ({ parameters }: Ended): string | null => parameters?.get('code') ?? null

/** The end of a request with the right document, which all checks share. */
const accepted = async (on: Audit): Promise<Ended> => {
  const { client } = await documents(on)
  return on.once('client document', () => connect(on, client))
}

/** Stops unless the server accepts a second document: without that, the wrong ones may not be published at all. */
async function requirePublished(on: Audit): Promise<void> {
  const { control } = await documents(on)
  const ended = await on.once('control document', () => connect(on, control))
  if (codeOf(ended) === null)
    throw new Stop(notReached(`control.json is right, and not accepted: ${describe(ended)}`))
}

/** Held if no code is issued to a client. */
async function refuses(
  on: Audit,
  name: Exclude<keyof ReturnType<typeof urlsOf>, 'client' | 'control'>,
  what: string,
): Promise<Finding> {
  await requirePublished(on)
  const ended = await connect(on, (await documents(on))[name])
  if (codeOf(ended) !== null) return violated(`${what} is accepted: a code was issued`)
  if (ended.page.status >= 500) return notReached(`${what}: ${describe(ended)}`)
  return held(`${what} is refused: ${describe(ended)}`)
}

/** The page at which a person decides about the client of the right document. */
const consentPage = async (on: Audit): Promise<Page> => {
  const { client: url } = await documents(on)
  return on.once('consent for a client document', async () => {
    const client = await clientOf(on, url)
    return (await on.consentPage({ client, person: 0 })).page
  })
}

/** Addresses of networks that are not the Internet, of which one is always there and one never is. */
const SPECIAL = ['169.254.169.254', '[::ffff:10.0.0.1]', '192.0.2.1']
/** The longest that a refusal without a connection takes, in milliseconds. */
const LONGEST_REFUSAL = 2000
/** Words of a page that repeats the error of a connection. */
const CONNECTION = /ECONN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|connection refused|connect timeout/i

/** Client ID metadata documents: a URL as the identifier of a client. */
export const metadataDocument: readonly Check[] = [
  {
    id: 'metadata-document/supported',
    clause: {
      document: 'MCP Authorization',
      section: 'Client ID Metadata Documents',
      level: 'SHOULD',
      says: 'An authorization server of MCP accepts the URL of a metadata document as a client identifier, and says so.',
    },
    depth: 'passive',
    change: 'Publish "client_id_metadata_document_supported": true, and fetch the document of such a client.',
    async run(on) {
      const flag = (await on.server())['client_id_metadata_document_supported']
      if (flag === undefined || flag === false) await on.mcpPath()
      const found = `client_id_metadata_document_supported is ${JSON.stringify(flag)}`
      return judge(flag === true, found, found)
    },
  },
  {
    id: 'metadata-document/generated-identifier',
    clause: {
      document: 'Client ID Metadata Document',
      section: '6.9',
      level: 'SHOULD',
      says: 'A client identifier that the server generates does not look like the URL of a document.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Generate client identifiers that do not begin with "https://".',
    async run(on) {
      await requireDocuments(on)
      const { clientId } = await on.newClient()
      return judge(
        !clientId.startsWith('https://'),
        'a client that registers gets no URL as its identifier',
        `a client that registers gets ${clientId}`,
      )
    },
  },
  {
    id: 'metadata-document/special-addresses',
    clause: {
      document: 'Client ID Metadata Document',
      section: '6.5',
      level: 'MUST',
      says: 'A client identifier whose host is a special-purpose address, such as one of a private network, is refused.',
    },
    depth: 'anonymous',
    change:
      'Look the host up once, refuse every address that is not public, connect to the address that you checked, and say no more than that the document cannot be read.',
    async run(on) {
      await requireDocuments(on)
      const endpoint = await on.endpoint('authorization_endpoint')
      // Stops where a right request is refused too.
      await usualPage(on, null)
      for (const host of SPECIAL) {
        const client = await clientOf(on, `https://${host}/client.json`)
        const url = new URL(endpoint)
        for (const [name, value] of on.request(client).url.searchParams) url.searchParams.append(name, value)
        const began = performance.now()
        const { status, text } = await on.browser(null).open(url)
        const seconds = Math.round((performance.now() - began) / 1000)
        const what = `a client at ${host} is answered by ${status}`
        if (status >= 500) return violated(`${what}, an error of the server`)
        if (CONNECTION.test(text)) return violated(`${what} and the error of a connection`)
        if (seconds * 1000 > LONGEST_REFUSAL) return violated(`${what} after ${seconds} s, as if the server tried to connect`)
        if (status < 400) return notReached(`${what}, which may be a page before the check`)
      }
      return held('clients at private, link-local and reserved addresses are refused immediately, without the error of a connection')
    },
  },
  {
    id: 'metadata-document/host-shown',
    clause: {
      document: 'Client ID Metadata Document',
      section: '6.4',
      level: 'SHOULD',
      says: 'The person who decides sees the host of the client identifier, since a document can have any name.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Show the host of client_id next to the name of the client.',
    async run(on) {
      const { text } = await consentPage(on)
      const { hostname } = new URL((await documents(on)).client)
      return judge(text.includes(hostname), `the page shows ${hostname}`, `the page does not show ${hostname}`)
    },
  },
  {
    id: 'metadata-document/redirect-host-shown',
    clause: {
      document: 'MCP Authorization',
      section: 'Localhost Redirect URI Risks',
      level: 'MUST',
      says: 'The person who decides sees the host of the redirect URI, which can be any program on a computer.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Show the host of redirect_uri where the person decides.',
    async run(on) {
      await on.mcpPath()
      const { text } = await consentPage(on)
      const { hostname } = new URL(REDIRECT_URI)
      return judge(text.includes(hostname), `the page shows ${hostname}`, `the page does not show ${hostname}`)
    },
  },
  {
    id: 'metadata-document/accepted',
    clause: {
      document: 'Client ID Metadata Document',
      section: '4',
      level: 'SHOULD',
      says: 'The server fetches the document of a client that it does not know, and connects the client.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Fetch the document at client_id, and use its redirect_uris and its name, without a registration.',
    async run(on) {
      const ended = await accepted(on)
      const code = codeOf(ended)
      if (code === null) return violated(`the document is not accepted: ${describe(ended)}`)
      const { status } = await on.redeem({ ...ended, code })
      return judge(
        status === 200,
        'the client of the document gets tokens',
        `the client of the document gets a code, whose exchange is answered by ${status}`,
      )
    },
  },
  {
    id: 'metadata-document/unlisted-redirect-uri',
    clause: {
      document: 'Client ID Metadata Document',
      section: '4.5',
      level: 'MUST',
      says: 'The redirect URI of a request is one of those in the document, character by character.',
    },
    depth: 'people',
    creates: { authorizations: 2 },
    change: 'Compare redirect_uri with redirect_uris of the document as text. Only the port of a loopback address may differ.',
    async run(on) {
      if (codeOf(await accepted(on)) === null) return notReached('the right document is not accepted')
      const client = await clientOf(on, (await documents(on)).client)
      const redirect_uri = `${REDIRECT_URI}/other`
      const ended = await on.authorize({ client, changes: { redirect_uri } })
      if (ended.page.status >= 500) return notReached(`${redirect_uri} is not in the document: ${describe(ended)}`)
      return judge(
        ended.parameters === null,
        `${redirect_uri} is not in the document: ${describe(ended)}`,
        `${redirect_uri} is not in the document, and the browser was sent there`,
      )
    },
  },
  {
    id: 'metadata-document/other-client-id',
    clause: {
      document: 'Client ID Metadata Document',
      section: '4.1',
      level: 'MUST',
      says: 'The client identifier in the document equals the URL of the document.',
    },
    depth: 'people',
    creates: { authorizations: 2 },
    change: COMPARE,
    run: (on) => refuses(on, 'other-client-id', 'a document with the client_id of another'),
  },
  {
    id: 'metadata-document/missing',
    clause: {
      document: 'Client ID Metadata Document',
      section: '4.3',
      level: 'SHOULD',
      says: 'If the document cannot be fetched, the request ends.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Show an error page if the document is not there, and take nothing from the request in its place.',
    run: (on) => refuses(on, 'missing', 'a document that is not there'),
  },
  {
    id: 'metadata-document/without-redirect-uris',
    clause: {
      document: 'Client ID Metadata Document',
      section: '4.5',
      level: 'MUST',
      says: 'The document is where redirect URIs are registered, and without one no request can be right.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Refuse a document that has no redirect_uris.',
    run: (on) => refuses(on, 'without-redirect-uris', 'a document without redirect_uris'),
  },
  {
    id: 'metadata-document/shared-secret',
    clause: {
      document: 'Client ID Metadata Document',
      section: '4.1',
      level: 'MUST NOT',
      says: 'The client of a document does not authenticate by a secret, since nothing could have issued it.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Refuse a document whose token_endpoint_auth_method needs a secret, such as client_secret_post.',
    run: (on) => refuses(on, 'shared-secret', 'a document with client_secret_post'),
  },
  {
    id: 'metadata-document/published-secret',
    clause: {
      document: 'Client ID Metadata Document',
      section: '4.1',
      level: 'MUST NOT',
      says: 'A document has no client secret, because a document is public.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Refuse a document that has client_secret or client_secret_expires_at.',
    run: (on) => refuses(on, 'published-secret', 'a document with a client_secret'),
  },
  {
    id: 'metadata-document/http',
    clause: {
      document: 'Client ID Metadata Document',
      section: '3',
      level: 'MUST',
      says: 'A client identifier is a URL with the scheme https.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: FORM,
    run: (on) => refuses(on, 'http', 'a client_id with the scheme http'),
  },
  {
    id: 'metadata-document/fragment',
    clause: {
      document: 'Client ID Metadata Document',
      section: '3',
      level: 'MUST NOT',
      says: 'A client identifier has no fragment, which no server would receive.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: FORM,
    run: (on) => refuses(on, 'fragment', 'a client_id with a fragment'),
  },
  {
    id: 'metadata-document/credentials',
    clause: {
      document: 'Client ID Metadata Document',
      section: '3',
      level: 'MUST NOT',
      says: 'A client identifier has no user name and no password, which look like a host.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: FORM,
    run: (on) => refuses(on, 'credentials', 'a client_id with a user name'),
  },
  {
    id: 'metadata-document/dot-segments',
    clause: {
      document: 'Client ID Metadata Document',
      section: '3',
      level: 'MUST NOT',
      says: 'The path of a client identifier has no dot segments, so that one document has one identifier.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: FORM,
    run: (on) => refuses(on, 'dot-segments', 'a client_id with a dot segment'),
  },
  {
    id: 'metadata-document/large',
    clause: {
      document: 'Client ID Metadata Document',
      section: '6.6',
      level: 'SHOULD',
      says: 'The server limits the size of a document, for which 5 KB are recommended.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Stop reading after 5 KB, whatever Content-Length says, and refuse the document.',
    run: (on) => refuses(on, 'large', 'a document of 256 KB'),
  },
] // prettier-ignore
