import type { Handler } from 'hallpass-audit'
import type { Fault } from '../broken-server.js'
import { both, type Broken, returned } from '../faults.js'

const INTERACTION = /^\/oauth\/interaction\/[\w-]{43}$/
const isInteraction = (request: Request): boolean => INTERACTION.test(new URL(request.url).pathname)
const tokenIn = (html: string): string => /name="csrf_token" value="([^"]+)"/.exec(html)?.[1] ?? ''

/** Changes the consent page: its headers and its HTML. */
const page = (change: (headers: Headers, html: string) => string | void): Fault => ({
  wrap: (next) => async (request) => {
    const answer = await next(request)
    if (!isInteraction(request) || answer.status !== 200) return answer
    const html = await answer.text()
    const headers = new Headers(answer.headers)
    const changed = tokenIn(html) === '' ? html : (change(headers, html) ?? html)
    return new Response(changed, { status: answer.status, headers })
  },
})

const policy = (change: (policy: string) => string): Fault =>
  page((headers) =>
    headers.set('content-security-policy', change(headers.get('content-security-policy') ?? '')),
  )

/** Sends the form of the consent page as a person with these cookies does. */
async function decide(next: Handler, url: string, cookie: string, form: string): Promise<Response> {
  const html = await (await next(new Request(url, { headers: { cookie } }))).text()
  const body = new URLSearchParams(form)
  body.set('csrf_token', tokenIn(html))
  const headers = {
    cookie,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  }
  return next(new Request(url, { method: 'POST', headers, body: body.toString() }))
}

/** The server decides without the token of the form, if `isMissing` holds for the form. */
const tokenUnchecked = (isMissing: (form: URLSearchParams) => boolean): Fault => ({
  wrap: (next) => async (request) => {
    if (!isInteraction(request) || request.method !== 'POST') return next(request)
    const form = await request.clone().text()
    return isMissing(new URLSearchParams(form))
      ? decide(next, request.url, request.headers.get('cookie') ?? '', form)
      : next(request)
  },
})

const cookieOf = (text: string | null, name: string): string =>
  new RegExp(`(?:^|[; ])${name}=[\\w-]+`).exec(text ?? '')?.[0].trim() ?? ''

/** The request belongs to no browser: whoever sends the form decides, or is taken for who saw the page. */
function unbound({ asOwner, needsToken }: { asOwner: boolean; needsToken: boolean }): Fault {
  const owners = new Map<string, string>()
  return {
    wrap: (next) => async (request) => {
      const cookie = request.headers.get('cookie')
      if (!isInteraction(request)) {
        const answer = await next(request)
        const to = answer.headers.get('location')
        const own = cookieOf(answer.headers.get('set-cookie') ?? cookie, 'hallpass')
        if (to !== null && own !== '') owners.set(new URL(to, request.url).href, own)
        return answer
      }
      if (request.method === 'GET') {
        if (cookieOf(cookie, 'session') !== '' && asOwner) owners.set(request.url, cookie!)
        return next(request)
      }
      const form = await request.clone().text()
      const isAsked = needsToken && tokenIn(form) === '' && !form.includes('csrf_token=')
      const isOther = request.headers.get('sec-fetch-site') !== 'same-origin'
      if (isAsked || (isOther && needsToken)) return next(request)
      const owner = owners.get(request.url) ?? ''
      const sender = asOwner ? owner : `${owner}; ${cookieOf(cookie, 'session')}`
      return decide(next, request.url, sender, form)
    },
  }
}

/** Cookies that browsers send with the forms of other sites as well. */
const sentAcrossSites: Fault = {
  wrap: (next) => async (request) => {
    const answer = await next(request)
    const headers = new Headers(answer.headers)
    const cookies = headers.getSetCookie()
    headers.delete('set-cookie')
    for (const line of cookies)
      headers.append('set-cookie', line.replace(/SameSite=\w+/, 'SameSite=None; Secure'))
    return new Response(answer.body, { status: answer.status, headers })
  },
}

/** Consent that is asked for only if the client wants it. */
function askedOnDemand(): Fault {
  const asking = new Set<string>()
  return {
    wrap: (next) => async (request) => {
      const answer = await next(request)
      const url = new URL(request.url)
      const location = answer.headers.get('location')
      if (url.searchParams.get('prompt') === 'consent' && location !== null)
        asking.add(new URL(location, url).href)
      const isPage = isInteraction(request) && request.method === 'GET' && !asking.has(url.href)
      if (!isPage || tokenIn(await answer.clone().text()) === '') return answer
      return decide(next, url.href, request.headers.get('cookie') ?? '', 'decision=allow')
    },
  }
}

/** Changes the answer to the form of the consent page. */
const decided = (change: (answer: Response) => Response): Fault => ({
  wrap: (next) => async (request) => {
    const answer = await next(request)
    return isInteraction(request) && request.method === 'POST' ? change(answer) : answer
  },
})

/** Reads from the form of consent that it came, and not which button was pressed. */
const bothAllow = (): Fault => ({
  wrap: (next) => async (request) => {
    if (request.method !== 'POST' || !new URL(request.url).pathname.startsWith('/oauth/interaction/'))
      return next(request)
    const form = new URLSearchParams(await request.clone().text())
    form.set('decision', 'allow')
    return next(new Request(request.url, { method: 'POST', headers: request.headers, body: form.toString() }))
  },
}) // prettier-ignore

export const consent: readonly Broken[] = [
  {
    name: 'the client learns of a denial by an error of its own',
    fault: returned(({ searchParams }) => {
      if (searchParams.get('error') === 'access_denied') searchParams.set('error', 'user_cancelled')
    }),
    violates: ['consent/denied'],
  },
  { name: 'both buttons allow', fault: bothAllow(), violates: ['consent/denied'] },
  {
    name: 'a denial ends on a page',
    fault: {
      wrap: (next) => async (request) => {
        const answer = await next(request)
        const isDenied = answer.headers.get('location')?.includes('error=access_denied') ?? false
        return isDenied ? new Response('<h1>Nothing was connected</h1>', { headers: { 'content-type': 'text/html' } }) : answer
      },
    },
    violates: ['consent/denied'],
  },
  {
    name: 'consent is asked for only with prompt=consent',
    fault: askedOnDemand(),
    violates: ['consent/asked-again'],
  },
  {
    name: 'the consent page can be framed',
    fault: policy((text) => text.replace("frame-ancestors 'none';", '')),
    violates: ['pages/framed', 'pages/content-policy'],
    whole: true,
  },
  {
    name: 'the policy of the consent page is only about frames',
    fault: policy(() => "frame-ancestors 'none'"),
    violates: ['consent/scripts'],
  },
  {
    name: 'the name of a client is not escaped',
    fault: page((_, html) =>
      html.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)))),
    violates: ['consent/name-escaped'],
  },
  {
    name: 'the consent page may be stored',
    fault: page((headers) => headers.set('cache-control', 'max-age=60')),
    violates: ['consent/not-stored'],
  },
  {
    name: 'the redirect to the client has an opener policy',
    fault: decided(({ body, headers, status }) => {
      const changed = new Headers(headers)
      changed.set('cross-origin-opener-policy', 'same-origin')
      return new Response(body, { status, headers: changed })
    }),
    violates: ['consent/popup'],
  },
  {
    name: 'the form of the consent page leads nowhere but to the server',
    fault: policy((text) => `${text}; form-action 'self'`),
    violates: ['consent/form-action', 'consent/second-hop'],
  },
  {
    name: 'the form of the consent page leads to the redirect URI and no further',
    fault: policy((text) => `${text}; form-action 'self' http://127.0.0.1:47317`),
    violates: ['consent/second-hop'],
  },
  {
    name: 'a decision needs no token of the form',
    fault: tokenUnchecked((form) => !form.has('csrf_token')),
    violates: ['consent/form-token'],
  },
  {
    name: 'any site may send a decision',
    fault: both(unbound({ asOwner: false, needsToken: false }), sentAcrossSites),
    violates: ['consent/form-token', 'consent/other-site', 'consent/other-person', 'sign-in/cookie-same-site'],
  },
  {
    name: 'a decision is of whoever saw the page',
    fault: unbound({ asOwner: true, needsToken: true }),
    violates: ['consent/other-browser', 'consent/other-person'],
  },
  {
    name: 'a decision is of whoever sends it',
    fault: unbound({ asOwner: false, needsToken: true }),
    violates: ['consent/other-person'],
  },
  {
    name: 'a decision does not end the request',
    fault: {
      store: (store) => ({
        issueCode: (issue, events) => store.issueCode({ ...issue, pendingIdHash: null }, events),
      }),
    },
    violates: ['consent/answered-once'],
  },
  {
    name: 'no decision works',
    fault: decided(() => new Response('TypeError: undefined is not an object', { status: 500 })),
    violates: ['consent/denied'],
    unknown: ['consent/answered-once', 'consent/asked-again', 'consent/form-action', 'consent/form-token', 'consent/other-browser', 'consent/other-person', 'consent/other-site', 'consent/popup'],
  },
  {
    name: 'scripts in the page are allowed',
    fault: policy(() => "script-src 'self' 'unsafe-inline'; frame-ancestors 'none'"),
    violates: ['consent/scripts'],
  },
  {
    name: 'scripts in the page are allowed to browsers that know no nonce',
    fault: policy(() => "script-src 'nonce-c2Nob29s' 'unsafe-inline'; frame-ancestors 'none'"),
    violates: [],
  },
  {
    name: 'the consent page has an opener policy',
    fault: page((headers) => headers.set('cross-origin-opener-policy', 'same-origin')),
    violates: ['consent/popup'],
  },
  {
    name: 'the consent page has no name of the client',
    fault: page((_, html) => html.replaceAll('Audit of names', '')),
    violates: [],
    unknown: ['consent/name-escaped'],
  },
  {
    name: 'a decision needs the number of its request, and no token',
    fault: both(
      page((_, html) => html.replaceAll('<input type="hidden" name="csrf_token"', '<input type="hidden" name="number" value="00000000000000000001">$&')),
      tokenUnchecked((form) => !form.has('csrf_token') && form.has('number')),
    ),
    violates: ['consent/form-token'],
  },
] // prettier-ignore
