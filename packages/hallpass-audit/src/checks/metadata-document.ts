import { type Check } from '../check.js'
import {
  ADVICE,
  AS,
  type Clause,
  clientIdDocument,
  mcpAuthorization,
  MUST,
  SHOULD,
} from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { urlsOf } from '../client-documents.js'
import { type Audit, type Client, describe, type Ended, REDIRECT_URI } from '../engine/audit.js'
import type { Page } from '../engine/browser.js'
import { open, usualPage } from './asking.js'
import { quote, serverDocuments } from './documents.js'

// prettier-ignore
const TEXT = {
  supported: mcpAuthorization('Client ID Metadata Documents', SHOULD, AS, 'MCP clients and authorization servers SHOULD support OAuth Client ID Metadata Documents as specified in OAuth Client ID Metadata Document.'),
  generated: clientIdDocument('6.9', SHOULD, AS, 'If an Authorization Server wishes to support … clients where the Authorization Server generates the client_id, it SHOULD ensure that the client_id strings it generates do not start with https://.'),
  special: clientIdDocument('6.5', MUST, AS, 'Authorization servers MUST validate that the Client ID Metadata Document URL does not resolve to special-use IP addresses as defined in [RFC6890], except when the authorization server itself is also running on a loopback address and the resolved address matches the same loopback interface.'),
  host: clientIdDocument('6.4', SHOULD, AS, 'The authorization server SHOULD display the hostname of the client_id on the authorization interface, in addition to displaying the fetched client information if any.'),
  redirectHost: mcpAuthorization('Localhost Redirect URI Risks', MUST, AS, 'Authorization servers: … MUST clearly display the redirect URI hostname during authorization'),
  fetched: clientIdDocument('4', SHOULD, AS, 'The authorization server SHOULD fetch the document indicated by the client_id to retrieve the client registration information.'),
  exact: clientIdDocument('4.5', MUST, AS, 'According to [RFC9700], the authorization server MUST require registration of redirect URIs, and MUST ensure that the redirect URI in a request is an exact match of a registered redirect URI.'),
  same: mcpAuthorization('Implementation Requirements', MUST, AS, "For Authorization Servers: … MUST validate that the fetched document's client_id matches the URL exactly"),
  failed: clientIdDocument('4.3', SHOULD, AS, 'If fetching the metadata document fails, the authorization server SHOULD abort the authorization request.'),
  secret: clientIdDocument('4.1', ADVICE, AS, 'A document must not name a method that needs a secret. A server that refuses it finds the mistake before a person decides.'),
  published: clientIdDocument('4.1', ADVICE, AS, 'A document must not have a secret, since it is public. A server that refuses it tells its author.'),
  form: clientIdDocument('3', ADVICE, AS, 'The URL of a client has to be https, without a fragment, user information and dot segments. A server that accepts others has several names for one client, or a document that anyone on the way can change.'),
  size: clientIdDocument('6.6', SHOULD, AS, 'Authorization servers SHOULD limit the response size when fetching the client metadata document, as to avoid denial of service attacks against the authorization server by consuming excessive resources (memory, disk, database). The recommended maximum response size for client metadata documents is 5 kilobytes.'),
}
const FLAG = 'client_id_metadata_document_supported'
const FORM = 'Check the text of client_id before you fetch it: https, a path, and no fragment, user information or dot segments.' // prettier-ignore
/** Addresses of networks that are not the Internet, of which one is always there and one never is. */
const SPECIAL = ['169.254.169.254', '[::ffff:10.0.0.1]', '192.0.2.1']
/** The longest that a refusal without a connection takes, in milliseconds. */
const LONGEST_REFUSAL = 2000
/** Words of a page that repeats the error of a connection. */
const CONNECTION = /ECONN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|connection refused|connect timeout/i

/** Stops as not applicable unless the metadata says that a URL can be a client identifier. */
async function requireDocuments(on: Audit): Promise<void> {
  const [answer] = await serverDocuments(on)
  if ((await on.server())[FLAG] !== true)
    throw new Stop(notApplicable(`${FLAG} is not true`, answer))
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

type Wrong = Exclude<keyof ReturnType<typeof urlsOf>, 'client' | 'control'>

/** Held if no code is issued to a client whose document or identifier is wrong. */
async function refuses(on: Audit, name: Wrong, what: string): Promise<Finding> {
  const urls = await documents(on)
  const control = await on.once('control document', () => connect(on, urls.control))
  // Without a second right document, the wrong ones may not be published at all.
  if (codeOf(control) === null)
    return notReached(`control.json is right, and not accepted: ${describe(control)}`, control)
  const ended = await connect(on, urls[name])
  if (codeOf(ended) !== null) return violated(ended, `${what} is accepted: a code was issued`)
  const found = `${what} is refused: ${describe(ended)}`
  return ended.page.status < 500 ? held(ended, found) : notReached(found, ended)
}

/** A check that connects a client whose document or identifier is wrong in one way. */
const wrong = (name: Wrong, clause: Clause, what: string, change: string): Check => ({
  id: `metadata-document/${name}`,
  clause,
  depth: 'people',
  creates: { authorizations: 1 },
  change,
  run: (on) => refuses(on, name, what),
})

/** The page at which a person decides about the client of the right document. */
const consentPage = async (on: Audit): Promise<Page> => {
  const { client: url } = await documents(on)
  return on.once('consent for a client document', async () => {
    const client = await clientOf(on, url)
    return (await on.consentPage({ client, person: 0 })).page
  })
}

const shows = (page: Page, { hostname }: URL): Finding =>
  judge(page, page.text.includes(hostname), `the page shows ${hostname}`, `the page does not show ${hostname}`) // prettier-ignore

/** Opens a request of a client at a host: what the browser shows, and after how many milliseconds. */
async function openAs(on: Audit, host: string): Promise<{ page: Page; time: number }> {
  const client = await clientOf(on, `https://${host}/client.json`)
  const began = performance.now()
  const { page } = await open(on, null, {}, client)
  return { page, time: performance.now() - began }
}

/** Client ID metadata documents: a URL as the identifier of a client. */
export const metadataDocument: readonly Check[] = [
  {
    id: 'metadata-document/supported', clause: TEXT.supported, depth: 'passive',
    change: 'Publish "client_id_metadata_document_supported": true, and fetch the document of such a client.',
    async run(on) {
      const [answer] = await serverDocuments(on)
      const flag = (await on.server())[FLAG]
      // Stops if there is no MCP endpoint.
      if (flag === undefined || flag === false) await on.mcpPath()
      return judge(answer!, flag === true, `${FLAG} is ${quote(flag)}`)
    },
  },
  {
    id: 'metadata-document/generated-identifier', clause: TEXT.generated, depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Generate client identifiers that do not begin with "https://".',
    async run(on) {
      await requireDocuments(on)
      const answer = await on.register()
      const { client_id: id } = answer.json
      if (typeof id !== 'string') return notReached(`no client could be registered (${answer.status})`, answer)
      return judge(answer, !id.startsWith('https://'), `a client that registers gets ${id}`)
    },
  },
  {
    id: 'metadata-document/special-addresses', clause: TEXT.special, depth: 'anonymous',
    change: 'Look the host up once, refuse every address that is not public, connect to the address that you checked, and say no more than that the document cannot be read.',
    async run(on) {
      await requireDocuments(on)
      // Stops where a right request is refused too.
      await usualPage(on, null)
      let last: Page | undefined
      for (const host of SPECIAL) {
        let { page, time } = await openAs(on, host)
        // A server may be slow once for reasons of its own.
        if (time > LONGEST_REFUSAL) ({ page, time } = await openAs(on, host))
        const what = `a client at ${host} is answered by ${page.status}`
        if (CONNECTION.test(page.text)) return violated(page, `${what} and the error of a connection`)
        if (time > LONGEST_REFUSAL) return violated(page, `${what} after ${Math.round(time / 1000)} s, twice, as if the server tried to connect`)
        if (page.status >= 500) return notReached(`${what}, which does not tell why`, page)
        if (page.status < 400) return notReached(`${what}, which may be a page before the check`, page)
        last = page
      }
      return held(last!, 'clients at private, link-local and reserved addresses are refused immediately, without the error of a connection')
    },
  },
  {
    id: 'metadata-document/host-shown', clause: TEXT.host, depth: 'people',
    creates: { authorizations: 1 },
    change: 'Show the host of client_id next to the name of the client.',
    run: async (on) => shows(await consentPage(on), new URL((await documents(on)).client)),
  },
  {
    id: 'metadata-document/redirect-host-shown', clause: TEXT.redirectHost, depth: 'people',
    creates: { authorizations: 1 },
    change: 'Show the host of redirect_uri where the person decides.',
    async run(on) {
      // Stops if there is no MCP endpoint.
      await on.mcpPath()
      return shows(await consentPage(on), new URL(REDIRECT_URI))
    },
  },
  {
    id: 'metadata-document/accepted', clause: TEXT.fetched, depth: 'people',
    creates: { authorizations: 1 },
    change: 'Fetch the document at client_id, and use its redirect_uris and its name, without a registration.',
    async run(on) {
      const ended = await accepted(on)
      const code = codeOf(ended)
      if (code === null) return violated(ended, `the document is not accepted: ${describe(ended)}`)
      const answer = await on.redeem({ ...ended, code })
      return judge(answer, answer.status === 200, `the client of the document gets a code, whose exchange is answered by ${answer.status}`)
    },
  },
  {
    id: 'metadata-document/unlisted-redirect-uri', clause: TEXT.exact, depth: 'people',
    creates: { authorizations: 2 },
    change: 'Compare redirect_uri with redirect_uris of the document as text. Only the port of a loopback address may differ.',
    async run(on) {
      const right = await accepted(on)
      if (codeOf(right) === null) return notReached('the right document is not accepted', right)
      const redirect_uri = `${REDIRECT_URI}/other`
      const ended = await on.authorize({ client: right.client, changes: { redirect_uri } })
      const found = `${redirect_uri} is not in the document: ${describe(ended)}`
      if (ended.page.status >= 500) return notReached(found, ended)
      return judge(ended, ended.parameters === null, found)
    },
  },
  {
    id: 'metadata-document/other-client-id', clause: TEXT.same, depth: 'people',
    creates: { authorizations: 2 },
    change: 'Compare client_id of the document with the URL that the client sent, as text, before you store or use the client.',
    async run(on) {
      // Stops if there is no MCP endpoint.
      await on.mcpPath()
      return refuses(on, 'other-client-id', 'a document with the client_id of another')
    },
  },
  wrong('missing', TEXT.failed, 'a document that is not there', 'Show an error page if the document is not there, and take nothing from the request in its place.'),
  wrong('without-redirect-uris', TEXT.exact, 'a document without redirect_uris', 'Refuse a document that has no redirect_uris.'),
  wrong('shared-secret', TEXT.secret, 'a document with client_secret_post', 'Refuse a document whose token_endpoint_auth_method needs a secret, such as client_secret_post.'),
  wrong('published-secret', TEXT.published, 'a document with a client_secret', 'Refuse a document that has client_secret or client_secret_expires_at.'),
  wrong('http', TEXT.form, 'a client_id with the scheme http', FORM),
  wrong('fragment', TEXT.form, 'a client_id with a fragment', FORM),
  wrong('credentials', TEXT.form, 'a client_id with a user name', FORM),
  wrong('dot-segments', TEXT.form, 'a client_id with a dot segment', FORM),
  wrong('large', TEXT.size, 'a document of 256 KB', 'Stop reading after 5 KB, whatever Content-Length says, and refuse the document.'),
] // prettier-ignore
