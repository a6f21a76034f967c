import type { Fault } from '../broken-server.js'
import { both, type Broken, requested, returned } from '../faults.js'

/** The redirect URI of the clients of the audit. */
const REGISTERED = 'http://127.0.0.1:47317/callback'
const AUTHORIZE = '/oauth/authorize'

/** Accepts what is the same to a comparison of its own, beside what is registered. */
function comparing(isSame: (uri: URL, text: string) => boolean): Fault {
  const asked = new Map<string, string>()
  return both(
    requested((query) => {
      const [uri = '', ...further] = query.getAll('redirect_uri')
      if (further.length > 0 || !URL.canParse(uri) || !isSame(new URL(uri), uri)) return
      asked.set(query.get('state') ?? '', uri)
      query.set('redirect_uri', REGISTERED)
    }),
    returned((to) => {
      const uri = asked.get(to.searchParams.get('state') ?? '')
      if (uri !== undefined) to.href = uri + (uri.includes('?') ? to.search.replace('?', '&') : to.search)
    }),
  )
} // prettier-ignore

/** Redirects with another status where the browser is sent to the client. */
const redirecting = (status: number): Fault => ({
  wrap: (next) => async (request) => {
    const { method } = request
    const answer = await next(request)
    const isLeaving = /[?&](?:code|error)=/.test(answer.headers.get('location') ?? '')
    return isLeaving && method === 'POST' ? new Response(answer.body, { status, headers: answer.headers }) : answer
  },
}) // prettier-ignore

const rest = ({ pathname, search, hash }: URL): string => pathname + search + hash

export const redirects: readonly Broken[] = [
  {
    name: 'redirect URIs are compared by their beginning',
    fault: comparing((_, text) => text.startsWith(REGISTERED)),
    violates: [
      'redirects/extra-query',
      'redirects/trailing-slash',
      'redirects/path-traversal',
      'redirects/encoded-traversal',
      'redirects/fragment', 'metadata-document/unlisted-redirect-uri'],
    whole: true,
  },
  {
    name: 'only the host is compared',
    fault: comparing(({ hostname }) => hostname === '127.0.0.1'),
    violates: [
      'redirects/other-path',
      'redirects/other-scheme',
      'redirects/extra-query',
      'redirects/trailing-slash',
      'redirects/path-case',
      'redirects/dot-segments',
      'redirects/path-traversal',
      'redirects/encoded-traversal',
      'redirects/fragment',
      'redirects/loopback-path',
    ],
  },
  {
    name: 'only the path is compared',
    fault: comparing((uri) => rest(uri) === '/callback'),
    violates: [
      'redirects/other-host',
      'redirects/other-scheme',
      'redirects/dot-segments',
      'redirects/host-suffix',
      'redirects/userinfo',
      'redirects/loopback-name',
      'redirects/error-elsewhere',
    ],
  },
  {
    name: 'the origin is compared by its beginning',
    fault: comparing((uri, text) => text.startsWith('http://127.0.0.1') && rest(uri) === '/callback' && !text.includes('/./')),
    violates: ['redirects/host-suffix', 'redirects/userinfo'],
  },
  {
    name: 'redirect URIs are compared as a parser writes them',
    fault: comparing(({ href }) => href === REGISTERED),
    violates: ['redirects/dot-segments'],
  },
  {
    name: 'case and a slash at the end are forgiven',
    fault: comparing((_, text) => text.toLowerCase().replace(/\/$/, '') === REGISTERED),
    violates: ['redirects/path-case', 'redirects/trailing-slash'],
  },
  {
    name: 'the port of a loopback address is compared',
    fault: requested((query) => {
      const uri = query.get('redirect_uri') ?? ''
      if (/^http:\/\/127\.0\.0\.1:(?!47317\/)/.test(uri)) query.set('redirect_uri', `${uri}/not-registered`)
    }),
    violates: ['redirects/loopback-port'],
  },
  {
    name: 'all of a loopback address may differ',
    fault: comparing(({ protocol, host, port, search, hash }) => protocol === 'http:' && host.startsWith('127.0.0.1:') && port !== '47317' && search + hash === ''),
    violates: ['redirects/loopback-path'],
  },
  {
    name: 'localhost is 127.0.0.1',
    fault: comparing((_, text) => text.replace('//localhost', '//127.0.0.1') === REGISTERED),
    violates: ['redirects/loopback-name'],
  },
  {
    name: 'a fragment is cut off',
    fault: comparing((_, text) => text.split('#')[0] === REGISTERED),
    violates: ['redirects/fragment'],
  },
  {
    name: 'the first redirect URI is used if none is sent',
    fault: requested((query) => {
      if (!query.has('redirect_uri') && !query.has('request_uri')) query.set('redirect_uri', REGISTERED)
    }),
    violates: ['redirects/missing'],
  },
  {
    name: 'errors are redirected before the redirect URI is compared',
    fault: {
      wrap: (next) => (request) => {
        const { pathname, searchParams } = new URL(request.url)
        const to = searchParams.get('redirect_uri')
        if (pathname !== AUTHORIZE || searchParams.get('response_type') === 'code' || to === null) return next(request)
        const location = `${to}${to.includes('?') ? '&' : '?'}error=unsupported_response_type&state=${searchParams.get('state')}`
        return new Response(null, { status: 303, headers: { location } })
      },
    },
    violates: ['redirects/error-elsewhere'],
  },
  {
    name: 'the query of the redirect URI is replaced',
    fault: returned((to) => to.searchParams.delete('tenant')),
    violates: ['redirects/query-kept'],
  },
  {
    name: 'the form of the person is sent to the client',
    fault: redirecting(307),
    violates: ['redirects/credentials-not-forwarded', 'redirects/see-other'],
    whole: true,
  },
  {
    name: 'the browser is sent to the client with 302',
    fault: redirecting(302),
    violates: ['redirects/see-other'],
  },
] // prettier-ignore
