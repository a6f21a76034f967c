import { type Check, type Clause } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, type Client, isPublic, type Tokens } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import {
  errorOf,
  isAlive,
  isRefused,
  openedBy,
  refusalOf,
  renewed,
  UNAUTHENTICATED,
} from './expect.js'

const ENDED = { shares: [{ name: 'a revoked access token', authorizations: 1 }] } as const
const ENDED_REFRESH = { shares: [{ name: 'a revoked refresh token', authorizations: 1 }] } as const
const LIVING = {
  shares: [{ name: 'tokens that stay', authorizations: 1 }, ...ENDED_REFRESH.shares],
} as const
const LOOK_UP =
  'Look the token up on each request, and refuse it from the moment at which it is revoked'

/** One check for each kind of surface, so that a report names the one that takes a revoked token. */
const usedAt = (name: string, at: Parameters<Audit['use']>[1], what: string): Check => ({
  id: `revocation/${name}`,
  clause: {
    document: 'RFC 7009',
    section: '2.1',
    level: 'MUST',
    says: `A revoked access token ends immediately: ${what} refuses it.`,
  },
  depth: 'people',
  ...ENDED,
  change: `${LOOK_UP}, also at ${what}.`,
  async run(on) {
    const { tokens, before, answer } = await revokedAccess(on)
    if (answer.status !== 200)
      throw new Stop(notApplicable(`the server revokes no access token (${answer.status})`))
    const had = (await on.use(newSecret(), at)).map(({ surface }) => surface)
    if (had.length === 0) throw new Stop(notApplicable(`the audit knows nothing that is ${what}`))
    const worked = had.filter((surface) => before.includes(surface))
    if (worked.length === 0)
      throw new Stop(notReached(`the token did not work at ${had.join(', ')} before either`))
    const works = (await openedBy(on, tokens.accessToken, at)).filter((one) => worked.includes(one))
    return judge(
      works.length === 0,
      `it worked at ${worked.join(', ')} before it was revoked, and not after`,
      `after it was revoked it still works at ${works.join(', ')}`,
    )
  },
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

const revokedRefresh = (on: Audit): Promise<Pick<Revoked, 'tokens' | 'before' | 'answer'>> =>
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
async function remains(
  on: Audit,
  what: string,
  send: (token: string, client: Client) => Promise<unknown>,
): Promise<Finding> {
  const living = await livingTokens(on)
  const { client } = living.tokens.code
  const ended = (kind: string): Finding => {
    living.hasEnded = true
    return violated(`${what} ends the ${kind}`)
  }
  const { refreshToken } = living.tokens
  if (refreshToken !== null) {
    // Only where a revocation ends a token does it say something that another one stays.
    const right = await revokedRefresh(on)
    if (right.answer.status !== 200) return notReached(`a right revocation is answered by ${right.answer.status}`) // prettier-ignore
    await send(refreshToken, client)
    const answer = await on.refresh(living.tokens)
    if (isRefused(answer)) return ended('refresh token')
    const next = on.tokensOf(answer, living.tokens.code)
    living.tokens = { ...next, refreshToken: next.refreshToken ?? refreshToken }
  }
  const { accessToken } = living.tokens
  const before = await isAlive(on, accessToken)
  if (before) {
    await send(accessToken, client)
    if (!(await isAlive(on, accessToken))) return ended('access token')
  }
  if (refreshToken !== null) return held(`the tokens remain valid after ${what}`)
  const { tokens, answer } = await revokedAccess(on)
  return before && answer.status === 200 && !(await isAlive(on, tokens.accessToken))
    ? held(`the access token remains valid after ${what}`)
    : notReached('the server issues no refresh token, and ends no access token')
}

const clause = (section: string, level: Clause['level'], says: string): Clause => ({
  document: 'RFC 7009',
  section,
  level,
  says,
})

/** Revocation: what must end, and at which surfaces. */
export const revocation: readonly Check[] = [
  {
    id: 'revocation/unknown-token',
    clause: clause(
      '2.2',
      'MUST',
      'An unknown token is answered with 200 too, since a client could do nothing about an error.',
    ),
    depth: 'anonymous',
    change: 'Answer 200 if there is no such token: what the client wants is already so.',
    async run(on) {
      const { status } = await on.revoke(newSecret(), {}, await caller(on))
      return judge(status === 200, 'an unknown token is answered by 200', `an unknown token is answered by ${status}`) // prettier-ignore
    },
  },
  {
    id: 'revocation/unknown-hint',
    clause: clause(
      '2.2',
      'MUST',
      'A token_type_hint that the server does not know is ignored, and changes nothing of the answer.',
    ),
    depth: 'anonymous',
    change: 'Ignore token_type_hint unless it helps to find the token faster.',
    async run(on) {
      const client = await caller(on)
      const { status: usual } = await on.revoke(newSecret(), {}, client)
      if (usual >= 500) return notReached(`an unknown token is answered by ${usual}`)
      const hint = { token_type_hint: 'hallpass_audit' }
      const answer = await on.revoke(newSecret(), hint, client)
      return judge(
        answer.status === usual,
        `an unknown hint is answered by ${usual}, as no hint is`,
        `an unknown hint is answered by ${answer.status} ${errorOf(answer)}, and no hint by ${usual}`,
      )
    },
  },
  {
    id: 'revocation/missing-token',
    clause: clause('2.1', 'MUST', 'The parameter token is required.'),
    depth: 'anonymous',
    change: 'Answer 400 with the error invalid_request if the form has no token.',
    async run(on) {
      // At the address of the token endpoint, a form without a token lacks a grant type as well.
      const isShared = (await on.endpoint('revocation_endpoint')) === (await on.endpoint('token_endpoint')) // prettier-ignore
      return refusalOf(
        await on.revoke('', { token: null }, await caller(on)),
        ['invalid_request', ...(isShared ? ['unsupported_grant_type'] : [])],
        'no token',
      )
    },
  },
  {
    id: 'revocation/errors-as-json',
    clause: clause(
      '2.2.1',
      'MUST',
      'An error has the form of those of the token endpoint: JSON with the member error.',
    ),
    depth: 'anonymous',
    change: 'Send errors as application/json: {"error":"invalid_request"}.',
    async run(on) {
      const { status, headers, json } = await on.revoke('', { token: null }, await caller(on))
      if (status < 400) throw new Stop(notReached(`no token is answered by ${status}`))
      const type = headers.get('content-type') ?? 'no media type'
      return judge(
        /^application\/json\b/i.test(type) && typeof json['error'] === 'string',
        `the error is ${type} with ${String(json['error'])}`,
        `the error is ${type}, ${typeof json['error'] === 'string' ? 'and not application/json' : 'without the member error'}`,
      )
    },
  },
  {
    id: 'revocation/access-token',
    clause: clause('2', 'SHOULD', 'The server revokes access tokens, and answers with 200.'),
    depth: 'people',
    ...ENDED,
    change: 'Accept access tokens at the revocation endpoint, and end them immediately.',
    async run(on) {
      const { answer } = await revokedAccess(on)
      return judge(answer.status === 200, 'an access token is revoked with 200', `the revocation of an access token is answered by ${answer.status} ${errorOf(answer)}`) // prettier-ignore
    },
  },
  usedAt('used-at-userinfo', 'UserInfo', 'UserInfo'),
  usedAt('used-at-mcp', '/mcp', 'the MCP endpoint'),
  usedAt('used-at-paths', 'paths', 'the API of the host'),
  {
    id: 'revocation/introspected',
    clause: {
      document: 'RFC 7662',
      section: '2.2',
      level: 'MUST',
      says: 'A resource server that asks about a revoked access token learns that it is not active.',
    },
    depth: 'people',
    ...ENDED,
    change: `${LOOK_UP}, also at the introspection endpoint.`,
    async run(on) {
      const { tokens, wasActive, answer } = await revokedAccess(on)
      await on.endpoint('introspection_endpoint')
      if (answer.status !== 200)
        throw new Stop(notApplicable(`the server revokes no access token (${answer.status})`))
      if (!wasActive)
        throw new Stop(notReached('introspection did not call the token active before either'))
      const { active } = (await on.introspect(tokens.accessToken)).json
      return judge(active === false, 'it was active, and is not after it was revoked', `after it was revoked, active is ${JSON.stringify(active)}`) // prettier-ignore
    },
  },
  {
    id: 'revocation/twice',
    clause: clause('2.2', 'MUST', 'A token that is revoked already is answered with 200 again.'),
    depth: 'people',
    ...ENDED,
    change:
      'Answer 200 if the token is revoked already, so that a client may repeat a lost request.',
    async run(on) {
      const { tokens, answer } = await revokedAccess(on)
      if (answer.status !== 200)
        throw new Stop(notApplicable(`the server revokes no access token (${answer.status})`))
      const { status } = await on.revoke(tokens.accessToken, {}, tokens.code.client)
      return judge(status === 200, 'the second revocation is answered by 200', `the second revocation is answered by ${status}`) // prettier-ignore
    },
  },
  {
    id: 'revocation/refresh-token',
    clause: clause(
      '2',
      'MUST',
      'The server revokes refresh tokens: no one refreshes with one again.',
    ),
    depth: 'people',
    ...ENDED_REFRESH,
    change:
      'Mark the refresh token as revoked, and refuse it at the token endpoint with invalid_grant.',
    async run(on) {
      const { tokens, answer } = await revokedRefresh(on)
      if (answer.status !== 200)
        return violated(`the revocation of a refresh token is answered by ${answer.status}`)
      const refreshed = await on.refresh(tokens)
      return judge(
        isRefused(refreshed),
        `a refresh with it is answered by ${refreshed.status} ${errorOf(refreshed)}`,
        `a refresh with it is answered by ${refreshed.status} and tokens`,
      )
    },
  },
  {
    id: 'revocation/ends-access-tokens',
    clause: clause(
      '2.1',
      'SHOULD',
      'With a refresh token all access tokens of the same grant end, where the server can revoke these.',
    ),
    depth: 'people',
    ...ENDED_REFRESH,
    change: 'Revoke the grant: the refresh token, and each access token that belongs to it.',
    async run(on) {
      const { tokens, before, answer } = await revokedRefresh(on)
      if (answer.status !== 200)
        throw new Stop(notReached(`the refresh token was not revoked (${answer.status})`))
      if (before.length === 0) throw new Stop(notReached('no surface took the access token before'))
      const { accessToken, code } = tokens
      const works = (await openedBy(on, accessToken)).filter((one) => before.includes(one))
      if (works.length === 0)
        return held(`its access token worked at ${before.join(', ')} before, and not after`)
      const answerOfAccess = await on.revoke(
        accessToken,
        { token_type_hint: 'access_token' },
        code.client,
      )
      return errorOf(answerOfAccess) === 'unsupported_token_type'
        ? notApplicable('the server revokes no access tokens')
        : violated(`after the refresh token was revoked, the access token works at ${works.join(', ')}`) // prettier-ignore
    },
  },
  {
    id: 'revocation/client-authentication',
    clause: clause(
      '2.1',
      'MUST',
      'A client with a secret or a key has to authenticate, and the request is refused if it does not.',
    ),
    depth: 'people',
    ...LIVING,
    change: 'Authenticate the client as at the token endpoint, before the token is looked up.',
    async run(on) {
      const living = await livingTokens(on)
      const { client } = living.tokens.code
      if (isPublic(client))
        throw new Stop(notApplicable('the audit has no client with a secret or a key'))
      for (const secret of [null, newSecret()]) {
        const what =
          secret === null ? 'a revocation without a secret' : 'a revocation with a wrong secret'
        const finding = await remains(on, what, (token) => on.revoke(token, { ...UNAUTHENTICATED, client_secret: secret }, client)) // prettier-ignore
        if (finding.verdict !== 'held') return finding
      }
      const { refreshToken, accessToken } = living.tokens
      const answer = await on.revoke(refreshToken ?? accessToken, UNAUTHENTICATED, client)
      return refusalOf(answer, ['invalid_client'], 'a request without the secret')
    },
  },
  {
    id: 'revocation/other-client',
    clause: clause('2.1', 'MUST', 'A client revokes only tokens that were issued to it.'),
    depth: 'people',
    ...LIVING,
    change:
      'Compare the client of the token with the one that asks, and change nothing if they differ.',
    async run(on) {
      const other = await on.client('second')
      return remains(on, 'a revocation by another client', (token) => on.revoke(token, {}, other))
    },
  },
  {
    id: 'revocation/get',
    clause: {
      document: 'RFC 9110',
      section: '9.2.1',
      level: 'MUST',
      says: 'GET is safe: a link or an image that points at the endpoint revokes nothing.',
    },
    depth: 'people',
    ...LIVING,
    change: 'Answer 405 to every method but POST.',
    async run(on) {
      const endpoint = await on.endpoint('revocation_endpoint')
      return remains(on, 'a revocation by GET', (token, client) => {
        const url = new URL(endpoint)
        for (const [name, value] of Object.entries(formOf(token, client)))
          url.searchParams.set(name, value)
        return on.send(url)
      })
    },
  },
  {
    id: 'revocation/form-only',
    clause: clause(
      '2.1',
      'MUST',
      'The request is a form: a body of another media type, such as JSON, revokes nothing.',
    ),
    depth: 'people',
    ...LIVING,
    change:
      'Read application/x-www-form-urlencoded only: in JSON a token can be any value, and not only a text.',
    async run(on) {
      const endpoint = await on.endpoint('revocation_endpoint')
      return remains(on, 'a revocation as JSON', (token, client) =>
        on.send(endpoint, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(formOf(token, client)),
        }),
      )
    },
  },
  {
    id: 'revocation/wrong-hint',
    clause: clause(
      '2.1',
      'MUST',
      'A token that is not of the hinted type is searched among all other types, and revoked.',
    ),
    depth: 'people',
    ...LIVING,
    change: 'If the hint leads to no token, look among the tokens of every other type.',
    async run(on) {
      const living = await livingTokens(on)
      const tokens = await renewed(on, living.tokens)
      living.hasEnded = true
      await on.revoke(tokens.refreshToken!, { token_type_hint: 'access_token' }, tokens.code.client)
      const answer = await on.refresh(tokens)
      return judge(
        isRefused(answer),
        `a refresh token with the hint access_token is revoked: ${answer.status} ${errorOf(answer)}`,
        `a refresh token with the hint access_token is not revoked: a refresh is answered by ${answer.status}`,
      )
    },
  },
]

const formOf = (token: string, { clientId, secret }: Client): Record<string, string> => ({
  token,
  client_id: clientId,
  ...(secret !== null && { client_secret: secret }),
})
