import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge, notApplicable, notReached } from '../../../packages/hallpass-audit/src/finding.js'
import { errorOf, exchangeAs, hasTokens, isRefused, madeUpExchange, refusalOf } from '../../../packages/hallpass-audit/src/checks/expect.js' // prettier-ignore
import { OWN, ownTokens } from '../../../packages/hallpass-audit/src/checks/introspection.js'
import type {
  Audit,
  Changes,
  Code,
  Tokens,
} from '../../../packages/hallpass-audit/src/engine/audit.js'
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { newSecret } from '../../../packages/hallpass-audit/src/engine/random.js'
import { accountTokens, anonymous, isJson, kept, memberExchange, ownGrant, postJson, shared, slug, staffExchange, statement, withoutOpenid } from './statement.js' // prettier-ignore

const REQUEST = 'Endpoints: token request'
const codeOfMember = async (on: Audit): Promise<Code> =>
  on.code({ client: await on.client('member'), person: 'member' })
const tokensOfMember = async (on: Audit): Promise<Tokens> =>
  on.tokens({ client: await on.client('member'), person: 'member' })

/** A code exchange of the member that lacks a field. */
const field = (name: string): Check =>
  statement(
    REQUEST,
    `exchange-${slug(name)}`,
    {
      ...ownGrant,
      says: `A code is exchanged with ${name}.`,
      change: `Refuse a code exchange without ${name}.`,
    },
    async (on) => {
      const answer = await on.redeem(await codeOfMember(on), { [name]: null })
      const errors = ['invalid_request', 'invalid_grant', 'invalid_client', 'invalid_target']
      return refusalOf(answer, errors, `no ${name}`)
    },
  )

/** A code exchange that does not match the authorization request. */
const mismatch = (
  name: string,
  says: string,
  changes: (on: Audit) => Promise<Changes>,
  errors: readonly string[] = ['invalid_grant'],
): Check =>
  statement(
    'Errors',
    `mismatched-${slug(name)}`,
    {
      ...ownGrant,
      says,
      change: `Store ${name} with the code, and answer invalid_grant to another.`,
    },
    async (on) => {
      const code = await codeOfMember(on)
      return refusalOf(await on.redeem(code, await changes(on)), errors, `another ${name}`)
    },
  )

/** A token of the response to a code exchange. */
const returned = (name: string): Check =>
  statement(
    REQUEST,
    `exchange-${slug(name)}`,
    {
      ...shared,
      says: `A code exchange returns ${name}.`,
      change: `Add ${name} to the token response.`,
    },
    async (on) => {
      const answer = await memberExchange(on)
      const { json, status } = answer
      return judge(answer, typeof json[name] === 'string', `${name} is there`, `${status} with ${Object.keys(json).join(', ')}`) // prettier-ignore
    },
  )

/** A refresh of a grant of its own, and the newest refresh token. */
const refreshed = async (on: Audit): Promise<{ first: Tokens; answer: Answer; latest: Tokens }> => {
  const { first, answer } = await on.once('school refreshed', async () => {
    const tokens = await tokensOfMember(on)
    return { first: tokens, answer: await on.refresh(tokens) }
  })
  const { refresh_token: next } = answer.json
  return { first, answer, latest: typeof next === 'string' ? { ...first, refreshToken: next } : first } // prettier-ignore
}
const refresh = { shares: [{ name: 'school refreshed', authorizations: 1 }] } as const

/** Statements of the description about the token endpoint. */
export const tokens: readonly Check[] = [
  statement(
    'Endpoints',
    'token-post',
    {
      ...anonymous,
      says: 'The token endpoint takes POST: the fields are in no URL.',
      change: 'Answer 405 to a GET of the token endpoint.',
    },
    async (on) => {
      const url = new URL(await on.endpoint('token_endpoint'))
      const { client_secret: _, ...fields } = await madeUpExchange(on)
      for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, value)
      const answer = await on.send(url)
      // A server that looks for the code has read the request.
      const isRead = answer.status < 400 || errorOf(answer) === 'invalid_grant'
      return judge(answer, !isRead, `GET is answered by ${answer.status}`, `GET is answered by ${answer.status} ${errorOf(answer)}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'token-form',
    {
      ...anonymous,
      says: 'The token endpoint takes a form, and no JSON.',
      change: 'Read application/x-www-form-urlencoded only.',
    },
    async (on) => {
      const body = JSON.stringify(await madeUpExchange(on))
      const answer = await postJson(on, await on.endpoint('token_endpoint'), body)
      const isRead = answer.status < 400 || errorOf(answer) === 'invalid_grant'
      return judge(answer, !isRead, `JSON is answered by ${answer.status}`, `JSON is answered by ${answer.status} ${errorOf(answer)}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'token-json',
    {
      ...shared,
      says: 'The token response is JSON.',
      change: 'Answer with application/json.',
    },
    async (on) => isJson(await memberExchange(on)),
  ),
  statement(
    REQUEST,
    'exchange-code',
    {
      ...anonymous,
      says: 'A code exchange has a code.',
      change: 'Answer invalid_request to a code exchange without code.',
    },
    async (on) => {
      const fields = { ...(await madeUpExchange(on)), code: null }
      const answer = await on.form(await on.endpoint('token_endpoint'), fields)
      return refusalOf(answer, ['invalid_request'], 'no code')
    },
  ),
  ...['redirect_uri', 'client_id', 'code_verifier', 'resource'].map((name) => field(name)),
  mismatch('resource', 'resource repeats the value of the authorization request.', async () => ({ resource: 'https://elsewhere.example' }), ['invalid_target', 'invalid_grant']), // prettier-ignore
  mismatch('redirect_uri', 'A code with another redirect_uri is answered by invalid_grant.', async () => ({ redirect_uri: 'http://127.0.0.1:47317/another' })), // prettier-ignore
  mismatch('code_verifier', 'A code with another code_verifier is answered by invalid_grant.', async () => ({ code_verifier: newSecret() })), // prettier-ignore
  mismatch('client_id', 'A code of another client is answered by invalid_grant.', async (on) => {
    const { clientId, secret } = await on.client()
    return { client_id: clientId, ...(secret !== null && { client_secret: secret }) }
  }),
  statement(
    'Errors',
    'used-code',
    {
      ...ownGrant,
      says: 'A code that was used is answered by invalid_grant.',
      change: 'Mark a code as used where you issue its tokens, in one transaction.',
    },
    async (on) => {
      const code = await codeOfMember(on)
      on.tokensOf(await on.redeem(code), code)
      return refusalOf(await on.redeem(code), ['invalid_grant'], 'a used code')
    },
  ),
  returned('access_token'),
  returned('refresh_token'),
  returned('id_token'),
  statement(
    REQUEST,
    'exchange-without-openid',
    {
      ...withoutOpenid,
      says: 'An ID token is for the scope openid: without it, none is returned.',
      change: 'Issue an ID token only if openid was granted.',
    },
    async (on) => {
      const made = await accountTokens(on)
      return judge(made, made.idToken === null, 'there is no ID token', 'there is an ID token')
    },
  ),
  statement(
    REQUEST,
    'refresh',
    {
      ...refresh,
      says: 'A refresh returns a new access token, and asks no one.',
      change: 'Answer a refresh with an access token.',
    },
    async (on) => {
      const { first, answer } = await refreshed(on)
      const token = answer.json['access_token']
      const isNew = typeof token === 'string' && token !== first.accessToken
      return judge(answer, answer.status === 200 && isNew, 'a new access token', `${answer.status} ${errorOf(answer)}`) // prettier-ignore
    },
  ),
  statement(
    REQUEST,
    'refresh-no-id-token',
    {
      ...refresh,
      says: 'The response to a refresh has no ID token.',
      change: 'Leave id_token out of the response to a refresh.',
    },
    async (on) => {
      const { answer } = await refreshed(on)
      const isRight = hasTokens(answer) && answer.json['id_token'] === undefined
      return judge(answer, isRight, 'there is none', `${answer.status} with ${Object.keys(answer.json).join(', ')}`) // prettier-ignore
    },
  ),
  statement(
    REQUEST,
    'refresh-client-id',
    {
      ...refresh,
      says: 'A refresh identifies the client.',
      change: 'Refuse a refresh without client_id.',
    },
    async (on) => {
      const answer = await on.refresh((await refreshed(on)).latest, { client_id: null })
      return judge(answer, isRefused(answer), `no client_id is answered by ${answer.status} ${errorOf(answer)}`, `no client_id is answered by ${answer.status}`) // prettier-ignore
    },
  ),
  statement(
    'Errors',
    'refresh-scope',
    {
      ...refresh,
      says: 'A refresh with a scope that the client is not allowed is answered by invalid_scope.',
      change: 'Compare the scope of a refresh with that of the grant.',
    },
    async (on) => {
      const answer = await on.refresh((await refreshed(on)).latest, { scope: 'courses:read' })
      return refusalOf(answer, ['invalid_scope'], 'a scope of operators')
    },
  ),
  statement(
    REQUEST,
    'refresh-refresh-token',
    {
      ...anonymous,
      says: 'A refresh has the refresh token.',
      change: 'Answer invalid_request to a refresh without refresh_token.',
    },
    async (on) => {
      const fields = { grant_type: 'refresh_token', client_id: (await on.client()).clientId }
      const answer = await on.form(await on.endpoint('token_endpoint'), fields)
      return refusalOf(answer, ['invalid_request'], 'no refresh_token')
    },
  ),
  statement(
    'Errors',
    'mismatched-refresh-token',
    {
      ...ownGrant,
      says: 'A refresh token of another client is answered by invalid_grant.',
      change: 'Compare the client of the request with that of the grant.',
    },
    async (on) => {
      const { clientId, secret } = await on.client()
      const other = { client_id: clientId, ...(secret !== null && { client_secret: secret }) }
      const answer = await on.refresh(await tokensOfMember(on), other)
      return refusalOf(answer, ['invalid_grant'], 'a refresh token of another client')
    },
  ),
  statement(
    'Authentication 3',
    'public-client',
    {
      ...shared,
      says: 'A public client exchanges a code without a secret.',
      change: 'Ask no secret of clients with the method none: PKCE protects their codes.',
    },
    async (on) => {
      const { secret } = await on.client()
      if (secret !== null) return notApplicable('the client of the sign-in has a secret')
      const answer = await staffExchange(on)
      return judge(
        answer,
        hasTokens(answer),
        'there are tokens',
        `${answer.status} ${errorOf(answer)}`,
      )
    },
  ),
  statement(
    'Authentication 3',
    'secret-in-form',
    {
      ...ownGrant,
      says: 'A confidential client sends its secret in the form.',
      change: 'Accept client_secret in the form (client_secret_post).',
    },
    async (on) => {
      const code = await on.code({ client: await on.client('confidential') })
      const answer = await on.redeem(code)
      return judge(answer, hasTokens(answer), 'the secret is accepted', `${answer.status} ${errorOf(answer)}`) // prettier-ignore
    },
  ),
  ...[
    { name: 'missing-secret', what: 'A confidential client without its secret', secret: null },
    { name: 'wrong-secret', what: 'A confidential client with another secret', secret: 'another' },
  ].map(({ name, what, secret }) =>
    statement(
      'Errors',
      name,
      {
        ...ownGrant,
        says: `${what} is answered by invalid_client.`,
        change: 'Authenticate the client before you look at its grant.',
      },
      async (on) => {
        const endpoint = await on.endpoint('token_endpoint')
        const client = await on.client('confidential')
        const answer = await exchangeAs(on, client, (fields) => on.form(endpoint, { ...fields, client_secret: secret })) // prettier-ignore
        return refusalOf(answer, ['invalid_client'], what)
      },
    ),
  ),
  statement(
    'Authentication 4',
    'no-agent-claim',
    {
      ...anonymous,
      says: 'No claim step exists for agents.',
      change: 'Answer unsupported_grant_type to grant types that the metadata does not list.',
    },
    async (on) => {
      const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:agent-claim', client_id: (await on.client()).clientId } // prettier-ignore
      const answer = await on.form(await on.endpoint('token_endpoint'), fields)
      return refusalOf(answer, ['unsupported_grant_type'], 'a grant of agents')
    },
  ),
  statement(
    'Authentication 2',
    'sequence',
    {
      creates: { clients: 1, authorizations: 1 },
      says: 'A new client discovers, registers, authorizes, exchanges the code, uses the token, refreshes and revokes.',
      change: 'Let a client that registered itself get through every step.',
    },
    async (on) => {
      const first = await on.tokens({
        client: { ...(await on.newClient()), scope: 'openid courses:read' },
        person: 0,
      })
      const second = on.tokensOf(await on.refresh(first), first.code)
      const headers = { authorization: `Bearer ${second.accessToken}` }
      const used = await on.send(await on.endpoint('userinfo_endpoint'), { headers })
      const revoked = await on.revoke(second.accessToken, {}, first.code.client)
      const found = `the use is answered by ${used.status}, the revocation by ${revoked.status}`
      return judge(
        used.status === 200 ? revoked : used,
        used.status === 200 && revoked.status === 200,
        found,
        found,
      )
    },
  ),
  statement(
    REQUEST,
    'introspection-resource',
    {
      ...OWN,
      says: 'Introspection reports the resource of a token.',
      change: 'Answer an introspection with the origin as aud.',
    },
    async (on) => {
      const { accessToken } = await ownTokens(on)
      const answer = await kept(on, 'introspection', () => on.introspect(accessToken))
      const { active, aud, resource } = answer.json
      if (active !== true)
        return notReached('the confidential client learns nothing of its own token', answer)
      const isNamed = [aud, resource].flat().includes(on.origin)
      return judge(answer, isNamed, `aud is ${on.origin}`, `aud is ${JSON.stringify(aud)}`)
    },
  ),
]
