import type { Fault } from '../broken-server.js'
import { type Broken, json } from '../faults.js'

const TOKEN = '/api/oauth/token'

/** Changes every page that has a text, wherever it is served. */
const pagesWith = (text: string, edit: (of: Headers, html: string) => string | void): Fault => ({
  wrap: (next) => async (request) => {
    const answer = await next(request)
    if (!answer.headers.get('content-type')?.startsWith('text/html')) return answer
    const html = await answer.text()
    const of = new Headers(answer.headers)
    const edited = html.includes(text) ? edit(of, html) : undefined
    return new Response(edited ?? html, { status: answer.status, headers: of })
  },
})

/** Shows a page between the decision and the client, whose address has the code. */
const between: Fault = {
  wrap: (next) => async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/done') {
      const to = new URL(searchParams.get('to')!)
      const fields = [...to.searchParams].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
      const html = `<form action="${to.origin}${to.pathname}">${fields.join('')}<button>Continue</button></form><img src="https://stats.example/pixel.gif">`
      const headers = { 'content-type': 'text/html', 'referrer-policy': 'unsafe-url', 'content-security-policy': "frame-ancestors 'none'" }
      return new Response(html, { headers })
    }
    const answer = await next(request)
    const location = answer.headers.get('location') ?? ''
    if (!/[?&]code=/.test(location)) return answer
    const headers = new Headers(answer.headers)
    headers.set('location', `/done?${new URLSearchParams({ code: new URL(location).searchParams.get('code')!, to: location })}`)
    return new Response(null, { status: 303, headers })
  },
} // prettier-ignore

/** Repeats on a page about an error what was sent. */
const echoing: Fault = {
  wrap: (next) => async (request) => {
    const answer = await next(request)
    const sent = new URL(request.url).searchParams.get('client_id') ?? ''
    if (answer.status < 400 || sent === '') return answer
    return new Response(`<p>${sent} is not known`, { status: 400, headers: answer.headers })
  },
}

export const pages: readonly Broken[] = [
  {
    name: 'pages with forms can be framed',
    fault: pagesWith('<form', (of) => of.delete('content-security-policy')),
    violates: ['pages/framed', 'pages/content-policy'],
  },
  {
    name: 'only the old header forbids frames',
    fault: pagesWith('<form', (of) => {
      of.delete('content-security-policy')
      of.set('x-frame-options', 'DENY')
    }),
    violates: ['pages/content-policy'],
  },
  {
    name: 'pages tell their whole address',
    fault: pagesWith('<form', (of) => of.set('referrer-policy', 'unsafe-url')),
    violates: ['pages/referrer-policy'],
  },
  {
    name: 'pages count their visitors at another site',
    fault: pagesWith('<form', (of, html) => {
      of.delete('referrer-policy')
      return `${html}<img src="https://stats.example/pixel.gif">`
    }),
    violates: ['pages/third-parties'],
    whole: true,
  },
  {
    name: 'a page between the decision and the client has the code in its address',
    fault: between,
    violates: ['pages/third-parties', 'pages/referrer-policy', 'pages/secrets-repeated'],
  },
  {
    name: 'the page of consent keeps the password in a field',
    fault: pagesWith('csrf_token', (_, html) => html.replaceAll('<input type="hidden" name="csrf_token"', '<input type="hidden" name="again" value="a-password-of-this-test">$&')),
    violates: ['pages/secrets-repeated'],
  },
  {
    name: 'a page about an error repeats the client_id',
    fault: echoing,
    violates: ['pages/values-escaped'],
  },
  {
    name: 'an error shows where in the code it was',
    fault: json(TOKEN, (body) => ({ ...body, error_description: new Error('no such code').stack }), 400),
    violates: ['pages/no-internals'],
  },
  {
    name: 'an error shows the SQL',
    fault: json(TOKEN, (body) => ({ ...body, error_description: 'SELECT * FROM codes WHERE hash = $1' }), 400),
    violates: ['pages/no-internals'],
  },
] // prettier-ignore
