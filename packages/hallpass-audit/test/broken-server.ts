import { randomBytes } from 'node:crypto'
import * as sdk from '@modelcontextprotocol/server'
import {
  createAuthorizationServer,
  createProtectedResource,
  defineSite,
  type SiteOptions,
} from 'hallpass'
import { createAdminApi, defineOperation } from 'hallpass/admin'
import {
  createOpenapiEndpoint,
  describeAccountApi,
  describeAuthorizationServer,
  describeMcpEndpoint,
} from 'hallpass/openapi'
import { createAccountApi } from 'hallpass/account'
import {
  type AuthorizationServerOptions,
  configureAuthorizationServer,
  createAuthMdEndpoint,
  createRouter,
  type SignedIn,
} from 'hallpass/authorization-server'
import {
  type Block,
  clientCredentials,
  clientSecretBasic,
  deviceGrant,
  dpop,
  fapi2,
  privateKeyJwt,
  pushedRequests,
} from 'hallpass/blocks'
import { defineClient, LOOKALIKES } from 'hallpass/clients'
import { createMcpEndpoint, defineTool, directAdapter, serverAdapter } from 'hallpass/mcp'
import { REFRESH_POLICY } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import { type AuditServerOptions, clientDocuments, type Handler, type SignIn } from 'hallpass-audit'
import { exportJWK, generateKeyPair } from 'jose'
import * as z from 'zod'
import { page, pages } from '../../../examples/common/pages.js'
import { createSource, enrollment } from '../../../test/support/school/account.js'

export const ORIGIN = 'http://127.0.0.1:3000'
/** The origin of a server of FAPI 2.0, which needs TLS. */
export const SECURE_ORIGIN = 'https://school.example'
/** The document that the operator of the server publishes for the audit. */
export const CLIENT_DOCUMENT = 'https://audit.example/client.json'
export const CLIENT_SECRET = 'the secret of the confidential client of the audit'
const { privateKey } = await generateKeyPair('ES256', { extractable: true })
/** The private key of the client that signs, which the server does not know. */
export const SIGNING_KEY = await exportJWK(privateKey)
const { privateKey: rsa } = await generateKeyPair('PS256', { extractable: true })
/** The private key of a client of FAPI 2.0 that signs with RSA. */
const RSA_KEY = await exportJWK(rsa)
const REDIRECT = 'http://127.0.0.1:47317/callback'

const DOCUMENTS = new Map(
  clientDocuments(new URL('.', CLIENT_DOCUMENT).href).map(({ name, content }) => [new URL(name, CLIENT_DOCUMENT).pathname, content]),
) // prettier-ignore
/** Fetches what the operator publishes for the audit, and nothing else. */
export async function fetchDocument(url: string): Promise<Response> {
  const content = DOCUMENTS.get(new URL(url).pathname)
  if (content === undefined) return new Response(null, { status: 404 })
  return new Response(content, { headers: { 'content-type': 'application/json' } })
}

/** What is wrong with a server. Everything that is left out is as it should be. */
export interface Fault {
  /** Options of the site in place of the right ones. */
  readonly site?: Partial<SiteOptions<string, Store, string>>
  /** Options of the authorization server in place of the right ones. */
  readonly server?: Partial<AuthorizationServerOptions>
  /** Blocks in place of the right ones of the same name. */
  readonly blocks?: readonly Block[]
  /** Methods of the store in place of the right ones. */
  readonly store?: (store: Store) => Partial<Store>
  /** The origin of the server. Default: {@link ORIGIN}. */
  readonly origin?: string
  /** Whether the server has the profile FAPI 2.0, and every client of the audit signs. Default: `false`. */
  readonly isFapi2?: boolean
  /** Requests and answers that come out differently: the outermost layer. */
  readonly wrap?: (next: Handler, parts: Parts) => Handler
}

/** What is behind a server, for a fault that has to reach it. */
interface Parts {
  readonly store: Store
  /** The session of a request; `null` if nobody is signed in. */
  readonly sessionOf: (request: Request) => SignedIn | null
}

/** A server with a fault, and how it is audited. */
export interface BrokenServer {
  readonly handler: Handler
  readonly options: AuditServerOptions & { readonly signIn: SignIn }
}

const PEOPLE = {
  per_ines: { email: 'ines@school.example', name: 'Ines', roles: ['owner'] },
  per_yuki: { email: 'yuki@school.example', name: 'Yuki', roles: ['owner'] },
  mem_mei: { email: 'mei@school.example', name: 'Mei-Ling', roles: ['student'] },
  srv_export: { email: null, name: null, roles: ['assistant'] },
} as const
const PASSWORD = 'a-password-of-this-test'

/** Every allowance lifted: an audit of a hundred requests in a second is not what they are for. */
const NO_ALLOWANCES = Object.fromEntries(
  ['fetchesOfDocument', 'fetchesOfHost', 'fetchesOfNetwork', 'fetchesOfSite', 'newDocumentsOfNetwork', 'registrationsOfNetwork', 'requestsOfNetwork', 'requestsOfBrowser', 'requestsOfPerson', 'signInsOfRequest', 'codesOfPerson'].map((name) => [name, null]),
) // prettier-ignore

/** A server with every block, in this process, and with one fault; without a fault it is right. */
export async function createBrokenServer(fault: Fault = {}): Promise<BrokenServer> {
  const { isFapi2 = false } = fault
  const origin = fault.origin ?? (isFapi2 ? SECURE_ORIGIN : ORIGIN)
  const memory = patient(createMemoryStore())
  const store: Store = { ...memory, ...fault.store?.(memory) }
  const sessions = new Map<string, SignedIn>()
  const sessionOf: Parts['sessionOf'] = ({ headers }) =>
    sessions.get(/(?:^|; )session=([\w-]{43})/.exec(headers.get('cookie') ?? '')?.[1] ?? '') ?? null
  const site = defineSite<string, Store, string>({
    issuer: origin,
    name: 'Example School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    lookalikes: LOOKALIKES,
    vendors: [
      {
        clientId: 'acme-notes',
        name: 'Acme Notes',
        redirectUris: ['https://acme.example/callback'],
        scopes: null,
        reviewedOn: '2026-11-20',
      },
    ],
    documents: { allowedHosts: ['audit.example'], fetchDocument },
    allowances: NO_ALLOWANCES,
    findPerson: async (subject) => {
      const person = PEOPLE[subject as keyof typeof PEOPLE] as (typeof PEOPLE)['per_ines'] | undefined
      return person === undefined ? null : { subject, orgId: 'school', picture: 'https://school.example/people/1.png', ...person }
    },
    blocks: [
      ...(isFapi2 ? [fapi2()] : [clientSecretBasic()]),
      privateKeyJwt(),
      deviceGrant({ page: (_, view) => page('Device', devicePage(view)) }),
      clientCredentials({ serviceOf: ({ clientId }) => (clientId === 'export' ? 'srv_export' : null) }),
      pushedRequests({ required: isFapi2 }),
      dpop(),
    ].map((right) => fault.blocks?.find(({ name }) => name === right.name) ?? right),
    ...fault.site,
  }) // prettier-ignore
  const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
  await keys.maintain()
  const own: AuthorizationServerOptions = {
    keys,
    interact: { ...pages, currentPerson: async (request) => sessionOf(request) },
    introspectionClientIds: ['desk'],
    refreshPolicies: {
      confidential: REFRESH_POLICY.withSecret,
      // An older token ends its family at once: an audit does not wait until `catchUpSeconds` are over.
      native: REFRESH_POLICY.lostResponse,
      public: REFRESH_POLICY.lostResponse,
    },
    ...fault.server,
  }
  const server = createAuthorizationServer(site, own)
  const configuration = configureAuthorizationServer(site, own)
  const services = { scopes: ['courses:read', 'events:read'] }
  if (isFapi2) {
    for (const id of ['one', 'two', 'desk']) await store.insertClient(signing(id, site.now()))
    await store.insertClient({ ...signing('export', site.now()), ...services })
  } else {
    await store.insertClient(confidential('desk', site.now()))
    await store.insertClient({ ...confidential('export', site.now()), ...services })
    await store.insertClient(signing('signer', site.now()))
  }
  await store.insertClient(
    defineClient({
      clientId: 'study-buddy',
      kind: 'member',
      name: 'Study Buddy',
      redirectUris: [REDIRECT],
      scopes: ['account:read', 'account:write'],
      ...(isFapi2 && SIGNS),
      createdAt: site.now(),
    }),
  )
  const mei = { profile: { email: PEOPLE.mem_mei.email, name: 'Mei-Ling', changes: [] }, enrollments: [enrollment()], orders: [], registrations: [], outlines: new Map() } // prettier-ignore
  const account = createAccountApi(site, {
    source: createSource(new Map([['mem_mei', mei]])).source,
  })
  const admin = createAdminApi(site, { operations: [READ_COURSES, CREATE_COURSE] })
  const { registry } = admin
  const mcp = createMcpEndpoint(site, {
    adapter: directAdapter(serverAdapter(sdk)),
    tools: [SCHOOL_INFO, LIST_COURSES],
  })
  const openapi = createOpenapiEndpoint(site, {
    registry,
    info: { title: 'Example School', version: '1.0.0' },
    alsoDescribes: [
      describeAuthorizationServer(configuration, server),
      describeAccountApi(account),
      describeMcpEndpoint(),
    ],
  })
  const authMd = createAuthMdEndpoint(server, { admin, account, openapi, mcp })
  const router = createRouter(server, account, admin, mcp, openapi, authMd)
  const gate = createProtectedResource(site).gate('courses:read')
  const OWN: Readonly<Record<string, Handler>> = {
    '/': () => page('Example School', '<h1>Example School</h1>'),
    '/courses': async (request) => {
      const access = await gate(request)
      return access instanceof Response ? access : Response.json({ data: ['Glazing'] })
    },
    '/sign-in': async (request) => {
      const form = new URLSearchParams(await request.text())
      const returnTo = form.get('return_to') ?? ''
      const [subject] = Object.entries(PEOPLE).find(([, { email }]) => email === form.get('email')) ?? [null] // prettier-ignore
      const isSafe = /^\/oauth\/(?:interaction\/[\w-]{43}|device)(?:\?[\w=-]*)?$/.test(returnTo)
      const isOwn = request.headers.get('sec-fetch-site') === 'same-origin'
      if (subject === null || form.get('password') !== PASSWORD || !isSafe || !isOwn)
        return page('Sorry', '<h1>Not signed in</h1>', { status: 403 })
      const id = randomBytes(32).toString('base64url')
      sessions.set(id, { subject, authTime: site.now() })
      const secure = origin.startsWith('https:') ? '; Secure' : ''
      const cookie = `session=${id}; Path=/; HttpOnly; SameSite=Lax${secure}`
      return new Response(null, { status: 303, headers: { location: returnTo, 'set-cookie': cookie } }) // prettier-ignore
    },
  }
  const right = limitGuesses(store, (request) =>
    (OWN[new URL(request.url).pathname] ?? router)(request),
  )
  const handler = fault.wrap?.(right, { store, sessionOf }) ?? right
  return {
    handler,
    options: {
      origin,
      // So that no verdict depends on how busy the machine is.
      timeout: 60_000,
      clientDocument: CLIENT_DOCUMENT,
      signIn: {
        people: [
          { email: PEOPLE.per_ines.email, password: PASSWORD },
          { email: PEOPLE.per_yuki.email, password: PASSWORD },
        ],
        scope: 'openid profile email courses:read',
        clients: isFapi2
          ? FAPI2_CLIENTS
          : {
              confidential: {
                client_id: 'desk',
                client_secret: CLIENT_SECRET,
                redirect_uri: REDIRECT,
              },
              signing: { client_id: 'signer', redirect_uri: REDIRECT, private_jwk: SIGNING_KEY },
              service: {
                client_id: 'export',
                client_secret: CLIENT_SECRET,
                redirect_uri: REDIRECT,
                scope: 'courses:read',
              },
            },
        surfaces: [{ path: '/courses', scope: 'courses:read' }],
        vendor: { name: 'acme notes', client_id: 'acme-notes' },
        member: {
          person: { email: PEOPLE.mem_mei.email, password: PASSWORD },
          client: {
            ...(isFapi2 && FAPI2_CLIENT),
            client_id: 'study-buddy',
            redirect_uri: REDIRECT,
            scope: 'openid profile email account:read',
          },
        },
      },
    },
  }
}

/** A limit as a proxy has it in front of a token endpoint: for who guesses the identifier of a client. */
function limitGuesses(store: Store, next: Handler): Handler {
  const guesses = new Map<string, number>()
  return async (request) => {
    if (new URL(request.url).pathname !== '/api/oauth/token') return next(request)
    const id = new URLSearchParams(await request.clone().text()).get('client_id') ?? ''
    if (id === '' || (await store.findClient(id)) !== null) return next(request)
    const count = (guesses.get(id) ?? 0) + 1
    guesses.set(id, count)
    if (count <= 20) return next(request)
    const headers = { 'retry-after': '60', 'cache-control': 'no-store' }
    return Response.json({ error: 'temporarily_unavailable' }, { status: 429, headers })
  }
}

/** A store in which the five seconds are over during which a code that is sent again ends nothing: an audit does not wait. */
const patient = (store: Store): Store => ({
  ...store,
  redeemCode: (redemption, events) =>
    store.redeemCode({ ...redemption, redeemedAt: redemption.redeemedAt - 6 }, events),
})

const confidential = (clientId: string, createdAt: number) =>
  defineClient({
    clientId,
    kind: 'loopback',
    name: `The ${clientId} of the school`,
    redirectUris: [REDIRECT],
    tokenEndpointAuthMethod: 'client_secret_post',
    secrets: [{ hash: hashToken(CLIENT_SECRET), expiresAt: null }],
    createdAt,
  })

const COURSE = z.object({ id: z.string(), title: z.string() })
const READ_COURSES = defineOperation({
  id: 'courses.list',
  summary: 'List courses',
  scope: 'courses:read',
  effect: 'read',
  method: 'GET',
  path: '/courses',
  input: z.strictObject({}),
  output: z.object({ data: z.array(COURSE) }),
  run: async () => ({ data: [{ id: 'glazing', title: 'Glazing' }] }),
})
const CREATE_COURSE = defineOperation({
  id: 'courses.create',
  summary: 'Create a course',
  scope: 'courses:write',
  effect: 'write',
  method: 'POST',
  path: '/courses',
  input: z.strictObject({ title: z.string() }),
  output: COURSE,
  run: async (_, { title }) => ({ id: 'new', title }),
})
const { d: _, ...publicKey } = SIGNING_KEY
const rsaPublicKey = { kty: RSA_KEY.kty!, n: RSA_KEY.n!, e: RSA_KEY.e! }
const SIGNS = {
  tokenEndpointAuthMethod: 'private_key_jwt',
  keys: { jwks: { keys: [publicKey, rsaPublicKey] }, jwksUri: null, signingAlg: null },
} as const
const signing = (clientId: string, createdAt: number) =>
  defineClient({
    clientId,
    kind: 'loopback',
    name: `The ${clientId} of the school`,
    redirectUris: [REDIRECT],
    ...SIGNS,
    createdAt,
  })
/** A client of FAPI 2.0: it signs, and its tokens are bound. */
const FAPI2_CLIENT = {
  private_jwk: SIGNING_KEY,
  redirect_uri: REDIRECT,
  dpop_bound_access_tokens: true,
}
const FAPI2_CLIENTS = {
  first: { client_id: 'one', ...FAPI2_CLIENT },
  second: { client_id: 'two', ...FAPI2_CLIENT, private_jwk: RSA_KEY },
  confidential: { client_id: 'desk', ...FAPI2_CLIENT },
  service: { client_id: 'export', ...FAPI2_CLIENT, scope: 'courses:read' },
}

const SCHOOL_INFO = defineTool({
  name: 'get_school_info',
  title: 'School information',
  description: 'Returns the name of the school.',
  input: z.strictObject({}),
  output: z.object({ name: z.string() }),
  run: async () => ({ name: 'Example School' }),
})

const LIST_COURSES = defineTool({
  name: 'list_courses',
  title: 'Courses',
  description: 'Returns the names of all courses.',
  scopes: ['courses:read'],
  input: z.strictObject({}),
  output: z.object({ titles: z.array(z.string()) }),
  run: async () => ({ titles: ['Glazing'] }),
})

/** Pages of the device grant: the form for the code, the question, the end. */
function devicePage(view: Parameters<Parameters<typeof deviceGrant>[0]['page']>[1]): string {
  if (view.page === 'done') return `<h1>${view.allowed ? 'Connected' : 'Not connected'}</h1>`
  if (view.page === 'code')
    return `<form method="post" action="/oauth/device"><input type="hidden" name="csrf_token" value="${view.csrfToken}">
      <input name="user_code" value="${view.userCode ?? ''}"><button>Continue</button></form>`
  return `<form method="post" action="${view.consent.action}"><input type="hidden" name="csrf_token" value="${view.consent.csrfToken}">
    <input type="hidden" name="user_code" value="${view.userCode}">
    <button name="decision" value="allow">Allow</button><button name="decision" value="deny">Cancel</button></form>`
} // prettier-ignore
