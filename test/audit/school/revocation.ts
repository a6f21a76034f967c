import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge, violated } from '../../../packages/hallpass-audit/src/finding.js'
import { refusalOf } from '../../../packages/hallpass-audit/src/checks/expect.js'
import type { Audit, Changes } from '../../../packages/hallpass-audit/src/engine/audit.js'
import { newSecret } from '../../../packages/hallpass-audit/src/engine/random.js'
import { anonymous, challenged, ownGrant, postJson, query, statement } from './statement.js'

/** A revocation that has to be refused with one of these errors. */
const refused = (
  section: string,
  name: string,
  what: string,
  errors: readonly string[],
  changes: (on: Audit) => Promise<Changes>,
): Check =>
  statement(
    section,
    `revoke-${name}`,
    {
      ...anonymous,
      says: `A revocation ${what} is answered by ${errors.join(' or ')}.`,
      change: `Answer ${errors[0]} to a revocation ${what}.`,
    },
    async (on) =>
      refusalOf(await on.revoke(newSecret(), await changes(on)), errors, `a revocation ${what}`),
  )

/** Statements of the description about revocation. */
export const revocation: readonly Check[] = [
  statement(
    'Endpoints',
    'revoke-unknown',
    {
      ...anonymous,
      says: 'The revocation endpoint reads token and client_id from a form, and answers as RFC 7009 says.',
      change: 'Answer 200 also to a token that is unknown.',
    },
    async (on) => {
      const answer = await on.revoke(newSecret())
      const { status } = answer
      return judge(answer, status === 200, 'it answers 200', `it answers ${status}`)
    },
  ),
  statement(
    'Endpoints',
    'revoke-post',
    {
      ...anonymous,
      says: 'The revocation endpoint takes POST: a token is in no URL.',
      change: 'Answer 405 to a GET of the revocation endpoint.',
    },
    async (on) => {
      const url = new URL(await on.endpoint('revocation_endpoint'))
      url.searchParams.append('token', newSecret())
      url.searchParams.append('client_id', (await on.client()).clientId)
      const answer = await on.send(url)
      const { status } = answer
      return judge(
        answer,
        status >= 400,
        `GET is answered by ${status}`,
        `GET is answered by ${status}`,
      )
    },
  ),
  statement(
    'Endpoints',
    'revoke-form',
    {
      ...anonymous,
      says: 'The revocation endpoint takes a form, and no JSON.',
      change: 'Read application/x-www-form-urlencoded only.',
    },
    async (on) => {
      const body = JSON.stringify({ token: newSecret(), client_id: (await on.client()).clientId })
      const answer = await postJson(on, await on.endpoint('revocation_endpoint'), body)
      const { status } = answer
      return judge(
        answer,
        status >= 400,
        `JSON is answered by ${status}`,
        `JSON is answered by ${status}`,
      )
    },
  ),
  refused('Errors', 'token', 'without token', ['invalid_request'], async () => ({ token: null })),
  refused('Endpoints', 'client-id', 'without client_id', ['invalid_request', 'invalid_client'], async () => ({ client_id: null, client_secret: null })), // prettier-ignore
  refused('Errors', 'unknown-client', 'of an unknown client', ['invalid_client'], async () => ({ client_id: newSecret(), client_secret: null })), // prettier-ignore
  refused('Errors', 'wrong-secret', 'with another secret', ['invalid_client'], async (on) => ({ client_id: (await on.client('confidential')).clientId, client_secret: 'another' })), // prettier-ignore
  statement(
    'Authentication 12',
    'revoked-access-token',
    {
      ...ownGrant,
      says: 'A client revokes an access token, which the Account API then refuses.',
      change: 'Look the token up for each request.',
    },
    async (on) => {
      const client = await on.client('member')
      const { accessToken } = await on.tokens({ client, person: 'member' })
      const revoked = await on.revoke(accessToken, {}, client)
      if (revoked.status !== 200)
        return violated(revoked, `the revocation is answered by ${revoked.status}`)
      return challenged(await query(on, '{ viewer { id } }', accessToken), 401, 'invalid_token')
    },
  ),
  statement(
    'Authentication 12',
    'revoked-refresh-token',
    {
      ...ownGrant,
      says: 'A client revokes a refresh token, which is then refused with invalid_grant.',
      change: 'End the grant when its refresh token is revoked.',
    },
    async (on) => {
      const client = await on.client('member')
      const tokens = await on.tokens({ client, person: 'member' })
      await on.revoke(tokens.refreshToken ?? '', {}, client)
      return refusalOf(await on.refresh(tokens), ['invalid_grant'], 'a revoked refresh token')
    },
  ),
]
