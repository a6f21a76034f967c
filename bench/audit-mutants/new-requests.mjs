// Further faults, of kinds that real servers had: in authorization requests, in pages, and in registrations. Most are in
// one place only: behind a parameter, in one path, at the second use, in an error.
import { AUTHORIZE, PUSH, REGISTER } from './proxy.mjs'
import {
  errorOf,
  FLOW,
  ID,
  inLocation,
  INTERACTION,
  isHtml,
  isToApp,
  PAGES,
  PUSHED,
  redirects,
  verifiers,
} from './tools.mjs'

/** Lets a form come from the page of the school. */
function asOwnForm({ headers }) {
  delete headers.origin
  headers['sec-fetch-site'] = 'same-origin'
}

const isPushed = ({ location }, { asked }) =>
  asked.get(location.searchParams.get('state'))?.isPushed

export const REQUESTS = [
  {
    name: 'redirect-uri-by-prefix-with-a-prompt',
    breaks: 'RFC 9700 2.1, RFC 6749 3.1.2.3',
    only: FLOW,
    ...redirects((wanted, registered, { params }) => params.has('prompt') && registered.some((one) => wanted.startsWith(one))), // prettier-ignore
  },
  {
    name: 'redirect-uri-by-prefix-of-its-host',
    breaks: 'RFC 9700 2.1, RFC 6749 3.1.2.3',
    only: FLOW,
    // Such as http://127.0.0.1:47317@elsewhere.example and http://127.0.0.1:47317.elsewhere.example.
    ...redirects((wanted, registered) => URL.canParse(wanted) && registered.some((one) => {
      const { origin } = new URL(one)
      return wanted.startsWith(origin) && new URL(wanted).origin !== origin
    })),
  }, // prettier-ignore
  {
    name: 'redirect-uri-normalized-if-pushed',
    breaks: 'RFC 9700 2.1, RFC 6749 3.1.2.3',
    only: PUSHED,
    ...redirects((wanted, registered, { path }) => {
      if (path !== PUSH || !URL.canParse(wanted)) return false
      const { origin, pathname } = new URL(wanted)
      return registered.includes(origin + decodeURI(pathname).toLowerCase())
    }),
  },
  {
    name: 'open-redirect-after-sign-in',
    breaks: 'RFC 9700 4.11',
    only: PAGES,
    answer(answer, { path, form }) {
      const to = form.get('return_to') ?? ''
      if (path === '/sign-in' && answer.status === 303 && /^https?:/.test(to)) answer.headers.location = to // prettier-ignore
    },
  },
  {
    name: 'state-dropped-with-access-denied',
    breaks: 'RFC 6749 4.1.2.1',
    only: [...FLOW, 'consent'],
    answer(answer) {
      if (isToApp(answer) && errorOf(answer) === 'access_denied')
        inLocation(answer, (query) => query.delete('state'))
    },
  },
  {
    name: 'plus-in-state-becomes-a-space',
    breaks: 'RFC 6749 4.1.2',
    only: FLOW,
    answer(answer) {
      if (isToApp(answer) && answer.location.searchParams.get('state').includes('+'))
        inLocation(answer, (query) => query.set('state', query.get('state').replaceAll('+', ' ')))
    },
  },
  {
    name: 'iss-dropped-with-prompt-none',
    breaks: 'RFC 9207 2',
    only: FLOW,
    answer(answer, { path, params }) {
      if (path === AUTHORIZE && isToApp(answer) && params.get('prompt') === 'none')
        inLocation(answer, (query) => query.delete('iss'))
    },
  },
  {
    name: 'iss-with-a-slash-if-pushed',
    breaks: 'RFC 9207 2',
    only: PUSHED,
    answer(answer, _, memory) {
      if (isToApp(answer) && isPushed(answer, memory))
        inLocation(answer, (query) => query.set('iss', `${query.get('iss')}/`))
    },
  },
  {
    name: 'verifier-omitted',
    breaks: 'RFC 7636 4.6, RFC 9700 2.1.1',
    only: ['pkce', 'code'],
    ...verifiers((verifier) => verifier === null),
  },
  {
    name: 'verifier-unchecked-if-pushed',
    breaks: 'RFC 7636 4.6',
    only: [...PUSHED, 'code'],
    ...verifiers((verifier, asked) => verifier !== null && asked.isPushed),
  },
  {
    name: 'device-page-may-be-framed',
    breaks: 'RFC 9700 4.16',
    only: ['device', 'headers', 'consent'],
    answer({ headers }, { path }) {
      if (path !== '/oauth/device' || !headers['content-security-policy']) return
      headers['content-security-policy'] = headers['content-security-policy'].replace(/frame-ancestors[^;]*;/, '') // prettier-ignore
      delete headers['x-frame-options']
    },
  },
  {
    name: 'max-age-ignored-if-pushed',
    breaks: 'OpenID Connect Core 3.1.2.1',
    only: [...PUSHED, ...ID, 'authorization', 'sign-in'],
    request({ path, params }) {
      if (path === PUSH) params.delete('max_age')
    },
  },
  {
    name: 'pushed-request-of-any-client',
    breaks: 'RFC 9126 2.2',
    only: PUSHED,
    request({ path, query }, { pushed }) {
      const asked = path === AUTHORIZE && pushed.get(query.get('request_uri'))
      if (asked) query.set('client_id', asked.client_id)
    },
  },
  {
    name: 'query-replaces-what-was-pushed',
    breaks: 'RFC 9126 4, RFC 9101 5',
    only: PUSHED,
    request({ path, query }, { pushed }) {
      const asked = path === AUTHORIZE && pushed.get(query.get('request_uri'))
      if (!asked || [...query.keys()].every((name) => /^(?:client_id|request_uri)$/.test(name)))
        return
      query.delete('request_uri')
      const { isPushed: _, client_secret: __, ...given } = asked
      for (const [name, value] of Object.entries(given))
        if (!query.has(name)) query.set(name, value)
    },
  },
  {
    name: 'last-of-repeated-parameters-if-pushed',
    breaks: 'RFC 6749 3.1, RFC 9126 2.1',
    only: PUSHED,
    request({ path, form }) {
      if (path !== PUSH) return
      for (const name of new Set(form.keys())) form.set(name, form.getAll(name).at(-1))
    },
  },
  {
    name: 'consent-skipped-for-more-scope',
    breaks: 'RFC 9700 4.15, RFC 6749 10.2',
    only: ['consent', 'scope', 'authorization'],
    async answer(answer, call, { asked, kept }, forward) {
      const { location, body } = answer
      if (call.path === AUTHORIZE && location?.pathname.startsWith(INTERACTION))
        kept.set(location.pathname, asked.get(call.params.get('state')))
      const request = kept.get(call.path)
      const connection = `${request?.client_id} of ${call.headers.cookie}`
      if (isToApp(answer) && request && location.searchParams.has('code')) kept.set(connection)
      if (!isHtml(answer) || !kept.has(connection) || request.prompt || !body.includes('value="allow"')) return // prettier-ignore
      const [, form] = /<form class="consent-what"([\s\S]*?)<\/form>/.exec(body)
      const fields = [...form.matchAll(/name="(csrf_token|scope)"\s+(?:type="\w+"\s+)?value="([^"]*)"/g)] // prettier-ignore
      const again = call.copy()
      asOwnForm(again)
      again.headers['content-type'] = 'application/x-www-form-urlencoded'
      const pairs = [...fields.map(([, name, value]) => [name, value]), ['access', 'all'], ['until', ''], ['decision', 'allow']] // prettier-ignore
      Object.assign(again, { method: 'POST', body: String(new URLSearchParams(pairs)) })
      return forward(again)
    },
  },
  {
    name: 'sign-in-redirects-with-307',
    breaks: 'RFC 9700 4.12',
    only: PAGES,
    request(call) {
      // The browser sends the password again.
      if (call.path.startsWith(INTERACTION) && call.form.has('password'))
        Object.assign(call, { method: 'GET', body: '' })
    },
    answer(answer, { path }) {
      if (path === '/sign-in' && answer.status === 303) answer.status = 307
    },
  },
  {
    name: 'session-kept-at-sign-in',
    breaks: 'advice',
    only: PAGES,
    request({ headers }, { kept }) {
      for (const [given, own] of kept)
        if (headers.cookie) headers.cookie = headers.cookie.replace(given, own)
    },
    answer({ headers }, call, { kept }) {
      const NAME = /school_site_lantern=([\w-]+)/
      const [, own] = NAME.exec(call.headers.cookie ?? '') ?? []
      const given = [...kept].find(([, one]) => one === own)?.[0] ?? own
      headers['set-cookie'] = headers['set-cookie']?.map((line) => {
        const [, next] = NAME.exec(line) ?? []
        if (!next || !given || next === own) return next && given ? line.replace(next, given) : line
        kept.set(given, next)
        return line.replace(next, given)
      })
      if (!headers['set-cookie']) delete headers['set-cookie']
    },
  },
  {
    name: 'javascript-redirect-uri-registered',
    breaks: 'RFC 7591 5, advice',
    only: ['registration'],
    request(call, { kept }) {
      const { redirect_uris: uris } = call.json
      if (call.path !== REGISTER || !JSON.stringify(uris ?? '').includes('javascript:')) return
      kept.set(call, uris)
      call.body = JSON.stringify({
        ...call.json,
        redirect_uris: ['http://127.0.0.1:47317/callback'],
      })
    },
    answer(answer, call, { kept }) {
      if (kept.has(call) && answer.status === 201)
        answer.json = { ...answer.json, redirect_uris: kept.get(call) }
    },
  },
  {
    name: 'decision-without-csrf-token',
    breaks: 'RFC 6749 10.12',
    only: PAGES,
    request(call, { kept }) {
      if (!call.path.startsWith(INTERACTION) || !call.form.has('decision')) return
      if (kept.has(call.path)) call.form.set('csrf_token', kept.get(call.path))
      asOwnForm(call)
    },
    answer(answer, { path }, { kept }) {
      if (!path.startsWith(INTERACTION) || !isHtml(answer)) return
      const [form] = /<form class="consent-what"[\s\S]*/.exec(answer.body) ?? ['']
      const [, token] = /name="csrf_token"\s+(?:type="\w+"\s+)?value="([^"]*)"/.exec(form) ?? []
      if (token) kept.set(path, token)
    },
  },
]
