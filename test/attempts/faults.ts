import type { AttemptTurn } from 'hallpass/clients'
import { authorizeBearer, defineSite, type SiteOptions } from 'hallpass'
import { type Fields, post, STATE, type Tokens, userinfo } from '../support/school/flow.js'
import { authorizationUrl } from '../support/school/real-client.js'
import { createBrowser, ISSUER, OWNER, T } from '../support/school/school.js'
import { allow, answerForm, type Run, turnOff, type Way } from './drive.js'
import { recorderOf } from './support.js'

/** A fault to plant, and what the record has to say about it. */
export interface Fault {
  readonly name: string
  readonly reason: string
  readonly turn: AttemptTurn
  /** Text that the sentence contains, beside what the reason says. */
  readonly says?: string
  /** The clients that can meet it. Default: all. */
  readonly meets?: (client: { way: Way; redirectUri: string; sendsResource: boolean }) => boolean
  /** Whether a manager has entered the client as a member app. */
  readonly by?: 'hand'
  readonly options?: Omit<Partial<SiteOptions>, 'documents'> & {
    readonly documents?: { readonly allowedHosts: readonly string[] }
  }
  /** What the host of the document responds. */
  readonly document?: (content: Readonly<Record<string, unknown>>) => Response
  readonly registration?: (
    metadata: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>>
  readonly afterRegistration?: (run: Run, clientId: string) => Promise<void>
  readonly request?: (fields: Fields, run: Run) => Fields
  /** What the person does. Default: allows. Returns the code. */
  readonly visit?: (run: Run, url: URL) => Promise<string | null>
  readonly afterCode?: (run: Run, clientId: string) => Promise<void>
  readonly exchange?: (fields: Fields) => Fields
  readonly afterToken?: (run: Run, done: { tokens: Tokens; exchange: Fields }) => Promise<void>
  /** The client, or the person, does nothing more. */
  readonly endsAfter?: 'discovery' | 'registration' | 'code' | 'sign_in' | 'consent'
}

type Meets = NonNullable<Fault['meets']>
const fetched: Meets = ({ way }) => way === 'document'
const registers: Meets = ({ way }) => way === 'vendor' || way === 'registration'
const registersItself: Meets = ({ way }) => way === 'registration'
const isLoopback = (uri: string): boolean =>
  ['127.0.0.1', 'localhost'].includes(new URL(uri).hostname)
const sendsResource: Meets = (client) => client.sendsResource

/** Changes the redirect URI that is sent. */
const redirected =
  (change: (url: URL) => void): NonNullable<Fault['request']> =>
  (_fields, { real }) => {
    const url = new URL(real.authorize.redirectUri)
    change(url)
    return { redirect_uri: url.href }
  }

const as =
  (roles: readonly string[]): NonNullable<Fault['visit']> =>
  (run, url) => {
    run.school.people.set(OWNER.subject, { ...OWNER, roles })
    return allow(run, url)
  }

const WRONG = 'another-verifier-of-forty-three-characters-or-more'
const client = { turn: 'client' } as const
const person = { turn: 'person' } as const
const manager = { turn: 'manager' } as const
const developer = { turn: 'developer' } as const

/** Every fault of the matrix, in the order in which a client can meet it. */
export const FAULTS: readonly Fault[] = [
  {
    ...client,
    name: 'It reads the metadata and stops',
    reason: 'nothing_after_discovery',
    endsAfter: 'discovery',
  },
  {
    ...client,
    name: 'It registers an address that is not on this computer',
    reason: 'redirect_uri_not_loopback',
    meets: registersItself,
    registration: (metadata) => ({ ...metadata, redirect_uris: ['https://app.example/cb'] }),
    says: 'https://app.example',
  },
  {
    ...client,
    name: 'Its registration has a malformed list of addresses',
    reason: 'redirect_uris_malformed',
    meets: registersItself,
    registration: (metadata) => ({ ...metadata, redirect_uris: 'http://127.0.0.1/cb' }),
  },
  {
    ...client,
    name: 'It registers and opens no browser',
    reason: 'nothing_after_registration',
    meets: registers,
    endsAfter: 'registration',
  },
  {
    ...client,
    name: 'It uses a registration that was deleted',
    reason: 'client_unknown',
    meets: registers,
    request: () => ({ client_id: 'app_that_was_deleted' }),
  },
  {
    ...manager,
    name: 'The host of its document is not allowed',
    reason: 'document_host_not_allowed',
    meets: fetched,
    options: { documents: { allowedHosts: [] } },
  },
  {
    ...client,
    name: 'A bot wall responds with 403 for its document',
    reason: 'document_unavailable',
    meets: fetched,
    document: () => new Response('Checking your browser', { status: 403 }),
    says: '403',
  },
  {
    ...client,
    name: 'The host of its document does not respond',
    reason: 'document_unavailable',
    meets: fetched,
    document: () => {
      throw new Error('connection refused')
    },
  },
  {
    ...client,
    name: 'Its document is a web page',
    reason: 'document_unavailable',
    meets: fetched,
    document: () => new Response('<p>Hello', { headers: { 'content-type': 'text/html' } }),
    says: 'document_media_type_not_json',
  },
  {
    ...client,
    name: 'Its document names another `client_id`',
    reason: 'document_client_id_mismatch',
    meets: fetched,
    document: (content) => Response.json({ ...content, client_id: 'https://other.example/c.json' }),
  },
  {
    ...client,
    name: 'Its document names an address on another host',
    reason: 'document_redirect_uri_of_other_host',
    meets: fetched,
    document: (content) =>
      Response.json({ ...content, redirect_uris: ['https://other.example/callback'] }),
  },
  {
    ...manager,
    name: 'A manager has blocked it',
    reason: 'client_blocked',
    meets: fetched,
    // Only a document that was used once can be blocked.
    afterRegistration: async (run, clientId) => {
      const { school, real } = run
      await school.fetch(authorizationUrl(real, clientId, ['openid']))
      await turnOff(run, clientId)
      school.clock.now += 1
    },
  },
  {
    ...manager,
    name: 'A manager has turned it off',
    reason: 'client_disabled',
    meets: registersItself,
    afterRegistration: turnOff,
  },
  {
    ...manager,
    name: 'MCP connections of members are off',
    reason: 'member_clients_off',
    by: 'hand',
    options: { memberClients: () => false },
    request: () => ({ scope: 'openid account:read' }),
  },
  {
    ...client,
    name: 'It sends an address with another path',
    reason: 'redirect_uri_not_registered',
    request: redirected((url) => (url.pathname += 'x')),
    says: 'another path',
  },
  {
    ...client,
    name: 'It sends an address on another host',
    reason: 'redirect_uri_not_registered',
    request: redirected((url) => (url.hostname = 'other.example')),
    says: 'other.example',
  },
  {
    ...client,
    name: 'It sends an address with another port',
    reason: 'redirect_uri_not_registered',
    meets: ({ redirectUri }) => !isLoopback(redirectUri),
    request: redirected((url) => (url.port = '8443')),
    says: ':8443',
  },
  {
    ...client,
    name: 'It sends no `state`',
    reason: 'state_missing',
    request: () => ({ state: null }),
  },
  {
    ...client,
    name: 'It sends no PKCE',
    reason: 'code_challenge_missing',
    request: () => ({ code_challenge: null, code_challenge_method: null }),
  },
  {
    ...client,
    name: 'It sends plain PKCE',
    reason: 'code_challenge_method_not_supported',
    request: () => ({ code_challenge_method: 'plain' }),
    says: 'plain',
  },
  {
    ...client,
    name: 'It asks for a token in the redirect',
    reason: 'response_type_not_supported',
    request: () => ({ response_type: 'token' }),
    says: 'sent token',
  },
  {
    ...client,
    name: 'It names another resource',
    reason: 'resource_unknown',
    request: () => ({ resource: 'https://other.example' }),
    says: 'other.example',
  },
  {
    ...client,
    name: 'It asks for a scope of members',
    reason: 'scope_of_other_audience',
    request: () => ({ scope: 'openid account:read' }),
    says: 'account:read',
  },
  {
    ...client,
    name: 'It asks for a scope that no one knows',
    reason: 'scope_unknown',
    request: () => ({ scope: 'openid read:everything' }),
    says: 'read:everything',
  },
  {
    ...client,
    name: 'It asks for no scope',
    reason: 'scope_missing',
    request: () => ({ scope: null }),
  },
  {
    ...client,
    name: 'It asks without a page, and no one is signed in',
    reason: 'person_signed_out',
    request: (_fields, { school }) => {
      school.signedIn = null
      return { prompt: 'none' }
    },
  },
  {
    ...person,
    name: 'The person leaves the sign-in page',
    reason: 'sign_in_abandoned',
    endsAfter: 'sign_in',
    visit: (run, url) => {
      run.school.signedIn = null
      return allow(run, url)
    },
  },
  {
    ...person,
    name: 'The page is opened in another browser',
    reason: 'interaction_of_other_browser',
    visit: async ({ school }, url) => {
      const sent = await school.fetch(url)
      school.clock.now += 1
      await createBrowser(school).open(new URL(sent.headers.get('location')!, ISSUER))
      return null
    },
  },
  {
    ...person,
    name: 'A student connects an app for the staff',
    reason: 'person_not_staff',
    visit: as(['student']),
  },
  {
    ...manager,
    name: 'The person has no role',
    reason: 'person_has_no_role',
    visit: as([]),
  },
  {
    ...person,
    name: 'The person leaves the consent page',
    reason: 'consent_abandoned',
    endsAfter: 'consent',
    visit: async ({ browser }, url) => {
      await browser.open(url)
      return null
    },
  },
  {
    ...person,
    name: 'The person presses Cancel',
    reason: 'person_denied',
    visit: async (run, url) => {
      await run.browser.open(url)
      await answerForm(run, 'deny')
      return null
    },
  },
  {
    ...person,
    name: 'The form of another page is sent',
    reason: 'csrf_token_mismatch',
    visit: async (run, url) => {
      await run.browser.open(url)
      await answerForm(run, 'allow', 'of-another-page')
      return null
    },
  },
  {
    ...person,
    name: 'The page is answered too late',
    reason: 'interaction_expired',
    visit: async (run, url) => {
      await run.browser.open(url)
      run.school.clock.now += 3600
      await answerForm(run, 'allow')
      return null
    },
  },
  {
    ...developer,
    name: 'The clock of the server is wrong',
    reason: 'clock_skewed',
    visit: async (run, url) => {
      await run.browser.open(url)
      run.school.clock.now += 61
      run.database.now = T - 3600
      await answerForm(run, 'allow')
      return null
    },
  },
  {
    ...client,
    name: 'It does not exchange the code',
    reason: 'code_not_exchanged',
    endsAfter: 'code',
  },
  {
    ...client,
    name: 'It exchanges the code too late',
    reason: 'code_expired',
    afterCode: async ({ school }) => {
      school.clock.now += 601
    },
  },
  {
    ...client,
    name: 'It sends another verifier',
    reason: 'code_verifier_mismatch',
    exchange: () => ({ code_verifier: WRONG }),
  },
  {
    ...client,
    name: 'It sends no verifier',
    reason: 'code_verifier_missing',
    exchange: () => ({ code_verifier: null }),
  },
  {
    ...client,
    name: 'It sends another address to the token endpoint',
    reason: 'redirect_uri_mismatch',
    exchange: () => ({ redirect_uri: 'http://127.0.0.1:1/other' }),
    says: '127.0.0.1:1',
  },
  {
    ...client,
    name: 'It sends another resource to the token endpoint',
    reason: 'resource_mismatch',
    meets: sendsResource,
    exchange: () => ({ resource: 'https://other.example' }),
    says: 'other.example',
  },
  {
    ...client,
    name: 'It sends a secret that it does not have',
    reason: 'client_secret_unexpected',
    exchange: () => ({ client_secret: 'made-up' }),
  },
  {
    ...client,
    name: 'It exchanges the code of another client',
    reason: 'code_of_other_client',
    exchange: () => ({ client_id: 'study-buddy' }),
  },
  {
    ...manager,
    name: 'The person is deleted before the exchange',
    reason: 'person_gone',
    afterCode: async ({ school }) => {
      school.people.delete(OWNER.subject)
    },
  },
  {
    ...developer,
    name: 'The storage is away at the exchange',
    reason: 'service_unavailable',
    afterCode: async ({ school }) => {
      school.store.redeemCode = async () => {
        throw new Error('connection refused')
      }
    },
  },
  {
    ...client,
    name: 'It exchanges the code again',
    reason: 'code_replayed',
    afterToken: async ({ school }, { exchange }) => {
      school.clock.now += 60
      await post(school, '/api/oauth/token', exchange)
    },
  },
  {
    ...client,
    name: 'Its first call needs a scope that it does not have',
    reason: 'scope_not_granted',
    request: () => ({ scope: 'openid' }),
    afterToken: async ({ school }, { tokens }) => {
      await authorizeBearer(school.site, {
        authorization: `Bearer ${tokens.access_token}`,
        required: ['courses:read'],
      })
    },
  },
  {
    ...client,
    name: 'It calls another site with its token',
    reason: 'access_token_for_other_resource',
    afterToken: async ({ school }, { tokens }) => {
      const other = defineSite({ ...school.siteOptions, issuer: 'https://other.example' })
      await authorizeBearer(other, {
        authorization: `Bearer ${tokens.access_token}`,
        required: [],
      })
      await recorderOf(other).settled()
    },
  },
  {
    ...developer,
    name: 'Its token is not known at the first call',
    reason: 'access_token_unknown',
    endsAfter: 'code',
    visit: async ({ school }) => {
      school.clock.now += 1
      await userinfo(school, `hpa_${STATE}`)
      return null
    },
  },
]
