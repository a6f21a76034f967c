import { type Check } from '../check.js'
import { AS, MUST, oidcCore, rfc6749, rfc9700, RS } from '../clause.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Use } from '../engine/audit.js'
import { newSecret } from '../engine/random.js'
import {
  acceptedOf,
  checksOf,
  errorOf,
  firstNotHeld,
  grantedScopes,
  hasTokens,
  nothingFor,
  othersOf,
  partOf,
  refusalOf,
} from './expect.js'
import { type Family, familyOf, next, ofAllScopes, refreshed, rotation, shared, working } from './rotation.js' // prettier-ignore
import { typed, unguessable } from './token.js'

// prettier-ignore
const TEXT = {
  issues: rfc6749('6', MUST, AS, 'The authorization server MUST: … validate the refresh token. If valid and authorized, the authorization server issues an access token as described in Section 5.1.'),
  unknown: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_grant The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked'),
  type: rfc6749('5.1', MUST, AS, 'token_type REQUIRED. The type of the token issued as described in Section 7.1.'),
  guessing: rfc6749('10.10', MUST, AS, 'The probability of an attacker guessing generated tokens (and other credentials not intended for handling by end-users) MUST be less than or equal to 2^(-128)'),
  scope: rfc6749('3.3', MUST, AS, 'If the issued access token scope is different from the one requested by the client, the authorization server MUST include the "scope" response parameter to inform the client of the actual scope granted.'),
  sameScope: rfc6749('6', MUST, AS, 'If a new refresh token is issued, the refresh token scope MUST be identical to that of the refresh token included by the client in the request.'),
  idToken: oidcCore('12.2', MUST, AS, 'its "sub" Claim Value MUST be the same as in the ID Token issued when the original authentication occurred, … its "aud" Claim Value MUST be the same as in the ID Token issued when the original authentication occurred'),
  access: rfc6749('7', MUST, RS, 'The resource server MUST validate the access token and ensure that it has not expired and that its scope covers the requested resource.'),
  validate: rfc6749('6', MUST, AS, 'The authorization server MUST: … validate the refresh token.'),
  client: rfc6749('10.4', MUST, AS, 'The authorization server MUST maintain the binding between a refresh token and the client to whom it was issued.'),
  consented: rfc9700('4.14.2', MUST, AS, 'If refresh tokens are issued, those refresh tokens MUST be bound to the scope and resource servers as consented by the resource owner.'),
}
/** The scope that some servers require before they issue a refresh token. */
const OFFLINE = 'offline_access'

const people = checksOf('refresh', { depth: 'people' })
const withOne = checksOf('refresh', { depth: 'people', creates: { authorizations: 1 } })

/** Refresh tokens: for one client, for what a person has granted. */
export const refresh: readonly Check[] = [
  withOne('works', TEXT.issues, 'Issue an access token of the same grant, with its scopes, audience and person.', async (on) => {
    const family = await ofAllScopes(on)
    const before = acceptedOf(await on.use(family.newest.accessToken))
    const answer = await next(on, family)
    if (!hasTokens(answer))
      return violated(answer, `a refresh is answered by ${answer.status} ${errorOf(answer)}`)
    const uses = await on.use(family.newest.accessToken)
    const lost = uses.find((one) => !one.isAccepted && before.includes(one.surface))
    return judge(
      lost?.answer ?? answer,
      lost === undefined,
      `the new access token works at ${acceptedOf(uses).join(', ') || 'no surface, as the first'}`,
      `the new access token does not work at ${lost?.surface}`,
    )
  }),
  {
    id: 'refresh/unknown',
    clause: TEXT.unknown,
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
  // The next checks use the family of `refresh/works`.
  people('token-type', TEXT.type, 'Add "token_type": "Bearer" to the answer to a refresh as well.', async (on) => {
    const { newest } = await shared(on)
    return typed(newest.answer, newest)
  }),
  people('unguessable', TEXT.guessing, 'Create the tokens of a refresh as those of a code: from 256 bits, or signed with a key.', async (on) => {
    const family = await shared(on)
    const before = family.newest
    await refreshed(on, family)
    const tokens = [before, family.newest]
    // A server may keep the refresh token.
    const isKept = before.refreshToken === family.newest.refreshToken
    return unguessable(isKept ? tokens.map((one) => ({ ...one, refreshToken: null })) : tokens)
  }),
  people('narrower-scope', TEXT.scope, 'Store the scopes with each access token, as the refresh asked for them.', async (on) => {
    const family = await shared(on)
    const { narrow } = narrowing(family)
    const isMore = (scope: string | undefined): boolean =>
      scope !== undefined && !narrow.split(' ').includes(scope)
    const answer = await next(on, family, { scope: narrow })
    if (!hasTokens(answer))
      return notApplicable(`a refresh for only ${narrow} is answered by ${answer.status} ${errorOf(answer)}`, answer)
    if (grantedScopes(family.newest, narrow).some(isMore))
      return notApplicable('the server ignores the scope of a refresh, and says so', answer)
    const closed = (on.signIn?.surfaces ?? []).filter(({ scope }) => isMore(scope))
    if (answer.json['scope'] === undefined && closed.length === 0)
      return notReached('nothing tells the scopes of an access token', answer)
    const uses: readonly Use[] = closed.length === 0 ? [] : await on.use(family.newest.accessToken)
    const open = uses.find(({ surface, answer: { status } }) => status < 400 && closed.some(({ path }) => path === surface))
    return judge(open?.answer ?? answer, open === undefined, `the token has only ${narrow}`, `a token for only ${narrow} opens ${open?.surface}, which needs more`)
  }),
  people('full-scope-again', TEXT.sameScope, 'Begin every refresh from the scopes of the grant, and not from those of the last token.', async (on) => {
    const family = await shared(on)
    const { narrow, granted } = narrowing(family)
    await refreshed(on, family, { scope: narrow })
    const answer = await refreshed(on, family)
    if (answer.json['scope'] === undefined)
      return notReached('nothing tells the scopes of an access token', answer)
    const scopes = grantedScopes(family.newest)
    const lost = granted.filter((scope) => !scopes.includes(scope))
    return judge(
      answer,
      lost.length === 0,
      'the token has every granted scope again',
      `after a refresh for only ${narrow}, one without scope lacks ${lost.join(', ')}`,
    )
  }),
  people('id-token', TEXT.idToken, 'Take iss, sub and aud of an ID token from the grant, at a refresh as well.', async (on) => {
    const family = await shared(on)
    if (family.first.idToken === null) return notApplicable('the server issued no ID token')
    const answer = await refreshed(on, family)
    const { idToken } = family.newest
    if (idToken === null) return held(answer, 'a refresh gives no ID token, as it may')
    const [one, other] = [partOf(family.first.idToken, 1), partOf(idToken, 1)]
    const differ = ['iss', 'sub', 'aud'].filter(
      (claim) => JSON.stringify([one[claim]].flat()) !== JSON.stringify([other[claim]].flat()),
    )
    return judge(
      answer,
      differ.length === 0,
      'the ID token of a refresh has the issuer, the person and the audience of the first',
      `the ID token of a refresh has another ${differ.join(', ')}`,
    )
  }),
  people('is-no-access-token', TEXT.access, 'Look access tokens up among access tokens only, and check the type of a JWT.', async (on) => {
    const { newest } = await shared(on)
    const uses = await on.use(newest.refreshToken!)
    const last = uses.at(-1)
    if (last === undefined) return notApplicable('the server has no surface to try')
    const open = uses.find(({ isAccepted }) => isAccepted)
    return judge((open ?? last).answer, open === undefined, 'a refresh token opens nothing', `a refresh token opens ${open?.surface}`)
  }),
  people('access-token', TEXT.validate, 'Look refresh tokens up among refresh tokens only, and check the type of a JWT.', async (on) => {
    const { newest } = await shared(on)
    const answer = await on.refresh(newest, { refresh_token: newest.accessToken })
    return nothingFor(answer, 'an access token')
  }),
  people('of-another-client', TEXT.client, 'Store the client with the grant, and compare it with the client of the refresh.', async (on) => {
    const { newest } = await shared(on)
    return firstNotHeld(await othersOf(on), async ({ what, credentials }) =>
      nothingFor(await on.refresh(newest, credentials), `the refresh token of another client, sent by ${what},`),
    )
  }),
  withOne('wider-scope', TEXT.consented, 'Compare the scope of a refresh with the grant, and answer a wider one with invalid_scope.', async (on) => {
    const { fewer, extra } = splitScope((await on.client()).scope)
    if (extra === undefined) return notApplicable('the client requests one scope only')
    const family = await fewerScopes(on, fewer)
    if (grantedScopes(family.first).includes(extra))
      return notReached(`the server granted ${extra} although no one requested it`, family.first)
    const wider = [...fewer, extra].join(' ')
    const answer = await next(on, family, { scope: wider })
    if (!hasTokens(answer)) return nothingFor(answer, 'a wider scope')
    return judge(
      answer,
      !grantedScopes(family.newest, wider).includes(extra),
      'the server ignores a wider scope, and says so',
      `a refresh gives ${extra}, which the person did not grant`,
    )
  }),
  ...rotation,
] // prettier-ignore

/** The family of a grant for all scopes of the client but one. */
const fewerScopes = async (on: Audit, fewer: readonly string[]): Promise<Family> =>
  working(on, await familyOf(on, 'fewer scopes', { changes: { scope: fewer.join(' ') } }))

/** The last scope of a list that gives access to something, and the others. All are the others if there is only one. */
function splitScope(scope: string): { readonly fewer: readonly string[]; readonly extra: string | undefined } {
  const scopes = scope.split(' ')
  const extra = scopes.findLast((one) => one !== OFFLINE && one !== 'openid')
  const fewer = scopes.filter((one) => one !== extra)
  return fewer.some((one) => one !== OFFLINE)
    ? { fewer, extra }
    : { fewer: scopes, extra: undefined }
} // prettier-ignore

/** One of several scopes that were granted. */
function narrowing({ first }: Family): { readonly narrow: string; readonly granted: readonly string[] } {
  const granted = grantedScopes(first)
  const [one, ...others] = granted.filter((scope) => scope !== OFFLINE)
  if (one === undefined || others.length === 0)
    throw new Stop(notApplicable('the grant has one scope only', first))
  return { narrow: granted.includes(OFFLINE) ? `${one} ${OFFLINE}` : one, granted }
} // prettier-ignore
