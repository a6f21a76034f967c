import type { SiteOptions } from 'hallpass'
import type { privateKeyJwt } from 'hallpass/blocks'
import * as jose from 'jose'
import { networkOf } from './networks.js'
import { createSigningSchool, ISSUER, REDIRECT, type SigningSchool } from './signing-client.js'
import { T } from './school.js'

export const DOCUMENT_URL = 'https://notes.example/client.json'
export const JWKS_URL = 'https://notes.example/jwks.json'

/** A key pair of a client, and the public one as it publishes it. */
export interface OwnKey {
  readonly privateKey: jose.CryptoKey
  readonly jwk: jose.JWK
}

export async function makeKey(kid: string, alg = 'ES256'): Promise<OwnKey> {
  const { privateKey, publicKey } = await jose.generateKeyPair(alg)
  return { privateKey, jwk: { ...(await jose.exportJWK(publicKey)), kid } }
}

/** The metadata of a client that signs, whose keys are at {@link JWKS_URL}. */
export const METADATA = {
  client_id: DOCUMENT_URL,
  client_name: 'Notes',
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: JWKS_URL,
}

type Answer = object | (() => Response | Promise<Response>)

/** A school that accepts documents of any host, and the hosts that publish them. Its clock stands until it is moved. */
export async function createDocumentSchool({
  options = {},
  documents = {},
  withBlock = true,
  site = {},
}: {
  options?: Partial<Parameters<typeof privateKeyJwt>[0]>
  documents?: Partial<NonNullable<SiteOptions['documents']>>
  withBlock?: boolean
  site?: Partial<SiteOptions>
} = {}) {
  const clock = { now: T }
  const hosts = new Map<string, Answer>()
  const asked: string[] = []
  const school = await createSigningSchool({
    now: () => clock.now,
    options: { keysOf: () => null, ...options },
    withBlock,
    site: {
      documents: {
        openRegistration: true,
        fetchDocument: async (url) => {
          asked.push(url)
          const answer = hosts.get(url) ?? (() => new Response('none', { status: 404 }))
          return typeof answer === 'function' ? answer() : published(answer)
        },
        ...documents,
      },
      networkOf,
      ...(site as object),
    },
  })
  const { router, redeem, issue, sign, refusals } = school

  /** Sends an authorization request of a document, and returns why it was refused; `null` if it was not. */
  async function connect(url: string = DOCUMENT_URL): Promise<string | null> {
    const before = refusals.length
    const request = new URL(`${ISSUER}/oauth/authorize`)
    request.search = new URLSearchParams({
      response_type: 'code',
      client_id: url,
      redirect_uri: REDIRECT,
      scope: 'openid courses:read',
      resource: ISSUER,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'af0ifjsldkj',
    }).toString()
    await router(new Request(request))
    return refusals[before]?.reason ?? null
  }

  let codes = 0
  /** Exchanges a new code with an assertion of the document's client. */
  async function exchange(
    { privateKey, jwk }: OwnKey,
    {
      alg = 'ES256',
      claims = {},
      network = 'a',
      clientId = DOCUMENT_URL,
      header = {},
    }: Exchange = {},
  ): ReturnType<SigningSchool['redeem']> {
    const name = `code ${++codes}`
    await issue(name, clientId)
    const own = { iss: clientId, sub: clientId, ...claims }
    const assertion = await sign(own, privateKey, alg, { kid: jwk.kid, ...header })
    return redeem(name, { client_assertion: assertion, client_assertion_type: TYPE }, from(network))
  }
  return { ...school, clock, hosts, asked, connect, exchange }
}

interface Exchange {
  readonly alg?: string
  readonly claims?: object
  readonly network?: string
  readonly clientId?: string
  readonly header?: object
}

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const from = (network: string): Readonly<Record<string, string>> => ({ 'x-network': network })

/** Responds as a host does that serves JSON. */
export const published = (
  content: object,
  headers: Readonly<Record<string, string>> = {},
): Response => Response.json(content, { headers })

export const setOf = (...keys: readonly OwnKey[]): { keys: readonly jose.JWK[] } => ({
  keys: keys.map(({ jwk }) => jwk),
})
