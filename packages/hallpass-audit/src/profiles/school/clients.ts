import { type Check, held, judge, notApplicable, notReached, Stop } from '../../check.js'
import { refusalOf, refusedRequest } from '../../checks/expect.js'
import { type Audit, describe, type Ended, REDIRECT_URI } from '../../engine/audit.js'
import type { Answer } from '../../engine/http.js'
import { anonymous, operatorTokens, shared, slug, statement } from './statement.js'
import { IDENTITY_SCOPES, OPERATOR_SCOPES, READ_SCOPES, WRITE_SCOPES } from './tables.js'

const one = { ...anonymous, creates: { clients: 1 } } as const
const registered = (on: Audit, method: string): Promise<Answer> =>
  on.once(`school ${method}`, () => on.register({ token_endpoint_auth_method: method }))
/** A vendor registers with nothing but its name. */
const asVendor = (on: Audit, name: string): Promise<Answer> =>
  on.register({ client_name: name, redirect_uris: undefined, application_type: undefined })

/** Sends an authorization request of a document that no one has reviewed, from a browser in which no one is signed in. */
async function knockUnreviewed(on: Audit, scope: string): Promise<Ended> {
  if ((await on.server())['client_id_metadata_document_supported'] !== true)
    throw new Stop(notApplicable('the server accepts no metadata documents'))
  const clientId = on.clientDocument
  if (clientId === null)
    throw new Stop(notReached('no document is published: give --client-document'))
  return on.knock({ clientId, secret: null, redirectUri: REDIRECT_URI, scope: `openid ${scope}` })
}

/** Statements of the description about clients: how they register, and what each kind may request. */
export const clients: readonly Check[] = [
  statement(
    'Resources: registration request',
    'registration-client-id',
    {
      ...one,
      says: 'The response to a registration has a client_id.',
      change: 'Answer 201 with JSON that has client_id.',
    },
    async (on) => {
      const { status, json } = await registered(on, 'none')
      const id = json['client_id']
      return judge(status === 201 && typeof id === 'string', '201 with client_id', `${status} with client_id ${String(id)}`) // prettier-ignore
    },
  ),
  statement(
    'Resources: registration request',
    'registration-public',
    {
      ...one,
      says: 'A client with the method none is public: it gets no secret.',
      change: 'Issue a secret for client_secret_post only.',
    },
    async (on) => {
      const { status, json } = await registered(on, 'none')
      const isThere = json['client_secret'] !== undefined
      return judge(status === 201 && !isThere, 'no secret', `${status}, and a secret is ${isThere ? 'there' : 'not there'}`) // prettier-ignore
    },
  ),
  statement(
    'Resources: registration request',
    'registration-confidential',
    {
      ...one,
      says: 'A client with the method client_secret_post gets a secret.',
      change: 'Answer with client_secret for client_secret_post.',
    },
    async (on) => {
      const { status, json } = await registered(on, 'client_secret_post')
      const isThere = typeof json['client_secret'] === 'string'
      return judge(status === 201 && isThere, 'a secret', `${status} without a secret`)
    },
  ),
  statement(
    'Authentication 5',
    'registration-https',
    {
      ...one,
      says: 'A fixed https callback is refused at registration with invalid_redirect_uri.',
      change: 'Accept loopback redirect URIs from anyone, and answer invalid_redirect_uri to others.', // prettier-ignore
    },
    async (on) => {
      const redirect_uris = ['https://audit.example/callback']
      const answer = await on.register({ redirect_uris, application_type: 'web' })
      return refusalOf(answer, ['invalid_redirect_uri'], 'an https callback')
    },
  ),
  statement(
    'Authentication 5',
    'registration-unknown-vendor',
    {
      ...one,
      says: 'A vendor registration with an unknown name is refused with invalid_client_metadata.',
      change: 'Compare client_name with the known integrations, and answer invalid_client_metadata to other names.', // prettier-ignore
    },
    async (on) =>
      refusalOf(
        await asVendor(on, 'A Platform Without an Integration'),
        ['invalid_client_metadata'],
        'the name of an unknown vendor',
      ),
  ),
  statement(
    'Authentication 5',
    'registration-vendor',
    {
      ...one,
      says: 'A registration with the name of a known vendor gets the client_id of that vendor.',
      change: 'Answer with the client of the configuration, and store nothing.',
    },
    async (on) => {
      const vendor = on.signIn?.vendor
      if (vendor === undefined)
        return notReached('no vendor is known: give `vendor` in the file of --sign-in')
      const { status, json } = await asVendor(on, vendor.name)
      const id = json['client_id']
      return judge(status < 300 && id === vendor.client_id, `client_id is ${vendor.client_id}`, `${status} with client_id ${String(id)}`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 6',
    'no-self-serve-member',
    {
      ...one,
      says: 'No one can register a member client.',
      change: 'Refuse member scopes to clients that registered themselves.',
    },
    async (on) => {
      const { status, json } = await on.register({ scope: 'openid account:read' })
      if (status >= 400) return held(`the registration is refused: ${String(json['error'])}`)
      const client = { clientId: String(json['client_id']), secret: null, redirectUri: REDIRECT_URI, scope: 'account:read' } // prettier-ignore
      const ended = await on.knock(client)
      return refusedRequest(ended, ['invalid_scope'], 'account:read of a new client')
    },
  ),
  statement(
    'Authentication 7',
    'operator-account-read',
    {
      ...anonymous,
      says: 'account:read of an operator client is refused with invalid_scope.',
      change: 'Reserve account:read to member clients.',
    },
    async (on) => {
      const ended = await on.knock(await on.client(), { scope: 'openid account:read' })
      const error = ended.parameters?.get('error')
      const isPage = ended.page.left === null && ended.page.status >= 400
      return judge(error === 'invalid_scope' || isPage, describe(ended), describe(ended))
    },
  ),
  ...OPERATOR_SCOPES.map((scope) =>
    statement(
      'Authentication 7',
      `grants-${slug(scope)}`,
      {
        ...shared,
        says: `An operator client may request ${scope}.`,
        change: `Let registered clients request ${scope}, and grant it to staff whose role has it.`,
      },
      async (on) => {
        const { answer } = await operatorTokens(on)
        const { scope: named } = answer.json
        const granted = typeof named === 'string' ? named.split(' ') : []
        return judge(granted.includes(scope), `${scope} is granted`, `the token has ${granted.join(' ')}`) // prettier-ignore
      },
    ),
  ),
  ...[...WRITE_SCOPES].map((scope) =>
    statement(
      'Resources: metadata document',
      `unreviewed-refused-${slug(scope)}`,
      {
        ...anonymous,
        says: `A client with an unreviewed document may not request ${scope}.`,
        change: 'Answer invalid_scope to write scopes until a member of staff has reviewed the document.', // prettier-ignore
      },
      async (on) => refusedRequest(await knockUnreviewed(on, scope), ['invalid_scope'], scope),
    ),
  ),
  ...[...IDENTITY_SCOPES, ...READ_SCOPES].map((scope) =>
    statement(
      'Resources: metadata document',
      `unreviewed-allowed-${slug(scope)}`,
      {
        ...anonymous,
        says: `A client with an unreviewed document may request ${scope}.`,
        change: `Let documents request ${scope} before they are reviewed.`,
      },
      async (on) => {
        const ended = await knockUnreviewed(on, scope)
        const isAsked = ended.page.left === null && ended.page.status < 400
        return judge(isAsked, `${scope} leads to a page`, `${scope}: ${describe(ended)}`)
      },
    ),
  ),
  statement(
    'Resources: metadata document',
    'unlisted-document',
    {
      ...anonymous,
      says: 'A document whose host is not listed is refused, unless open registration is on.',
      change: 'Refuse client identifiers of other hosts before anything is fetched.',
    },
    async (on) => {
      const clientId = 'https://nobody-lists-this-host.example/client.json'
      const client = { clientId, secret: null, redirectUri: REDIRECT_URI, scope: 'openid' }
      return refusedRequest(await on.knock(client), [], 'a document of an unknown host')
    },
  ),
]
