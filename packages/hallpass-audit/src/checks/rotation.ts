import { type Check } from '../check.js'
import { AS, MUST, rfc9700 } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop } from '../finding.js'
import { type Audit, type AuthorizeOptions, type Changes, isPublic, type Tokens } from '../engine/audit.js' // prettier-ignore
import type { Answer } from '../engine/http.js'
import { checksOf, errorOf, hasTokens, nothingFor } from './expect.js'

// prettier-ignore
const TEXT = {
  rotation: rfc9700('4.14.2', MUST, AS, 'Authorization servers MUST utilize one of these methods to detect refresh token replay by malicious actors for public clients: … the authorization server issues a new refresh token with every access token refresh response. The previous refresh token is invalidated, but information about the relationship is retained by the authorization server.'),
  theft: rfc9700('4.14.2', MUST, AS, 'Authorization servers MUST utilize one of these methods to detect refresh token replay by malicious actors for public clients: … The authorization server cannot determine which party submitted the invalid refresh token, but it will revoke the active refresh token.'),
}
const ROTATE =
  'Issue a new refresh token at every refresh. Keep the old one, marked as used, with the grant to which all of them belong.'
const ONE_FAMILY =
  'Replace the refresh token in one step that only one request can win. Refuse the others, or give them the same answer.'
/** How many requests race. */
const RACERS = 5

/** A grant, and the tokens of its last refresh. */
export interface Family {
  readonly first: Tokens
  newest: Tokens
}

export const familyOf = (
  on: Audit,
  name: string,
  options: AuthorizeOptions = {},
): Promise<Family> =>
  on.once(`refresh tokens: ${name}`, async () => {
    const first = await on.tokens(options)
    if (first.refreshToken === null)
      throw new Stop(notApplicable('the server issued no refresh token', first))
    return { first, newest: first }
  })

export const ofAllScopes = (on: Audit): Promise<Family> => familyOf(on, 'all scopes')

/** The family that most checks refresh: each begins where the one before ended. */
export const shared = async (on: Audit): Promise<Family> => working(on, await ofAllScopes(on))

/** Stops unless the family was refreshed: where no refresh works, a refusal says nothing. */
export async function working(on: Audit, family: Family): Promise<Family> {
  if (family.newest === family.first) await refreshed(on, family)
  return family
}

/** Refreshes a family. A server that keeps the refresh token does not send it. */
export async function next(on: Audit, family: Family, changes: Changes = {}): Promise<Answer> {
  const answer = await on.refresh(family.newest, changes)
  if (!hasTokens(answer)) return answer
  const tokens = on.tokensOf(answer, family.first.code)
  family.newest = { ...tokens, refreshToken: tokens.refreshToken ?? family.newest.refreshToken }
  return answer
}

/** The same, for a check that cannot continue without the tokens. */
export async function refreshed(on: Audit, family: Family, changes: Changes = {}): Promise<Answer> {
  const answer = await next(on, family, changes)
  on.tokensOf(answer, family.first.code)
  return answer
}

export function onlyPublic({ code: { client }, exchange }: Tokens): void {
  if (!isPublic(client))
    throw new Stop(
      notApplicable('the client authenticates, which protects its refresh tokens', { exchange }),
    )
}

const people = checksOf('refresh', { depth: 'people' })
const withOne = checksOf('refresh', { depth: 'people', creates: { authorizations: 1 } })

/** Refresh tokens of public clients: replaced at every use, and ended when two parties use one. */
export const rotation: readonly Check[] = [
  // This check and the next one use the family of `refresh/works`.
  people('rotated', TEXT.rotation, ROTATE, async (on) => {
    const family = await shared(on)
    onlyPublic(family.newest)
    const { refreshToken } = family.newest
    const answer = await refreshed(on, family)
    const given = answer.json['refresh_token']
    const kind = given === undefined ? 'no' : given === refreshToken ? 'the same' : 'a new'
    return judge(answer, kind === 'a new', `a refresh gives ${kind} refresh token`)
  }),
  // The last check of its family: a strict server ends it.
  people('sent-again', TEXT.rotation, ONE_FAMILY, async (on) => {
    const family = await shared(on)
    onlyPublic(family.newest)
    const before = family.newest
    const first = await refreshed(on, family)
    const again = await on.refresh(before)
    return oneFamily(on, before, [first, again], 'a refresh that is sent again')
  }),
  withOne('stale', TEXT.rotation, ROTATE, async (on) => {
    const { given, again } = await theft(on)
    if (!hasTokens(again)) return nothingFor(again, 'a token of two refreshes ago')
    return judge(
      again,
      given.includes(again.json['refresh_token']),
      'a token of two refreshes ago gets tokens that were given before, and none of its own',
      'a token of two refreshes ago gives new tokens',
    )
  }),
  // It continues where `refresh/stale` ended.
  people('stale-ends-family', TEXT.theft, 'Keep replaced refresh tokens with their grant. When one of them comes again, revoke the grant.', async (on) => {
    const { newest, given, again } = await theft(on)
    if (hasTokens(again) && given.includes(again.json['refresh_token']))
      return notApplicable('the server repeats an earlier answer for a while, after which patient/refresh-token asks again', again)
    const answer = await on.refresh(newest)
    return judge(
      answer,
      !hasTokens(answer),
      `the newest refresh token is answered by ${answer.status} ${errorOf(answer)}`,
      'a token of two refreshes ago was used, and the newest works',
    )
  }),
  withOne('raced', TEXT.rotation, ONE_FAMILY, async (on) => {
    const tokens = await on.tokens()
    onlyPublic(tokens)
    const answers = await Promise.all(Array.from({ length: RACERS }, () => on.refresh(tokens)))
    return oneFamily(on, tokens, answers, `${RACERS} refreshes at the same time`)
  }),
] // prettier-ignore

/** A grant that was refreshed twice, the refresh tokens of these times, and what the first one of all gets then. */
const theft = (on: Audit): Promise<{ newest: Tokens; given: readonly unknown[]; again: Answer }> =>
  on.once('stale refresh token', async () => {
    const family = await familyOf(on, 'stolen')
    onlyPublic(family.first)
    const answers = [await refreshed(on, family), await refreshed(on, family)]
    if (family.newest.refreshToken === family.first.refreshToken)
      throw new Stop(notApplicable('the server does not replace refresh tokens', answers[1]))
    const given = answers.map(({ json }) => json['refresh_token'])
    return { newest: family.newest, given, again: await on.refresh(family.first) }
  })

/** Held unless two of the refresh tokens that one token led to can be used. */
async function oneFamily(on: Audit, before: Tokens, answers: readonly Answer[], what: string): Promise<Finding> {
  const issued = answers.filter(hasTokens)
  const [first] = issued
  if (first === undefined)
    return notReached(`${what}: no answer has tokens, the first is ${answers[0]!.status}`, answers[0])
  const given = new Set(issued.map(({ json }) => json['refresh_token']))
  if (given.size === 1)
    return held(answers.at(-1)!, `${what}: ${issued.length === 1 ? 'one answer has tokens' : 'the answers have the same tokens'}`)
  const used: Answer[] = []
  for (const refreshToken of given)
    if (typeof refreshToken === 'string') used.push(await on.refresh({ ...before, refreshToken }))
  const alive = used.filter(hasTokens)
  return judge(
    alive.at(-1) ?? used.at(-1) ?? first,
    alive.length <= 1,
    `${what}: ${given.size} refresh tokens were given, and ${alive.length} of them can be used`,
  )
} // prettier-ignore
