import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import {
  held,
  judge,
  notApplicable,
  notReached,
  Stop,
} from '../../../packages/hallpass-audit/src/finding.js'
import {
  grantedScopes,
  refusedRequest,
} from '../../../packages/hallpass-audit/src/checks/expect.js'
import { urlsOf } from '../../../packages/hallpass-audit/src/client-documents.js'
import {
  type Audit,
  type Client,
  describe,
  type Ended,
  REDIRECT_URI,
} from '../../../packages/hallpass-audit/src/engine/audit.js'
import { decisionOf } from '../../../packages/hallpass-audit/src/sign-in.js'
import { anonymous, isAsked, memberTokens, operatorTokens, ownGrant, refusalAt, shared, slug, statement } from './statement.js' // prettier-ignore
import { IDENTITY_SCOPES, OPERATOR_SCOPES, READ_SCOPES, WRITE_SCOPES } from './tables.js'

type DocumentName = keyof ReturnType<typeof urlsOf>

/** The client of a document that the operator publishes for the audit. */
async function documentClient(on: Audit, name: DocumentName, scope = 'openid'): Promise<Client> {
  if ((await on.server())['client_id_metadata_document_supported'] !== true)
    throw new Stop(notApplicable('the server accepts no metadata documents'))
  if (on.clientDocument === null)
    throw new Stop(notReached('no document is published: give --client-document'))
  const { [name]: clientId } = { ...urlsOf(new URL('.', on.clientDocument).href), client: on.clientDocument } // prettier-ignore
  return { clientId, secret: null, redirectUri: REDIRECT_URI, scope }
}

/** Stops unless a right document is accepted: without that, no document may be published at all. */
async function requirePublished(on: Audit): Promise<void> {
  const right = await documentClient(on, 'control')
  const ended = await on.once('school control document', () => on.knock(right))
  if (!isAsked(ended)) throw new Stop(notReached(`control.json is not accepted: ${describe(ended)}`, ended)) // prettier-ignore
}

/** Sends a request of a document, which has to be refused. */
async function refusedDocument(on: Audit, name: DocumentName, scope?: string): Promise<Ended> {
  await requirePublished(on)
  const client = await documentClient(on, name, scope)
  const redirectUri = name === 'redirect-elsewhere' ? 'https://elsewhere.example/callback' : REDIRECT_URI // prettier-ignore
  return refusalAt(on, { ...client, redirectUri }, {})
}

/** Sends a request of an operator client for account:read. */
export const operatorAccountRead = (on: Audit): Promise<Ended> =>
  on.once('school operator account:read', async () =>
    refusalAt(on, await on.client(), { scope: 'openid account:read' }),
  )

/** A document that has to be refused. */
const wrong = (name: DocumentName, says: string, change: string): Check =>
  statement(
    'Resources: metadata document',
    `document-${name}`,
    { ...anonymous, says, change },
    async (on) => refusedRequest(await refusedDocument(on, name), ['invalid_client', 'invalid_request'], `${name}.json`), // prettier-ignore
  )

/** Statements of the description about what each kind of client may request. */
export const clients: readonly Check[] = [
  statement(
    'Authentication 7',
    'operator-account-read',
    {
      ...anonymous,
      says: 'account:read of an operator client is refused with invalid_scope.',
      change: 'Reserve account:read to member clients.',
    },
    async (on) => {
      const ended = await operatorAccountRead(on)
      return refusedRequest(ended, ['invalid_scope'], 'account:read')
    },
  ),
  ...[...IDENTITY_SCOPES, ...OPERATOR_SCOPES].map((scope) =>
    statement(
      'Authentication 7',
      `grants-${slug(scope)}`,
      {
        ...shared,
        says: `An operator client may request ${scope}.`,
        change: `Let registered clients request ${scope}, and grant it to staff whose role has it.`,
      },
      async (on) => {
        const tokens = await operatorTokens(on)
        const granted = grantedScopes(tokens)
        return judge(tokens, granted.includes(scope), `${scope} is granted`, `the token has ${granted.join(' ')}`) // prettier-ignore
      },
    ),
  ),
  statement(
    'What the service does',
    'operator-acts-for-staff',
    {
      ...ownGrant,
      ...shared,
      says: 'An operator client acts for staff: a member gives it no operator scope.',
      change: 'Limit the scopes of a grant to those of the role of the person.',
    },
    async (on) => {
      await memberTokens(on)
      const client = { ...(await on.client()), scope: 'openid courses:read' }
      const page = await on.browser('member').open(on.request(client).url)
      const isUnknown = on.signIn?.answer !== undefined || page.forms.length === 0
      const offers = page.status < 400 && (isUnknown || canAllow(page))
      if (page.left === null && !offers)
        return held(page, `the page offers nothing to allow: ${page.status}`)
      const error = page.left?.searchParams.get('error')
      if (error !== undefined && error !== null)
        return held(page, `a member is answered by ${error}`)
      const tokens = await on.tokens({ client, person: 'member' })
      const granted = grantedScopes(tokens)
      return judge(tokens, !granted.includes('courses:read'), `a member grants ${granted.join(' ')}`, 'a member grants courses:read') // prettier-ignore
    },
  ),
  statement(
    'Scopes',
    'grants-account-read',
    {
      ...shared,
      says: 'A member client may request account:read.',
      change: 'Grant account:read to clients that staff created for members.',
    },
    async (on) => {
      const tokens = await memberTokens(on)
      const granted = grantedScopes(tokens)
      return judge(tokens, granted.includes('account:read'), 'account:read is granted', `the token has ${granted.join(' ')}`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 6',
    'member-picked-scopes',
    {
      says: 'A member client may request only the scopes that staff picked for it.',
      change: 'Store the scopes with the client, and answer invalid_scope to others.',
    },
    async (on) => {
      const ended = await refusalAt(on, await on.client('member'), { scope: 'openid courses:read' }, 'member') // prettier-ignore
      return refusedRequest(ended, ['invalid_scope'], 'courses:read of a member client')
    },
  ),
  statement(
    'Authentication 6',
    'member-any-role',
    {
      ...ownGrant,
      says: 'Anyone with a role at the site can authorize a member client: staff too.',
      change: 'Let every person with a role allow a member client.',
    },
    async (on) => {
      const ended = await on.authorize({ client: await on.client('member'), person: 0 })
      return judge(
        ended,
        ended.parameters?.has('code') === true,
        'staff authorize it',
        describe(ended),
      )
    },
  ),
  ...WRITE_SCOPES.map((scope) =>
    statement(
      'Resources: metadata document',
      `unreviewed-refused-${slug(scope)}`,
      {
        ...anonymous,
        says: `A client with an unreviewed document may not request ${scope}.`,
        change: 'Answer invalid_scope to write scopes until a member of staff has reviewed the document.', // prettier-ignore
      },
      async (on) =>
        refusedRequest(await refusedDocument(on, 'client', `openid ${scope}`), ['invalid_scope'], scope), // prettier-ignore
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
        const ended = await on.knock(await documentClient(on, 'client', scope))
        return judge(
          ended,
          isAsked(ended),
          `${scope} leads to a page`,
          `${scope}: ${describe(ended)}`,
        )
      },
    ),
  ),
  statement(
    'Authentication 6',
    'document-no-member',
    {
      ...anonymous,
      says: 'A metadata document does not make a member client.',
      change: 'Refuse account:read to clients with a document.',
    },
    async (on) =>
      refusedRequest(await refusedDocument(on, 'client', 'openid account:read'), ['invalid_scope'], 'account:read of a document'), // prettier-ignore
  ),
  wrong(
    'http',
    'A document is published over https.',
    'Refuse a client_id that begins with http:.',
  ),
  wrong('without-redirect-uris', 'A document has redirect_uris.', 'Refuse a document without a list of redirect URIs.'), // prettier-ignore
  wrong('redirect-elsewhere', 'A redirect URI of a document is under its host, or a loopback address.', 'Compare the host of each https redirect URI with that of the document.'), // prettier-ignore
  statement(
    'Resources: metadata document',
    'document-redirect-here',
    {
      ...anonymous,
      says: 'A redirect URI of a document may be under its host.',
      change: 'Accept https redirect URIs on the host of the document.',
    },
    async (on) => {
      await requirePublished(on)
      const client = await documentClient(on, 'redirect-here')
      const redirectUri = new URL('callback', client.clientId).href
      const ended = await on.knock({ ...client, redirectUri })
      return judge(ended, isAsked(ended), 'it leads to a page', describe(ended))
    },
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

/** Whether a page has a button that allows. */
function canAllow(page: Ended['page']): boolean {
  try {
    return decisionOf(page, true) !== null
  } catch {
    return false
  }
}
