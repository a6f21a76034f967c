import { type Check, type Clause } from '../check.js'
import { judge, notApplicable } from '../finding.js'
import { type Client, REDIRECT_URI } from '../engine/audit.js'
import {
  acceptedAs,
  ask,
  askWrongly,
  errorOf,
  isAt,
  refusedAs,
  refusedAt,
  WRONG_TYPE,
} from './asking.js'

/** A host that cannot exist: `.invalid` is reserved (RFC 2606). */
const ATTACKER = 'audit.invalid'

const EXACT: Omit<Clause, 'says'> = { document: 'RFC 9700', section: '2.1', level: 'MUST' }
const COMPARE =
  'Compare redirect_uri with each registered one by ===, as the text that was sent. Only the port of http://127.0.0.1 and http://[::1] may differ.'

/** A redirect URI that differs from the registered one in one thing: it must receive nothing. */
const differing = ({
  name,
  clause = EXACT,
  says,
  what,
  change = COMPARE,
  uriOf,
}: {
  readonly name: string
  readonly clause?: Omit<Clause, 'says'>
  readonly says: string
  readonly what: string
  readonly change?: string
  /** `null` if there is nothing to differ in. */
  readonly uriOf: (registered: URL, client: Client) => string | null
}): Check => ({
  id: `redirects/${name}`,
  clause: { ...clause, says },
  depth: 'anonymous',
  change,
  async run(on) {
    const client = await on.client()
    const uri = uriOf(new URL(client.redirectUri), client)
    if (uri === null) return notApplicable(`${client.redirectUri} has no ${what}`)
    return refusedAt(uri, await ask(on, { redirect_uri: uri }), `${uri} in place of ${client.redirectUri}`) // prettier-ignore
  },
})

/** A URL with parts in place of its own. */
const withParts = (url: URL, parts: Partial<Pick<URL, 'protocol' | 'hostname' | 'port' | 'pathname'>>): string =>
  Object.assign(new URL(url), parts).href // prettier-ignore

/** Whether any port has to do: `http` and a loopback address. */
const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && (hostname === '127.0.0.1' || hostname === '[::1]')

const isWeb = ({ protocol }: URL): boolean => /^https?:$/.test(protocol)
const otherPort = ({ port }: URL): string => (port === '47318' ? '47319' : '47318')

/** Redirect URIs: where a code may go. */
export const redirects: readonly Check[] = [
  differing({
    name: 'other-host',
    says: 'A redirect URI of another host is refused: it would receive the code of someone else.',
    what: 'host',
    uriOf: (url) => (isWeb(url) ? withParts(url, { hostname: ATTACKER }) : null),
  }),
  differing({
    name: 'other-path',
    says: 'A redirect URI with another path is refused: another page of the host may leak the code.',
    what: 'path',
    uriOf: (url) => withParts(url, { pathname: '/hallpass-audit' }),
  }),
  differing({
    name: 'other-scheme',
    says: 'A redirect URI with https in place of http, or the reverse, is refused.',
    what: 'scheme of the web',
    uriOf: (url) =>
      isWeb(url) ? url.href.replace(/^https?/, url.protocol === 'http:' ? 'https' : 'http') : null,
  }),
  differing({
    name: 'extra-query',
    says: 'A redirect URI with a parameter that is not registered is refused.',
    what: 'query',
    uriOf: (_, { redirectUri }) => `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}next=1`,
  }),
  differing({
    name: 'trailing-slash',
    says: 'A redirect URI with a slash that is not registered is refused.',
    what: 'place for a slash',
    uriOf: ({ search }, { redirectUri }) => (search === '' ? `${redirectUri}/` : null),
  }),
  differing({
    name: 'path-case',
    says: 'A redirect URI whose path has another case is refused, because paths are compared as text.',
    what: 'letter in its path',
    uriOf: (url) => {
      const pathname = url.pathname.toUpperCase()
      return pathname === url.pathname ? null : withParts(url, { pathname })
    },
  }),
  differing({
    name: 'dot-segments',
    clause: { document: 'RFC 9700', section: '4.1.3', level: 'MUST' },
    says: 'A redirect URI that only a parser makes equal, such as /./callback, is refused, because parsers differ.',
    what: 'path',
    uriOf: ({ origin, pathname }, { redirectUri }) =>
      redirectUri.startsWith(`${origin}/`) ? redirectUri.replace(origin + pathname, `${origin}/.${pathname}`) : null, // prettier-ignore
  }),
  differing({
    name: 'path-traversal',
    clause: { document: 'RFC 9700', section: '4.1.3', level: 'MUST' },
    says: 'A redirect URI that leaves the registered path by /../ is refused.',
    what: 'path',
    uriOf: (_, { redirectUri }) => `${redirectUri}/../hallpass-audit`,
  }),
  differing({
    name: 'encoded-traversal',
    clause: { document: 'RFC 9700', section: '4.1.3', level: 'MUST' },
    says: 'A redirect URI that leaves the registered path by /%2e%2e/ is refused: browsers read that as /../.',
    what: 'path',
    uriOf: (_, { redirectUri }) => `${redirectUri}/%2e%2e/hallpass-audit`,
  }),
  differing({
    name: 'host-suffix',
    clause: { document: 'RFC 9700', section: '4.1.3', level: 'MUST' },
    says: 'A redirect URI whose host only begins with the registered one is refused: it belongs to someone else.',
    what: 'host with a name',
    uriOf: (url) =>
      isWeb(url) && !url.hostname.startsWith('[')
        ? withParts(url, { hostname: `${url.hostname}.${ATTACKER}` })
        : null,
  }),
  differing({
    name: 'userinfo',
    clause: { document: 'RFC 9700', section: '4.1.3', level: 'MUST' },
    says: 'A redirect URI with the registered host before an @ is refused: its host comes after the @.',
    what: 'host',
    uriOf: (url) =>
      isWeb(url) ? `${url.protocol}//${url.host}@${ATTACKER}${url.pathname}${url.search}` : null,
  }),
  differing({
    name: 'fragment',
    clause: { document: 'RFC 6749', section: '3.1.2', level: 'MUST NOT' },
    says: 'A redirect URI has no fragment, so that a request with one is refused.',
    what: 'fragment',
    change: 'Refuse a redirect_uri with "#" before you compare it.',
    uriOf: (_, { redirectUri }) => `${redirectUri}#hallpass-audit`,
  }),
  {
    id: 'redirects/loopback-port',
    clause: {
      document: 'RFC 8252',
      section: '7.3',
      level: 'MUST',
      says: 'At a loopback address any port is accepted, because a native app listens where a port is free.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Leave the port out when you compare a redirect_uri that begins with http://127.0.0.1 or http://[::1]. Compare everything else as text.',
    async run(on) {
      const client = await on.client()
      const url = new URL(client.redirectUri)
      if (!isLoopback(url)) return notApplicable(`${client.redirectUri} is not a loopback address`)
      const uri = withParts(url, { port: otherPort(url) })
      return acceptedAs(await on.authorize({ changes: { redirect_uri: uri } }), `${uri} in place of ${client.redirectUri}`) // prettier-ignore
    },
  },
  differing({
    name: 'loopback-path',
    clause: { document: 'RFC 8252', section: '8.4', level: 'MUST' },
    says: 'At a loopback address only the port may differ: with another path the request is refused.',
    what: 'loopback address',
    uriOf: (url) =>
      isLoopback(url)
        ? withParts(url, { port: otherPort(url), pathname: '/hallpass-audit' })
        : null,
  }),
  differing({
    name: 'loopback-name',
    says: 'localhost in place of 127.0.0.1 is refused: the name may lead to another computer.',
    what: 'loopback address',
    change:
      'Do not take localhost, 127.0.0.1 and [::1] for each other. A client that wants several registers them.',
    uriOf: (url) => (isLoopback(url) ? withParts(url, { hostname: 'localhost' }) : null),
  }),
  {
    id: 'redirects/missing',
    clause: {
      document: 'RFC 6749',
      section: '3.1.2.3',
      level: 'MUST',
      says: 'A client with several redirect URIs says which one it wants: without redirect_uri its request is refused.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change:
      'Without redirect_uri, show the person a page with the error if the client has several. Do not take the first one.',
    async run(on) {
      const uris = [REDIRECT_URI, `${REDIRECT_URI}/2`]
      const client = await on.newClient({ redirect_uris: uris })
      return refusedAs(await ask(on, { redirect_uri: null }, client), ['invalid_request'], 'no redirect_uri of a client that has two') // prettier-ignore
    },
  },
  {
    id: 'redirects/error-elsewhere',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2.1',
      level: 'MUST NOT',
      says: 'An error is not sent to a redirect URI that is not registered either: the server would redirect to anywhere.',
    },
    depth: 'anonymous',
    change:
      'Compare redirect_uri before you validate any other parameter. Redirect errors after that, and show a page before.',
    async run(on) {
      const uri = `https://${ATTACKER}/callback`
      const asked = await ask(on, { redirect_uri: uri, response_type: WRONG_TYPE })
      return refusedAt(uri, asked, `an error of a request for ${uri}`)
    },
  },
  {
    id: 'redirects/query-kept',
    clause: {
      document: 'RFC 6749',
      section: '3.1.2',
      level: 'MUST',
      says: 'The query of a redirect URI is kept, and the parameters of the response are added to it.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change:
      'Add the parameters to the query of the redirect URI with "&" if it has one. Do not replace it.',
    async run(on) {
      const uri = `${REDIRECT_URI}?tenant=7`
      const client = await on.newClient({ redirect_uris: [uri] })
      const asked = await askWrongly(on, {}, client)
      const { left } = asked.page
      const isLost = left !== null && isAt(left, REDIRECT_URI) && !left.searchParams.has('tenant')
      if (!isLost) errorOf(asked)
      return judge(!isLost, `${uri} keeps its query`, `${uri} has lost its query`)
    },
  },
  {
    id: 'redirects/credentials-not-forwarded',
    clause: {
      document: 'RFC 9700',
      section: '4.12',
      level: 'MUST NOT',
      says: 'The browser is not sent to the client with 307 or 308, which would repeat the form that the person has sent.',
    },
    depth: 'people',
    change: 'Redirect to the client with 303. The client then receives a GET without your form.',
    async run(on) {
      const { status, method } = (await on.sharedTokens()).code.page
      if (status < 300) return notApplicable('the server sends the browser to the client by a page')
      const where = `the ${method} of the person is answered by ${status} to the client`
      return judge(method === 'GET' || (status !== 307 && status !== 308), where, where)
    },
  },
  {
    id: 'redirects/see-other',
    clause: {
      document: 'RFC 9700',
      section: '4.12',
      level: 'SHOULD',
      says: 'The browser is sent to the client with 303, the status with which every browser drops the form.',
    },
    depth: 'people',
    change:
      'Redirect with 303 in place of 302. Many frameworks default to 302: name the status where you redirect.',
    async run(on) {
      const { status, method } = (await on.sharedTokens()).code.page
      if (status < 300) return notApplicable('the server sends the browser to the client by a page')
      if (method === 'GET') return notApplicable('a request without a form is sent to the client')
      const where = `the form of the person is answered by ${status} to the client`
      return judge(status === 303, where, where)
    },
  },
]
