import type { Created } from '../finding.js'
import { notApplicable, notReached, Stop } from '../finding.js'
import {
  answerForms,
  type Credentials,
  type SignIn,
  signInFormOf,
  type Step,
  type Surface,
} from '../sign-in.js'
import { createAsClient, type Keys } from './as-client.js'
import { createSigningKey, readSigningKey } from './assertion.js'
import { type Browser, createBrowser, type Page, pathOfPage } from './browser.js'
import { createDiscovery, type Discovery } from './discovery.js'
import { type Answer, type Exchange, type Http, LATE, type SendOptions, within } from './http.js'
import { createMcp, type Mcp } from './mcp.js'
import { createProofKey } from './proof.js'
import { challengeOf, newSecret } from './random.js'

/** A client as checks use it. */
export interface Client extends Keys {
  readonly clientId: string
  /** `null` if it has none. */
  readonly secret: string | null
  readonly redirectUri: string
  readonly scope: string
}

/** Whether a client has nothing to prove who it is. */
export const isPublic = ({ secret, key }: Client): boolean => secret === null && key === undefined

/** The clients that all checks share. */
type ClientName = 'first' | 'second' | 'confidential' | 'signing' | 'service' | 'member'

/** One of the two people of the sign-in, or its member. */
type Person = 0 | 1 | 'member'

/** Parameters in place of the usual ones: `null` leaves one out, a list repeats it. */
export type Changes = Readonly<Record<string, string | null | readonly string[]>>

/** An authorization request, and what it needs to be finished. */
export interface AuthorizationRequest {
  readonly url: URL
  readonly client: Client
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

/** An authorization request, and where it ended. */
export interface Ended extends AuthorizationRequest {
  readonly person: Person | null
  /** The last page that the browser showed, or where it was sent. */
  readonly page: Page
  /** The parameters at the redirect URI; `null` if the browser was not sent there. */
  readonly parameters: URLSearchParams | null
}

/** A code that has not been redeemed. */
export interface Code extends Ended {
  readonly code: string
}

/** Tokens that the token endpoint issued. */
export interface Tokens {
  readonly accessToken: string
  /** `null` if the server issued none. */
  readonly refreshToken: string | null
  /** `null` if the server issued none. */
  readonly idToken: string | null
  /** When the tokens came, in epoch seconds. */
  readonly receivedAt: number
  readonly answer: Answer
  readonly code: Code
}

/** A place at which an access token was tried. */
export interface Use {
  readonly surface: string
  readonly answer: Answer
  /** Whether the server took the token as valid. */
  readonly isAccepted: boolean
}

/** A place at which access tokens are tried, whatever they are sent with. */
export interface Place {
  readonly surface: string
  readonly url: URL
  readonly method: string
  /** `session` is a token whose MCP session the request is part of, if the server has sessions. */
  readonly send: (options: {
    readonly headers?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, string>>
    readonly session?: string
  }) => Promise<Answer>
  /** Whether an answer shows that a token was taken as valid: where no one needs one, it lists further tools. */
  readonly isRead: (answer: Answer) => Promise<boolean>
}

/** Who sends an authorization request, and what is changed in it. */
export interface AuthorizeOptions {
  /** Default: the first of the clients that all checks share. */
  readonly client?: Client
  /** Default: the two people take turns. */
  readonly person?: Person
  /** Default: `true`. */
  readonly allow?: boolean
  /** Default: none. */
  readonly changes?: Changes
}

/** The means of a check. A method that does not get anywhere throws {@link Stop}. */
export interface Audit extends Discovery, Mcp {
  readonly origin: string
  /** The issuer identifier: the origin, and the path that the audit was given. */
  readonly issuer: string
  readonly signIn: SignIn | null
  /** A URL of a client metadata document that the operator publishes for the audit; `null` if there is none. */
  readonly clientDocument: string | null
  readonly send: (target: URL | string, options?: SendOptions) => Promise<Answer>
  /** Lets the report show an answer as the one that decided, also if an earlier check received it. */
  readonly show: (answer: Answer) => void
  /** Whether requests with `isElsewhere` come from another network than all others. */
  readonly isApart: () => boolean
  /** Sends a form: `null` leaves a field out, a list repeats it. */
  readonly form: (
    target: URL | string,
    fields: Changes,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** Sends a registration: that of a public client on this computer, with changes. */
  readonly register: (changes?: Readonly<Record<string, unknown>>) => Promise<Answer>
  /** A client that all checks share. None may end it. */
  readonly client: (name?: ClientName) => Promise<Client>
  /** The scope that clients request. */
  readonly scope: () => Promise<string>
  /** A further client, for a check that spends it: a public one, or one that signs where the server takes no other. */
  readonly newClient: (changes?: Readonly<Record<string, unknown>>) => Promise<Client>
  /** An authorization request that is right but for the changes. It is not sent. */
  readonly request: (client: Client, changes?: Changes) => AuthorizationRequest
  /** The browser of a person, which stays signed in; `null` for one in which no one is. */
  readonly browser: (person: Person | null) => Browser
  /** Sends an authorization request as a person who signs in and decides. */
  readonly authorize: (options?: AuthorizeOptions) => Promise<Ended>
  /**
   * Opens an address as a person who signs in and decides, such as the one that a device shows: the last page. A page that
   * asks for a code gets `userCode`.
   */
  readonly visit: (
    target: URL | string,
    options?: {
      readonly person?: Person
      readonly allow?: boolean
      readonly userCode?: string
      readonly until?: (page: Page) => boolean
    },
  ) => Promise<Page>
  /** Sends an authorization request from a browser in which no one is signed in. */
  readonly knock: (client: Client, changes?: Changes) => Promise<Ended>
  /** The page at which a person has to decide: they are signed in, and nothing is decided yet. */
  readonly consentPage: (options?: AuthorizeOptions) => Promise<Ended>
  /** Lets the person decide at a page of `consentPage`. */
  readonly decide: (at: Ended, allow: boolean) => Promise<Ended>
  readonly code: (options?: AuthorizeOptions) => Promise<Code>
  /** The fields of a code exchange that is right, and of its client. */
  readonly redemption: (code: Code) => Record<string, string>
  readonly redeem: (code: Code, changes?: Changes) => Promise<Answer>
  /** Tokens of a new grant, for a check that ends it. */
  readonly tokens: (options?: AuthorizeOptions) => Promise<Tokens>
  /** Tokens that all checks share: none may end them. */
  readonly sharedTokens: () => Promise<Tokens>
  /** Refreshes as the client of the tokens. Stops if there is no refresh token. */
  readonly refresh: (
    tokens: Tokens,
    changes?: Changes,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** Redeems or refreshes: reads tokens from an answer, or stops. */
  readonly tokensOf: (answer: Answer, code: Code) => Tokens
  /** Asks about a token as the confidential client. */
  readonly introspect: (token: string, changes?: Changes) => Promise<Answer>
  readonly revoke: (token: string, changes?: Changes, client?: Client) => Promise<Answer>
  /** The resource that the server names for access tokens; `null` if it names none. */
  readonly resourceIdentifier: () => Promise<string | null>
  /**
   * Tries an access token at every surface: `UserInfo`, `/mcp` and the paths of the sign-in. `at` names one of the first
   * two, is one of the sign-in, or is `paths` for all of these.
   */
  readonly use: (
    accessToken: string,
    at?: 'UserInfo' | '/mcp' | 'paths' | Surface,
  ) => Promise<readonly Use[]>
  /** The places at which access tokens are tried: UserInfo, the surfaces of the sign-in, and `/mcp`. */
  readonly places: () => Promise<readonly Place[]>
  /** Sends what `run` sends without pushing it, also where the server wants all authorization requests pushed. */
  readonly unpushed: <Value>(run: () => Promise<Value>) => Promise<Value>
  /** Keeps what several checks need, so that it is made once. */
  readonly once: <Value>(name: string, make: () => Promise<Value>) => Promise<Value>
  /** Clients and authorization requests that were created so far. */
  readonly created: () => Created
}

export interface AuditOptions {
  readonly issuer: string
  readonly http: Http
  readonly signIn: SignIn | null
  /** Whether people may be signed in, which no depth but `people` does. */
  readonly mayAsk: boolean
  readonly clientDocument: string | null
}

/** A value that is made once for an audit, and the last exchange that it took. */
interface Kept {
  readonly value: Promise<unknown>
  last: Exchange | null
  hasFailed: boolean
}

/** Who answers pages, and how. */
interface Answering {
  readonly allow: boolean
  readonly credentials: Credentials
  readonly userCode?: string
  readonly until: (page: Page) => boolean
}

/** The tokens that all checks share, as they were when they were last tried. */
interface Shared {
  readonly tokens: Tokens
  /** Whether they opened anything when they were new. */
  readonly isOpen: boolean
  /** How many authorization requests there were then. */
  seen: number
  /** How many grants the shared tokens took so far. */
  readonly grants: number
}

/** The redirect URI of clients that the audit registers. Nothing listens there, and nothing needs to. */
export const REDIRECT_URI = 'http://127.0.0.1:47317/callback'
const MOST_PAGES = 10
/** How many grants the shared tokens take at most, at a server that ends a grant for the next one. */
export const MOST_SHARED_GRANTS = 8

export function createAudit({
  issuer,
  http: wire,
  signIn,
  mayAsk,
  clientDocument,
}: AuditOptions): Audit {
  const { origin } = new URL(issuer)
  const kept = new Map<string, Kept>()
  const created = { clients: 0, authorizations: 0 }
  const browsers = new Map<Person, Browser>()
  let turn = 0
  /** Whether a grant ends when its person allows the same client again. */
  let isReplaced = false

  /** `isSubject`: a check is about it, so its row shows the exchange that led to it, also if an earlier check sent it. */
  function keep<Value>(
    name: string,
    make: () => Promise<Value>,
    isSubject = false,
  ): Promise<Value> {
    const known = kept.get(name)
    if (known !== undefined) {
      // A failure is the reason why a check does not continue.
      if (known.last !== null && (isSubject || known.hasFailed)) http.recall(known.last)
      return known.value as Promise<Value>
    }
    const value = make()
    const made: Kept = { value, last: null, hasFailed: false }
    kept.set(name, made)
    const end = (hasFailed: boolean) => (): void => {
      Object.assign(made, { last: http.exchanges().at(-1) ?? null, hasFailed })
    }
    // A check that no one waits for yet must not end the process.
    value.then(end(false), end(true))
    return value
  }
  const once: Audit['once'] = (name, make) => keep(name, make, true)
  const discovery = createDiscovery({
    issuer,
    endpoints: signIn?.endpoints ?? null,
    http: wire,
    once,
  })
  const asClient = createAsClient(wire, discovery)
  const http: Http = { ...wire, send: (target, options) => asClient.send(target, options) }

  const form: Audit['form'] = (target, fields, headers = {}) =>
    asClient.send(target, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
      body: encode(fields).toString(),
    }, fields['client_assertion'] !== null) // prettier-ignore

  const register: Audit['register'] = async (changes = {}) => {
    created.clients += 1
    const metadata = {
      client_name: 'hallpass-audit',
      application_type: 'native',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...changes,
    }
    return http.send(await discovery.endpoint('registration_endpoint'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(metadata),
    })
  }

  const signingAlgorithms = (): Promise<readonly string[]> =>
    discovery.listOf('token_endpoint_auth_signing_alg_values_supported')
  /** A key to which tokens are bound, if the server verifies proofs. */
  const newProofKey = async () =>
    (await createProofKey(await discovery.listOf('dpop_signing_alg_values_supported'))) ?? undefined

  async function newClient(changes: Readonly<Record<string, unknown>> = {}): Promise<Client> {
    await prepareIfAny()
    const isOnly = changes['token_endpoint_auth_method'] === undefined && (await discovery.takesSignersOnly())
    const isSigning = isOnly || changes['token_endpoint_auth_method'] === 'private_key_jwt'
    const key = isSigning ? await createSigningKey(await signingAlgorithms()) : undefined
    const proof = isOnly ? await newProofKey() : undefined
    const { status, json } = await register({
      ...(key !== undefined && {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: key.alg,
        jwks: { keys: [key.publicJwk] },
      }),
      ...(proof !== undefined && { dpop_bound_access_tokens: true }),
      ...changes,
    })
    const { client_id: clientId, client_secret: secret, redirect_uris: uris } = json
    // The operator created clients that sign, and no one can create one of a check.
    if (isOnly && status >= 400 && signIn?.clients?.first !== undefined)
      throw new Stop(notApplicable(`the server registers no client that signs (${status})`))
    if (status >= 300 || typeof clientId !== 'string')
      throw new Stop(
        notReached(
          `no client could be registered (${status}): give \`clients\` in the file of --sign-in`,
        ),
      )
    const [redirectUri = REDIRECT_URI] = Array.isArray(uris) ? (uris as string[]) : []
    return remembered({ clientId, secret: typeof secret === 'string' ? secret : null, key, proof, redirectUri, scope: await scope() })
  } // prettier-ignore

  function remembered(of: Client): Client {
    asClient.know(of)
    return of
  }

  const client: Audit['client'] = (name = 'first') =>
    keep(`client ${name}`, async () => {
      await prepareIfAny()
      const given = name === 'member' ? signIn?.member?.client : signIn?.clients?.[name]
      if (given !== undefined) {
        const { client_id: clientId, private_jwk: jwk, dpop_bound_access_tokens: isBound } = given
        const key =
          jwk === undefined ? undefined : await readSigningKey(jwk, await signingAlgorithms())
        return remembered({
          clientId,
          secret: given.client_secret ?? null,
          key,
          proof: isBound === true ? await newProofKey() : undefined,
          redirectUri: given.redirect_uri,
          scope: given.scope ?? (await scope()),
        })
      }
      if (name === 'member')
        throw new Stop(notReached('there is no member: give `member` in the file of --sign-in'))
      if (name === 'service')
        throw new Stop(notReached('give `clients.service` in the file of --sign-in'))
      if (name === 'first' || name === 'second') return newClient()
      // One that signs is confidential too.
      const { first } = signIn?.clients ?? {}
      if (
        first === undefined ? await discovery.takesSignersOnly() : first.private_jwk !== undefined
      )
        return client()
      if (name === 'signing') return newClient({ token_endpoint_auth_method: 'private_key_jwt' })
      const methods = await discovery.listOf('token_endpoint_auth_methods_supported')
      const method = ['client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one)) // prettier-ignore
      if (method === undefined)
        throw new Stop(notApplicable('the server names no method with a client secret'))
      const made = await newClient({ token_endpoint_auth_method: method })
      if (made.secret === null)
        throw new Stop(notReached('the server registered a confidential client without a secret'))
      return made
    })

  const scope = (): Promise<string> =>
    keep('scope', async () => {
      if (signIn?.scope !== undefined) return signIn.scope
      const ofResource = await discovery.resource().catch(() => null)
      const named = ofResource?.['scopes_supported'] ?? (await discovery.listOf('scopes_supported'))
      const scopes = Array.isArray(named) ? (named as string[]) : []
      const further = scopes
        .filter((one) => !['openid', 'offline_access'].includes(one))
        .slice(0, 2)
      // Without `offline_access`, some servers issue no refresh token, and nothing of them would be found out.
      const names = await discovery.listOf('scopes_supported')
      const ofOpenId = (one: string): readonly string[] => (names.includes(one) ? [one] : [])
      return [...ofOpenId('openid'), ...further, ...ofOpenId('offline_access')].join(' ')
    })

  const request: Audit['request'] = (of, changes = {}) => {
    const verifier = newSecret()
    const values = { state: newSecret(), nonce: newSecret() }
    const scopes = String(changes['scope'] ?? of.scope).split(' ')
    const parameters = encode({
      response_type: 'code',
      client_id: of.clientId,
      redirect_uri: of.redirectUri,
      scope: of.scope,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      ...(known.resource !== null && { resource: known.resource }),
      // OpenID Connect Core, section 11: without it, a server ignores the scope.
      ...(scopes.includes('offline_access') && { prompt: 'consent' }),
      state: values.state,
      // Some servers refuse it in a request that is not one of OpenID Connect.
      ...(scopes.includes('openid') && { nonce: values.nonce }),
      ...changes,
    })
    const url = new URL(known.authorize)
    for (const [name, value] of parameters) url.searchParams.append(name, value)
    return { url, client: of, verifier, ...values }
  }
  // The parts of every request, read before the first one is built.
  const known = { authorize: origin, resource: null as string | null }
  const prepare = (): Promise<void> =>
    keep('prepare', async () => {
      known.authorize = await discovery.endpoint('authorization_endpoint')
      known.resource = await discovery.resourceIdentifier()
    })

  /** So that `request` is right for every client that there is, also at a server that has no such requests. */
  const prepareIfAny = (): Promise<void> => prepare().catch(() => undefined)

  const browser: Audit['browser'] = (person) => {
    const own = person === null ? undefined : browsers.get(person)
    if (own !== undefined) return own
    const made = createBrowser(http, origin)
    if (person !== null) browsers.set(person, made)
    return made
  }

  function personOf(person: Person): Credentials {
    if (signIn === null || !mayAsk) throw new Stop(notReached('no one signs in: give --sign-in'))
    if (person === 'member') {
      if (signIn.member === undefined)
        throw new Stop(notReached('there is no member: give `member` in the file of --sign-in'))
      return signIn.member.person
    }
    const known = signIn.people[person]
    if (known === undefined)
      throw new Stop(notReached('the check needs two people: give a second one in `people`'))
    return known
  }

  /** Sends a request and lets the person answer, until the browser has left or `until` holds. */
  async function walk(
    { client: given, person = nextPerson(), allow = true, changes = {} }: AuthorizeOptions,
    until: (page: Page) => boolean,
  ): Promise<Ended> {
    await prepare()
    const asked = request(given ?? (await client()), changes)
    const credentials = personOf(person)
    if (allow) created.authorizations += 1
    const page = await browser(person).open(asked.url)
    return answerPages({ ...asked, person, page, parameters: null }, { credentials, allow, until })
  }

  /** Answers pages from the one that is shown, until the browser has left or `until` holds. */
  const answerPages = async (at: Ended, how: Answering): Promise<Ended> =>
    endedAt(at, await lastPage(browser(at.person), at.page, how))

  const knock: Audit['knock'] = async (of, changes) => {
    await prepare()
    const asked = request(of, changes)
    return endedAt({ ...asked, person: null }, await browser(null).open(asked.url))
  }

  async function lastPage(
    own: Browser,
    from: Page,
    { credentials, allow, userCode, until }: Answering,
  ): Promise<Page> {
    let page = from
    for (let pages = 0; page.left === null && pages < MOST_PAGES; pages++) {
      // A host with an `answer` of its own may show pages that a script builds.
      const isEnd = page.forms.length === 0 && (signIn?.answer === undefined || page.status >= 400)
      if (until(page) || isEnd) break
      const step = { browser: own, page, person: credentials, allow }
      const next = await answered({
        ...step,
        ...(userCode !== undefined && { userCode }),
      }).catch((error: unknown) => {
        // The browser of a device stays at the site: its last page may have a form that is of no request.
        if (userCode !== undefined && pages > 0 && error instanceof Stop) return null
        throw error
      })
      if (next === null) break
      page = next
    }
    return page
  }

  /** Why `answer` of the sign-in is not called again: each check would wait for it. */
  let hung: Stop | null = null
  async function answered(step: Step): Promise<Page> {
    const own = signIn?.answer
    if (own === undefined) return answerForms(step)
    if (hung !== null) throw hung
    const fault = (why: string, cause?: unknown): Stop => new Stop(notReached(`\`answer\` in the file of --sign-in ${why}`), { cause }) // prettier-ignore
    const patience = 3 * http.timeout
    try {
      const page = await within(
        patience,
        Promise.resolve().then(() => own(step)),
      )
      if (Array.isArray((page as Page | undefined)?.forms)) return page
    } catch (error) {
      if (error instanceof Stop) throw error
      if (error !== LATE) throw fault(`failed: ${error instanceof Error ? error.message : String(error)}`, error) // prettier-ignore
      hung = fault(`did not return within ${patience / 1000} s`)
      throw hung
    }
    throw fault('returned no page')
  }

  const visit: Audit['visit'] = async (target, { person = 0, allow = true, userCode, until = () => false } = {}) => {
    const credentials = personOf(person)
    created.authorizations += 1
    const own = browser(person)
    return lastPage(own, await own.open(target), { credentials, allow, until, ...(userCode !== undefined && { userCode }) })
  } // prettier-ignore

  function nextPerson(): 0 | 1 {
    if (signIn?.people[1] === undefined) return 0
    // The first person has the shared tokens.
    if (isReplaced) return 1
    turn += 1
    return (turn % 2) as 0 | 1
  }

  const authorize: Audit['authorize'] = (options = {}) => walk(options, () => false)

  const code: Audit['code'] = async (options = {}) => {
    const ended = await authorize(options)
    const value = ended.parameters?.get('code') ?? null
    if (value === null) {
      const why = ended.parameters?.get('error_description') ?? null
      throw new Stop(
        notReached(`no code came: ${describe(ended)}${why === null ? '' : `: ${why}`}`),
      )
    }
    return { ...ended, code: value }
  }

  const redemption: Audit['redemption'] = ({ code: value, client: of, verifier, url }) => {
    const resource = url.searchParams.get('resource')
    return {
      grant_type: 'authorization_code',
      code: value,
      redirect_uri: url.searchParams.get('redirect_uri') ?? of.redirectUri,
      client_id: of.clientId,
      code_verifier: verifier,
      ...(resource !== null && { resource }),
      ...(of.secret !== null && { client_secret: of.secret }),
    }
  }

  const redeem: Audit['redeem'] = async (of, changes = {}) =>
    form(await discovery.endpoint('token_endpoint'), { ...redemption(of), ...changes })

  const tokensOf: Audit['tokensOf'] = (answer, of) => {
    const {
      access_token: accessToken,
      refresh_token: refreshToken,
      id_token: idToken,
    } = answer.json
    if (answer.status !== 200 || typeof accessToken !== 'string')
      throw new Stop(
        notReached(
          `no token was issued: ${answer.status} ${JSON.stringify(answer.json['error'] ?? null)}`,
        ),
      )
    return {
      accessToken,
      refreshToken: typeof refreshToken === 'string' ? refreshToken : null,
      idToken: typeof idToken === 'string' ? idToken : null,
      receivedAt: Date.now() / 1000,
      answer,
      code: of,
    }
  }

  const tokens: Audit['tokens'] = async (options = {}) => {
    const of = await code(options)
    return tokensOf(await redeem(of), of)
  }

  const refresh: Audit['refresh'] = async ({ refreshToken, code: of }, changes = {}, headers) => {
    if (refreshToken === null) throw new Stop(notApplicable('the server issued no refresh token'))
    const resource = of.url.searchParams.get('resource')
    return form(await discovery.endpoint('token_endpoint'), {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: of.client.clientId,
      ...(resource !== null && { resource }),
      ...(of.client.secret !== null && { client_secret: of.client.secret }),
      ...changes,
    }, headers)
  } // prettier-ignore

  const introspect: Audit['introspect'] = async (token, changes = {}) => {
    const endpoint = await discovery.endpoint('introspection_endpoint')
    const of = await client('confidential')
    return form(endpoint, { token, client_id: of.clientId, client_secret: of.secret, ...changes })
  }

  const revoke: Audit['revoke'] = async (token, changes = {}, of) => {
    const endpoint = await discovery.endpoint('revocation_endpoint')
    const { clientId, secret } = of ?? (await client())
    return form(endpoint, { token, client_id: clientId, client_secret: secret, ...changes })
  }

  const mcp = createMcp({ origin, discovery, http, once })

  const places: Audit['places'] = () =>
    keep('places', async () => {
      const found: Place[] = []
      const userinfo = await discovery.optionalEndpoint('userinfo_endpoint')
      const all = [...(userinfo === null ? [] : [{ path: userinfo }]), ...(signIn?.surfaces ?? [])]
      for (const { path, method = 'GET', body } of all as readonly Surface[]) {
        const url = new URL(path, origin)
        found.push({
          surface: path === userinfo ? 'UserInfo' : path,
          url,
          method,
          isRead: async (answer) => isTaken(answer),
          send: ({ headers = {}, query = {} }) =>
            http.send(withQuery(url, query), {
              method,
              headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
              ...(body !== undefined && { body }),
            }),
        })
      }
      if (await mcp.hasMcp())
        found.push({
          surface: '/mcp',
          url: new URL(await mcp.mcpPath(), origin),
          method: 'POST',
          isRead: async (answer) => {
            if (!isTaken(answer)) return false
            const open = await keep('mcp open', () => mcp.mcp())
            return !isTaken(open) || toolsOf(answer) !== toolsOf(open)
          },
          send: ({ headers = {}, query = {}, session }) =>
            mcp.mcp({ ...(session !== undefined && { token: session }), headers: { authorization: null, ...headers }, query }),
        })
      return found
    }) // prettier-ignore

  const use: Audit['use'] = async (accessToken, at) => {
    const isWanted = (surface: string): boolean =>
      at === undefined ||
      (typeof at === 'object' ? at.path === surface : at === surface) ||
      (at === 'paths' && surface !== 'UserInfo' && surface !== '/mcp')
    const uses: Use[] = []
    for (const { surface, send } of await places()) {
      if (!isWanted(surface)) continue
      const headers = { authorization: `Bearer ${accessToken}` }
      const answer = await send({ headers, session: accessToken })
      uses.push({ surface, answer, isAccepted: isTaken(answer) })
    }
    return uses
  }

  /** Whether an access token works somewhere. The report of a check shows nothing of this. */
  async function opens({ accessToken }: Tokens): Promise<boolean> {
    const uses = await use(accessToken)
    http.begin()
    return uses.some(({ isAccepted }) => isAccepted)
  }

  /** Tokens of a new grant for all checks, and whether they open anything. */
  async function share(): Promise<Shared> {
    // Read first, so that a check can tell whether the key of the ID token was published before it signed.
    await discovery.keysAnswer().catch(() => undefined)
    const made = await tokens({ person: 0 })
    const isOpen = await opens(made)
    http.decide(made.answer)
    return { tokens: made, isOpen, seen: created.authorizations, grants: 1 }
  }

  return {
    ...discovery,
    ...mcp,
    origin,
    issuer,
    signIn,
    clientDocument,
    send: http.send,
    show: http.decide,
    isApart: http.isApart,
    form,
    register,
    client,
    scope,
    newClient,
    request: (of, changes) => request(of, changes),
    browser,
    authorize,
    visit,
    knock,
    consentPage: async (options = {}) => {
      const known = [...(signIn?.people ?? []), signIn?.member?.person].filter((person) => person !== undefined)
      const ended = await walk(options, (page) => page.forms.length > 0 && known.every((person) => signInFormOf(page, person) === null))
      if (ended.page.left !== null || ended.page.forms.length === 0)
        throw new Stop(notReached(`no page asked for consent: ${describe(ended)}`))
      return ended
    },
    decide: (at, allow) => answerPages(at, { credentials: personOf(at.person ?? 0), allow, until: () => false }),
    code,
    redemption,
    redeem,
    tokens,
    sharedTokens: async () => {
      let shared = await once('tokens', share)
      // A server may end a grant when its person allows the client again, or when another check uses a code twice.
      if (shared.isOpen && shared.seen < created.authorizations && !(await opens(shared.tokens))) {
        if (shared.grants === MOST_SHARED_GRANTS)
          throw new Stop(notReached('the server has ended the shared grant again and again'))
        isReplaced = true
        const again = share().then((next) => ({ ...next, grants: shared.grants + 1 }))
        kept.delete('tokens')
        shared = await once('tokens', () => again)
      }
      shared.seen = created.authorizations
      return shared.tokens
    },
    refresh,
    tokensOf,
    introspect,
    revoke,
    use,
    places,
    unpushed: asClient.unpushed,
    once,
    created: () => ({ ...created }),
  } // prettier-ignore
}

/**
 * Whether a token was taken. A 403 for a missing scope is of a token that is valid, and so is an error of JSON-RPC about a
 * method or its parameters.
 */
export const isTaken = ({ status, headers, json }: Answer): boolean => {
  const { jsonrpc, error } = json as { jsonrpc?: unknown; error?: { code?: unknown } }
  if (/error="?insufficient_scope/.test(headers.get('www-authenticate') ?? '')) return true
  if (status >= 300) return false
  return jsonrpc === undefined || error === undefined || error.code === -32601 || error.code === -32602 // prettier-ignore
}

/** The names of the tools that a message lists. */
function toolsOf({ json }: Answer): string {
  const { tools } = (json['result'] ?? {}) as { tools?: readonly { name?: unknown }[] }
  return JSON.stringify((Array.isArray(tools) ? tools : []).map(({ name }) => name as unknown))
}

function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const target = new URL(url)
  for (const [name, value] of Object.entries(query)) target.searchParams.append(name, value)
  return target
}

function encode(fields: Changes): URLSearchParams {
  const encoded = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) encoded.append(name, one)
  return encoded
}

function endedAt(asked: AuthorizationRequest & Pick<Ended, 'person'>, page: Page): Ended {
  const { left } = page
  const isAtClient = left !== null && left.origin + left.pathname === pathOf(asked.url)
  return { ...asked, page, parameters: isAtClient ? left.searchParams : null }
}

/** The redirect URI of a request, without its query. */
function pathOf(url: URL): string {
  const [uri = ''] = (url.searchParams.get('redirect_uri') ?? '').split('?')
  return URL.canParse(uri) ? `${new URL(uri).origin}${new URL(uri).pathname}` : uri
}

/** Says in words where a request ended. */
export function describe({ page, parameters }: Pick<Ended, 'page' | 'parameters'>): string {
  if (parameters !== null)
    return `the redirect URI received ${[...parameters].map(([name, value]) => (name === 'error' ? `error=${value}` : name)).join(', ')}`
  if (page.left !== null) return `the browser was sent to ${page.left.origin}${pathOfPage(page.left)}`
  return `the browser shows ${pathOfPage(page.url)} with status ${page.status}`
} // prettier-ignore
