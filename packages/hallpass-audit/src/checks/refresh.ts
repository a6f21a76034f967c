import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, violated } from '../finding.js'
import { Stop } from '../finding.js'
import {
  type Audit,
  type AuthorizeOptions,
  type Changes,
  isPublic,
  type Tokens,
} from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import {
  acceptedOf,
  errorOf,
  grantedScopes,
  hasTokens,
  nothingFor,
  partOf,
  refusalOf,
} from './expect.js'

const ROTATE =
  'Issue a new refresh token at every refresh. Keep the old one, marked as used, with the grant to which all of them belong.'
const ONE_FAMILY =
  'Replace the refresh token in one step that only one request can win. Refuse the others, or give them the same answer.'
/** The scope that some servers require before they issue a refresh token. */
const OFFLINE = 'offline_access'
/** How many requests race. */
const RACERS = 5

/** Refresh tokens: for one client, replaced at every use, and ended when two parties use one. */
export const refresh: readonly Check[] = [
  {
    id: 'refresh/works',
    clause: {
      document: 'RFC 6749',
      section: '6',
      level: 'MUST',
      says: 'A valid refresh token gives an access token, which works where the one before did.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: 'Issue an access token of the same grant, with its scopes, audience and person.',
    async run(on) {
      const family = await ofAllScopes(on)
      const before = acceptedOf(await on.use(family.newest.accessToken))
      const answer = await next(on, family)
      if (!hasTokens(answer))
        return violated(`a refresh is answered by ${answer.status} ${errorOf(answer)}`)
      const after = acceptedOf(await on.use(family.newest.accessToken))
      const lost = before.filter((surface) => !after.includes(surface))
      return judge(
        lost.length === 0,
        `the new access token works at ${after.join(', ') || 'no surface, as the first'}`,
        `the new access token does not work at ${lost.join(', ')}`,
      )
    },
  },
  {
    id: 'refresh/unknown',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A refresh token that the server did not issue is answered by invalid_grant.',
    },
    depth: 'anonymous',
    change: 'Answer an unknown refresh token with 400 and invalid_grant.',
    async run(on) {
      await on.requires('grant_types_supported', 'refresh_token')
      const { clientId, secret } = await on.client()
      const answer = await on.form(await on.endpoint('token_endpoint'), {
        grant_type: 'refresh_token',
        refresh_token: newSecret(),
        client_id: clientId,
        client_secret: secret,
      })
      return refusalOf(answer, ['invalid_grant'], 'an unknown refresh token')
    },
  },
  {
    id: 'refresh/rotated',
    clause: {
      document: 'RFC 9700',
      section: '2.2.2',
      level: 'MUST',
      says: 'Each refresh of a public client gives a new refresh token, unless a key of the client protects it.',
    },
    depth: 'people',
    // This check and those below use the family of `refresh/works`.
    change: ROTATE,
    async run(on) {
      const family = await shared(on)
      onlyPublic(family.newest)
      const { refreshToken } = family.newest
      const { json } = await refreshed(on, family)
      const given = json['refresh_token']
      return judge(
        typeof given === 'string' && given !== refreshToken,
        'a refresh gives a new refresh token',
        given === undefined ? 'a refresh gives no refresh token' : 'a refresh gives the same refresh token', // prettier-ignore
      )
    },
  },
  {
    id: 'refresh/narrower-scope',
    clause: {
      document: 'RFC 6749',
      section: '6',
      level: 'MUST',
      says: 'A refresh that asks for fewer of the granted scopes gives an access token with only these.',
    },
    depth: 'people',
    change: 'Store the scopes with each access token, as the refresh asked for them.',
    async run(on) {
      const family = await shared(on)
      const { narrow } = narrowing(family)
      const isMore = (scope: string | undefined): boolean =>
        scope !== undefined && !narrow.split(' ').includes(scope)
      const answer = await next(on, family, { scope: narrow })
      if (!hasTokens(answer))
        return violated(`a refresh for only ${narrow} is answered by ${answer.status} ${errorOf(answer)}`) // prettier-ignore
      if (grantedScopes(family.newest, narrow).some(isMore))
        return notApplicable('the server ignores the scope of a refresh, and says so')
      const closed = (on.signIn?.surfaces ?? []).filter(({ scope }) => isMore(scope))
      if (answer.json['scope'] === undefined && closed.length === 0)
        return notReached('nothing tells the scopes of an access token')
      const uses = closed.length === 0 ? [] : await on.use(family.newest.accessToken)
      const open = closed.filter(({ path }) =>
        uses.some(({ surface, answer: { status } }) => surface === path && status < 400),
      )
      return judge(
        open.length === 0,
        `the token has only ${narrow}`,
        `a token for only ${narrow} opens ${open.map(({ path, scope }) => `${path}, which needs ${scope}`).join(', ')}`,
      )
    },
  },
  {
    id: 'refresh/full-scope-again',
    clause: {
      document: 'RFC 6749',
      section: '6',
      level: 'MUST',
      says: 'A refresh without scope asks for all that the person granted, also after one for less.',
    },
    depth: 'people',
    change:
      'Begin every refresh from the scopes of the grant, and not from those of the last token.',
    async run(on) {
      const family = await shared(on)
      const { narrow, granted } = narrowing(family)
      await refreshed(on, family, { scope: narrow })
      await refreshed(on, family)
      if (family.newest.answer.json['scope'] === undefined)
        return notReached('nothing tells the scopes of an access token')
      const scopes = grantedScopes(family.newest)
      const lost = granted.filter((scope) => !scopes.includes(scope))
      return judge(
        lost.length === 0,
        'the token has every granted scope again',
        `after a refresh for only ${narrow}, one without scope lacks ${lost.join(', ')}`,
      )
    },
  },
  {
    id: 'refresh/id-token',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '12.2',
      level: 'MUST',
      says: 'A refresh gives no ID token, or one with the issuer, the person and the audience of the first.',
    },
    depth: 'people',
    change: 'Take iss, sub and aud of an ID token from the grant, at a refresh as well.',
    async run(on) {
      const family = await shared(on)
      if (family.first.idToken === null) return notApplicable('the server issued no ID token')
      const { json } = await refreshed(on, family)
      const refreshedToken = json['id_token']
      if (typeof refreshedToken !== 'string') return held('a refresh gives no ID token, as it may')
      const [one, other] = [partOf(family.first.idToken, 1), partOf(refreshedToken, 1)]
      const differ = ['iss', 'sub', 'aud'].filter(
        (claim) => JSON.stringify([one[claim]].flat()) !== JSON.stringify([other[claim]].flat()),
      )
      return judge(
        differ.length === 0,
        'the ID token of a refresh has the issuer, the person and the audience of the first',
        `the ID token of a refresh has another ${differ.join(', ')}`,
      )
    },
  },
  {
    id: 'refresh/is-no-access-token',
    clause: {
      document: 'RFC 6749',
      section: '7',
      level: 'MUST',
      says: 'A resource server validates the access token, so that a refresh token opens nothing.',
    },
    depth: 'people',
    change: 'Look access tokens up among access tokens only, and check the type of a JWT.',
    async run(on) {
      const { newest } = await shared(on)
      const uses = await on.use(newest.refreshToken!)
      if (uses.length === 0) return notApplicable('the server has no surface to try')
      const open = acceptedOf(uses)
      return judge(open.length === 0, 'a refresh token opens nothing', `a refresh token opens ${open.join(', ')}`) // prettier-ignore
    },
  },
  {
    id: 'refresh/access-token',
    clause: {
      document: 'RFC 6749',
      section: '6',
      level: 'MUST',
      says: 'The server validates the refresh token, and refuses an access token, which other servers see.',
    },
    depth: 'people',
    change: 'Look refresh tokens up among refresh tokens only, and check the type of a JWT.',
    async run(on) {
      const { newest } = await shared(on)
      const answer = await on.refresh(newest, { refresh_token: newest.accessToken })
      return nothingFor(answer, 'an access token')
    },
  },
  {
    id: 'refresh/of-another-client',
    clause: {
      document: 'OAuth 2.1',
      section: '4.3.1',
      level: 'MUST',
      says: 'A refresh token is refused if it is not of the client that sends it.',
    },
    depth: 'people',
    change: 'Store the client with the grant, and compare it with the client of the refresh.',
    async run(on) {
      const { newest } = await shared(on)
      const { clientId, secret } = await on.client('second')
      const answer = await on.refresh(newest, { client_id: clientId, client_secret: secret })
      return nothingFor(answer, 'the refresh token of another client')
    },
  },
  {
    id: 'refresh/sent-again',
    clause: {
      document: 'RFC 9700',
      section: '4.14.2',
      level: 'MUST',
      says: 'A refresh that is sent again, because its answer was lost, does not make two families of one.',
    },
    depth: 'people',
    // The last check of its family: a strict server ends it.
    change: ONE_FAMILY,
    async run(on) {
      const family = await shared(on)
      onlyPublic(family.newest)
      const before = family.newest
      const first = await refreshed(on, family)
      const again = await on.refresh(before)
      return oneFamily(on, before, [first, again], 'a refresh that is sent again')
    },
  },
  {
    id: 'refresh/wider-scope',
    clause: {
      document: 'RFC 6749',
      section: '6',
      level: 'MUST NOT',
      says: 'A refresh gives no scope that the person did not grant.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change:
      'Compare the scope of a refresh with the grant, and answer a wider one with invalid_scope.',
    async run(on) {
      const { fewer, extra } = splitScope((await on.client()).scope)
      if (extra === undefined) return notApplicable('the client requests one scope only')
      const family = await fewerScopes(on)
      if (grantedScopes(family.first).includes(extra))
        return notReached(`the server granted ${extra} although no one requested it`)
      const wider = [...fewer, extra].join(' ')
      const answer = await next(on, family, { scope: wider })
      if (!hasTokens(answer)) return nothingFor(answer, 'a wider scope')
      return judge(
        !grantedScopes(family.newest, wider).includes(extra),
        'the server ignores a wider scope, and says so',
        `a refresh gives ${extra}, which the person did not grant`,
      )
    },
  },
  {
    id: 'refresh/stale',
    clause: {
      document: 'RFC 9700',
      section: '4.14.2',
      level: 'MUST',
      says: 'A refresh token of a public client is no longer valid when it was replaced.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: ROTATE,
    async run(on) {
      const { given, again } = await theft(on)
      if (!hasTokens(again)) return nothingFor(again, 'a token of two refreshes ago')
      return judge(
        given.includes(again.json['refresh_token']),
        'a token of two refreshes ago gets tokens that were given before, and none of its own',
        'a token of two refreshes ago gives new tokens',
      )
    },
  },
  {
    id: 'refresh/stale-ends-family',
    clause: {
      document: 'RFC 9700',
      section: '4.14.2',
      level: 'SHOULD',
      says: 'The use of a replaced refresh token ends the newest one: one of the two parties has stolen it.',
    },
    depth: 'people',
    // It continues where `refresh/stale` ended.
    change:
      'Keep replaced refresh tokens with their grant. When one of them comes again, revoke the grant.',
    async run(on) {
      const { newest, given, again } = await theft(on)
      if (hasTokens(again) && given.includes(again.json['refresh_token']))
        return notReached('the server repeats an earlier answer for a while, and the audit does not wait') // prettier-ignore
      const answer = await on.refresh(newest)
      return judge(
        !hasTokens(answer),
        `the newest refresh token is answered by ${answer.status} ${errorOf(answer)}`,
        'a token of two refreshes ago was used, and the newest works',
      )
    },
  },
  {
    id: 'refresh/raced',
    clause: {
      document: 'RFC 9700',
      section: '4.14.2',
      level: 'MUST',
      says: 'Several refreshes at the same time do not make several families of one.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: ONE_FAMILY,
    async run(on) {
      const tokens = await on.tokens()
      onlyPublic(tokens)
      const answers = await Promise.all(Array.from({ length: RACERS }, () => on.refresh(tokens)))
      return oneFamily(on, tokens, answers, `${RACERS} refreshes at the same time`)
    },
  },
]

/** A grant, and the tokens of its last refresh. */
interface Family {
  readonly first: Tokens
  newest: Tokens
}

const familyOf = (on: Audit, name: string, options: AuthorizeOptions): Promise<Family> =>
  on.once(`refresh tokens: ${name}`, async () => {
    const first = await on.tokens(options)
    if (first.refreshToken === null)
      throw new Stop(notApplicable('the server issued no refresh token'))
    return { first, newest: first }
  })

const ofAllScopes = (on: Audit): Promise<Family> => familyOf(on, 'all scopes', {})

/** The family that most checks refresh: each begins where the one before ended. */
const shared = async (on: Audit): Promise<Family> => working(on, await ofAllScopes(on))

/** Stops unless the family was refreshed: where no refresh works, a refusal says nothing. */
async function working(on: Audit, family: Family): Promise<Family> {
  if (family.newest === family.first) await refreshed(on, family)
  return family
}

/** The family of a grant for all scopes of the client but one. */
async function fewerScopes(on: Audit): Promise<Family> {
  const { fewer } = splitScope((await on.client()).scope)
  return working(on, await familyOf(on, 'fewer scopes', { changes: { scope: fewer.join(' ') } }))
}

/** The last scope of a list that gives access to something, and the others. All are the others if there is only one. */
function splitScope(scope: string): {
  readonly fewer: readonly string[]
  readonly extra: string | undefined
} {
  const scopes = scope.split(' ')
  const extra = scopes.findLast((one) => one !== OFFLINE && one !== 'openid')
  const fewer = scopes.filter((one) => one !== extra)
  return fewer.some((one) => one !== OFFLINE)
    ? { fewer, extra }
    : { fewer: scopes, extra: undefined }
}

/** Refreshes a family. A server that keeps the refresh token does not send it. */
async function next(on: Audit, family: Family, changes: Changes = {}): Promise<Answer> {
  const answer = await on.refresh(family.newest, changes)
  if (!hasTokens(answer)) return answer
  const tokens = on.tokensOf(answer, family.first.code)
  family.newest = { ...tokens, refreshToken: tokens.refreshToken ?? family.newest.refreshToken }
  return answer
}

/** The same, for a check that cannot continue without the tokens. */
async function refreshed(on: Audit, family: Family, changes: Changes = {}): Promise<Answer> {
  const answer = await next(on, family, changes)
  on.tokensOf(answer, family.first.code)
  return answer
}

/** One of several scopes that were granted. */
function narrowing({ first }: Family) {
  const granted = grantedScopes(first)
  const [one, ...others] = granted.filter((scope) => scope !== OFFLINE)
  if (one === undefined || others.length === 0)
    throw new Stop(notApplicable('the grant has one scope only'))
  return { narrow: granted.includes(OFFLINE) ? `${one} ${OFFLINE}` : one, granted }
}

function onlyPublic({ code: { client } }: Tokens): void {
  if (!isPublic(client))
    throw new Stop(notApplicable('the client authenticates, which protects its refresh tokens'))
}

/** A grant that was refreshed twice, the refresh tokens of these times, and what the first one of all gets then. */
const theft = (on: Audit): Promise<{ newest: Tokens; given: readonly unknown[]; again: Answer }> =>
  on.once('stale refresh token', async () => {
    const family: Family = await familyOf(on, 'stolen', {})
    onlyPublic(family.first)
    const answers = [await refreshed(on, family), await refreshed(on, family)]
    if (family.newest.refreshToken === family.first.refreshToken)
      throw new Stop(notApplicable('the server does not replace refresh tokens'))
    const given = answers.map(({ json }) => json['refresh_token'])
    return { newest: family.newest, given, again: await on.refresh(family.first) }
  })

/** Held unless two of the refresh tokens that one token led to can be used. */
async function oneFamily(
  on: Audit,
  before: Tokens,
  answers: readonly Answer[],
  what: string,
): Promise<Finding> {
  const issued = answers.filter(hasTokens)
  if (issued.length === 0)
    return notReached(`${what}: no answer has tokens, the first is ${answers[0]!.status}`)
  const given = new Set(issued.map(({ json }) => json['refresh_token']))
  if (given.size === 1)
    return held(
      `${what}: ${issued.length === 1 ? 'one answer has tokens' : 'the answers have the same tokens'}`,
    )
  let alive = 0
  for (const refreshToken of given)
    if (
      typeof refreshToken === 'string' &&
      hasTokens(await on.refresh({ ...before, refreshToken }))
    )
      alive++
  return judge(
    alive <= 1,
    `${what}: ${given.size} refresh tokens were given, and ${alive} of them can be used`,
    `${what}: ${alive} refresh tokens can be used`,
  )
}
