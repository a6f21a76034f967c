import { type Check, judge } from '../../check.js'
import { refusalOf } from '../../checks/expect.js'
import type { Changes, Client } from '../../engine/audit.js'
import { newSecret } from '../../engine/random.js'
import { anonymous, statement } from './statement.js'

/** A token request that has to be refused with an error. */
const refused = (
  name: string,
  condition: string,
  error: string,
  fields: (client: Client) => Changes,
): Check =>
  statement(
    'Errors',
    `error-${name}`,
    {
      ...anonymous,
      says: `${condition} is answered by ${error}.`,
      change: `Answer ${error}, as JSON of RFC 6749, section 5.2.`,
    },
    async (on) => {
      const sent = fields(await on.client())
      const answer = await on.form(await on.endpoint('token_endpoint'), sent)
      return refusalOf(answer, [error], condition)
    },
  )

const exchange = ({ clientId, redirectUri }: Client): Record<string, string> => ({
  grant_type: 'authorization_code',
  code: newSecret(),
  client_id: clientId,
  redirect_uri: redirectUri,
  code_verifier: newSecret(),
})

/** Statements of the description about errors of the OAuth endpoints. */
export const errors: readonly Check[] = [
  refused('malformed', 'A malformed request', 'invalid_request', ({ clientId }) => ({ client_id: clientId })), // prettier-ignore
  refused('code', 'An unknown code', 'invalid_grant', exchange),
  refused('refresh-token', 'An unknown refresh token', 'invalid_grant', ({ clientId }) => ({ grant_type: 'refresh_token', refresh_token: newSecret(), client_id: clientId })), // prettier-ignore
  refused('client', 'An unknown client', 'invalid_client', (client) => ({ ...exchange(client), client_id: newSecret() })), // prettier-ignore
  statement(
    'Errors',
    'error-description',
    {
      ...anonymous,
      says: 'An error has a description that a person can read.',
      change: 'Add error_description, a sentence, to each error.',
    },
    async (on) => {
      const answer = await on.form(await on.endpoint('token_endpoint'), exchange(await on.client()))
      const { error_description: text } = answer.json
      return judge(typeof text === 'string' && text.includes(' '), `it says: ${String(text)}`, `error_description is ${JSON.stringify(text)}`) // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'error-revoke-unknown',
    {
      ...anonymous,
      says: 'The revocation endpoint reads token and client_id from a form, and answers 200.',
      change: 'Answer 200 also to a token that is unknown.',
    },
    async (on) => {
      const { status } = await on.revoke(newSecret())
      return judge(status === 200, 'it answers 200', `it answers ${status}`)
    },
  ),
]
