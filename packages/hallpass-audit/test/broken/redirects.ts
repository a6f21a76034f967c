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

/** Redirects with an error before anything is compared, if a request is like this. */
const redirectsEarly = (isLike: (query: URLSearchParams, method: string) => boolean): Fault => ({
  wrap: (next) => async (request) => {
    const isForm = request.method === 'POST'
    const query = isForm ? new URLSearchParams(await request.clone().text()) : new URL(request.url).searchParams
    const to = query.get('redirect_uri')
    if (new URL(request.url).pathname !== AUTHORIZE || to === null || !isLike(query, request.method)) return next(request)
    const location = `${to}${to.includes('?') ? '&' : '?'}error=invalid_request&state=${query.get('state') ?? ''}`
    return new Response(null, { status: 303, headers: { location } })
  },
}) // prettier-ignore

/** A sign-in whose form leads to the client, if it has to be repeated. */
function signsInByRedirect(): Fault {
  let isAgain = false
  return {
    wrap: (next) => async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === AUTHORIZE) isAgain = searchParams.get('prompt') === 'login'
      const answer = await next(request)
      if (pathname !== '/sign-in' || !isAgain) return answer
      return new Response(null, { status: 307, headers: { location: `${REGISTERED}?code=later` } })
    },
  }
}

export const redirects: readonly Broken[] = [
  {
    name: 'prompt=none is answered before the redirect URI is compared',
    fault: redirectsEarly((query) => query.get('prompt') === 'none'),
    violates: ['redirects/error-elsewhere'],
  },
  {
    name: 'a form by POST is answered before the redirect URI is compared',
    fault: redirectsEarly((query, method) => method === 'POST' && query.get('redirect_uri') !== REGISTERED),
    violates: ['redirects/error-elsewhere'],
  },
  {
    name: 'an error of a redirect URI that is nearly right is sent there',
    fault: redirectsEarly((query) => query.get('scope') === 'hallpass-audit:unknown' && query.get('redirect_uri') === `${REGISTERED}x`),
    violates: ['redirects/error-elsewhere'],
  },
  {
    name: 'an error goes to the first redirect URI of the client',
    fault: returned((to) => {
      if (to.searchParams.has('error') && to.pathname === '/callback/2') to.pathname = '/callback'
    }),
    violates: ['redirects/error-to-requested'],
  },
  {
    name: 'the end of a path is not compared',
    fault: comparing((_, text) => text.startsWith(REGISTERED.slice(0, -1)) && text.length <= REGISTERED.length + 1 && !text.endsWith('/') && !text.endsWith('#')),
    violates: ['redirects/near-path', 'redirects/error-elsewhere'],
  },
  {
    name: 'a redirect URI is decoded before it is compared',
    fault: comparing((_, text) => !/%(?!6|20|00)|[A-Z]{2}/.test(text) && decodeURIComponent(text).replace(/[ \0]$/, '') === REGISTERED),
    violates: ['redirects/encoded-path'],
  },
  {
    name: 'the scheme and the host are compared as a parser writes them',
    fault: comparing(({ href }, text) => href === REGISTERED && /^http:\/{0,2}127\.0\.0\.1\.?:47317\/callback$/i.test(text)),
    violates: ['redirects/host-spelling'],
  },
  {
    name: 'the form of the sign-in is sent to the client',
    fault: signsInByRedirect(),
    violates: ['redirects/credentials-not-forwarded'],
  },
  {
    name: 'redirect URIs are compared by their beginning',
    fault: comparing((_, text) => text.startsWith(REGISTERED)),
    violates: ['redirects/near-path', 'redirects/encoded-path', 'redirects/extra-query', 'redirects/trailing-slash', 'redirects/path-traversal', 'redirects/encoded-traversal', 'redirects/fragment', 'redirects/error-elsewhere', 'metadata-document/unlisted-redirect-uri'],
    whole: true,
  },
  {
    name: 'only the host is compared',
    fault: comparing(({ hostname }) => hostname === '127.0.0.1'),
    violates: ['redirects/other-path', 'redirects/near-path', 'redirects/other-scheme', 'redirects/extra-query', 'redirects/trailing-slash', 'redirects/path-case', 'redirects/encoded-path', 'redirects/host-spelling', 'redirects/dot-segments', 'redirects/path-traversal', 'redirects/encoded-traversal', 'redirects/userinfo', 'redirects/fragment', 'redirects/loopback-path', 'redirects/loopback-name', 'redirects/error-elsewhere'],
  },
  {
    name: 'only the path is compared',
    fault: comparing((uri) => rest(uri) === '/callback'),
    violates: ['redirects/other-host', 'redirects/other-scheme', 'redirects/host-spelling', 'redirects/dot-segments', 'redirects/host-suffix', 'redirects/userinfo', 'redirects/fragment', 'redirects/loopback-name', 'redirects/error-elsewhere'],
  },
  {
    name: 'the origin is compared by its beginning',
    fault: comparing((uri, text) => text.startsWith('http://127.0.0.1') && rest(uri) === '/callback' && !text.includes('/./')),
    violates: ['redirects/host-spelling', 'redirects/host-suffix', 'redirects/userinfo', 'redirects/fragment'],
  },
  {
    name: 'redirect URIs are compared as a parser writes them',
    fault: comparing(({ href }) => href === REGISTERED),
    violates: ['redirects/host-spelling', 'redirects/dot-segments', 'redirects/loopback-name'],
  },
  {
    name: 'case and a slash at the end are forgiven',
    fault: comparing((_, text) => text.toLowerCase().replace(/\/$/, '') === REGISTERED),
    violates: ['redirects/path-case', 'redirects/trailing-slash', 'redirects/host-spelling'],
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
    violates: ['redirects/see-other'],
  },
  {
    name: 'the browser is sent to the client with 302',
    fault: redirecting(302),
    violates: ['redirects/see-other'],
  },
] // prettier-ignore
