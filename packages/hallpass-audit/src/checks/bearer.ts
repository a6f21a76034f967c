import { type Check } from '../check.js'
import { type Finding, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, isTaken, type Place } from '../engine/audit.js'
import { asksForToken, challenged, challengesOf } from '../engine/challenge.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { NARROW, narrowTokens } from './expect.js'

/** An answer of a place. */
interface Tried {
  readonly place: Place
  readonly answer: Answer
  /** Whether the token was taken as valid. */
  readonly isRead: boolean
}

/** The places at which access tokens are tried. Stops if there are none. */
async function placesOf(on: Audit): Promise<readonly Place[]> {
  const places = await on.places()
  if (places.length === 0)
    throw new Stop(notApplicable('no path is known that requires a token: give `surfaces` in the file of --sign-in'))
  return places
} // prettier-ignore

async function tryAt(
  places: readonly Place[],
  send: (place: Place) => Promise<Answer>,
): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  for (const place of places) {
    const answer = await send(place)
    tried.push({ place, answer, isRead: await place.isRead(answer) })
  }
  return tried
}

/** Returns how each place answers a request without a token. */
const strangers = (on: Audit): Promise<readonly Tried[]> =>
  on.once('strangers', async () => tryAt(await placesOf(on), ({ send }) => send({})))

/** The answers to a valid token. A token of one resource may be refused by another, so one that accepts it is enough. */
const holders = (on: Audit): Promise<readonly Tried[]> =>
  on.once('holders', async () => {
    const { accessToken } = await on.sharedTokens()
    return tryAt(await placesOf(on), ({ send }) => send(bearing(accessToken)))
  })

/** The places that take the shared token: there a refusal says something. */
async function guarded(on: Audit): Promise<readonly Place[]> {
  const places = (await holders(on)).filter(({ isRead }) => isRead)
  if (places.length === 0) throw new Stop(notReached('no path takes the token of the audit'))
  return places.map(({ place }) => place)
}

const statuses = (tried: readonly Tried[]): string =>
  tried.map(({ place, answer }) => `${place.surface} ${answer.status}`).join(', ')

/** Held if every answer is as it has to be. The first one that is not is shown in the report. */
function all(
  on: Audit,
  tried: readonly Tried[],
  { is, good, bad }: { is: (answer: Answer, tried: Tried) => boolean; good: string; bad: string },
): Finding {
  const wrong = tried.filter((one) => !is(one.answer, one))
  // A path that fails has neither accepted nor refused.
  const failed = tried.filter(({ answer }) => answer.status >= 500)
  const shown = wrong[0] ?? failed[0] ?? tried.at(-1)
  if (shown !== undefined) on.show(shown.answer)
  if (wrong.length === 0 && failed.length > 0) return notReached(statuses(failed))
  return judge(wrong.length === 0, `${good}: ${statuses(tried)}`, `${bad}: ${statuses(wrong)}`)
}

const refusedAt = (on: Audit, tried: readonly Tried[], what: string): Finding =>
  all(on, tried, { is: (_, { isRead }) => !isRead, good: `${what} is refused`, bad: `${what} is accepted` }) // prettier-ignore

const bearing = (token: string) => ({
  headers: { authorization: `Bearer ${token}` },
  session: token,
})

/** The answers to a token that the server never issued. */
const invented = (on: Audit): Promise<readonly Tried[]> =>
  on.once('invented token', async () => {
    const token = newSecret()
    return tryAt(await placesOf(on), ({ send }) => send(bearing(token)))
  })

/** Tries headers at every place that requires a token, as the holder of a valid one. */
async function tryHeaders(
  on: Audit,
  variants: (token: string) => Readonly<Record<string, string>>,
): Promise<Finding> {
  const { accessToken } = await on.sharedTokens()
  const places = await guarded(on)
  for (const [what, authorization] of Object.entries(variants(accessToken))) {
    const found = refusedAt(on, await tryAt(places, ({ send }) => send({ headers: { authorization }, session: accessToken })), what) // prettier-ignore
    if (found.verdict !== 'held') return found
  }
  return judge(true, `${Object.keys(variants('')).join(', ')}: each is refused`, '')
}

/** Access tokens at the paths that require one. */
export const bearer: readonly Check[] = [
  {
    id: 'bearer/challenge',
    clause: {
      document: 'RFC 6750',
      section: '3',
      level: 'MUST',
      says: 'A request without a token is refused with a WWW-Authenticate challenge, so that a client knows what to get.',
    },
    depth: 'anonymous',
    change:
      'Answer 401 with WWW-Authenticate: Bearer at every path that requires a token. A redirect to a page helps no API client.',
    async run(on) {
      // An MCP endpoint may have public tools. Every other place was named because it requires a token.
      const tried = (await strangers(on)).filter(
        ({ place, answer }) => place.surface !== '/mcp' || !isTaken(answer),
      )
      if (tried.length === 0) throw new Stop(notApplicable('no path requires a token'))
      return all(on, tried, {
        is: (answer) => !isTaken(answer) && answer.status >= 400 && asksForToken(answer.headers),
        good: 'each refuses, and asks for a token',
        bad: 'a request without a token is not refused with a challenge',
      })
    },
  },
  {
    id: 'bearer/no-error-without-token',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD NOT',
      says: 'A challenge has no error code if the request had no token: nothing was wrong with it.',
    },
    depth: 'anonymous',
    change: 'Leave error and error_description out of the challenge if there is no Authorization header.',
    async run(on) {
      const asked = (await strangers(on)).filter(({ answer }) => asksForToken(answer.headers))
      if (asked.length === 0) return notApplicable('no path answers with a challenge')
      return all(on, asked, {
        is: ({ headers }) => challenged(headers, 'error') === null,
        good: 'no challenge has an error',
        bad: 'the challenge has an error although no token was sent',
      })
    },
  },
  {
    id: 'bearer/challenge-metadata',
    clause: {
      document: 'RFC 9728',
      section: '3.3',
      level: 'MUST',
      says: 'The metadata that a challenge names is of the resource that was requested: a client ignores that of another.',
    },
    depth: 'anonymous',
    change:
      'Let resource_metadata of each challenge name a document whose "resource" is the URL that was requested, or one that contains it.',
    async run(on) {
      const named = (await strangers(on)).flatMap(({ place, answer }) => {
        const url = challenged(answer.headers, 'resource_metadata')
        return url === null ? [] : [{ place, url }]
      })
      if (named.length === 0) throw new Stop(notApplicable('no challenge names metadata'))
      for (const { place, url } of named) {
        if (!URL.canParse(url)) return violated(`resource_metadata of ${place.surface} is not a URL: ${url}`)
        const { status, json } = await on.send(url, { headers: { accept: 'application/json' } })
        const resource = String(json['resource'])
        const isOf =
          status === 200 && URL.canParse(resource) && new URL(resource).origin === place.url.origin &&
          `${place.url.pathname}/`.startsWith(new URL(resource).pathname.replace(/\/?$/, '/'))
        if (!isOf)
          return violated(`the metadata that ${place.surface} names (${status}) is of ${resource}`)
      }
      return judge(true, `the metadata of ${named.map(({ place }) => place.surface).join(', ')} is of it`, '')
    },
  },
  {
    id: 'bearer/header',
    clause: {
      document: 'RFC 6750',
      section: '2.1',
      level: 'MUST',
      says: 'A valid token is accepted in the Authorization header, with the scheme Bearer.',
    },
    depth: 'people',
    change: 'Read the token from Authorization: Bearer at every path that requires one.',
    async run(on) {
      const tried = await holders(on)
      on.show(tried[0]!.answer)
      return judge(
        tried.some(({ isRead }) => isRead),
        `a valid token is accepted: ${statuses(tried.filter(({ isRead }) => isRead))}`,
        `a valid token is refused: ${statuses(tried)}`,
      )
    },
  },
  {
    id: 'bearer/scheme-case',
    clause: {
      document: 'RFC 9110',
      section: '11.1',
      level: 'MUST',
      says: 'The name of an authentication scheme is the same in upper and lower case.',
    },
    depth: 'people',
    change: 'Compare the scheme without regard to case: bearer, Bearer and BEARER are one.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const tried = await tryAt(await guarded(on), ({ send }) =>
        send({ headers: { authorization: `bEARER ${accessToken}` }, session: accessToken }),
      )
      return all(on, tried, {
        is: (_, { isRead }) => isRead,
        good: 'bEARER is accepted',
        bad: 'bEARER is refused',
      })
    },
  },
  {
    id: 'bearer/unknown-token',
    clause: {
      document: 'RFC 6749',
      section: '7',
      level: 'MUST',
      says: 'A token that the server did not issue is refused: its request is never served as if it had no token.',
    },
    depth: 'anonymous',
    change:
      'If there is an Authorization header, verify the token and answer 401 unless it is valid. Serve as anonymous only a request without the header.',
    run: async (on) =>
      all(on, await invented(on), {
        is: (answer) => !isTaken(answer),
        good: 'an invented token is refused',
        bad: 'an invented token is accepted',
      }),
  },
  {
    id: 'bearer/refusal-challenge',
    clause: {
      document: 'RFC 9110',
      section: '11.6.1',
      level: 'MUST',
      says: 'Every 401 has a challenge, also if a token was sent.',
    },
    depth: 'anonymous',
    change: 'Send WWW-Authenticate with every 401.',
    async run(on) {
      const refused = (await invented(on)).filter(({ answer }) => answer.status === 401)
      if (refused.length === 0) throw new Stop(notReached('no path answers an invented token with 401'))
      return all(on, refused, {
        is: ({ headers }) => asksForToken(headers),
        good: 'each 401 has a challenge',
        bad: 'a 401 has no challenge',
      })
    },
  },
  {
    id: 'bearer/invalid-token-error',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD',
      says: 'An invalid token is answered by 401 and the error invalid_token, after which a client gets another one.',
    },
    depth: 'anonymous',
    change: 'Answer an unknown, expired or revoked token by 401 with error="invalid_token" in the challenge.',
    async run(on) {
      const refused = (await invented(on)).filter(({ answer }) => !isTaken(answer))
      if (refused.length === 0) throw new Stop(notReached('no path refuses an invented token'))
      return all(on, refused, {
        is: ({ status, headers }) =>
          status === 401 && (!asksForToken(headers) || challenged(headers, 'error') === 'invalid_token'),
        good: 'each answers invalid_token',
        bad: 'the answer is not 401 with invalid_token',
      })
    },
  },
  {
    id: 'bearer/challenge-syntax',
    clause: {
      document: 'RFC 6750',
      section: '3',
      level: 'MUST NOT',
      says: 'A challenge repeats no attribute, and its error texts have no quote, no backslash and no character beyond ASCII.',
    },
    depth: 'anonymous',
    change: 'Write fixed texts into the challenge, and nothing that the request contains.',
    async run(on) {
      const hostile = 'x",error="none",scope="everything'
      const tried = await tryAt(await placesOf(on), ({ send }) => send(bearing(hostile)))
      if (tried.every(({ answer }) => challengesOf(answer.headers).length === 0))
        return notReached('no answer has a challenge')
      return all(on, tried, {
        is: ({ headers }) => challengesOf(headers).every(isWellFormed),
        good: 'each challenge is well formed',
        bad: 'the challenge repeats an attribute, or has a character that it may not have',
      })
    },
  },
  {
    id: 'bearer/token-not-repeated',
    clause: {
      document: 'RFC 6749',
      section: '10.3',
      level: 'MUST',
      says: 'A token stays between its client and the servers: no error repeats it, since errors are logged and shown.',
    },
    depth: 'anonymous',
    change: 'Leave the token out of the texts of errors and of logs.',
    async run(on) {
      const token = `audit-${newSecret()}`
      const tried = await tryAt(await placesOf(on), ({ send }) => send(bearing(token)))
      return all(on, tried, {
        is: ({ text, headers }) => !`${text}${[...headers].join(' ')}`.includes(token),
        good: 'no answer repeats the token',
        bad: 'the answer repeats the token',
      })
    },
  },
  {
    id: 'bearer/damaged-token',
    clause: {
      document: 'RFC 6749',
      section: '7',
      level: 'MUST',
      says: 'A token is valid as a whole: without its end, or with more after it, it is another one.',
    },
    depth: 'people',
    change: 'Compare the whole token, or verify its whole signature.',
    run: (on) =>
      tryHeaders(on, (token) => ({
        'a token without its end': `Bearer ${token.slice(0, -6)}`,
        'a token with more after it': `Bearer ${token}audit`,
      })),
  },
  {
    id: 'bearer/malformed-header',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD',
      says: 'Credentials that are not the word Bearer, a space and a token are malformed, and refused.',
    },
    depth: 'people',
    change: 'Parse the header by its grammar: `Bearer`, spaces, and one token of letters, digits and -._~+/ with = at its end.',
    run: (on) =>
      tryHeaders(on, (token) => ({
        'a token without a scheme': token,
        'a token right after the scheme': `Bearer${token}`,
        'a token in quotes': `Bearer "${token}"`,
      })),
  },
  {
    id: 'bearer/two-tokens',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD',
      says: 'A request with two Authorization headers is malformed: a proxy and the server may read different ones.',
    },
    depth: 'people',
    change: 'Refuse a request with more than one Authorization header, also if they were joined by a comma.',
    run: (on) =>
      tryHeaders(on, (token) => ({
        'a second token before the valid one': `Bearer ${newSecret()}, Bearer ${token}`,
        'a second token after the valid one': `Bearer ${token}, Bearer ${newSecret()}`,
      })),
  },
  {
    id: 'bearer/other-scheme',
    clause: {
      document: 'OAuth 2.1',
      section: '5.1',
      level: 'MUST',
      says: 'A bearer token is sent in one of two ways. The password of Basic is not among them, and no other scheme is.',
    },
    depth: 'people',
    change: 'Accept a token with the scheme Bearer only, or DPoP if it is bound to a key.',
    run: (on) =>
      tryHeaders(on, (token) => ({
        'a token as the name of Basic': `Basic ${Buffer.from(`${token}:`).toString('base64')}`,
        'a token as the password of Basic': `Basic ${Buffer.from(`audit:${token}`).toString('base64')}`,
        'a token with the scheme Token': `Token ${token}`,
      })),
  },
  {
    id: 'bearer/query',
    clause: {
      document: 'OAuth 2.1',
      section: '5.1',
      level: 'MUST',
      says: 'A token in the query is ignored: addresses end up in logs, histories and Referer headers.',
    },
    depth: 'people',
    change: 'Read the token from the Authorization header only.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const query = { access_token: accessToken }
      const tried = await tryAt(await guarded(on), ({ send }) => send({ query, session: accessToken }))
      return all(on, tried, {
        is: (_, { isRead }) => !isRead,
        good: 'a token in the query is not read',
        bad: 'a token in the query is accepted',
      })
    },
  },
  {
    id: 'bearer/two-methods',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD',
      says: 'A request that sends a token in two ways is refused, since the two may differ.',
    },
    depth: 'people',
    change: 'If you read tokens from forms, answer 400 and invalid_request to a request that has one in the header too.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const userinfo = await on.endpoint('userinfo_endpoint')
      const form = { access_token: accessToken }
      const both = await on.form(userinfo, form, { authorization: `Bearer ${accessToken}` })
      if ([404, 405, 415, 501].includes(both.status))
        return notApplicable(`UserInfo takes no form (${both.status})`)
      if (!isTaken(both)) return judge(true, `a token in the header and in the form is answered by ${both.status}`, '')
      const alone = await on.form(userinfo, form)
      if (!isTaken(alone)) return notApplicable('UserInfo reads no token from a form')
      on.show(both)
      return violated(`UserInfo accepts a token in the header and in the form (${both.status})`)
    },
  },
  {
    id: 'bearer/insufficient-scope',
    clause: {
      document: 'RFC 6750',
      section: '3.1',
      level: 'SHOULD',
      says: 'A token without a scope that is needed is answered by 403 and insufficient_scope in a challenge, so that a client asks for more.',
    },
    depth: 'people',
    shares: [NARROW],
    change:
      'Answer 403 with WWW-Authenticate: Bearer error="insufficient_scope", scope="…" to a valid token that lacks a scope.',
    async run(on) {
      const scoped = new Set((on.signIn?.surfaces ?? []).flatMap(({ path, scope }) => (scope === undefined ? [] : [path])))
      const places = (await guarded(on)).filter(({ surface }) => scoped.has(surface))
      if (places.length === 0) return notApplicable('no surface names the scope that it needs: give `scope` of it in the file of --sign-in')
      const { accessToken } = await narrowTokens(on)
      const tried = await tryAt(places, ({ send }) => send(bearing(accessToken)))
      const refused = tried.filter(({ answer }) => answer.status >= 400)
      if (refused.length === 0) return notReached('no surface refused a token without its scope')
      return all(on, refused, {
        is: ({ status, headers }) => status === 403 && challenged(headers, 'error') === 'insufficient_scope',
        good: 'each answers insufficient_scope',
        bad: 'the answer is not 403 with insufficient_scope',
      })
    },
  },
] // prettier-ignore

/** Whether a challenge names each attribute once, and its texts have only the characters that they may have. */
const isWellFormed = ({ parameters }: { parameters: readonly (readonly [string, string])[] }): boolean =>
  new Set(parameters.map(([name]) => name)).size === parameters.length &&
  parameters.every(
    ([name, value]) => !name.startsWith('error') || /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(value),
  ) // prettier-ignore
