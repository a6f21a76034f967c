import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge } from '../../../packages/hallpass-audit/src/finding.js'
import {
  errorOf,
  madeUpExchange,
  refusalOf,
} from '../../../packages/hallpass-audit/src/checks/expect.js'
import type { Audit, Changes, Client } from '../../../packages/hallpass-audit/src/engine/audit.js'
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { newSecret } from '../../../packages/hallpass-audit/src/engine/random.js'
import { operatorAccountRead } from './clients.js'
import { anonymous, isJson, kept, statement } from './statement.js'

/** A token request that has to be refused with an error. */
const refused = (
  name: string,
  condition: string,
  error: string,
  fields: (client: Client, on: Audit) => Changes | Promise<Changes>,
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
      const sent = await fields(await on.client(), on)
      const answer = await on.form(await on.endpoint('token_endpoint'), sent)
      return refusalOf(answer, [error], condition)
    },
  )

const refresh = { grant_type: 'refresh_token', refresh_token: newSecret() }

/** An error of each OAuth endpoint that a client calls. */
const ENDPOINTS: readonly {
  readonly name: string
  readonly called: string
  readonly fail: (on: Audit) => Promise<Answer>
}[] = [
  {
    name: 'token',
    called: 'the token endpoint',
    fail: async (on) => on.form(await on.endpoint('token_endpoint'), await madeUpExchange(on)),
  },
  {
    name: 'register',
    called: 'the registration endpoint',
    fail: (on) => on.register({ redirect_uris: ['https://audit.example/another'] }),
  },
  {
    name: 'revoke',
    called: 'the revocation endpoint',
    fail: (on) => on.revoke(newSecret(), { client_id: newSecret(), client_secret: null }),
  },
]
const failed = (on: Audit, { name, fail }: (typeof ENDPOINTS)[number]): Promise<Answer> =>
  kept(on, `failed ${name}`, () => fail(on))

/** Statements of the description about errors of the OAuth endpoints. */
export const errors: readonly Check[] = [
  refused('malformed', 'A token request without grant_type', 'invalid_request', ({ clientId }) => ({ client_id: clientId })), // prettier-ignore
  refused('code', 'An unknown code', 'invalid_grant', (_, on) => madeUpExchange(on)),
  refused('refresh-token', 'An unknown refresh token', 'invalid_grant', ({ clientId, secret }) => ({ ...refresh, client_id: clientId, client_secret: secret })), // prettier-ignore
  refused('client', 'A code of an unknown client', 'invalid_client', async (_, on) => ({ ...(await madeUpExchange(on)), client_id: newSecret(), client_secret: null })), // prettier-ignore
  refused('refresh-client', 'A refresh of an unknown client', 'invalid_client', () => ({ ...refresh, client_id: newSecret() })), // prettier-ignore
  ...ENDPOINTS.flatMap((endpoint) => {
    const words = { ...anonymous, ...(endpoint.name === 'register' && { creates: { clients: 1 } }) }
    return [
      statement(
        'Errors',
        `error-json-${endpoint.name}`,
        {
          ...words,
          says: `An error of ${endpoint.called} is JSON, with error.`,
          change: 'Answer as RFC 6749, section 5.2 says: application/json, with error.',
        },
        async (on) => {
          const answer = await failed(on, endpoint)
          const { verdict, found } = isJson(answer)
          const isRight = verdict === 'held' && errorOf(answer) !== ''
          return judge(answer, isRight, `${found}: ${errorOf(answer)}`, `${found}; error is ${JSON.stringify(answer.json['error'])}`) // prettier-ignore
        },
      ),
      statement(
        'Errors',
        `error-description-${endpoint.name}`,
        {
          ...words,
          says: `An error of ${endpoint.called} has a description that a person can read.`,
          change: 'Add error_description, a sentence, to each error.',
        },
        async (on) => {
          const answer = await failed(on, endpoint)
          const { error_description: text } = answer.json
          return judge(answer, typeof text === 'string' && text.includes(' '), `it says: ${String(text)}`, `error_description is ${JSON.stringify(text)}`) // prettier-ignore
        },
      ),
    ]
  }),
  statement(
    'Errors',
    'error-description-authorize',
    {
      says: 'An error of an authorization request has a description that a person can read.',
      change: 'Add error_description to the redirect, or show a page.',
    },
    async (on) => {
      const ended = await operatorAccountRead(on)
      const isPage = ended.page.left === null && ended.page.text.includes(' ')
      const described = ended.parameters?.get('error_description') ?? null
      const isRight = isPage || described?.includes(' ') === true
      return judge(ended, isRight, described ?? 'it is a page', `error_description is ${JSON.stringify(described)}`) // prettier-ignore
    },
  ),
]
