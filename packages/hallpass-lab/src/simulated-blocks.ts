import { createAuthorizationServer, defineSite, schoolRoles, schoolScopes } from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import {
  clientCredentials,
  deviceGrant,
  dpop,
  identityAssertion,
  privateKeyJwt,
  pushedRequests,
} from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import { ALLOWANCES } from 'hallpass/operations'
import type { Client } from 'hallpass/policy'
import { createMemoryStore, StorageFailure, type Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import type { Answer } from './single-uses.js'

export const SIGNER = 'signer'
export const SIGNER_REDIRECT = 'https://signer.example/callback'
const IDP = 'https://idp.example'
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** The client that signs, which uses each block. */
export const signer = (createdAt: number): Client =>
  defineClient({
    clientId: SIGNER,
    kind: 'vendor',
    name: SIGNER,
    redirectUris: [SIGNER_REDIRECT],
    scopes: ['courses:read'],
    tokenEndpointAuthMethod: 'private_key_jwt',
    createdAt,
  })

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

let made: Promise<{ readonly privateKey: CryptoKey; readonly jwk: object }> | null = null
/** One key of all simulations, of the client and of its identity provider. WebCrypto has no seed. */
const keyPair = (): NonNullable<typeof made> =>
  (made ??= (async () => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(ES256, true, ['sign', 'verify']) // prettier-ignore
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
    return { privateKey, jwk: { kty, crv, x, y } }
  })())

async function sign(claims: object, header: object = {}): Promise<string> {
  const { privateKey } = await keyPair()
  const signed = `${encoded({ alg: 'ES256', ...header })}.${encoded(claims)}`
  const signature = await crypto.subtle.sign(ES256, privateKey, Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

/** Signs what the client sends once. `id` has to be another one each time. */
export const signed = {
  clientAssertion: async (issuer: string, id: string, now: number): Promise<Form> => ({
    client_assertion_type: ASSERTION,
    client_assertion: await sign({ iss: SIGNER, sub: SIGNER, aud: issuer, exp: now + 240, jti: id }), // prettier-ignore
  }),
  idJag: (issuer: string, id: string, now: number): Promise<string> =>
    sign(
      {
        iss: IDP, sub: id, aud: issuer, client_id: SIGNER, jti: id, iat: now, exp: now + 240, scope: 'courses:read',
      },
      { typ: 'oauth-id-jag+jwt' },
    ), // prettier-ignore
  proof: async (url: string, id: string, now: number): Promise<string> =>
    sign({ jti: id, htm: 'POST', htu: url, iat: now }, { typ: 'dpop+jwt', jwk: (await keyPair()).jwk }), // prettier-ignore
}

type Form = Readonly<Record<string, string>>

/** A request of the client, or of a browser that it has sent. */
export interface BlockRequest {
  readonly path: string
  /** Absent for `GET`. */
  readonly form?: Form
  readonly proof?: string
  readonly cookie?: string
  /** Who is signed in in the browser. */
  readonly subject?: string
}

/** An answer with what the client or the browser continues with. */
export interface BlockAnswer {
  readonly answer: Answer
  readonly body: Form
  readonly location: string | null
  readonly cookie: string | null
  readonly csrfToken: string | null
}

/** The process that serves a request, with a store and a clock of its own, and the person at the browser. */
interface Around {
  readonly store: Store
  readonly now: () => number
  readonly subject: string | undefined
}

/** A server that serves one request at a time. */
interface Server {
  around: Around | null
  csrfToken: string | null
  reason: string | null
  readonly respond: (request: Request) => Promise<Response>
}

/**
 * Creates what sends a request to a site with every block that uses something once. Servers are kept for later requests,
 * because it takes long to create one.
 */
export function createBlockSite(
  issuer: string,
  world: {
    randomBytes: (length: number) => Uint8Array
    onServerError: (fault: unknown) => void
  },
): (request: BlockRequest, process: Pick<Around, 'store' | 'now'>) => Promise<BlockAnswer> {
  const idle: Server[] = []
  return async ({ path, form, proof, cookie, subject }, { store, now }) => {
    const server = idle.pop() ?? createServer(issuer, world, [(await keyPair()).jwk])
    server.around = { store, now, subject }
    server.reason = null
    server.csrfToken = null
    const response = await server.respond(
      new Request(issuer + path, {
        method: form === undefined ? 'GET' : 'POST',
        headers: {
          ...(proof !== undefined && { dpop: proof }),
          ...(cookie !== undefined && { cookie }),
          ...(subject !== undefined && { origin: issuer }),
        },
        ...(form !== undefined && { body: new URLSearchParams(form) }),
      }),
    )
    const text = await response.text()
    const body = (text === '' ? {} : JSON.parse(text)) as Form
    const { status, headers } = response
    const { reason, csrfToken } = server
    idle.push(server)
    return {
      answer:
        status >= 500
          ? { kind: 'try again', description: body['error_description'] ?? '' }
          : reason === null
            ? { kind: 'done' }
            : { kind: 'refused', reason },
      body,
      location: headers.get('location'),
      cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? null,
      csrfToken,
    }
  }
}

function createServer(
  issuer: string,
  {
    randomBytes,
    onServerError,
  }: {
    randomBytes: (length: number) => Uint8Array
    onServerError: (fault: unknown) => void
  },
  keys: readonly object[],
): Server {
  const { guarantees } = createMemoryStore()
  const server = { around: null, csrfToken: null, reason: null } as Omit<Server, 'respond'>
  const now = (): number => server.around?.now() ?? 1
  const ask =
    (verb: Exclude<keyof Store, 'guarantees'>) =>
    (...parameters: never[]): unknown =>
      (server.around!.store[verb] as (...parameters: never[]) => unknown)(...parameters)
  const verbs = Object.keys(createMemoryStore()).filter((name) => name !== 'guarantees')
  const store = {
    ...Object.fromEntries(verbs.map((name) => [name, ask(name as never)])),
    guarantees,
  } as unknown as Store
  const page = (): Response => new Response(null)
  const jwks = { keys }
  const site = defineSite({
    issuer,
    name: 'Simulated School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (one) => ({
      subject: one,
      orgId: issuer,
      roles: ['owner'],
      name: null,
      email: null,
      picture: null,
    }),
    allowances: Object.fromEntries(Object.keys(ALLOWANCES).map((name) => [name, null])),
    blocks: [
      identityAssertion({
        providers: {
          [IDP]: { keys: jwks, clients: [SIGNER], personOf: ({ sub }) => `per_${sub}` },
        },
      }),
      clientCredentials({ serviceOf: () => 'srv_signer' }),
      deviceGrant({
        mayUse: () => true,
        page(_request, view) {
          if (view.page !== 'done')
            server.csrfToken = view.page === 'code' ? view.csrfToken : view.consent.csrfToken
          return page()
        },
      }),
      dpop(),
      privateKeyJwt({ keysOf: () => jwks }),
      pushedRequests(),
    ],
    onRefusal({ reason }) {
      server.reason = reason
    },
    onFault({ fault }) {
      if (!(fault instanceof StorageFailure)) onServerError(fault)
    },
    outbox: true,
    now,
    randomBytes,
    callDeadlineMilliseconds: 60_000,
  })
  const created = createAuthorizationServer(site, {
    keys: {
      jwks: async () => ({ keys: [] }),
      signer: async () => null,
      refreshSecrets: () => ['use at least 32 random characters here'],
    },
    interact: {
      async currentPerson() {
        const { subject } = server.around!
        return subject === undefined ? null : { subject, authTime: now() }
      },
      signIn: page,
      consent(_request, view) {
        server.csrfToken = view.csrfToken
        return page()
      },
      error: () => new Response(null, { status: 400 }),
    },
  })
  return Object.assign(server, { respond: createRouter(created) })
}

/** The verifier of the codes of the client, and their challenge. */
export const SIGNER_VERIFIER = 'the-code-verifier-of-the-client-that-signs-requests'
export const SIGNER_CHALLENGE: string = hashToken(SIGNER_VERIFIER)
