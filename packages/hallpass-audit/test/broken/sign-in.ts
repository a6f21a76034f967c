import { randomBytes } from 'node:crypto'
import { ORIGIN, type Fault } from '../broken-server.js'
import { answers, type Broken, both, headers, received, replaced } from '../faults.js'

const SIGN_IN = '/sign-in'
const isAsking = (html: string): boolean => html.includes('type="password"')

/** Changes the page that asks for a password. */
const page = (change: (headers: Headers, html: string) => string): Fault => ({
  wrap: (next) => async (request) => {
    const answer = await next(request)
    if (answer.status !== 200 || !answer.headers.get('content-type')?.startsWith('text/html'))
      return answer
    const html = await answer.text()
    const changed = new Headers(answer.headers)
    const body = isAsking(html) ? change(changed, html) : html
    return new Response(body, { status: 200, headers: changed })
  },
})

/** Sets the cookie of the session with other attributes. */
const cookie = (change: (line: string) => string): Fault =>
  headers(SIGN_IN, (all) => {
    const line = all.get('set-cookie')
    if (line !== null) all.set('set-cookie', change(line))
  })

/** A form by GET, which the server reads as if it were one by POST. */
const byGet: Fault = both(
  page((_, html) => html.replace('method="post" action="/sign-in"', 'action="/sign-in"')),
  {
    wrap: (next) => (request) => {
      const { pathname, search } = new URL(request.url)
      if (pathname !== SIGN_IN || request.method !== 'GET') return next(request)
      return next(new Request(`${ORIGIN}${SIGN_IN}`, { method: 'POST', headers: request.headers, body: search.slice(1) })) // prettier-ignore
    },
  },
)

/** A session that begins with the first page, and keeps its identifier when a person signs in. */
function keptSession(): Fault {
  const sessions = new Map<string, string>()
  return {
    wrap: (next) => async (request) => {
      const sent = request.headers.get('cookie') ?? ''
      const known = /(?:^|; )sid=([\w-]+)/.exec(sent)?.[1]
      const session = sessions.get(known ?? '')
      const asked = new Request(request)
      if (session !== undefined) asked.headers.set('cookie', `${sent}; ${session}`)
      const answer = await next(asked)
      const own = known ?? randomBytes(16).toString('base64url')
      const changed = new Headers(answer.headers)
      const created = /^session=[\w-]+/.exec(changed.get('set-cookie') ?? '')?.[0]
      if (created !== undefined) {
        sessions.set(own, created)
        changed.delete('set-cookie')
      }
      if (known === undefined)
        changed.append('set-cookie', `sid=${own}; Path=/; HttpOnly; SameSite=Lax`)
      return new Response(answer.body, { status: answer.status, headers: changed })
    },
  }
}

/** A return address that is checked only for what the browser sends, and not for where it leads. */
function returnsAnywhere(): Fault {
  let wanted = ''
  return both(
    headers(SIGN_IN, (all, { status }) => {
      if (status === 303) all.set('location', wanted)
    }),
    received(SIGN_IN, (form) => {
      wanted = form.get('return_to') ?? ''
      if (!wanted.startsWith('/oauth/')) form.set('return_to', '/oauth/device')
    }),
  )
}

/** A sign-in page of its own, whose address names the page before it. */
function askedElsewhere(): Fault {
  let asked = ''
  return {
    wrap: (next) => async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/oauth/enter') {
        const { headers: all } = request
        const answer = await next(new Request(`${ORIGIN}${asked}`, { headers: all }))
        const html = (await answer.text()).replaceAll(asked, searchParams.get('to') ?? '')
        return new Response(html, { headers: answer.headers })
      }
      const answer = await next(request)
      if (!pathname.startsWith('/oauth/interaction/') || !isAsking(await answer.clone().text()))
        return answer
      asked = pathname
      return new Response(null, {
        status: 303,
        headers: { location: `/oauth/enter?to=${pathname}` },
      })
    },
  }
}

/** Tokens are verified, and then forgotten: the request is answered as that of a stranger. */
const forgotten: Fault = {
  wrap: (next) => async (request) => {
    const isOwn = ['/mcp', '/courses'].includes(new URL(request.url).pathname)
    if (!isOwn || !request.headers.has('authorization')) return next(request)
    const anonymous = new Request(request.clone())
    anonymous.headers.delete('authorization')
    const answer = await next(request)
    return answer.status === 200 ? next(anonymous) : answer
  },
}

export const signIn: readonly Broken[] = [
  {
    name: 'nothing but a path that says more to who has a token',
    fault: both(
      answers('/courses', (answer) => (answer.status === 401 ? Response.json({ data: [] }) : answer)),
      replaced('/mcp', () => new Response(null, { status: 404 })),
    ),
    violates: [],
  },
  {
    name: 'the password is in the URL',
    fault: byGet,
    violates: ['sign-in/form'],
  },
  {
    name: 'the sign-in is answered by 307',
    fault: answers(SIGN_IN, ({ status, body, headers: all }) =>
      new Response(body, { status: status === 303 ? 307 : status, headers: all })),
    violates: ['sign-in/redirect'],
  },
  {
    name: 'the sign-in page can be framed',
    fault: page((all, html) => {
      all.delete('content-security-policy')
      return html
    }),
    violates: ['pages/framed', 'pages/content-policy'],
  },
  {
    name: 'scripts can read the session',
    fault: cookie((line) => line.replace('; HttpOnly', '')),
    violates: ['sign-in/cookie-http-only'],
  },
  {
    name: 'the session is sent with forms of other sites',
    fault: cookie((line) => line.replace('SameSite=Lax', 'SameSite=None; Secure')),
    violates: ['sign-in/cookie-same-site'],
  },
  {
    name: 'the session is sent without TLS',
    fault: { ...cookie((line) => line.replace('; Secure', '')), origin: 'https://school.example' },
    violates: ['sign-in/cookie-secure'],
  },
  {
    name: 'a session keeps its identifier when a person signs in',
    fault: keptSession(),
    violates: ['sign-in/new-session'],
  },
  {
    name: 'any site may send the sign-in form',
    fault: received(SIGN_IN, (_, { headers: all }) => all.set('sec-fetch-site', 'same-origin')),
    violates: ['sign-in/other-site'],
  },
  {
    name: 'the sign-in returns to any address',
    fault: returnsAnywhere(),
    violates: ['sign-in/return-field'],
  },
  {
    name: 'the address of the sign-in page says where it returns to',
    fault: both(returnsAnywhere(), askedElsewhere()),
    violates: ['sign-in/return-address', 'sign-in/return-field'],
  },
  {
    name: 'a token is verified, and then forgotten',
    fault: forgotten,
    violates: ['sign-in/grants-something'],
    whole: true,
  },
] // prettier-ignore
