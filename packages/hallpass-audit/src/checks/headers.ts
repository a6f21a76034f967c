import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, fetchStandard, MCP, MUST_NOT, oidcCore, oidcDiscovery, rfc6749, rfc9111, rfc9700, RS, SHOULD } from '../clause.js' // prettier-ignore
import { type Finding, held, judge, notApplicable, notReached, violated } from '../finding.js' // prettier-ignore
import type { Audit } from '../engine/audit.js'
import { isRead } from '../engine/discovery.js'
import type { Answer } from '../engine/http.js'

const OF_ENDPOINTS =
  'The Token Endpoint, UserInfo Endpoint, "jwks_uri" endpoint, Dynamic Client Registration Endpoint, … SHOULD support the use of Cross-Origin Resource Sharing (CORS) [CORS] and/or other methods as appropriate to enable JavaScript Clients and other Browser-Based Clients to access them.'
// prettier-ignore
const TEXT = {
  errors: rfc6749('5.2', ADVICE, AS, 'An error of the token endpoint is about one request: a cache that keeps it answers the next one with it.'),
  shared: rfc9111('3.5', ADVICE, RS, 'A cache that many share may keep the answer to a request with a token only if the answer says so. What is of one person should not say so.'),
  metadata: oidcDiscovery('4', SHOULD, AS, 'The "openid-configuration" endpoint SHOULD support the use of Cross-Origin Resource Sharing (CORS) [CORS] and/or other methods as appropriate to enable JavaScript Clients and other Browser-Based Clients to access it.'),
  endpoints: oidcDiscovery('3', SHOULD, AS, OF_ENDPOINTS),
  userinfo: oidcCore('5.3', SHOULD, RS, 'The UserInfo Endpoint SHOULD support the use of Cross-Origin Resource Sharing (CORS) [CORS] and/or other methods as appropriate to enable JavaScript Clients and other Browser-Based Clients to access it.'),
  dpop: fetchStandard('CORS-preflight fetch', ADVICE, AS, 'A page that may read the token endpoint can use DPoP only if it may send a proof, too.'),
  mcp: fetchStandard('CORS-preflight fetch', ADVICE, MCP, 'A page that may read the MCP endpoint can use it only if it may send the header fields of MCP, too.'),
  challenge: fetchStandard('HTTP responses', ADVICE, RS, 'A page that may read a 401 learns of the metadata only if it may read the challenge, too.'),
  authorization: rfc9700('2.6', MUST_NOT, AS, 'However, CORS MUST NOT be supported at the authorization endpoint, as the client does not access this endpoint directly; instead, the client redirects the user agent to it.'),
  credentials: fetchStandard('CORS protocol and credentials', ADVICE, AS, 'If any origin may read answers to requests with cookies, a page that someone visits can read what is theirs.'),
  vary: fetchStandard('CORS protocol and HTTP caches', ADVICE, AS, 'If the allowed origin is that of the request, a cache gives it to pages of another one, unless Vary tells it not to.'),
}

/** The origin of a page that has nothing to do with the server. */
const ELSEWHERE = 'https://app.example'
/** That of a page on this computer, such as one of the MCP Inspector. */
const NEARBY = 'http://127.0.0.1:6274'
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

const judgeReadable = (answer: Answer, what: string): Finding => {
  const where = `${what} (${answer.status}) has ${allowedOrigin(answer)}`
  return judge(answer, isReadable(answer), where, `${where} for ${ELSEWHERE}`)
}

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
  if (status < 200 || status > 299)
    return violated(answer, `the preflight request is answered by ${status}`)
  if (!isReadable(answer, origin))
    return violated(answer, `the preflight request is answered with ${allowedOrigin(answer)}`)
  const refused = names.filter((name) => !isAllowed(name))
  return judge(answer, refused.length === 0, `a page may send ${method} with ${names.join(', ')}`, `Access-Control-Allow-Headers does not have ${refused.join(', ')}: it is ${allowed.join(', ') || 'missing'}`) // prettier-ignore
}

const READABLE =
  'Send Access-Control-Allow-Origin: * with every answer of the endpoint, errors too, and answer OPTIONS. Allow no credentials. RFC 9700, section 2.6, leaves it to you where there are no clients in pages.'

/** Asks an OpenID provider from a page of another origin. */
const readable = (
  name: string,
  clause: Clause,
  what: string,
  send: (on: Audit, headers: Readonly<Record<string, string>>) => Promise<Answer>,
): Check => ({
  id: `headers/${name}`,
  clause,
  depth: 'anonymous',
  change: READABLE,
  async run(on) {
    await on.openid()
    return judgeReadable(await send(on, { origin: ELSEWHERE }), what)
  },
})

/** Headers of answers: what may be stored, or read by a page of another origin. */
export const headers: readonly Check[] = [
  {
    id: 'headers/errors-not-stored',
    clause: TEXT.errors,
    depth: 'anonymous',
    change:
      'Send Cache-Control: no-store with errors, too. A rule of the web server for the whole path must not replace it.',
    async run(on) {
      const answer = await on.form(await on.endpoint('token_endpoint'), {})
      const { status } = answer
      if (status < 400) return notReached(`an empty form is answered by ${status}`, answer)
      const control = directivesIn(answer, 'cache-control')
      // A cache keeps an answer to POST only if the answer says for how long (RFC 9110, section 9.3.3).
      const isKept =
        !control.some((one) => one === 'no-store' || one === 'no-cache') &&
        (control.some((one) => /^(?:s-)?max-?age="?[1-9]|^public$/.test(one)) ||
          Date.parse(answer.headers.get('expires') ?? '') > Date.now())
      const where = `an error (${status}) has Cache-Control: ${control.join(', ') || 'missing'}`
      return judge(answer, !isKept, where, where)
    },
  },
  {
    id: 'headers/personal-not-shared',
    clause: TEXT.shared,
    depth: 'people',
    change:
      'Send Cache-Control: no-store or private with answers to an access token. public lets a proxy give them to others.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const uses = await on.use(accessToken)
      if (uses.length === 0) return notApplicable('there is no surface to try')
      const taken = uses.filter(({ isAccepted }) => isAccepted)
      if (taken.length === 0) return notReached('no surface takes the token', uses[0]!.answer)
      const shared = taken.find(({ answer }) => {
        const control = directivesIn(answer, 'cache-control')
        const isShared = control.some((one) => one === 'public' || one.startsWith('s-maxage'))
        return isShared && !control.includes('no-store') && !control.includes('private')
      })
      return shared === undefined
        ? held(taken[0]!.answer, `no cache shares what ${taken.map(({ surface }) => surface).join(', ')} answers`) // prettier-ignore
        : violated(shared.answer, `${shared.surface} has Cache-Control: ${shared.answer.headers.get('cache-control')}`) // prettier-ignore
    },
  },
  readable('metadata-readable', TEXT.metadata, 'the OpenID configuration', async (on, origin) =>
    on.send((await on.openidAnswer()).url, { headers: origin }),
  ),
  readable('keys-readable', TEXT.endpoints, 'the key set', async (on, origin) =>
    on.send(await on.endpoint('jwks_uri'), { headers: origin }),
  ),
  readable('token-readable', TEXT.endpoints, 'an error', async (on, origin) =>
    on.form(await on.endpoint('token_endpoint'), {}, origin),
  ),
  {
    id: 'headers/dpop-preflight',
    clause: TEXT.dpop,
    depth: 'anonymous',
    change:
      'Answer OPTIONS at the token endpoint by 204, with Access-Control-Allow-Headers: DPoP, and Authorization if clients with a secret are meant.',
    async run(on) {
      if ((await on.listOf('dpop_signing_alg_values_supported')).length === 0)
        return notApplicable('the metadata names no algorithm for DPoP')
      const url = await on.endpoint('token_endpoint')
      const answer = await on.form(url, {}, { origin: ELSEWHERE })
      if (!isReadable(answer))
        return notApplicable('no page of another origin may read the token endpoint', answer)
      return preflight(on, url, { method: 'POST', names: ['dpop'] })
    },
  },
  {
    id: 'headers/registration-preflight',
    clause: TEXT.endpoints,
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
    clause: TEXT.userinfo,
    depth: 'anonymous',
    change:
      'Answer OPTIONS by 204 before access tokens are asked for, with Access-Control-Allow-Headers: Authorization. The asterisk does not include it. Send Access-Control-Allow-Origin with every answer.',
    async run(on) {
      const url = await on.endpoint('userinfo_endpoint')
      const asked = await preflight(on, url, { method: 'GET', names: ['authorization'] })
      if (asked.verdict !== 'held') return asked
      const sent = { authorization: 'Bearer unknown', origin: ELSEWHERE }
      return judgeReadable(await on.send(url, { headers: sent }), 'what follows the preflight request') // prettier-ignore
    },
  },
  {
    id: 'headers/mcp-preflight',
    clause: TEXT.mcp,
    depth: 'anonymous',
    change:
      'Answer OPTIONS at the MCP endpoint by 204 before access tokens are asked for, with Access-Control-Allow-Headers: Authorization, Content-Type, Mcp-Protocol-Version.',
    async run(on) {
      const path = await on.mcpPath()
      const answer = await on.mcp({ headers: { origin: NEARBY } })
      if (!isReadable(answer, NEARBY))
        return notApplicable(`no page of ${NEARBY} may read ${path}`, answer)
      const names = ['authorization', 'content-type', 'mcp-protocol-version']
      return preflight(on, answer.url, { method: 'POST', names, origin: NEARBY })
    },
  },
  {
    id: 'headers/challenge-readable',
    clause: TEXT.challenge,
    depth: 'anonymous',
    change: 'Send Access-Control-Expose-Headers: WWW-Authenticate with every 401.',
    async run(on) {
      const token = 'unknown'
      const sent = { authorization: `Bearer ${token}`, origin: ELSEWHERE }
      const userinfo = await on.optionalEndpoint('userinfo_endpoint')
      const answers = [
        ...(userinfo === null ? [] : [await on.send(userinfo, { headers: sent })]),
        ...((await on.hasMcp()) ? [await on.mcp({ token, headers: { origin: NEARBY } })] : []),
      ].filter((one) => one.headers.has('www-authenticate') && (isReadable(one) || isReadable(one, NEARBY))) // prettier-ignore
      const [first] = answers
      if (first === undefined) return notApplicable('no page of another origin may read a challenge') // prettier-ignore
      const exposed = (one: Answer) => directivesIn(one, 'access-control-expose-headers')
      const hidden = answers.find((one) => !exposed(one).some((name) => name === '*' || name === 'www-authenticate')) // prettier-ignore
      return hidden === undefined
        ? held(first, `pages read the challenge of ${answers.map(({ url }) => url.pathname).join(', ')}`) // prettier-ignore
        : violated(hidden, `${hidden.url.pathname} exposes ${exposed(hidden).join(', ') || 'no header field'}`) // prettier-ignore
    },
  },
  {
    id: 'headers/authorization-not-readable',
    clause: TEXT.authorization,
    depth: 'anonymous',
    change:
      'Send no Access-Control-Allow-Origin from the authorization endpoint and the pages after it. A rule for the whole server is too wide.',
    async run(on) {
      const { url } = on.request(await on.client())
      const answer = await on.browser(null).request(url, {
        headers: { origin: ELSEWHERE, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site' },
      }) // prettier-ignore
      if (answer.status >= 500)
        return notReached(`a right request is answered by ${answer.status}`, answer)
      const where = `the answer (${answer.status}) has ${allowedOrigin(answer)}`
      return judge(answer, !answer.headers.has('access-control-allow-origin'), where, where)
    },
  },
  {
    id: 'headers/no-credentials',
    clause: TEXT.credentials,
    depth: 'anonymous',
    change:
      'Do not repeat the Origin of the request together with Access-Control-Allow-Credentials: true. Endpoints of OAuth need no cookies: allow * without credentials.',
    async run(on) {
      let last: Answer | undefined
      for (const name of ENDPOINTS) {
        const url = await on.optionalEndpoint(name)
        if (url === null || !on.reaches(new URL(url))) continue
        last = await on.send(url, { headers: { origin: ELSEWHERE } })
        const isTrue = last.headers.get('access-control-allow-credentials') === 'true'
        if (isTrue && last.headers.get('access-control-allow-origin') === ELSEWHERE)
          return violated(last, `${name} has ${allowedOrigin(last)} with Access-Control-Allow-Credentials: true`) // prettier-ignore
      }
      if (last === undefined) return notApplicable('the metadata names no such endpoint')
      return held(last, `no page reads ${ENDPOINTS.join(', ')} with cookies`)
    },
  },
  {
    id: 'headers/vary-origin',
    clause: TEXT.vary,
    depth: 'anonymous',
    change:
      'Send Access-Control-Allow-Origin: * with public documents, also if the request has no Origin. Otherwise add Vary: Origin.',
    async run(on) {
      await on.server()
      const server = await on.serverAnswer()
      const { url } = isRead(server) ? server : await on.openidAnswer()
      const answer = await on.send(url, { headers: { origin: ELSEWHERE } })
      const isSafe =
        answer.headers.get('access-control-allow-origin') !== ELSEWHERE ||
        directivesIn(answer, 'vary').some((one) => one === 'origin' || one === '*') ||
        directivesIn(answer, 'cache-control').includes('no-store')
      const where = `${url.pathname} has ${allowedOrigin(answer)}`
      return judge(answer, isSafe, where, `${where}, and no Vary: Origin`)
    },
  },
]
