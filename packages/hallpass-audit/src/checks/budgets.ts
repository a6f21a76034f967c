import { type Check } from '../check.js'
import { ADVICE, AS, rfc6585, rfc6749, rfc9110, SHOULD } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import {
  type Audit,
  type Client,
  type Code,
  describe,
  REDIRECT_URI,
  type Tokens,
} from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { errorOf, mediaTypeOf } from './expect.js'

const KNOWN = 'Anyone knows the identifier of a client.'
// prettier-ignore
const TEXT = {
  requests: rfc6749('2.2', ADVICE, AS, `${KNOWN} Requests of a third party that name it should take nothing from its people.`),
  codes: rfc6749('2.2', ADVICE, AS, `${KNOWN} Wrong codes that a third party sends with it should not lock the client out.`),
  refreshTokens: rfc6749('2.2', ADVICE, AS, `${KNOWN} Wrong refresh tokens of a third party should not end its grants.`),
  explained: rfc6585('4', SHOULD, AS, 'The response representations SHOULD include details explaining the condition, and MAY include a Retry-After header indicating how long to wait before making a new request.'),
  json: rfc6749('5.2', ADVICE, AS, 'A client reads errors of the token endpoint as JSON with the member error, also where what limits requests is in front of it.'),
  retryAfter: rfc9110('10.2.3', ADVICE, AS, 'A client can wait for a whole number of seconds or until a date of HTTP, and for nothing else.'),
}

/** How many requests a third party sends: more than a client does within a second, and few for a server. */
const BURST = 30

/** Sends until an answer is limited, and returns the last one. */
async function burst(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send()
  for (let sent = 1; sent < BURST && answer.status !== 429; sent += 1) answer = await send()
  return answer
}

/** Opens an authorization request in a new browser, in which no one is signed in. */
const visit = (on: Audit, client: Client, isElsewhere: boolean): Promise<Answer> =>
  on.send(on.request(client).url, {
    headers: { accept: 'text/html' },
    keepsLimit: true,
    isElsewhere,
  })

/** Sends a form to the token endpoint, and does not wait if it is limited. */
const ask = async (
  on: Audit,
  fields: Readonly<Record<string, string>>,
  isElsewhere = false,
): Promise<Answer> =>
  on.send(await on.endpoint('token_endpoint'), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(fields).toString(),
    keepsLimit: true,
    isElsewhere,
  })

/** Redeems a code that does not exist. Anyone knows the identifier of the client. */
const guessCode = (
  on: Audit,
  { clientId, redirectUri }: Pick<Client, 'clientId' | 'redirectUri'>,
  isElsewhere: boolean,
): Promise<Answer> =>
  ask(on, { grant_type: 'authorization_code', code: newSecret(), redirect_uri: redirectUri, client_id: clientId, code_verifier: newSecret() }, isElsewhere) // prettier-ignore

const guessRefreshToken = (on: Audit, { clientId }: Client, isElsewhere: boolean): Promise<Answer> =>
  ask(on, { grant_type: 'refresh_token', refresh_token: newSecret(), client_id: clientId }, isElsewhere) // prettier-ignore

/**
 * Judges that the first client is limited after a burst from another network. If a second client is not, then the
 * server counts by the client. Where the audit has one address only, the server may count the client and the network.
 */
async function judgeLimit(
  on: Audit,
  limit: Answer,
  again: (client: Client) => Promise<Answer>,
): Promise<Finding> {
  const other = await again(await on.client('second'))
  if (other.status === 429)
    return notReached('the server limits more than the client, such as the network of the audit', other) // prettier-ignore
  return on.isApart()
    ? violated(limit, `what a third party sent limits the client (429), and no other client (${other.status})`)
    : notReached('the client is limited (429), and another one is not: whether in this network only cannot be seen', limit) // prettier-ignore
}

/** The code that a person gives to the client after the burst of a third party; or the finding if none came. */
const codeAfterBurst = (on: Audit): Promise<Code | Finding> =>
  on.once('a code after a burst', async () => {
    // Everything works before.
    await on.sharedTokens()
    const client = await on.client()
    await burst(() => visit(on, client, true))
    const own = await visit(on, client, false)
    if (own.status === 429) return judgeLimit(on, own, (other) => visit(on, other, false))
    const ended = await on.authorize({ client })
    const code = ended.parameters?.get('code') ?? null
    return code === null
      ? violated(ended, `the person allows the client, and no code comes: ${describe(ended)}`)
      : { ...ended, code }
  })

/** The tokens that the client gets after another burst; or the finding if none came. */
const tokensAfterBurst = (on: Audit): Promise<Tokens | Finding> =>
  on.once('tokens after a burst', async () => {
    const code = await codeAfterBurst(on)
    if ('verdict' in code) throw new Stop(notReached(`no code came: ${code.found}`))
    await burst(() => guessCode(on, code.client, true))
    const answer = await ask(on, on.redemption(code))
    if (answer.status === 429) return judgeLimit(on, answer, (other) => guessCode(on, other, false))
    if (answer.status !== 200)
      return violated(
        answer,
        `the code of the client is answered by ${answer.status} ${errorOf(answer)}`,
      )
    return on.tokensOf(answer, code)
  })

const OF_BURST = { depth: 'people', shares: [{ name: 'a code after a burst', authorizations: 1 }] } as const // prettier-ignore
const COUNT =
  'Count by the network that sent the request, or by the person: never only by client_id, which anyone knows.'

/** A limited answer of the token endpoint. */
const limited = (on: Audit): Promise<Answer> =>
  on.once('a limited answer', async () => {
    const unknown = { clientId: 'hallpass-audit-unknown', redirectUri: REDIRECT_URI }
    const answer = await burst(() => guessCode(on, unknown, true))
    if (answer.status === 429) return answer
    throw new Stop(notApplicable(`${BURST} requests in a row are not limited`, answer))
  })

/** Limits that a third party must not be able to spend for a client and its people. */
export const budgets: readonly Check[] = [
  {
    id: 'budgets/authorization-requests', clause: TEXT.requests, ...OF_BURST, change: COUNT,
    async run(on) {
      const code = await codeAfterBurst(on)
      return 'verdict' in code
        ? code
        : held(code, `after ${BURST} requests of a third party a person gives the client a code`)
    },
  },
  {
    id: 'budgets/codes', clause: TEXT.codes, ...OF_BURST, change: COUNT,
    async run(on) {
      const tokens = await tokensAfterBurst(on)
      return 'verdict' in tokens
        ? tokens
        : held(tokens, `after ${BURST} wrong codes of a third party the client redeems its own`)
    },
  },
  {
    id: 'budgets/refresh-tokens', clause: TEXT.refreshTokens, ...OF_BURST, change: COUNT,
    async run(on) {
      const tokens = await tokensAfterBurst(on)
      if ('verdict' in tokens) return notReached(`no token was issued: ${tokens.found}`)
      const { refreshToken, code } = tokens
      const { client } = code
      if (refreshToken === null) return notApplicable('the server issued no refresh token', tokens)
      await burst(() => guessRefreshToken(on, client, true))
      const answer = await ask(on, {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: client.clientId,
        ...(client.secret !== null && { client_secret: client.secret }),
      })
      if (answer.status === 429)
        return judgeLimit(on, answer, (other) => guessRefreshToken(on, other, false))
      const found = `after ${BURST} wrong refresh tokens of a third party that of the client is answered by ${answer.status}`
      return judge(answer, answer.status === 200, found, `${found} ${errorOf(answer)}`)
    },
  },
  {
    id: 'budgets/limit-explained', clause: TEXT.explained, depth: 'anonymous',
    change: 'Send a body with 429, and Retry-After with the seconds to wait.',
    async run(on) {
      const answer = await limited(on)
      const after = answer.headers.get('retry-after')
      const found = `429 has ${answer.text === '' ? 'no body' : 'a body'}, and Retry-After is ${after ?? 'missing'}`
      return judge(answer, answer.text !== '' || after !== null, found, found)
    },
  },
  {
    id: 'budgets/limit-as-json', clause: TEXT.json, depth: 'anonymous',
    change:
      'Let what limits requests answer with {"error":"temporarily_unavailable"} as application/json.',
    async run(on) {
      const answer = await limited(on)
      const type = mediaTypeOf(answer)
      const found = `429 is ${type || 'of no media type'}, with ${errorOf(answer) || 'no member error'}`
      return judge(answer, type === 'application/json' && errorOf(answer) !== '', found, found)
    },
  },
  {
    id: 'budgets/retry-after', clause: TEXT.retryAfter, depth: 'anonymous',
    change: 'Send Retry-After: 30, or another whole number of seconds.',
    async run(on) {
      const answer = await limited(on)
      const after = answer.headers.get('retry-after')
      if (after === null) return notApplicable('429 has no Retry-After', answer)
      return judge(answer, /^\d+$|GMT$/.test(after), `Retry-After is ${after}`, `Retry-After is ${after}, which is neither`)
    },
  },
] // prettier-ignore
