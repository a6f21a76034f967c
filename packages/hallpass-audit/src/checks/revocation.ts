import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc6749, rfc7009, rfc7662, rfc9110, SHOULD } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, type Client, isPublic, type Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import {
  checksOf,
  errorOf,
  firstNotHeld,
  isAlive,
  isRefused,
  openedBy,
  refusalOf,
  renewed,
  UNAUTHENTICATED,
} from './expect.js'

// prettier-ignore
const TEXT = {
  unknown: rfc7009('2.2', ADVICE, AS, 'An invalid token is answered by 200: a client could do nothing about an error, and what it wants is so already. The text says so without a word of RFC 2119.'),
  unknownHint: rfc7009('2.2', ADVICE, AS, 'A token_type_hint that the server does not know is ignored, and changes nothing of the answer. The text says so without a word of RFC 2119.'),
  error: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_request The request is missing a required parameter'),
  json: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … The parameters are included in the entity-body of the HTTP response using the "application/json" media type'),
  access: rfc7009('2', SHOULD, AS, 'Implementations MUST support the revocation of refresh tokens and SHOULD support the revocation of access tokens (see Implementation Note).'),
  introspected: rfc7662('4', MUST, AS, 'If the token can be revoked after it was issued, the authorization server MUST determine whether or not such a revocation has taken place.'),
  refresh: rfc7009('2', MUST, AS, 'Implementations MUST support the revocation of refresh tokens'),
  related: rfc7009('2.1', SHOULD, AS, 'If the particular token is a refresh token and the authorization server supports the revocation of access tokens, then the authorization server SHOULD also invalidate all access tokens based on the same authorization grant (see Implementation Note).'),
  authentication: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_client Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication method).'),
  binding: rfc6749('10.4', MUST, AS, 'The authorization server MUST verify the binding between the refresh token and client identity whenever the client identity can be authenticated.'),
  get: rfc9110('9.2.1', MUST, AS, 'If the purpose of such a resource is to perform an unsafe action, then the resource owner MUST disable or disallow that action when it is accessed using a safe request method.'),
  hint: rfc7009('2.1', MUST, AS, 'If the server is unable to locate the token using the given hint, it MUST extend its search across all of its supported token types.'),
}
const ENDED = { shares: [{ name: 'a revoked access token', authorizations: 1 }] } as const
const ENDED_REFRESH = { shares: [{ name: 'a revoked refresh token', authorizations: 1 }] } as const
const LIVING = {
  shares: [{ name: 'tokens that stay', authorizations: 1 }, ...ENDED_REFRESH.shares],
} as const
const LOOK_UP =
  'Look the token up on each request, and refuse it from the moment at which it is revoked'

const anonymous = checksOf('revocation', { depth: 'anonymous' })
const ofAccess = checksOf('revocation', { depth: 'people', ...ENDED })
const ofRefresh = checksOf('revocation', { depth: 'people', ...ENDED_REFRESH })
const ofLiving = checksOf('revocation', { depth: 'people', ...LIVING })

/** One check for each kind of surface, so that a report names the one that takes a revoked token. */
const usedAt = (name: string, at: Parameters<Audit['use']>[1], what: string): Check =>
  ofAccess(name, TEXT.access, `${LOOK_UP}, also at ${what}.`, async (on) => {
    const { tokens, before } = await ended(on)
    const had = (await on.use(newSecret(), at)).map(({ surface }) => surface)
    if (had.length === 0) return notApplicable(`the audit knows nothing that is ${what}`)
    const worked = had.filter((surface) => before.includes(surface))
    if (worked.length === 0)
      return notReached(`the token did not work at ${had.join(', ')} before either`, tokens)
    const uses = (await on.use(tokens.accessToken, at)).filter((one) =>
      worked.includes(one.surface),
    )
    const open = uses.find(({ isAccepted }) => isAccepted)
    return judge(
      (open ?? uses[0]!).answer,
      open === undefined,
      `it worked at ${worked.join(', ')} before it was revoked, and not after`,
      `after it was revoked it still works at ${open?.surface}`,
    )
  })

/** An access token that was revoked, and where it worked before. */
interface Revoked {
  readonly tokens: Tokens
  readonly before: readonly string[]
  readonly wasActive: boolean
  /** To the request that revoked it. */
  readonly answer: Answer
}

/** That of the client that may introspect it, if there is one. */
export const revokedAccess = (on: Audit): Promise<Revoked> =>
  on.once(ENDED.shares[0].name, async () => {
    const client = await owner(on)
    const tokens = await on.tokens({ client })
    const { accessToken } = tokens
    const before = await openedBy(on, accessToken)
    const known = await on.introspect(accessToken).catch(() => null)
    const answer = await on.revoke(accessToken, { token_type_hint: 'access_token' }, client)
    return { tokens, before, wasActive: known?.json['active'] === true, answer }
  })

/** The same, for a check that says nothing of a server that revokes no access tokens. */
async function ended(on: Audit): Promise<Revoked> {
  const revoked = await revokedAccess(on)
  const { answer } = revoked
  if (answer.status === 200) return revoked
  throw new Stop(notApplicable(`the server revokes no access token (${answer.status})`, answer))
}

const revokedRefresh = (on: Audit): Promise<Omit<Revoked, 'wasActive'>> =>
  on.once(ENDED_REFRESH.shares[0].name, async () => {
    await on.endpoint('revocation_endpoint')
    const client = await caller(on)
    const tokens = await renewed(on, await on.tokens({ client }))
    const before = await openedBy(on, tokens.accessToken)
    const hint = { token_type_hint: 'refresh_token' }
    return { tokens, before, answer: await on.revoke(tokens.refreshToken!, hint, client) }
  })

/** The confidential client, or the public one of a server that has no client with a secret. */
async function owner(on: Audit): Promise<Client> {
  await on.endpoint('revocation_endpoint')
  return on.client('confidential').catch(() => on.client())
}

/** The public client, unless the server says that it revokes for clients with a secret only. */
async function caller(on: Audit): Promise<Client> {
  const methods = await on.listOf('revocation_endpoint_auth_methods_supported')
  return on.client(methods.length > 0 && !methods.includes('none') ? 'confidential' : 'first')
}

/** Tokens that must remain valid. A check that fails ends them for the next ones. */
const livingTokens = async (on: Audit): Promise<{ tokens: Tokens; hasEnded: boolean }> => {
  const client = await owner(on)
  const living = await on.once(LIVING.shares[0].name, async () => ({
    tokens: await on.tokens({ client }),
    hasEnded: false,
  }))
  if (living.hasEnded) throw new Stop(notReached('an earlier check has ended the token'))
  return living
}

/** Held if the tokens are valid after each of them was sent in a request that must revoke nothing. */
async function remains(on: Audit, what: string, send: (token: string, client: Client) => Promise<Answer>): Promise<Finding> {
  const living = await livingTokens(on)
  const { client } = living.tokens.code
  const { refreshToken } = living.tokens
  const stays = `the tokens remain valid after ${what}`
  const ends = (sent: Answer, kind: string): Finding => {
    living.hasEnded = true
    return violated(sent, `${what} ends the ${kind}`)
  }
  let sent: Answer | null = null
  if (refreshToken !== null) {
    // Only where a revocation ends a token does it say something that another one stays.
    const { answer: right } = await revokedRefresh(on)
    if (right.status !== 200) return notReached(`a right revocation is answered by ${right.status}`, right) // prettier-ignore
    sent = await send(refreshToken, client)
    const answer = await on.refresh(living.tokens)
    if (isRefused(answer)) return ends(sent, 'refresh token')
    const next = on.tokensOf(answer, living.tokens.code)
    living.tokens = { ...next, refreshToken: next.refreshToken ?? refreshToken }
  }
  const { accessToken } = living.tokens
  const wasAlive = await isAlive(on, accessToken)
  if (wasAlive) {
    sent = await send(accessToken, client)
    if (!(await isAlive(on, accessToken))) return ends(sent, 'access token')
  }
  if (sent !== null && refreshToken !== null) return held(sent, stays)
  const { tokens, answer } = await revokedAccess(on)
  const isEnded = answer.status === 200 && !(await isAlive(on, tokens.accessToken))
  return sent !== null && isEnded
    ? held(sent, stays)
    : notReached('the server issues no refresh token, and ends no access token', answer)
} // prettier-ignore

/** Revocation: what must end, and at which surfaces. */
export const revocation: readonly Check[] = [
  anonymous('unknown-token', TEXT.unknown, 'Answer 200 if there is no such token: what the client wants is already so.', async (on) => {
    const answer = await on.revoke(newSecret(), {}, await caller(on))
    return judge(answer, answer.status === 200, `an unknown token is answered by ${answer.status}`)
  }),
  anonymous('unknown-hint', TEXT.unknownHint, 'Ignore token_type_hint unless it helps to find the token faster.', async (on) => {
    const client = await caller(on)
    const usual = await on.revoke(newSecret(), {}, client)
    if (usual.status >= 500) return notReached(`no hint is answered by ${usual.status}`, usual)
    const answer = await on.revoke(newSecret(), { token_type_hint: 'hallpass_audit' }, client)
    const found = `an unknown hint is answered by ${answer.status}, and no hint by ${usual.status}`
    return judge(answer, answer.status === usual.status, found)
  }),
  anonymous('missing-token', TEXT.error, 'Answer 400 with the error invalid_request if the form has no token.', async (on) => {
    // At the address of the token endpoint, a form without a token lacks a grant type as well.
    const isShared = (await on.endpoint('revocation_endpoint')) === (await on.endpoint('token_endpoint'))
    const errors = ['invalid_request', ...(isShared ? ['unsupported_grant_type'] : [])]
    return refusalOf(await on.revoke('', { token: null }, await caller(on)), errors, 'no token')
  }),
  anonymous('errors-as-json', TEXT.json, 'Send errors as application/json: {"error":"invalid_request"}.', async (on) => {
    const answer = await on.revoke('', { token: null }, await caller(on))
    if (answer.status < 400) return notReached(`no token is answered by ${answer.status}`, answer)
    const type = answer.headers.get('content-type') ?? 'no media type'
    const isRight = /^application\/json\b/i.test(type) && errorOf(answer) !== ''
    return judge(answer, isRight, `the error is ${type} with ${errorOf(answer) || 'no error'}`)
  }),
  ofAccess('access-token', TEXT.access, 'Accept access tokens at the revocation endpoint, and end them immediately.', async (on) => {
    const { answer } = await revokedAccess(on)
    const found = `the revocation of an access token is answered by ${answer.status} ${errorOf(answer)}`
    return judge(answer, answer.status === 200, found.trim())
  }),
  usedAt('used-at-userinfo', 'UserInfo', 'UserInfo'),
  usedAt('used-at-mcp', '/mcp', 'the MCP endpoint'),
  usedAt('used-at-paths', 'paths', 'the API of the host'),
  ofAccess('introspected', TEXT.introspected, `${LOOK_UP}, also at the introspection endpoint.`, async (on) => {
    const { tokens, wasActive } = await ended(on)
    await on.endpoint('introspection_endpoint')
    if (!wasActive)
      return notReached('introspection did not call the token active before either', tokens)
    const answer = await on.introspect(tokens.accessToken)
    const { active } = answer.json
    return judge(answer, active === false, `after it was revoked, active is ${JSON.stringify(active)}`)
  }),
  ofAccess('twice', TEXT.unknown, 'Answer 200 if the token is revoked already, so that a client may repeat a lost request.', async (on) => {
    const { tokens } = await ended(on)
    const answer = await on.revoke(tokens.accessToken, {}, tokens.code.client)
    return judge(answer, answer.status === 200, `the second revocation is answered by ${answer.status}`)
  }),
  ofRefresh('refresh-token', TEXT.refresh, 'Mark the refresh token as revoked, and refuse it at the token endpoint with invalid_grant.', async (on) => {
    const { tokens, answer } = await revokedRefresh(on)
    if (answer.status !== 200)
      return violated(answer, `the revocation of a refresh token is answered by ${answer.status}`)
    const refreshed = await on.refresh(tokens)
    const found = `a refresh with it is answered by ${refreshed.status} ${errorOf(refreshed) || 'and tokens'}`
    return judge(refreshed, isRefused(refreshed), found)
  }),
  ofRefresh('ends-access-tokens', TEXT.related, 'Revoke the grant: the refresh token, and each access token that belongs to it.', async (on) => {
    const { tokens, before, answer } = await revokedRefresh(on)
    if (answer.status !== 200)
      return notReached(`the refresh token was not revoked (${answer.status})`, answer)
    if (before.length === 0) return notReached('no surface took the access token before', tokens)
    const { accessToken, code } = tokens
    const uses = (await on.use(accessToken)).filter(({ surface }) => before.includes(surface))
    const open = uses.find(({ isAccepted }) => isAccepted)
    if (open === undefined)
      return held(uses[0]!.answer, `its access token worked at ${before.join(', ')} before, and not after`)
    const hint = { token_type_hint: 'access_token' }
    return errorOf(await on.revoke(accessToken, hint, code.client)) === 'unsupported_token_type'
      ? notApplicable('the server revokes no access tokens')
      : violated(open.answer, `after the refresh token was revoked, the access token works at ${open.surface}`)
  }),
  ofLiving('client-authentication', TEXT.authentication, 'Authenticate the client as at the token endpoint, before the token is looked up.', async (on) => {
    const living = await livingTokens(on)
    const { client } = living.tokens.code
    if (isPublic(client)) return notApplicable('the audit has no client with a secret or a key')
    const secrets = { 'without a secret': null, 'with a wrong secret': newSecret() }
    const found = await firstNotHeld(Object.entries(secrets), ([how, secret]) =>
      remains(on, `a revocation ${how}`, (token) =>
        on.revoke(token, { ...UNAUTHENTICATED, client_secret: secret }, client),
      ),
    )
    if (found.verdict !== 'held') return found
    const { refreshToken, accessToken } = living.tokens
    const answer = await on.revoke(refreshToken ?? accessToken, UNAUTHENTICATED, client)
    return refusalOf(answer, ['invalid_client'], 'a request without the secret')
  }),
  ofLiving('other-client', TEXT.binding, 'Compare the client of the token with the one that asks, and change nothing if they differ.', async (on) => {
    const other = await on.client('second')
    return remains(on, 'a revocation by another client', (token) => on.revoke(token, {}, other))
  }),
  ofLiving('get', TEXT.get, 'Answer 405 to every method but POST.', async (on) => {
    const endpoint = await on.endpoint('revocation_endpoint')
    return remains(on, 'a revocation by GET', (token, { clientId, secret }) => {
      const url = new URL(endpoint)
      const fields = { token, client_id: clientId, ...(secret !== null && { client_secret: secret }) }
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value)
      return on.send(url)
    })
  }),
  ofLiving('wrong-hint', TEXT.hint, 'If the hint leads to no token, look among the tokens of every other type.', async (on) => {
    const living = await livingTokens(on)
    const tokens = await renewed(on, living.tokens)
    living.hasEnded = true
    const hint = { token_type_hint: 'access_token' }
    const revoked = await on.revoke(tokens.refreshToken!, hint, tokens.code.client)
    const answer = await on.refresh(tokens)
    const found = `a refresh token with the hint access_token is answered by ${revoked.status}, and a refresh after it by ${answer.status} ${errorOf(answer)}`
    return judge(answer, isRefused(answer), found.trim())
  }),
] // prettier-ignore
