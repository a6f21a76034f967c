import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, describe } from '../engine/audit.js'
import type { Page } from '../engine/browser.js'
import { isRead } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'
import { referring } from './expect.js'

/** The origin of a page that has nothing to do with the server. */
const ELSEWHERE = 'https://app.example'
/** That of a page on this computer, such as one of the MCP Inspector. */
const NEARBY = 'http://127.0.0.1:6274'
/** The header fields that an MCP client sends with each message. */
const OF_MCP = ['authorization', 'content-type', 'mcp-protocol-version']
/** Endpoints that answer to GET. The last one reads cookies. */
const ENDPOINTS = ['jwks_uri', 'userinfo_endpoint', 'authorization_endpoint']

/** The directives of a header field, in lower case. */
const directivesIn = ({ headers }: Answer, name: string): readonly string[] =>
  (headers.get(name) ?? '').split(',').map((one) => one.trim().toLowerCase())

/** Whether a page of another origin may read an answer that it got without credentials. */
const isReadable = ({ headers }: Answer, origin = ELSEWHERE): boolean =>
  ['*', origin].includes(headers.get('access-control-allow-origin') ?? '')

const allowedOrigin = ({ headers }: Answer): string => {
  const origin = headers.get('access-control-allow-origin')
  return origin === null ? 'no Access-Control-Allow-Origin' : `Access-Control-Allow-Origin: ${origin}` // prettier-ignore
}

const judgeReadable = (answer: Answer, what: string): Finding =>
  judge(
    isReadable(answer),
    `${what} (${answer.status}) has ${allowedOrigin(answer)}`,
    `${what} (${answer.status}) has ${allowedOrigin(answer)} for ${ELSEWHERE}`,
  )

interface Preflight {
  readonly method: 'GET' | 'POST'
  /** Names of header fields, in lower case. */
  readonly names: readonly string[]
  readonly origin?: string
}

/** Asks as a browser does before it sends a page's request, and judges as it does (Fetch, "CORS-preflight fetch"). */
async function preflight(
  on: Audit,
  target: URL | string,
  { method, names, origin = ELSEWHERE }: Preflight,
): Promise<Finding> {
  const answer = await on.send(target, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': names.join(','),
    },
  })
  const allowed = directivesIn(answer, 'access-control-allow-headers')
  // The asterisk means any header field but this one.
  const isAllowed = (name: string): boolean =>
    allowed.includes(name) || (name !== 'authorization' && allowed.includes('*'))
  const { status } = answer
  if (status < 200 || status > 299) return violated(`the preflight request is answered by ${status}`) // prettier-ignore
  if (!isReadable(answer, origin)) return violated(`the preflight request is answered with ${allowedOrigin(answer)}`) // prettier-ignore
  const refused = names.filter((name) => !isAllowed(name))
  return judge(
    refused.length === 0,
    `a page may send ${method} with ${names.join(', ')}`,
    `Access-Control-Allow-Headers does not have ${refused.join(', ')}: it is ${answer.headers.get('access-control-allow-headers') ?? 'missing'}`,
  )
}

/** The first page that a person sees of an authorization request, while no one is signed in. */
async function firstPage(on: Audit): Promise<Page> {
  const client = await on.client()
  const page = await on.browser(null).open(on.request(client).url)
  if (page.left?.href.startsWith(client.redirectUri) === true)
    throw new Stop(notReached(`no one is asked to sign in: ${describe({ page, parameters: page.left.searchParams })}`)) // prettier-ignore
  if (page.left !== null)
    throw new Stop(notApplicable(`people sign in at another origin: ${page.left.origin}`))
  if (!/html/i.test(page.headers.get('content-type') ?? ''))
    throw new Stop(notReached(`no page was shown at ${page.url.pathname}: ${page.status}`))
  return page
}

const READABLE =
  'Send Access-Control-Allow-Origin: * with every answer of the endpoint, errors too, and answer OPTIONS. Allow no credentials.'

/** An answer with tokens has a header field with a directive, which is written as in HTTP. */
const tokensWith = (id: string, field: string, says: string, change: string): Check => ({
  id,
  clause: { document: 'RFC 6749', section: '5.1', level: 'MUST', says },
  depth: 'people',
  change,
  async run(on) {
    const { answer } = await on.sharedTokens()
    on.show(answer)
    const [name = '', directive = ''] = field.split(': ')
    const where = `an answer with tokens has ${name}: ${answer.headers.get(name) ?? 'missing'}`
    return judge(directivesIn(answer, name).includes(directive), where, where)
  },
})

/** Headers of answers: what may be stored, or read by a page of another origin. */
export const headers: readonly Check[] = [
  tokensWith(
    'headers/tokens-not-stored',
    'Cache-Control: no-store',
    'An answer with tokens has Cache-Control: no-store, so that no cache keeps them.',
    'Send Cache-Control: no-store with every answer of the token endpoint.',
  ),
  tokensWith(
    'headers/tokens-not-stored-by-old-caches',
    'Pragma: no-cache',
    'An answer with tokens has Pragma: no-cache, too.',
    'Send Pragma: no-cache with every answer of the token endpoint. OAuth 2.1 no longer asks for it, RFC 6749 does.',
  ),
  {
    id: 'headers/errors-not-stored',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'SHOULD NOT',
      says: 'No cache keeps an error of the token endpoint.',
    },
    depth: 'anonymous',
    change:
      'Send Cache-Control: no-store with errors, too. A rule of the web server for the whole path must not replace it.',
    async run(on) {
      const answer = await on.form(await on.endpoint('token_endpoint'), {})
      const { status } = answer
      if (status < 400) throw new Stop(notReached(`an empty form is answered by ${status}`))
      const control = directivesIn(answer, 'cache-control')
      // A cache keeps an answer to POST only if the answer says for how long (RFC 9110, section 9.3.3).
      const isKept =
        !control.some((one) => one === 'no-store' || one === 'no-cache') &&
        (control.some((one) => /^(?:s-)?max-?age="?[1-9]|^public$/.test(one)) ||
          Date.parse(answer.headers.get('expires') ?? '') > Date.now())
      const shown = answer.headers.get('cache-control') ?? 'missing'
      return judge(
        !isKept,
        `an error (${status}) has Cache-Control: ${shown}`,
        `an error (${status}) may be kept: Cache-Control: ${shown}`,
      )
    },
  },
  {
    id: 'headers/personal-not-shared',
    clause: {
      document: 'RFC 9111',
      section: '3.5',
      level: 'SHOULD NOT',
      says: 'What a resource answers to the bearer of a token is not marked for caches that many share.',
    },
    depth: 'people',
    change:
      'Send Cache-Control: no-store or private with answers to an access token. public lets a proxy give them to others.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const uses = await on.use(accessToken)
      if (uses.length === 0) return notApplicable('there is no surface to try')
      const taken = uses.filter(({ isAccepted }) => isAccepted)
      if (taken.length === 0) throw new Stop(notReached('no surface takes the token'))
      const shared = taken.find(({ answer }) => {
        const control = directivesIn(answer, 'cache-control')
        const isShared = control.some((one) => one === 'public' || one.startsWith('s-maxage'))
        return isShared && !control.includes('no-store') && !control.includes('private')
      })
      if (shared === undefined) return held(`no cache shares what ${taken.map(({ surface }) => surface).join(', ')} answers`) // prettier-ignore
      on.show(shared.answer)
      return violated(`${shared.surface} has Cache-Control: ${shared.answer.headers.get('cache-control')}`) // prettier-ignore
    },
  },
  {
    id: 'headers/referrer',
    clause: {
      document: 'RFC 9700',
      section: '4.2.4',
      level: 'SHOULD NOT',
      says: 'The first page of an authorization request, whose address may have the state, loads nothing from other sites.',
    },
    depth: 'anonymous',
    change:
      'Send Referrer-Policy: no-referrer with the page, and load nothing from other sites on it.',
    run: async (on) => referring(await firstPage(on), 'the page'),
  },
  {
    id: 'headers/metadata-readable',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '4',
      level: 'SHOULD',
      says: 'Pages of any origin may read the OpenID configuration.',
    },
    depth: 'anonymous',
    change: READABLE,
    async run(on) {
      await on.openid()
      const { url } = await on.openidAnswer()
      return judgeReadable(await on.send(url, { headers: { origin: ELSEWHERE } }), url.pathname)
    },
  },
  {
    id: 'headers/keys-readable',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'SHOULD',
      says: 'Pages of any origin may read the keys.',
    },
    depth: 'anonymous',
    change: READABLE,
    async run(on) {
      await on.openid()
      const url = await on.endpoint('jwks_uri')
      return judgeReadable(await on.send(url, { headers: { origin: ELSEWHERE } }), 'the key set')
    },
  },
  {
    id: 'headers/token-readable',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'SHOULD',
      says: 'Pages of any origin may read what the token endpoint answers, errors too.',
    },
    depth: 'anonymous',
    change: READABLE,
    async run(on) {
      await on.openid()
      const url = await on.endpoint('token_endpoint')
      return judgeReadable(await on.form(url, {}, { origin: ELSEWHERE }), 'an error')
    },
  },
  {
    id: 'headers/dpop-preflight',
    clause: {
      document: 'Fetch',
      section: 'CORS-preflight fetch',
      level: 'SHOULD',
      says: 'A page that may read the token endpoint may send it a proof of its key.',
    },
    depth: 'anonymous',
    change:
      'Answer OPTIONS at the token endpoint by 204, with Access-Control-Allow-Headers: DPoP, and Authorization if clients with a secret are meant.',
    async run(on) {
      if ((await on.listOf('dpop_signing_alg_values_supported')).length === 0)
        return notApplicable('the metadata names no algorithm for DPoP')
      const url = await on.endpoint('token_endpoint')
      const answer = await on.form(url, {}, { origin: ELSEWHERE })
      if (!isReadable(answer)) return notApplicable('no page of another origin may read the token endpoint') // prettier-ignore
      return preflight(on, url, { method: 'POST', names: ['dpop'] })
    },
  },
  {
    id: 'headers/registration-preflight',
    clause: {
      document: 'OpenID Connect Discovery 1.0',
      section: '3',
      level: 'SHOULD',
      says: 'Pages of any origin may register a client, for which they send JSON.',
    },
    depth: 'anonymous',
    change:
      'Answer OPTIONS at the registration endpoint by 204, with Access-Control-Allow-Origin: * and Access-Control-Allow-Headers: Content-Type.',
    async run(on) {
      await on.openid()
      const url = await on.endpoint('registration_endpoint')
      return preflight(on, url, { method: 'POST', names: ['content-type'] })
    },
  },
  {
    id: 'headers/userinfo-preflight',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '5.3',
      level: 'SHOULD',
      says: 'Pages of any origin may send an access token to UserInfo, and read what it answers, errors too.',
    },
    depth: 'anonymous',
    change:
      'Answer OPTIONS by 204 before access tokens are asked for, with Access-Control-Allow-Headers: Authorization. The asterisk does not include it. Send Access-Control-Allow-Origin with every answer.',
    async run(on) {
      const url = await on.endpoint('userinfo_endpoint')
      const asked = await preflight(on, url, { method: 'GET', names: ['authorization'] })
      if (asked.verdict !== 'held') return asked
      const authorization = 'Bearer unknown'
      return judgeReadable(await on.send(url, { headers: { authorization, origin: ELSEWHERE } }), 'what follows the preflight request') // prettier-ignore
    },
  },
  {
    id: 'headers/mcp-preflight',
    clause: {
      document: 'Fetch',
      section: 'CORS-preflight fetch',
      level: 'SHOULD',
      says: 'A page that may read the MCP endpoint may send it what every message of MCP has.',
    },
    depth: 'anonymous',
    change:
      'Answer OPTIONS at the MCP endpoint by 204 before access tokens are asked for, with Access-Control-Allow-Headers: Authorization, Content-Type, Mcp-Protocol-Version.',
    async run(on) {
      const path = await on.mcpPath()
      const answer = await on.mcp({ headers: { origin: NEARBY } })
      if (!isReadable(answer, NEARBY)) return notApplicable(`no page of ${NEARBY} may read ${path}`)
      return preflight(on, new URL(path, on.origin), { method: 'POST', names: OF_MCP, origin: NEARBY }) // prettier-ignore
    },
  },
  {
    id: 'headers/challenge-readable',
    clause: {
      document: 'Fetch',
      section: 'HTTP responses',
      level: 'SHOULD',
      says: 'A page that may read a 401 may read its challenge, which names the metadata.',
    },
    depth: 'anonymous',
    change: 'Send Access-Control-Expose-Headers: WWW-Authenticate with every 401.',
    async run(on) {
      const read: string[] = []
      const userinfo = await on.optionalEndpoint('userinfo_endpoint')
      const token = 'unknown'
      const authorization = `Bearer ${token}`
      for (const ask of [
        async () => (userinfo === null ? null : on.send(userinfo, { headers: { authorization, origin: ELSEWHERE } })),
        async () => ((await on.hasMcp()) ? on.mcp({ token, headers: { origin: NEARBY } }) : null),
      ]) {
        const answer = await ask()
        if (answer === null || !answer.headers.has('www-authenticate')) continue
        if (!isReadable(answer) && !isReadable(answer, NEARBY)) continue
        const exposed = directivesIn(answer, 'access-control-expose-headers')
        if (!exposed.includes('www-authenticate') && !exposed.includes('*'))
          return violated(`${answer.url.pathname} exposes ${exposed.join(', ') || 'no header field'}`)
        read.push(answer.url.pathname)
      } // prettier-ignore
      return read.length > 0
        ? held(`pages read the challenge of ${read.join(', ')}`)
        : notApplicable('no page of another origin may read a challenge')
    },
  },
  {
    id: 'headers/authorization-not-readable',
    clause: {
      document: 'RFC 9700',
      section: '2.6',
      level: 'MUST NOT',
      says: 'No page of another origin may read what the authorization endpoint answers.',
    },
    depth: 'anonymous',
    change:
      'Send no Access-Control-Allow-Origin from the authorization endpoint and the pages after it. A rule for the whole server is too wide.',
    async run(on) {
      const { url } = on.request(await on.client())
      const answer = await on.browser(null).request(url, {
        headers: { origin: ELSEWHERE, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site' },
      }) // prettier-ignore
      if (answer.status >= 500) return notReached(`a right request is answered by ${answer.status}`)
      return judge(
        !answer.headers.has('access-control-allow-origin'),
        `the answer (${answer.status}) has no Access-Control-Allow-Origin`,
        `the answer (${answer.status}) has ${allowedOrigin(answer)}`,
      )
    },
  },
  {
    id: 'headers/no-credentials',
    clause: {
      document: 'Fetch',
      section: 'CORS protocol and credentials',
      level: 'SHOULD NOT',
      says: 'A page of any origin at all does not read what the server answers to the cookies of its visitor.',
    },
    depth: 'anonymous',
    change:
      'Do not repeat the Origin of the request together with Access-Control-Allow-Credentials: true. Endpoints of OAuth need no cookies: allow * without credentials.',
    async run(on) {
      const tried: string[] = []
      for (const name of ENDPOINTS) {
        const url = await on.optionalEndpoint(name)
        if (url === null || new URL(url).origin !== on.origin) continue
        const answer = await on.send(url, { headers: { origin: ELSEWHERE } })
        const { headers: received } = answer
        const isTrue = received.get('access-control-allow-credentials') === 'true'
        if (isTrue && received.get('access-control-allow-origin') === ELSEWHERE)
          return violated(`${name} has ${allowedOrigin(answer)} with Access-Control-Allow-Credentials: true`) // prettier-ignore
        tried.push(name)
      }
      if (tried.length === 0) return notApplicable('the metadata names no such endpoint')
      return held(`${tried.join(', ')}: no page reads them with cookies`)
    },
  },
  {
    id: 'headers/vary-origin',
    clause: {
      document: 'Fetch',
      section: 'CORS protocol and HTTP caches',
      level: 'SHOULD',
      says: 'A document that caches keep allows all origins alike, or has Vary: Origin.',
    },
    depth: 'anonymous',
    change:
      'Send Access-Control-Allow-Origin: * with public documents, also if the request has no Origin. Otherwise add Vary: Origin.',
    async run(on) {
      await on.server()
      const server = await on.serverAnswer()
      const { url } = isRead(server) ? server : await on.openidAnswer()
      const answer = await on.send(url, { headers: { origin: ELSEWHERE } })
      const vary = directivesIn(answer, 'vary')
      return judge(
        answer.headers.get('access-control-allow-origin') !== ELSEWHERE ||
          vary.some((one) => one === 'origin' || one === '*') ||
          directivesIn(answer, 'cache-control').includes('no-store'),
        `${url.pathname} has ${allowedOrigin(answer)}`,
        `${url.pathname} has ${allowedOrigin(answer)}, and no Vary: Origin`,
      )
    },
  },
]
