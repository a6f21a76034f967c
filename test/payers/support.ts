import { createRemoteGate } from 'hallpass'
import { createAccountApi } from 'hallpass/account'
import { routesOf } from 'hallpass/authorization-server'
import { clientCredentials, clientSecretBasic, deviceGrant, dpop, identityAssertion, privateKeyJwt, pushedRequests } from 'hallpass/blocks' // prettier-ignore
import { createMcpEndpoint, sdkAdapter } from 'hallpass/mcp'
import {
  ALLOWANCES,
  type Budget,
  createMemoryBudget,
  type Expense,
  createPasswordThrottle,
} from 'hallpass/operations'
import { createMemoryStore } from 'hallpass/store'
import { createSource } from '../support/school/account.js'
import {
  authorizationUrl,
  DESK_CLI,
  encode,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  signIn,
} from '../support/school/flow.js'
import {
  createDocumentSchool,
  documentAnswer,
  NOTES_CALLBACK,
  NOTES_DOCUMENT,
} from '../support/school/metadata-documents.js'
import { networkOf } from '../support/school/networks.js'
import { SEALING } from '../support/school/signing-client.js'
import { ISSUER, PORTFOLIO_HUB, PORTFOLIO_SECRET, type School } from '../support/school/school.js'
import { SDK_1 } from '../support/school/mcp-sdk.js'

export type Headers = Readonly<Record<string, string>>
type Answering = (request: Request) => Promise<Response>

/** One site with every block on, its routes, a sign-in form, both gates, the Account API and `/mcp`, where a network may do little. */
export interface Campus {
  readonly school: School
  /** Every path, and what answers it: those of the server come from `routesOf`. */
  readonly routes: ReadonlyMap<string, Answering>
  /** The cookie of a browser in which the person has signed in before. */
  readonly known: string
  readonly tokens: { readonly member: string; readonly portfolio: string }
  /** Budgets that were spent, and those that refused. */
  readonly spent: Set<string>
  readonly refused: Set<string>
}

const few = (amount: number, seconds = 600): Expense['allowance'] => ({ amount, seconds })
/** So few that a short trace spends them. The proportions are those of the default. */
const allowances: Partial<Record<keyof typeof ALLOWANCES, Expense['allowance']>> = {
  fetchesOfNetwork: few(2, 60),
  fetchesOfDocument: few(3, 60),
  fetchesOfHost: few(8, 60),
  fetchesOfSite: few(36, 60),
  newDocumentsOfNetwork: few(20, 86_400),
  registrationsOfNetwork: few(20, 86_400),
  requestsOfNetwork: few(40),
  requestsOfBrowser: few(4),
  requestsOfPerson: few(40),
}
/** The allowances of blocks, by how many times smaller they are here. */
const SMALLER = 20

export async function openCampus(): Promise<Campus> {
  const store = createMemoryStore()
  const spent = new Set<string>()
  const refused = new Set<string>()
  const memory = createMemoryBudget()
  const budget: Budget = {
    async spend(expense) {
      const { allowance, budget: name } = expense
      const isOfBlock = !(name in ALLOWANCES)
      const smaller = isOfBlock
        ? { ...allowance, amount: Math.max(3, allowance.amount / SMALLER) }
        : allowance
      const outcome = await memory.spend({ ...expense, allowance: smaller })
      if (expense.cost > 0) (outcome.ok ? spent : refused).add(name)
      return outcome
    },
  }
  const page = (): Response => new Response('a page')
  const { school, hosts } = await createDocumentSchool({
    store,
    signing: false,
    documents: { openRegistration: true },
    options: {
      networkOf,
      budget,
      allowances,
      introspectionClientIds: [PORTFOLIO_HUB.clientId],
      blocks: [
        dpop(),
        clientSecretBasic(),
        privateKeyJwt(),
        deviceGrant({ page }),
        clientCredentials({ serviceOf: () => null }),
        identityAssertion({ providers: { 'https://idp.example': { keys: { keys: [] }, clients: ['agent'], personOf: () => null } } }),
        pushedRequests(),
      ],
    },
  }) // prettier-ignore
  hosts.answer = (url) =>
    url.startsWith('https://notes.example/')
      ? documentAnswer({ ...NOTES_DOCUMENT, client_id: url, redirect_uris: [NOTES_CALLBACK] }, { 'cache-control': 'max-age=60' })
      : new Response(null, { status: 404 }) // prettier-ignore
  await store.insertClient(DESK_CLI)
  const tokens = {
    member: (await signIn(school)).access_token,
    portfolio: (await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })).access_token,
  }
  school.signedIn = null
  const remote = createRemoteGate({
    issuer: ISSUER,
    name: 'Grades',
    scopes: school.siteOptions.scopes,
    roles: school.siteOptions.roles,
    clientId: PORTFOLIO_HUB.clientId,
    clientSecret: PORTFOLIO_SECRET,
    networkOf,
    now: () => school.clock.now,
    budget,
    send: (url, init) => school.fetch(url, init),
  })
  const account = createAccountApi(school.site, {
    source: createSource(new Map()).source,
  })
  const mcp = createMcpEndpoint(school.site, { tools: [], adapter: sdkAdapter(SDK_1) })
  const remoteReads = remote.gate('account:read')
  const passwords = createPasswordThrottle(school.site, SEALING)
  const signInForm = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.clone().text())
    const isRight = async (): Promise<boolean> => form.get('password') === PASSWORD
    const attempt = await passwords.attempt(request, form.get('email') ?? '', isRight)
    if (attempt.ok)
      return new Response('signed in', { headers: { 'set-cookie': attempt.setCookie } })
    return new Response('not signed in', { status: attempt.retryAfterSeconds === 0 ? 401 : 429 })
  }
  const asResponse = async (decided: unknown): Promise<Response> =>
    decided instanceof Response ? decided : new Response('read')
  const atHome = new Request(`${ISSUER}/sign-in`, {
    method: 'POST',
    headers: { 'x-network': 'home' },
    body: new URLSearchParams({ email: EMAIL, password: PASSWORD }),
  })
  const [known = ''] = (await signInForm(atHome)).headers.get('set-cookie')!.split(';')
  spent.clear()
  return {
    school,
    known,
    tokens,
    spent,
    refused,
    routes: new Map<string, Answering>([
      ...routesOf(school.server).map(([path, endpoint]) => [path, endpoint] as const),
      ['/account/graphql', account.graphql],
      ['/mcp', mcp.endpoint],
      ['/sign-in', signInForm],
      ['/remote', async (request) => asResponse(await remoteReads(request))],
    ]),
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const ASKED = Object.fromEntries(authorizationUrl().searchParams)
/** Who signs in at the form of the host. */
export const EMAIL = 'mei@school.example'
export const PASSWORD = 'the right one'
export const NOTES = { redirect_uri: NOTES_CALLBACK, scope: 'openid courses:read' }
export const REGISTRATION = { client_name: 'Desk', redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'none' } // prettier-ignore

/**
 * What is sent to every route, whichever it is meant for. `index` makes each one new. A budget of a network that none of
 * them spends fails the property, so a block with a new one needs a line here.
 */
export const BODIES: readonly ((index: number) => { headers: Headers; body: string })[] = [
  ...[
    ASKED,
    { client_id: DESK_CLI.clientId, scope: 'openid courses:read' },
    { client_id: 'study-buddy', grant_type: 'refresh_token', refresh_token: 'x', token: 'x' },
    { email: EMAIL, password: 'a wrong one' },
  ].map((fields) => () => ({ headers: FORM, body: encode(fields).toString() })),
  (index) => ({
    headers: FORM,
    body: encode({ email: `${index}@school.example`, password: 'a guess' }).toString(),
  }),
  () => ({ headers: JSON_TYPE, body: JSON.stringify(REGISTRATION) }),
  (index) => ({
    headers: FORM,
    body: encode({ ...ASKED, ...NOTES, client_id: `https://notes.example/${index}` }).toString(),
  }),
  // A document that no one publishes.
  (index) => ({
    headers: FORM,
    body: encode({ ...ASKED, ...NOTES, client_id: `https://none.example/${index}` }).toString(),
  }),
  (index) => ({
    headers: { authorization: `Bearer hpa_${String(index).padStart(43, 'r')}`, ...JSON_TYPE },
    body: JSON.stringify({ query: '{ viewer { id } }' }),
  }),
]

/** A request: one of the bodies, to a route. */
export interface What {
  readonly path: string
  readonly kind: number
  readonly method: 'GET' | 'POST'
}

/** Sends one of the bodies to a route, with a method. */
export function send(
  { routes }: Campus,
  { path, kind, method, index, headers }: What & { index: number; headers: Headers },
): Promise<Response> {
  const { headers: own, body } = BODIES[kind]!(index)
  const url = ISSUER + path.replace(/[:{]\w+}?/, 'a'.repeat(43))
  const all = { ...own, ...headers }
  return routes.get(path)!(
    method === 'POST'
      ? new Request(url, { method, headers: all, body })
      : new Request(`${url}?${body.startsWith('{') ? '' : body}`, { headers: all }),
  )
}
