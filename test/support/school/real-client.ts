import type { SiteOptions } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import type { PublicClient } from '../../../packages/hallpass-lab/src/real-client.js'
import { type ClientOutcome, type RealClient, realClients, whoCanConnect } from 'hallpass-lab'
import { testSite } from 'hallpass/testing'
import { sha256Base64url } from '../../../src/encoding/hash.js'
import { createBrowser, createSchool, ISSUER, OWNER, type School } from './school.js'
import { split } from './bare-server.js'
import { encode, post, type Tokens, tokensOf, VERIFIER } from './flow.js'

/** What a test changes in the configuration; documents are answered from the fixtures. */
export type Configuration = Partial<
  AuthorizationServerOptions &
    Omit<SiteOptions, 'documents'> & {
      documents: Omit<NonNullable<SiteOptions['documents']>, 'fetchDocument'>
    }
>

/** What became of a client at the endpoints. */
export type Outcome = Pick<ClientOutcome, 'connects' | 'by' | 'clientId' | 'granted' | 'reason'>

/** The scopes that the resource metadata of a {@link createSchool} recommends, and the whole table. */
interface Offer {
  readonly recommended: readonly string[]
  readonly everything: readonly string[]
  readonly nothing: readonly string[]
}

/** What whoCanConnect says under a configuration. */
export function ask(
  { documents, ...more }: Configuration,
  clients?: readonly RealClient[],
): readonly ClientOutcome[] {
  const { ofSite, own } = split<AuthorizationServerOptions>(more)
  const fetchDocument = (): never => {
    throw new Error('nothing is fetched')
  }
  const { site } = testSite({
    issuer: ISSUER,
    ...ofSite,
    ...(documents !== undefined && { documents: { fetchDocument, ...documents } }),
  })
  return whoCanConnect(site, own, clients)
}

/** What whoCanConnect says of one client under a configuration. */
export const predict = (configuration: Configuration, real: RealClient): ClientOutcome =>
  ask(configuration, [real])[0]!

/** A client that has connected, with the tokens of its last refresh. */
export interface ConnectedClient {
  readonly school: School
  readonly clientId: string
  readonly tokens: Tokens
  /** Authorizes again, with these scopes. */
  readonly authorizeAgain: (scopes: readonly string[]) => Promise<Tokens>
}

/**
 * Lets a client connect to a server in this process: metadata, registration or document,
 * authorization by the owner, exchange, refresh.
 *
 * @param onConnected - receives the client once it has tokens
 */
export async function connectForReal(
  configuration: Configuration,
  client: RealClient,
  onConnected: (connected: ConnectedClient) => void = () => {},
): Promise<Outcome> {
  if (client.authorize === null) throw new Error(`what ${client.name} sends is not public`)
  const real: PublicClient = { ...client, authorize: client.authorize }
  const fetched: string[] = []
  const { documents, ...rest } = configuration
  const fetchDocument = async (url: string): Promise<Response> => {
    fetched.push(url)
    return Response.json(
      [real, ...realClients].find((one) => one.document?.url === url)!.document!.content,
    )
  }
  const school = await createSchool({
    options: {
      vendors: [],
      ...rest,
      ...(documents !== undefined && { documents: { ...documents, fetchDocument } }),
    },
  })
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  const metadata = await read(school, 'oauth-authorization-server')
  const { scopes_supported: recommended = [] } = await read(school, 'oauth-protected-resource/mcp')
  const offer = { recommended, everything: metadata['scopes_supported'], nothing: [] } as Offer

  const usesDocument =
    real.document !== null &&
    Object.entries(real.document.usedWhen).every(([member, wanted]) =>
      [metadata[member]].flat().includes(wanted),
    )
  const identities = usesDocument ? [{ client_id: real.document.url }] : []
  for (const body of usesDocument ? [] : real.registrations) {
    const answer = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) return refused(school)
    identities.push((await answer.json()) as { client_id: string })
  }
  const [first] = identities
  if (first === undefined) return { ...refused(school), reason: 'documents_not_supported' }

  const isVendor = configuration.vendors?.some(({ clientId }) => clientId === first.client_id)
  const by = usesDocument
    ? () => (fetched.length > 0 ? 'document' : 'pinned_document')
    : () => (isVendor ? 'vendor' : 'registration')
  for (const identity of identities) {
    const signedIn = await signIn(school, real, { identity, offer })
    const outcome = typeof signedIn === 'string' ? signedIn : 'tokens'
    if (typeof signedIn !== 'string')
      onConnected({
        school,
        clientId: identity.client_id,
        tokens: signedIn,
        authorizeAgain: (scopes) => authorize(school, real, { identity, scopes }),
      })
    const refusal = refused(school)
    // A page for a client that is known, but may not be sent anywhere.
    const isKnown = outcome !== 'page' || OF_KNOWN.has(refusal.reason)
    if (!isKnown) return refusal
    const known = { by: by(), clientId: by() === 'registration' ? null : first.client_id } as const
    if (outcome !== 'tokens') return { ...refusal, ...known }
    if (typeof signedIn !== 'string' && identity === identities.at(-1))
      return { connects: true, ...known, granted: signedIn.scope.split(' '), reason: null }
  }
  throw new Error('nobody signed in')
}

/** Refusals of a client that is known: one without a redirect, and of a document that no one has reviewed. */
const OF_KNOWN = new Set<string | null>([
  'redirect_uri_not_registered',
  'scope_not_allowed_for_client',
])

async function read(school: School, name: string): Promise<Record<string, unknown>> {
  return (await (await school.fetch(`${ISSUER}/.well-known/${name}`)).json()) as Record<
    string,
    unknown
  >
}

function refused(school: School): Outcome {
  const reason = school.refusals.at(-1)?.reason ?? null
  return { connects: false, by: null, clientId: null, granted: [], reason }
}

/** The tokens that the client has in the end, or how it was refused. */
async function signIn(
  school: School,
  real: PublicClient,
  { identity, offer }: { identity: Identity; offer: Offer },
): Promise<Tokens | 'page' | 'redirect'> {
  let outcome: 'page' | 'redirect' = 'page'
  for (const choice of real.authorize.scopes) {
    const url = authorizationUrl(real, identity.client_id, offer[choice])
    const answer = await school.fetch(url)
    const location = answer.headers.get('location')
    if (location === null) outcome = 'page'
    else if (!location.startsWith('/')) outcome = 'redirect'
    else return authorize(school, real, { identity, scopes: offer[choice] })
  }
  return outcome
}

async function authorize(
  school: School,
  real: PublicClient,
  { identity, scopes }: { identity: Identity; scopes: readonly string[] },
): Promise<Tokens> {
  const url = authorizationUrl(real, identity.client_id, scopes)
  const callback = await createBrowser(school).authorize(url)
  return redeem(school, real, { identity, code: callback.searchParams.get('code')! })
}

interface Identity {
  readonly client_id: string
  readonly client_secret?: string
}

/** The authorization request of a client, with these scopes. */
export function authorizationUrl(
  { authorize: { redirectUri, resource, state } }: PublicClient,
  clientId: string,
  scopes: readonly string[],
): URL {
  const url = new URL(`${ISSUER}/oauth/authorize`)
  url.search = encode({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.length > 0 ? scopes.join(' ') : null,
    resource: resource === null ? null : ISSUER + resource,
    state: state ? 'state' : null,
    code_challenge: sha256Base64url(VERIFIER),
    code_challenge_method: 'S256',
  }).toString()
  return url
}

async function redeem(
  school: School,
  { authorize: { redirectUri, resource }, token }: PublicClient,
  { identity, code }: { identity: Identity; code: string },
): Promise<Tokens> {
  const values: Record<string, string> = {
    code,
    code_verifier: VERIFIER,
    redirect_uri: redirectUri,
    resource: ISSUER + (resource ?? ''),
    ...identity,
  }
  const send = async (grant: string, names: readonly string[]): Promise<Tokens> => {
    const secret = identity.client_secret === undefined ? [] : ['client_secret']
    const fields = [...names, ...secret].map((name) => [name, values[name]!] as const)
    const answer = await post(school, '/api/oauth/token', {
      ...Object.fromEntries(fields),
      grant_type: grant,
    })
    return tokensOf(answer)
  }
  // Where the fields are not public: those that the MCP specification requires.
  const bound = resource === null ? [] : ['resource']
  const required = {
    exchange: ['grant_type', 'code', 'code_verifier', 'redirect_uri', 'client_id', ...bound],
    refresh: ['grant_type', 'refresh_token', 'client_id', ...bound],
  }
  const { exchange, refresh } = token ?? required
  values['refresh_token'] = (await send('authorization_code', exchange)).refresh_token
  return send(
    'refresh_token',
    refresh.filter((name) => name !== 'scope'),
  )
}
