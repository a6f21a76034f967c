// Faults of the same review that the audit of that time missed, of five of which only the kind is known, and faults for
// which the review found no clause.
import { Answer, AUTHORIZE, REGISTER, TOKEN, USERINFO } from './proxy.mjs'
import {
  codes,
  DEVICE_CODE,
  errorsToAny,
  FLOW,
  ID,
  idTokens,
  inLocation,
  isGrant,
  isHtml,
  isRefresh,
  isToApp,
  readToken,
  redirects,
  sha256,
  verifiers,
} from './tools.mjs'

const YEAR = 365 * 86_400

export const MISSED = [
  {
    name: 'refresh-answer-may-be-cached',
    breaks: 'RFC 6749 5.1',
    only: ['headers', 'refresh'],
    answer({ headers }, call) {
      if (!isRefresh(call)) return
      headers['cache-control'] = 'private, max-age=60'
      delete headers.pragma
    },
  },
  {
    name: 'key-changes-after-the-first-token',
    breaks: 'OpenID Connect Core 10.1.1',
    only: ID,
    ...idTokens((_, { memory }) => {
      const isFirst = !memory.kept.has('first')
      memory.kept.set('first')
      return !isFirst
    }, { isPublished: false }),
  }, // prettier-ignore
  {
    name: 'unsigned-request-object-replaces-redirect-uri',
    breaks: 'OpenID Connect Core 6.1, RFC 6749 3.1.2.3',
    only: FLOW,
    request(call, memory) {
      const object = call.path === AUTHORIZE && call.params.get('request')
      try {
        for (const [name, value] of Object.entries(object ? readToken(object)[1] : {}))
          call.params.set(name, value)
      } catch {
        return Answer.json({ error: 'invalid_request_object' }, 400)
      }
      if (object) call.params.delete('request')
      if (object) memory.asked.set(call.params.get('state'), Object.fromEntries(call.params))
      redirects(() => Boolean(object)).request(call, memory)
    },
    answer(answer, call, memory) {
      if (answer.json.authorization_endpoint)
        answer.json = { ...answer.json, request_parameter_supported: true, request_object_signing_alg_values_supported: ['none'] } // prettier-ignore
      redirects(() => false).answer(answer, call, memory)
    },
  },
  {
    name: 'prompt-none-redirects-to-any',
    breaks: 'RFC 6749 4.1.2.1',
    only: FLOW,
    ...errorsToAny((_, { params }) => params.get('prompt') === 'none'),
  },
  {
    name: 'code-in-a-referer',
    breaks: 'RFC 9700 4.2.4',
    only: [...FLOW, 'consent', 'headers'],
    request({ path, method, query, form }) {
      if (path !== '/arrived') return
      if (method === 'POST') return Answer.redirect(form.get('to'))
      const to = `${query.get('to')}?${new URLSearchParams([...query].filter(([name]) => name !== 'to'))}` // prettier-ignore
      const body = `<!doctype html><title>Connected</title><img src="https://pictures.example/hello.png" alt=""><form method="post" action="/arrived"><input type="hidden" name="to" value="${to.replaceAll('&', '&amp;')}"><button>Continue</button></form>` // prettier-ignore
      const headers = { 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'unsafe-url', 'cache-control': 'no-store', 'x-frame-options': 'DENY' } // prettier-ignore
      return new Answer({ headers, body })
    },
    answer(answer, { path }) {
      if (path === '/arrived' || !isToApp(answer) || !answer.location.searchParams.has('code'))
        return
      const { origin, pathname, searchParams } = answer.location
      searchParams.set('to', origin + pathname)
      answer.headers.location = `/arrived?${searchParams}`
    },
  },
  {
    name: 'code-again-after-3-s',
    breaks: 'RFC 6749 4.1.2',
    only: ['code', 'pkce', 'token'],
    request(call, { kept }) {
      const [answer, at] = (call.path === TOKEN && kept.get(call.params.get('code'))) || []
      return answer !== undefined && Date.now() - at >= 3000 ? answer : undefined
    },
    answer(answer, call, { kept }) {
      if (isGrant(call, 'authorization_code') && answer.status === 200)
        kept.set(call.params.get('code'), [answer, Date.now()])
    },
  },
  {
    name: 'long-state-is-cut',
    breaks: 'RFC 6749 4.1.2',
    only: FLOW,
    answer(answer) {
      const state = isToApp(answer) ? answer.location.searchParams.get('state') : ''
      if (state.length > 255) inLocation(answer, (query) => query.set('state', state.slice(0, 255)))
    },
  },
  {
    name: 'unknown-scope-redirects-to-any',
    breaks: 'RFC 6749 4.1.2.1',
    only: [...FLOW, 'scope'],
    ...errorsToAny((error) => error === 'invalid_scope'),
  },
  {
    name: 'pushed-redirect-uri-unchecked',
    breaks: 'RFC 9126 2.1, RFC 6749 3.1.2.3',
    only: ['pushed-requests', 'redirects'],
    ...redirects((_uri, _registered, { path }) => path !== AUTHORIZE),
  },
  {
    name: 'longer-verifier',
    breaks: 'RFC 7636 4.6',
    only: ['pkce', 'code'],
    ...verifiers((verifier, { code_challenge: challenge }) =>
      Array.from(verifier ?? '', (_, at) => verifier.slice(0, at)).some((one) => sha256(one) === challenge)),
  }, // prettier-ignore
  {
    name: 'id-token-of-a-device-by-an-unpublished-key',
    breaks: 'OpenID Connect Core 10.1.1',
    only: ID,
    ...idTokens((_, { call }) => isGrant(call, DEVICE_CODE), { isPublished: false }),
  },
  {
    name: 'id-token-of-a-year',
    breaks: 'advice',
    only: ID,
    ...idTokens((claims) => void (claims.exp = claims.iat + YEAR)),
  },
  {
    name: 'password-hash-as-a-claim',
    breaks: 'advice',
    only: ID,
    answer(answer, call, ...rest) {
      const hash = { password_hash: '$2b$12$Jq8wCGLUvG4l0wM2a9n4ZuQm7pX3dT1kR5sYb6cEfHgIjKlMnOpQr' }
      idTokens((claims) => void Object.assign(claims, hash)).answer(answer, call, ...rest)
      if (call.path === USERINFO && answer.json.sub) answer.json = { ...answer.json, ...hash }
    },
  },
  {
    name: 'client-ids-1-2-3',
    breaks: 'advice',
    only: ['registration'],
    request(call, { kept }) {
      const [id, secret] = call.basic
      if (kept.has(id)) call.headers.authorization = `Basic ${Buffer.from(`${kept.get(id)}:${secret}`).toString('base64')}` // prettier-ignore
      const ids = call.params.getAll('client_id').map((one) => kept.get(one) ?? one)
      if (ids.length > 0) call.params.delete('client_id')
      for (const one of ids) call.params.append('client_id', one)
    },
    answer(answer, call, { kept, ...memory }) {
      const short = (id) => [...kept].find(([, known]) => known === id)?.[0] ?? id
      if (call.path === REGISTER && answer.status === 201)
        kept.set(String(kept.size + 1), answer.json.client_id)
      if (answer.json.client_id) answer.json = { ...answer.json, client_id: short(answer.json.client_id) } // prettier-ignore
      idTokens((claims) => void (claims.aud = short(claims.aud))).answer(answer, call, memory)
    },
  },
  {
    name: 'script-in-the-error-page',
    breaks: 'advice',
    only: [...FLOW, 'headers', 'consent'],
    answer(answer, { path, query }) {
      if (path === AUTHORIZE && answer.status >= 400 && isHtml(answer))
        answer.body = answer.body.replace('</h1>', `</h1><p>Unknown client ${query.get('client_id')}</p>`) // prettier-ignore
    },
  },
  {
    name: 'stack-and-sql-in-errors',
    breaks: 'advice',
    only: ['token', 'code', 'refresh'],
    answer(answer, { path }) {
      if (path === TOKEN && answer.json.error)
        answer.json = { ...answer.json, error_description: 'QueryFailed: SELECT * FROM oauth_codes WHERE hash = $1; Error: no row at Exchange.find (/srv/app/dist/token/exchange.js:118:13)' } // prettier-ignore
    },
  },
  {
    name: 'password-repeated-in-the-form',
    breaks: 'advice',
    only: ['sign-in', 'consent'],
    answer(answer, { path, form }) {
      if (path === '/sign-in' && isHtml(answer) && form.has('password'))
        answer.body = answer.body.replace('name="password"', `name="password" value="${form.get('password')}"`) // prettier-ignore
    },
  },
  {
    name: 'hashed-counter-as-code',
    breaks: 'RFC 6749 10.10',
    only: ['code'],
    ...codes((count) => sha256(String(count))),
  },
  {
    name: 'decision-by-get',
    breaks: 'advice',
    only: ['consent', 'authorization'],
    request(call) {
      if (!call.path.startsWith('/oauth/interaction/') || !call.query.has('decision')) return
      const { query } = call
      Object.assign(call, { method: 'POST', body: String(query), query: new URLSearchParams() })
      call.headers['content-type'] = 'application/x-www-form-urlencoded'
      delete call.headers['sec-fetch-site']
    },
    answer(answer) {
      answer.body = answer.body.replace('method="post" action="/oauth/interaction/', 'method="get" action="/oauth/interaction/') // prettier-ignore
    },
  },
  {
    name: 'two-equal-answers-to-a-race',
    breaks: 'advice',
    only: ['code'],
    async request(call, { kept }, forward) {
      const code = isGrant(call, 'authorization_code') && call.params.get('code')
      if (!code) return
      const isFirst = !kept.has(code)
      if (isFirst)
        kept.set(
          code,
          forward(call).finally(() => kept.delete(code)),
        )
      return new Answer(await kept.get(code))
    },
  },
  {
    name: 'assertion-with-alg-none',
    breaks: 'RFC 7523 3',
    only: ['private-key-jwt', 'client-authentication', 'fapi2'],
    request(call, { kept }) {
      const [head] = (call.params.get('client_assertion') ?? '').split('.')
      const isUnsigned = /"alg"\s*:\s*"none"/i.test(Buffer.from(head, 'base64url').toString())
      return isUnsigned && call.path === TOKEN ? kept.get('answer') : undefined
    },
    answer(answer, { path }, { kept }) {
      if (path === TOKEN && answer.status === 200) kept.set('answer', answer)
    },
  },
]
