import { type Check, type Clause } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, type Client, type Code, describe, type Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { errorOf } from './expect.js'

/** How many requests a third party sends: more than a client does within a second, and few for a server. */
const BURST = 30

/** Sends until an answer is limited: `null` if none is. */
async function burst(send: () => Promise<Answer>): Promise<Answer | null> {
  for (let sent = 0; sent < BURST; sent += 1) {
    const answer = await send()
    if (answer.status === 429) return answer
  }
  return null
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
): Promise<Answer> => {
  const [code, verifier] = [newSecret(), newSecret()]
  const fields = { code, redirect_uri: redirectUri, client_id: clientId, code_verifier: verifier }
  return ask(on, { grant_type: 'authorization_code', ...fields }, isElsewhere)
}

const guessRefreshToken = (
  on: Audit,
  { clientId }: Client,
  isElsewhere: boolean,
): Promise<Answer> => {
  const fields = { refresh_token: newSecret(), client_id: clientId }
  return ask(on, { grant_type: 'refresh_token', ...fields }, isElsewhere)
}

/**
 * Judges that the first client is limited after a burst from another network. If a second client is not, then the
 * server counts by the client. Where the audit has one address only, the server may count the client and the network.
 */
async function judgeLimit(on: Audit, again: (client: Client) => Promise<Answer>): Promise<Finding> {
  const { status } = await again(await on.client('second'))
  if (status === 429)
    return notReached('the server limits more than the client, such as the network of the audit')
  return on.isApart()
    ? violated(`what a third party sent limits the client (429), and no other client (${status})`)
    : notReached('the client is limited (429), and another one is not: whether in this network only cannot be seen') // prettier-ignore
}

/** The code that a person gives to the client after the burst of a third party; or the finding if none came. */
const codeAfterBurst = (on: Audit): Promise<Code | Finding> =>
  on.once('a code after a burst', async () => {
    // Everything works before.
    await on.sharedTokens()
    const client = await on.client()
    await burst(() => visit(on, client, true))
    if ((await visit(on, client, false)).status === 429)
      return judgeLimit(on, (other) => visit(on, other, false))
    const ended = await on.authorize({ client })
    const code = ended.parameters?.get('code') ?? null
    return code === null
      ? violated(`the person allows the client, and no code comes: ${describe(ended)}`)
      : { ...ended, code }
  })

/** The tokens that the client gets after another burst; or the finding if none came. */
const tokensAfterBurst = (on: Audit): Promise<Tokens | Finding> =>
  on.once('tokens after a burst', async () => {
    const code = await codeAfterBurst(on)
    if ('verdict' in code) throw new Stop(notReached(`no code came: ${code.found}`))
    await burst(() => guessCode(on, code.client, true))
    const answer = await ask(on, on.redemption(code))
    if (answer.status === 429) return judgeLimit(on, (other) => guessCode(on, other, false))
    if (answer.status !== 200)
      return violated(`the code of the client is answered by ${answer.status} ${errorOf(answer)}`)
    return on.tokensOf(answer, code)
  })

const SHARED = { shares: [{ name: 'a code after a burst', authorizations: 1 }] } as const

/** A client identifier is public, so that anyone may have sent what names it. */
const clause = (says: string): Clause => ({
  document: 'RFC 6749',
  section: '2.2',
  level: 'MUST NOT',
  says,
})

const COUNT =
  'Count by the network that sent the request, or by the person: never only by client_id, which anyone knows.'

/** A limited answer of the token endpoint. */
const limited = (on: Audit): Promise<Answer> =>
  on.once('a limited answer', async () => {
    const unknown = {
      clientId: 'hallpass-audit-unknown',
      redirectUri: 'http://127.0.0.1:47317/callback',
    }
    const answer = await burst(() => guessCode(on, unknown, true))
    if (answer === null) throw new Stop(notApplicable(`${BURST} requests in a row are not limited`))
    return answer
  })

/** Limits that a third party must not be able to spend for a client and its people. */
export const budgets: readonly Check[] = [
  {
    id: 'budgets/authorization-requests',
    clause: clause(
      'A client is not known by its identifier: requests of a third party that name it take nothing from its people.',
    ),
    depth: 'people',
    ...SHARED,
    change: COUNT,
    async run(on) {
      const code = await codeAfterBurst(on)
      return 'verdict' in code
        ? code
        : held(`after ${BURST} requests of a third party a person gives the client a code`)
    },
  },
  {
    id: 'budgets/codes',
    clause: clause(
      'A client is not known by its identifier: wrong codes that a third party sends with it do not lock it out.',
    ),
    depth: 'people',
    ...SHARED,
    change: COUNT,
    async run(on) {
      const tokens = await tokensAfterBurst(on)
      return 'verdict' in tokens
        ? tokens
        : held(`after ${BURST} wrong codes of a third party the client redeems its own`)
    },
  },
  {
    id: 'budgets/refresh-tokens',
    clause: clause(
      'A client is not known by its identifier: wrong refresh tokens of a third party do not end its grants.',
    ),
    depth: 'people',
    ...SHARED,
    change: COUNT,
    async run(on) {
      const tokens = await tokensAfterBurst(on)
      if ('verdict' in tokens) throw new Stop(notReached(`no token was issued: ${tokens.found}`))
      const { refreshToken, code } = tokens
      const { client } = code
      if (refreshToken === null) throw new Stop(notApplicable('the server issued no refresh token'))
      await burst(() => guessRefreshToken(on, client, true))
      const answer = await ask(on, {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: client.clientId,
        ...(client.secret !== null && { client_secret: client.secret }),
      })
      if (answer.status === 429)
        return judgeLimit(on, (other) => guessRefreshToken(on, other, false))
      return judge(
        answer.status === 200,
        `after ${BURST} wrong refresh tokens of a third party the client refreshes with its own`,
        `the refresh token of the client is answered by ${answer.status} ${errorOf(answer)}`,
      )
    },
  },
  {
    id: 'budgets/limit-explained',
    clause: {
      document: 'RFC 6585',
      section: '4',
      level: 'SHOULD',
      says: 'An answer of 429 explains itself: it has a body, or at least says when to try again.',
    },
    depth: 'anonymous',
    change: 'Send a body with 429, and Retry-After with the seconds to wait.',
    async run(on) {
      const { text, headers } = await limited(on)
      const after = headers.get('retry-after')
      return judge(
        text !== '' || after !== null,
        `429 has ${text === '' ? 'no body' : 'a body'}, and Retry-After ${after}`,
        '429 has neither a body nor Retry-After',
      )
    },
  },
  {
    id: 'budgets/limit-as-json',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'SHOULD',
      says: 'An error of the token endpoint is JSON with the member error, also if there were too many requests.',
    },
    depth: 'anonymous',
    change:
      'Let what limits requests answer with {"error":"temporarily_unavailable"} as application/json.',
    async run(on) {
      const answer = await limited(on)
      const type = answer.headers.get('content-type') ?? 'no media type'
      return judge(
        /^application\/json\b/i.test(type) && errorOf(answer) !== '',
        `429 is JSON with ${errorOf(answer)}`,
        `429 is ${type}, with ${errorOf(answer) || 'no member error'}`,
      )
    },
  },
  {
    id: 'budgets/retry-after',
    clause: {
      document: 'RFC 9110',
      section: '10.2.3',
      level: 'MUST',
      says: 'Retry-After is a whole number of seconds or a date of HTTP, so that a client can wait for it.',
    },
    depth: 'anonymous',
    change: 'Send Retry-After: 30, or another whole number of seconds.',
    async run(on) {
      const after = (await limited(on)).headers.get('retry-after')
      if (after === null) throw new Stop(notApplicable('429 has no Retry-After'))
      return judge(
        /^\d+$|GMT$/.test(after),
        `Retry-After is ${after}`,
        `Retry-After is ${after}, which is neither`,
      )
    },
  },
]
