import { type Counts, notApplicable, notReached, Stop } from '../finding.js'
import type { GivenClient, SignIn } from '../sign-in.js'
import type { AsClient, Keys } from './as-client.js'
import { createSigningKey, readSigningKey } from './assertion.js'
import type { Discovery } from './discovery.js'
import type { Answer } from './http.js'
import type { Once } from './keep.js'
import { createProofKey } from './proof.js'

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

export interface Clients {
  /** Sends a registration: that of a public client on this computer, with changes. */
  readonly register: (changes?: Readonly<Record<string, unknown>>) => Promise<Answer>
  /** A client that all checks share. None may end it. */
  readonly client: (name?: ClientName) => Promise<Client>
  /** The scope that clients request. */
  readonly scope: () => Promise<string>
  /** A further client, for a check that spends it: a public one, or one that signs where the server takes no other. */
  readonly newClient: (changes?: Readonly<Record<string, unknown>>) => Promise<Client>
}

/** The redirect URI of clients that the audit registers. Nothing listens there, and nothing needs to. */
export const REDIRECT_URI = 'http://127.0.0.1:47317/callback'

export interface ClientsOptions {
  readonly discovery: Discovery
  readonly signIn: SignIn | null
  readonly once: Once
  readonly created: Counts
  /** Reads what authorization requests of clients need. */
  readonly prepare: () => Promise<void>
}

export function createClients(
  { send, know }: AsClient,
  { discovery, signIn, once, created, prepare }: ClientsOptions,
): Clients {
  const { listOf, takesSignersOnly } = discovery
  const signingAlgorithms = () => listOf('token_endpoint_auth_signing_alg_values_supported')
  /** A key to which tokens are bound, if the server verifies proofs. */
  const newProofKey = async () =>
    (await createProofKey(await listOf('dpop_signing_alg_values_supported'))) ?? undefined
  /** So that a request is right for every client that there is, also at a server that has no such requests. */
  const prepareIfAny = (): Promise<void> => prepare().catch(() => undefined)

  const scope = (): Promise<string> =>
    once('scope', async () => {
      if (signIn?.scope !== undefined) return signIn.scope
      const names = await listOf('scopes_supported')
      const ofResource = await discovery.resource().catch(() => null)
      const named = ofResource?.['scopes_supported'] ?? names
      const further = (Array.isArray(named) ? (named as string[]) : [])
        .filter((one) => !['openid', 'offline_access'].includes(one))
        .slice(0, 2)
      // Without `offline_access`, some servers issue no refresh token, and nothing of them would be found out.
      const ofOpenId = (one: string): readonly string[] => (names.includes(one) ? [one] : [])
      return [...ofOpenId('openid'), ...further, ...ofOpenId('offline_access')].join(' ')
    })

  const register: Clients['register'] = async (changes = {}) => {
    const metadata = {
      client_name: 'hallpass-audit',
      application_type: 'native',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...changes,
    }
    const answer = await send(await discovery.endpoint('registration_endpoint'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(metadata),
    })
    if (answer.status < 300) created.clients += 1
    return answer
  }

  const newClient: Clients['newClient'] = async (changes = {}) => {
    await prepareIfAny()
    const method = changes['token_endpoint_auth_method']
    const isOnly = method === undefined && (await takesSignersOnly())
    const isSigning = isOnly || method === 'private_key_jwt'
    const key = isSigning ? await createSigningKey(await signingAlgorithms()) : undefined
    const proof = isOnly ? await newProofKey() : undefined
    const answer = await register({
      ...(key !== undefined && {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_signing_alg: key.alg,
        jwks: { keys: [key.publicJwk] },
      }),
      ...(proof !== undefined && { dpop_bound_access_tokens: true }),
      ...changes,
    })
    const { status } = answer
    const { client_id: clientId, client_secret: secret, redirect_uris: uris } = answer.json
    // The operator created clients that sign, and no one can create one of a check.
    if (isOnly && status >= 400 && signIn?.clients?.first !== undefined)
      throw new Stop(notApplicable(`the server registers no client that signs (${status})`, answer))
    if (status >= 300 || typeof clientId !== 'string')
      throw new Stop(notReached(`no client could be registered (${status}): give \`clients\` in the file of --sign-in`, answer))
    const [redirectUri = REDIRECT_URI] = Array.isArray(uris) ? (uris as string[]) : []
    return remembered({ clientId, secret: typeof secret === 'string' ? secret : null, key, proof, redirectUri, scope: await scope() })
  } // prettier-ignore

  function remembered(of: Client): Client {
    know(of)
    return of
  }

  async function givenClient(given: GivenClient): Promise<Client> {
    const { client_id: clientId, private_jwk: jwk, dpop_bound_access_tokens: isBound } = given
    return remembered({
      clientId,
      secret: given.client_secret ?? null,
      key: jwk === undefined ? undefined : await readSigningKey(jwk, await signingAlgorithms()),
      proof: isBound === true ? await newProofKey() : undefined,
      redirectUri: given.redirect_uri,
      scope: given.scope ?? (await scope()),
    })
  }

  async function confidentialClient(): Promise<Client> {
    const methods = await listOf('token_endpoint_auth_methods_supported')
    const method = ['client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one)) // prettier-ignore
    if (method === undefined)
      throw new Stop(notApplicable('the server names no method with a client secret'))
    const made = await newClient({ token_endpoint_auth_method: method })
    if (made.secret === null)
      throw new Stop(notReached('the server registered a confidential client without a secret'))
    return made
  }

  const client: Clients['client'] = (name = 'first') =>
    once(`client ${name}`, async () => {
      await prepareIfAny()
      const given = name === 'member' ? signIn?.member?.client : signIn?.clients?.[name]
      if (given !== undefined) return givenClient(given)
      if (name === 'member')
        throw new Stop(notReached('there is no member: give `member` in the file of --sign-in'))
      if (name === 'service')
        throw new Stop(notReached('give `clients.service` in the file of --sign-in'))
      if (name === 'first' || name === 'second') return newClient()
      // One that signs is confidential too.
      const first = signIn?.clients?.first
      const isFirst = first === undefined ? await takesSignersOnly() : first.private_jwk !== undefined // prettier-ignore
      if (isFirst) return client()
      return name === 'signing'
        ? newClient({ token_endpoint_auth_method: 'private_key_jwt' })
        : confidentialClient()
    })

  return { register, client, scope, newClient }
}
