import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, oidcCore, rfc6749, rfc8252, rfc9700 } from '../clause.js' // prettier-ignore
import { type Finding, held, judge, notApplicable, notReached, violated } from '../finding.js'
import { type Changes, type Client, describe, REDIRECT_URI } from '../engine/audit.js'
import { acceptedAs, ask, ASKS, askWrongly, errorOf, isAt, refusedAs, refusedAt, signInAged, WRONG_TYPE } from './asking.js' // prettier-ignore
import { firstNotHeld } from './expect.js'

// prettier-ignore
const TEXT = {
  exact: rfc6749('3.1.2.3', MUST, AS, 'If the client registration included the full redirection URI, the authorization server MUST compare the two URIs using simple string comparison as defined in [RFC3986] Section 6.2.1.'),
  notThere: rfc6749('4.1.2.1', MUST_NOT, AS, 'If the request fails due to a missing, invalid, or mismatching redirection URI, or if the client identifier is missing or invalid, the authorization server SHOULD inform the resource owner of the error and MUST NOT automatically redirect the user-agent to the invalid redirection URI.'),
  loopbackPort: rfc8252('7.3', ADVICE, AS, 'A native app listens where a port is free, so that at a loopback address any port is accepted. RFC 8252 and RFC 9700 require it of servers for native apps.'),
  required: oidcCore('3.1.2.2', MUST, AS, 'The Authorization Server MUST verify that all the REQUIRED parameters are present and their usage conforms to this specification.'),
  errors: oidcCore('3.1.2.2', MUST, AS, 'If the Authorization Server encounters any error, it MUST return an error response, per Section 3.1.2.6.'),
  query: rfc6749('3.1.2', MUST, AS, 'The endpoint URI MAY include an "application/x-www-form-urlencoded" formatted (per Appendix B) query component ([RFC3986] Section 3.4), which MUST be retained when adding additional query parameters.'),
  credentials: rfc9700('2.1', MUST, AS, 'An authorization server that redirects a request potentially containing user credentials MUST avoid forwarding these user credentials accidentally'),
  seeOther: rfc9700('4.12', ADVICE, AS, 'A form that a person has sent is answered by 303 on the way to the client, the one status with which every browser drops the form.'),
}

/** A host that cannot exist: `.invalid` is reserved (RFC 2606). */
const ATTACKER = 'audit.invalid'
const ELSEWHERE = `https://${ATTACKER}/callback`
const COMPARE =
  'Compare redirect_uri with each registered one by ===, as the text that was sent. Only the port of http://127.0.0.1 and http://[::1] may differ.'

/** Redirect URIs that differ from the registered one in one way: none of them may receive anything. */
const differing = (
  name: string,
  what: string,
  urisOf: (registered: URL, client: Client) => readonly (string | false)[],
  change = COMPARE,
): Check => ({
  id: `redirects/${name}`,
  clause: TEXT.exact,
  depth: 'anonymous',
  creates: { authorizations: 3 },
  change,
  async run(on) {
    const client = await on.client()
    const { redirectUri } = client
    const uris = urisOf(new URL(redirectUri), client).filter((uri) => uri !== false)
    if (uris.length === 0) return notApplicable(`${redirectUri} has no ${what}`)
    return firstNotHeld(uris, async (uri) =>
      refusedAt(uri, await ask(on, { redirect_uri: uri }), `${uri} in place of ${redirectUri}`),
    )
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
const afterHost = ({ pathname, search }: URL): string => pathname + search

/** Requests that a server may answer before it compares the redirect URI. */
const EARLY: readonly (readonly [string, Changes])[] = [
  ['an unknown response_type', { response_type: WRONG_TYPE }],
  ['prompt=none', { prompt: 'none' }],
  ['an unknown scope', { scope: 'hallpass-audit:unknown' }],
  ['no code_challenge', { code_challenge: null, code_challenge_method: null }],
  ['no state', { state: null }],
  ['an unknown response_mode', { response_mode: WRONG_TYPE }],
  ['a request object', { request: WRONG_TYPE }],
]

const TWO = [REDIRECT_URI, `${REDIRECT_URI}/2`] as const

/** Redirect URIs: where a code may go. */
export const redirects: readonly Check[] = [
  differing('other-host', 'host', (url) => [
    isWeb(url) && withParts(url, { hostname: ATTACKER }),
    isWeb(url) && !isLoopback(url) && withParts(url, { port: otherPort(url) }),
  ]),
  differing('other-path', 'path', (url) => [withParts(url, { pathname: '/hallpass-audit' })]),
  differing('near-path', 'path', ({ search, href }, { redirectUri }) => [
    search === '' && `${redirectUri}x`,
    // One other character.
    search === '' && href.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
    search === '' && redirectUri.replace(/.$/, ''),
  ]),
  differing('other-scheme', 'scheme of the web', ({ protocol, href }) => [
    protocol === 'http:' && href.replace('http:', 'https:'),
    protocol === 'https:' && href.replace('https:', 'http:'),
  ]),
  differing('extra-query', 'query', (_, { redirectUri }) => [
    `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}next=1`,
  ]),
  differing('trailing-slash', 'place for a slash', ({ search }, { redirectUri }) => [
    search === '' && `${redirectUri}/`,
  ]),
  differing('path-case', 'letter in its path', (url) => {
    const pathname = url.pathname.toUpperCase()
    return [pathname !== url.pathname && withParts(url, { pathname })]
  }),
  differing('encoded-path', 'letter in its path', (_, { redirectUri }) => [
    // Browsers and parsers read both as the same text.
    /[a-z]$/.test(redirectUri) && redirectUri.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`), // prettier-ignore
    `${redirectUri}%20`,
    `${redirectUri}%00`,
  ]),
  differing('host-spelling', 'host', (url) => [
    isWeb(url) && `${url.protocol.toUpperCase()}//${url.host}${afterHost(url)}`,
    // A dot at the end of a host is another name to some, and the same to others.
    isWeb(url) && url.href.replace(url.host, url.host.replace(url.hostname, `${url.hostname}.`)),
    isWeb(url) && `${url.protocol}/${url.host}${afterHost(url)}`,
  ]),
  differing('dot-segments', 'path', ({ origin, pathname }, { redirectUri }) => [
    redirectUri.startsWith(`${origin}/`) && redirectUri.replace(origin + pathname, `${origin}/.${pathname}`), // prettier-ignore
  ]),
  differing('path-traversal', 'path', (_, { redirectUri }) => [
    `${redirectUri}/../hallpass-audit`,
    `${redirectUri}\\..\\hallpass-audit`,
  ]),
  differing('encoded-traversal', 'path', (_, { redirectUri }) => [
    `${redirectUri}/%2e%2e/hallpass-audit`,
    `${redirectUri}%2f..%2fhallpass-audit`,
  ]),
  differing('host-suffix', 'host with a name', (url) => [
    isWeb(url) && !url.hostname.startsWith('[') && withParts(url, { hostname: `${url.hostname}.${ATTACKER}` }), // prettier-ignore
    isWeb(url) && !isLoopback(url) && withParts(url, { hostname: `audit-${url.hostname}` }),
  ]),
  differing('userinfo', 'host', (url) => [
    // The host of a URL comes after the @.
    isWeb(url) && `${url.protocol}//${url.host}@${ATTACKER}${afterHost(url)}`,
    isWeb(url) && `${url.protocol}//${ATTACKER}@${url.host}${afterHost(url)}`,
    // Browsers read a backslash as a slash, and other parsers do not.
    isWeb(url) && `${url.protocol}//${ATTACKER}\\@${url.host}${afterHost(url)}`,
  ]),
  differing(
    'fragment',
    'fragment',
    (_, { redirectUri }) => [`${redirectUri}#hallpass-audit`, `${redirectUri}#`],
    'Refuse a redirect_uri with "#" before you compare it.',
  ),
  {
    id: 'redirects/loopback-port',
    clause: TEXT.loopbackPort,
    depth: 'people',
    creates: ASKS,
    change:
      'Leave the port out when you compare a redirect_uri that begins with http://127.0.0.1 or http://[::1]. Compare everything else as text.',
    async run(on) {
      const { redirectUri } = await on.client()
      const url = new URL(redirectUri)
      if (!isLoopback(url)) return notApplicable(`${redirectUri} is not a loopback address`)
      const uri = withParts(url, { port: otherPort(url) })
      return acceptedAs(await on.authorize({ changes: { redirect_uri: uri } }), `${uri} in place of ${redirectUri}`) // prettier-ignore
    },
  },
  differing('loopback-path', 'loopback address', (url) => [
    isLoopback(url) && withParts(url, { port: otherPort(url), pathname: '/hallpass-audit' }),
    isLoopback(url) && `${withParts(url, { port: otherPort(url) })}x`,
  ]),
  differing(
    'loopback-name',
    'loopback address',
    (url) => [
      isLoopback(url) && withParts(url, { hostname: 'localhost' }),
      isLoopback(url) && url.href.replace(url.hostname, '127.1'),
    ],
    'Do not take localhost, 127.0.0.1 and [::1] for each other. A client that wants several registers them.',
  ),
  {
    id: 'redirects/missing',
    clause: TEXT.required,
    depth: 'anonymous',
    creates: { clients: 1, authorizations: 1 },
    change:
      'Without redirect_uri, show the person a page with the error if the client has several. Do not take the first one.',
    async run(on) {
      await on.openid()
      const client = await on.newClient({ redirect_uris: TWO })
      const asked = await ask(on, { redirect_uri: null }, client)
      const what = 'no redirect_uri of a client that has two'
      if (asked.page.left?.searchParams.has('code'))
        return violated(asked, `${what}: ${describe(asked)}`)
      return refusedAs(asked, ['invalid_request'], what)
    },
  },
  {
    id: 'redirects/error-elsewhere',
    clause: TEXT.notThere,
    depth: 'anonymous',
    creates: { authorizations: 2 * EARLY.length + 1 },
    change:
      'Compare redirect_uri before you validate any other parameter. Redirect errors after that, and show a page before.',
    async run(on) {
      const { redirectUri } = await on.client()
      const near = new URL(redirectUri).search === '' ? `${redirectUri}x` : `${redirectUri}&next=1`
      const asked = EARLY.flatMap(([what, changes]) =>
        [ELSEWHERE, near].map((uri) => ({ what, uri, changes, method: 'GET' as const })),
      )
      const posted = {
        what: 'a form by POST',
        uri: ELSEWHERE,
        changes: {},
        method: 'POST' as const,
      }
      return firstNotHeld(
        [...asked, posted],
        async ({ what, uri, changes, method }) =>
        refusedAt(uri, await ask(on, { ...changes, redirect_uri: uri }, undefined, method), `${what} of a request for ${uri}`), // prettier-ignore
      )
    },
  },
  {
    id: 'redirects/error-to-requested',
    clause: TEXT.errors,
    depth: 'anonymous',
    creates: { clients: 1 },
    change:
      'Send an error to the redirect_uri of its request, not to the first one of the client, or to one that is kept for it.',
    async run(on) {
      await on.openid()
      const [, second] = TWO
      const client = { ...(await on.newClient({ redirect_uris: TWO })), redirectUri: second }
      const asked = await askWrongly(on, {}, client)
      const { left } = asked.page
      const where = `an error of a request for ${second}: ${describe(asked)}`
      if (left === null) return notReached(where, asked)
      return judge(asked, isAt(left, second), where, where)
    },
  },
  {
    id: 'redirects/query-kept',
    clause: TEXT.query,
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
      return judge(asked, !isLost, `${uri} keeps its query`, `${uri} has lost its query`)
    },
  },
  {
    id: 'redirects/credentials-not-forwarded',
    clause: TEXT.credentials,
    depth: 'people',
    creates: ASKS,
    change: 'Redirect to the client with 303. The client then receives a GET without your form.',
    async run(on) {
      await signInAged(on)
      // If this person is not asked again, the form of the sign-in leads to the client.
      const ended = await on.authorize({ person: 0, changes: { prompt: 'login' } })
      const { status, method, left } = ended.page
      if (left === null) return notReached(`the browser did not leave: ${describe(ended)}`, ended)
      const [, form = ''] = ended.exchange.request.split('\n\n')
      const names = Object.keys(on.signIn?.people[0] ?? {})
      const isSent = method === 'POST' && names.some((name) => new URLSearchParams(form).has(name))
      if (!isSent) return held(ended, `the form of the sign-in does not lead to the client: ${method ?? 'a page'} does`) // prettier-ignore
      const where = `the form of the sign-in is answered by ${status} to the client`
      return judge(ended, status !== 307 && status !== 308, where, where)
    },
  },
  {
    id: 'redirects/see-other',
    clause: TEXT.seeOther,
    depth: 'people',
    change:
      'Redirect with 303 in place of 302. Many frameworks default to 302: name the status where you redirect.',
    async run(on): Promise<Finding> {
      const { code } = await on.sharedTokens()
      const { status, method } = code.page
      if (status < 300) return notApplicable('the server sends the browser to the client by a page', code) // prettier-ignore
      if (method === 'GET') return notApplicable('a request without a form is sent to the client', code) // prettier-ignore
      const where = `the form of the person is answered by ${status} to the client`
      return judge(code, status === 303, where, where)
    },
  },
]
