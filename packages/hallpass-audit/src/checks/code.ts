import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc6749, SHOULD } from '../clause.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Code, Tokens, Use } from '../engine/audit.js'
import { until } from '../engine/clock.js'
import type { Answer } from '../engine/http.js'
import {
  checksOf,
  errorOf,
  firstNotHeld,
  hasTokens,
  isSelfContained,
  LEAST_BITS,
  madeUpExchange,
  mostBits,
  nothingFor,
  othersOf,
  refusalOf,
} from './expect.js'

// prettier-ignore
const TEXT = {
  guessing: rfc6749('10.10', MUST, AS, 'The probability of an attacker guessing generated tokens (and other credentials not intended for handling by end-users) MUST be less than or equal to 2^(-128)'),
  unknown: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_grant The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked'),
  valid: rfc6749('4.1.3', MUST, AS, 'The authorization server MUST: … verify that the authorization code is valid'),
  query: rfc6749('4.1.3', ADVICE, AS, 'The code, the verifier and the secret come in the body of the request, and not in its URL, which logs keep. A server that reads both invites mistakes.'),
  redirectUri: rfc6749('4.1.3', MUST, AS, 'The authorization server MUST: … ensure that the "redirect_uri" parameter is present if the "redirect_uri" parameter was included in the initial authorization request as described in Section 4.1.1, and if included ensure that their values are identical.'),
  client: rfc6749('4.1.3', MUST, AS, 'The authorization server MUST: … ensure that the authorization code was issued to the authenticated confidential client, or if the client is public, ensure that the code was issued to "client_id" in the request'),
  deny: rfc6749('4.1.2', MUST, AS, 'If an authorization code is used more than once, the authorization server MUST deny the request and SHOULD revoke (when possible) all tokens previously issued based on that authorization code.'),
  revoke: rfc6749('4.1.2', SHOULD, AS, 'If an authorization code is used more than once, the authorization server MUST deny the request and SHOULD revoke (when possible) all tokens previously issued based on that authorization code.'),
  once: rfc6749('10.5', MUST, AS, 'Authorization codes MUST be short lived and single-use.'),
}
const ONCE =
  'Mark the code as used in one step that only one request can win, such as UPDATE … SET used_at = now() WHERE code_hash = ? AND used_at IS NULL, and issue tokens if a row was changed.'
/** A code that no check redeems, unless the server is wrong. */
const SPARE = { name: 'spare code', authorizations: 1 } as const
/** Codes that are sent again later. */
const USED = { name: 'used codes', authorizations: 2 } as const
const LATER_SECONDS = [1, 3] as const
/** How many requests race. */
const RACERS = 5

const people = checksOf('code', { depth: 'people' })
const withOne = checksOf('code', { depth: 'people', creates: { authorizations: 1 } })
const withSpare = checksOf('code', { depth: 'people', shares: [SPARE] })

/** Authorization codes: used once, by the client that asked, for a short time. */
export const code: readonly Check[] = [
  {
    id: 'code/unguessable',
    clause: TEXT.guessing,
    depth: 'people',
    shares: [SPARE, USED],
    change: 'Create each code from 256 bits of crypto.randomBytes, in base64url.',
    async run(on) {
      const last = codeOf(await spare(on))
      const { tokens } = await usedCodes(on)
      const codes = [(await on.sharedTokens()).code, ...tokens.map((one) => one.code), last]
      const bits = mostBits(codes.map((one) => one.code))
      return judge(
        last,
        bits >= LEAST_BITS,
        `${codes.length} codes differ in about ${bits} bits`,
        `codes of ${last.code.length} characters differ in at most ${bits} bits`,
      )
    },
  },
  {
    id: 'code/unknown',
    clause: TEXT.unknown,
    depth: 'anonymous',
    change: 'Answer an unknown code with 400 and invalid_grant, as an expired one.',
    async run(on) {
      const answer = await on.form(await on.endpoint('token_endpoint'), await madeUpExchange(on))
      return refusalOf(answer, ['invalid_grant'], 'an unknown code')
    },
  },
  withSpare('changed', TEXT.valid, 'Look the code up by its SHA-256, or in a column that is wide enough and compares every character.', async (on) => {
    const of = codeOf(await spare(on))
    const changed = { fewer: of.code.slice(0, -2), more: `${of.code}xx` }
    return firstNotHeld(Object.entries(changed), async ([kind, value]) =>
      nothingFor(await on.redeem(of, { code: value }), `a code with ${kind} characters`),
    )
  }),
  withSpare('in-query', TEXT.query, 'Read the parameters of the token endpoint from the body only.', async (on) => {
    const url = new URL(await on.endpoint('token_endpoint'))
    const one = await spare(on)
    for (const [name, value] of Object.entries(on.redemption(codeOf(one))))
      url.searchParams.append(name, value)
    const answer = await on.form(url, {})
    one.isUsed = hasTokens(answer)
    return nothingFor(answer, 'a code in the query')
  }),
  {
    id: 'code/other-redirect-uri',
    clause: TEXT.redirectUri,
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
      const without = await on.redeem(await on.code(), { redirect_uri: null })
      return hasTokens(without)
        ? notApplicable('the server reads no redirect URI here, as OAuth 2.1 permits', without)
        : violated(answer, `redirect_uri is required (${without.status} without it), and may be any`)
    },
  },
  withOne('of-another-client', TEXT.client, 'Store the client with the code, and compare it with the client of the token request.', async (on) => {
    await on.sharedTokens()
    const of = await on.code()
    return firstNotHeld(await othersOf(on), async ({ what, credentials }) =>
      nothingFor(await on.redeem(of, credentials), `the code of another client, sent by ${what},`),
    )
  }),
  withOne('used-twice', TEXT.deny, ONCE, async (on) => nothingFor((await usedTwice(on)).again, 'the second use of a code')),
  // The code is that of `code/used-twice`.
  people('used-twice-revokes', TEXT.revoke, 'Keep used codes until they expire, with the grant to which they led. Revoke it when the client sends such a code again.', async (on) => {
    const { tokens, wasOpen, again } = await usedTwice(on)
    const isRevocable = wasOpen && !isSelfContained(tokens.accessToken)
    if (tokens.refreshToken === null && !isRevocable)
      return notApplicable('the server issued no token that it could revoke', tokens)
    const open = isRevocable ? openOf(await on.use(tokens.accessToken)) : []
    if (open[0] !== undefined)
      return violated(open[0].answer, `after the second use the access token works at ${open.map(({ surface }) => surface).join(', ')}`)
    if (tokens.refreshToken !== null) {
      const found = nothingFor(await on.refresh(tokens), 'the refresh token after the second use')
      if (found.verdict !== 'held') return found
    }
    return held(again, 'after the second use no token of the first works')
  }),
  withOne('raced', TEXT.once, ONCE, async (on) => {
    const of = await on.code()
    const answers = await Promise.all(Array.from({ length: RACERS }, () => on.redeem(of)))
    const issued = answers.filter(hasTokens)
    const what = `of ${RACERS} requests at the same time`
    if (issued.length === 0)
      return notReached(`${what} none got tokens: ${answers[0]!.status} ${errorOf(answers[0]!)}`, answers[0])
    // A server may give the same answer again, to a client that did not receive it.
    const different = new Set(issued.map(({ json }) => json['access_token'])).size
    return judge(issued.at(-1)!, different === 1, `${what} ${issued.length} got tokens: ${different === 1 ? 'the same' : `${different} different ones`}`)
  }),
] // prettier-ignore

/** It runs when the others have: the audit so waits for nothing. */
export const codeLater: readonly Check[] = [
  checksOf('code', { depth: 'people', shares: [USED] })('used-later', TEXT.deny, 'Keep a used code, marked as used, until it would expire: a memory of one second is too short. Refuse it for as long.', async (on) => {
    const { tokens, at } = await usedCodes(on)
    return firstNotHeld(LATER_SECONDS.entries(), async ([which, seconds]) => {
      await until(at, seconds)
      return nothingFor(await on.redeem(tokens[which]!.code), `a code that was used ${seconds} s ago or more`)
    })
  }),
] // prettier-ignore

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

/** Codes that were redeemed, and when. */
const usedCodes = (on: Audit): Promise<{ tokens: readonly Tokens[]; at: number }> =>
  on.once(USED.name, async () => {
    const tokens = []
    for (const _ of LATER_SECONDS) tokens.push(await on.tokens())
    return { tokens, at: Date.now() }
  })

const openOf = (uses: readonly Use[]): readonly Use[] => uses.filter((one) => one.isAccepted)

/** A code that was redeemed twice: the tokens of the first time, and the second answer. */
const usedTwice = (on: Audit): Promise<{ tokens: Tokens; wasOpen: boolean; again: Answer }> =>
  on.once('code used twice', async () => {
    const tokens = await on.tokens()
    const wasOpen = openOf(await on.use(tokens.accessToken)).length > 0
    return { tokens, wasOpen, again: await on.redeem(tokens.code) }
  })
