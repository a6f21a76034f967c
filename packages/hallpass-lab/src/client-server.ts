import { createMemoryStore, defineSite, schoolRoles, schoolScopes } from 'hallpass'
import {
  configureAuthorizationServer,
  createTokenEndpoint,
  type TokenResponse,
} from 'hallpass/authorization-server'
import { defineClient } from 'hallpass/clients'
import { ALLOWANCES } from 'hallpass/operations'
import type { RefreshPolicies } from 'hallpass/policy'
import { hashToken, newToken } from 'hallpass/token'
import { callback, checkOptions } from './options.js'

/**
 * Authorization server, as far as a simulation of clients needs one. Write one for your own server, or use
 * {@link createTokenServer}.
 *
 * @group Simulations of clients
 */
export interface TokenServer {
  /** The client of each kind of holder, with the secret of the confidential one. */
  readonly clients: Readonly<
    Record<keyof RefreshPolicies, { clientId: string; clientSecret?: string }>
  >
  /** Signs one more person in with the client of this kind, and returns the response for the code. */
  readonly signIn: (holder: keyof RefreshPolicies) => Promise<ClientTokens>
  /** The token endpoint. It receives refreshes only, as `POST` with a form. */
  readonly token: (request: Request) => Promise<Response>
  /** Ends the grant of a refresh token, as its person would in their account. */
  readonly disconnect: (refreshToken: string) => Promise<void>
}

/**
 * The members of a token response that a client keeps.
 *
 * @group Simulations of clients
 */
export interface ClientTokens {
  readonly refreshToken: string
  /** Seconds. */
  readonly expiresIn: number
}

const ISSUER = 'https://school.example'
const SCOPE = 'account:read'
const SECRET = 'the secret of the confidential client'
const VERIFIER = 'the-code-verifier-of-every-client-of-a-simulation'
const REDIRECT_URIS: Readonly<Record<keyof RefreshPolicies, string>> = {
  confidential: 'https://platform.example/callback',
  native: 'http://127.0.0.1/callback',
  public: 'https://app.example/callback',
}
const HOLDERS = Object.keys(REDIRECT_URIS) as readonly (keyof RefreshPolicies)[]

/**
 * Creates hallpass's own token endpoint on a memory store, for {@link simulateClients}.
 *
 * @param world - `now` and `randomBytes` are those of the simulation. `refreshPolicies` are the policies to
 *   try. Default: those of the library
 * @throws OptionsError that lists every mistake
 * @example
 * ```ts
 * import { createTokenServer } from 'hallpass-lab'
 *
 * const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
 * const server = await createTokenServer({ now: () => 1_795_165_200, randomBytes })
 * const { expiresIn } = await server.signIn('native')
 * expiresIn // => 3600
 * ```
 *
 * @group Simulations of clients
 */
export async function createTokenServer(world: {
  now: () => number
  randomBytes: (length: number) => Uint8Array
  refreshPolicies?: Partial<RefreshPolicies>
}): Promise<TokenServer> {
  const rules = {
    now: callback('() => clock.now()'),
    randomBytes: callback('(length) => crypto.getRandomValues(new Uint8Array(length))'),
    // Their rules are those of the server that receives them.
    refreshPolicies: () => null,
  }
  checkOptions('createTokenServer', world, rules, ['now', 'randomBytes'])
  const { now, randomBytes, refreshPolicies } = world
  const store = createMemoryStore()
  const page = (): Response => new Response(null)
  const site = defineSite({
    issuer: ISSUER,
    name: 'Simulated School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (subject) => ({ ...SOMEBODY, subject }),
    allowances: Object.fromEntries(Object.keys(ALLOWANCES).map((name) => [name, null])),
    now,
    randomBytes,
  })
  const token = createTokenEndpoint(
    configureAuthorizationServer(site, {
      keys: {
        jwks: async () => ({ keys: [] }),
        signer: async () => null,
        refreshSecrets: () => ['use at least 32 random characters here'],
      },
      interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
      ...(refreshPolicies !== undefined && { refreshPolicies }),
    }),
  )
  for (const holder of HOLDERS)
    await store.insertClient(
      defineClient({
        ...(holder === 'confidential' && {
          tokenEndpointAuthMethod: 'client_secret_post',
          secrets: [{ hash: hashToken(SECRET), expiresAt: null }],
        }),
        clientId: holder,
        kind: 'member',
        name: holder,
        redirectUris: [REDIRECT_URIS[holder]],
        scopes: [SCOPE],
        createdAt: now(),
      }),
    )
  const clients = {
    confidential: { clientId: 'confidential', clientSecret: SECRET },
    native: { clientId: 'native' },
    public: { clientId: 'public' },
  }
  let people = 0

  return {
    clients,
    token,
    async signIn(holder) {
      const code = newToken('code', randomBytes)
      const redirectUri = REDIRECT_URIS[holder]
      await store.issueCode({
        code: {
          codeHash: hashToken(code),
          grantId: newToken('code', randomBytes),
          clientId: holder,
          subject: `per_${people++}`,
          scopes: [SCOPE],
          resource: ISSUER,
          resourceSent: false,
          redirectUri,
          codeChallenge: hashToken(VERIFIER),
          nonce: null,
          grantEndsAt: null,
          authTime: now(),
          issuedAt: now(),
          expiresAt: now() + 60,
          redeemedAt: null,
        },
        pendingIdHash: null,
        consentKey: null,
      })
      const grant = { grant_type: 'authorization_code', code, code_verifier: VERIFIER }
      const form = { ...grant, redirect_uri: redirectUri, resource: ISSUER }
      const response = await token(formRequest({ ...form, ...credentialsOf(clients[holder]) }))
      const body = (await response.json()) as TokenResponse
      return { refreshToken: body.refresh_token!, expiresIn: body.expires_in }
    },
    async disconnect(refreshToken) {
      const found = await store.findRefreshToken(hashToken(refreshToken))
      const { clientId, subject } = found!.grant
      const revocation = { revokedAt: now(), revokedReason: 'person_disconnected' }
      await store.revokeGrants({ clientId, subject, ...revocation })
    },
  }
}

const SOMEBODY = { orgId: 'school', roles: ['student'], name: null, email: null, picture: null }

/** The form fields with which a client names itself. */
export const credentialsOf = ({
  clientId,
  clientSecret,
}: {
  clientId: string
  clientSecret?: string
}): Record<string, string> => ({
  client_id: clientId,
  ...(clientSecret !== undefined && { client_secret: clientSecret }),
})

/** A request of the token endpoint. */
export const formRequest = (form: Readonly<Record<string, string>>): Request =>
  new Request(`${ISSUER}/api/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
