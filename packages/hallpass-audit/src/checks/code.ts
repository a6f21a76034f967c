import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Code, Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import {
  acceptedOf,
  hasTokens,
  isSelfContained,
  LEAST_BITS,
  madeUpExchange,
  mostBits,
  nothingFor,
  refusalOf,
} from './expect.js'

const ONCE =
  'Mark the code as used in one step that only one request can win, such as UPDATE … SET used_at = now() WHERE code_hash = ? AND used_at IS NULL, and issue tokens if a row was changed.'
/** A code that no check redeems, unless the server is wrong. */
const SPARE = { name: 'spare code', authorizations: 1 } as const
/** How many requests race. */
const RACERS = 5

/** Authorization codes: used once, by the client that asked, for a short time. */
export const code: readonly Check[] = [
  {
    id: 'code/unguessable',
    clause: {
      document: 'RFC 6749',
      section: '10.10',
      level: 'MUST',
      says: 'No one can guess a code: the chance is at most one in 2 to the power of 128.',
    },
    depth: 'people',
    shares: [SPARE],
    creates: { authorizations: 1 },
    change: 'Create each code from 256 bits of crypto.randomBytes, in base64url.',
    async run(on) {
      const codes = [await on.code(), (await on.sharedTokens()).code, codeOf(await spare(on))]
      const values = codes.map((one) => one.code)
      return judge(
        mostBits(values) >= LEAST_BITS,
        `three codes differ in about ${mostBits(values)} bits`,
        `three codes have ${values.map((one) => one.length).join(', ')} characters and differ in at most ${mostBits(values)} bits`,
      )
    },
  },
  {
    id: 'code/unknown',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A code that the server did not issue is answered by invalid_grant.',
    },
    depth: 'anonymous',
    change: 'Answer an unknown code with 400 and invalid_grant, as an expired one.',
    async run(on) {
      const answer = await on.form(await on.endpoint('token_endpoint'), await madeUpExchange(on))
      return refusalOf(answer, ['invalid_grant'], 'an unknown code')
    },
  },
  {
    id: 'code/changed',
    clause: {
      document: 'RFC 6749',
      section: '4.1.3',
      level: 'MUST',
      says: 'A code is valid as a whole: with fewer or with more characters it is not.',
    },
    depth: 'people',
    shares: [SPARE],
    change:
      'Look the code up by its SHA-256, or in a column that is wide enough and compares every character.',
    async run(on) {
      const of = codeOf(await spare(on))
      const changed = {
        'fewer characters': of.code.slice(0, -2),
        'more characters': `${of.code}xx`,
      }
      for (const [what, value] of Object.entries(changed)) {
        const answer = await on.redeem(of, { code: value })
        const finding = nothingFor(answer, `a code with ${what}`)
        if (finding.verdict !== 'held') return finding
      }
      return held('a code with fewer or with more characters is refused')
    },
  },
  {
    id: 'code/in-query',
    clause: {
      document: 'RFC 6749',
      section: '4.1.3',
      level: 'MUST',
      says: 'The code, the verifier and the secret come in the body of the request, and not in its URL, which logs keep.',
    },
    depth: 'people',
    shares: [SPARE],
    change: 'Read the parameters of the token endpoint from the body only.',
    async run(on) {
      const url = new URL(await on.endpoint('token_endpoint'))
      const one = await spare(on)
      for (const [name, value] of Object.entries(on.redemption(codeOf(one))))
        url.searchParams.append(name, value)
      const answer = await on.form(url, {})
      one.isUsed = hasTokens(answer)
      return nothingFor(answer, 'a code in the query')
    },
  },
  {
    id: 'code/other-redirect-uri',
    clause: {
      document: 'RFC 6749',
      section: '4.1.3',
      level: 'MUST',
      says: 'A server that reads a redirect URI at the token endpoint compares it with that of the authorization request.',
    },
    depth: 'people',
    shares: [SPARE],
    creates: { authorizations: 1 },
    change:
      'Store the redirect URI with the code, and compare the redirect_uri of the token request with it.',
    async run(on) {
      const of = codeOf(await spare(on))
      const answer = await on.redeem(of, { redirect_uri: `${of.client.redirectUri}/other` })
      if (!hasTokens(answer)) return nothingFor(answer, 'another redirect URI')
      // A server of OAuth 2.1 need not read it. One that requires it does.
      const { status, json } = await on.redeem(await on.code(), { redirect_uri: null })
      return json['access_token'] === undefined
        ? violated(`redirect_uri is required (${status} without it), and may be any`)
        : notApplicable('the server reads no redirect URI here, as OAuth 2.1 permits')
    },
  },
  {
    id: 'code/of-another-client',
    clause: {
      document: 'RFC 6749',
      section: '4.1.3',
      level: 'MUST',
      says: 'A code is redeemed only by the client to which it was issued.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Store the client with the code, and compare it with the client of the token request.',
    async run(on) {
      await on.sharedTokens()
      const of = await on.code()
      const { clientId, secret } = await on.client('second')
      const answer = await on.redeem(of, { client_id: clientId, client_secret: secret })
      return nothingFor(answer, 'the code of another client')
    },
  },
  {
    id: 'code/used-twice',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2',
      level: 'MUST',
      says: 'A code is used once: the second use is refused.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: ONCE,
    async run(on) {
      const { again } = await usedTwice(on)
      return nothingFor(again, 'the second use of a code')
    },
  },
  {
    id: 'code/used-twice-revokes',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2',
      level: 'SHOULD',
      says: 'The second use of a code ends the tokens of the first, because a thief may have been first.',
    },
    depth: 'people',
    // The code is that of `code/used-twice`.
    change:
      'Keep used codes until they expire, with the grant to which they led. Revoke it when the client sends such a code again.',
    async run(on) {
      const { tokens, before } = await usedTwice(on)
      const isRevocable = before.length > 0 && !isSelfContained(tokens.accessToken)
      if (tokens.refreshToken === null && !isRevocable)
        return notApplicable('the server issued no token that it could revoke')
      if (isRevocable) {
        const alive = acceptedOf(await on.use(tokens.accessToken))
        if (alive.length > 0)
          return violated(`after the second use the access token works at ${alive.join(', ')}`)
      }
      if (tokens.refreshToken !== null) {
        const found = nothingFor(await on.refresh(tokens), 'the refresh token after the second use')
        if (found.verdict !== 'held') return found
      }
      return held('after the second use no token of the first works')
    },
  },
  {
    id: 'code/raced',
    clause: {
      document: 'OAuth 2.1',
      section: '4.1.3',
      level: 'MUST',
      says: 'A code leads to one access token, also if several requests redeem it at the same time.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: ONCE,
    async run(on) {
      const of = await on.code()
      const answers = await Promise.all(Array.from({ length: RACERS }, () => on.redeem(of)))
      const issued = new Set(answers.flatMap(({ json }) => json['access_token'] ?? []))
      if (issued.size === 0)
        return notReached(
          `none of ${RACERS} requests at the same time got tokens: ${answers[0]?.status}`,
        )
      return judge(
        issued.size === 1,
        `of ${RACERS} requests at the same time, one got tokens`,
        `of ${RACERS} requests at the same time, ${issued.size} got tokens of their own`,
      )
    },
  },
]

const spare = (on: Audit): Promise<{ readonly code: Code; isUsed: boolean }> =>
  on.once(SPARE.name, async () => {
    // A code has led to tokens: without that, a refusal says nothing.
    await on.sharedTokens()
    return { code: await on.code(), isUsed: false }
  })

function codeOf({ code, isUsed }: { readonly code: Code; readonly isUsed: boolean }): Code {
  if (isUsed) throw new Stop(notReached('the code of this check was redeemed before'))
  return code
}

/** A code that was redeemed twice: the tokens of the first time, where they worked before the second, and the second answer. */
const usedTwice = (
  on: Audit,
): Promise<{ tokens: Tokens; before: readonly string[]; again: Answer }> =>
  on.once('code used twice', async () => {
    const tokens = await on.tokens()
    const before = acceptedOf(await on.use(tokens.accessToken))
    return { tokens, before, again: await on.redeem(tokens.code) }
  })
