import { claimsOf, type SigningKey, signed, withAssertion } from './assertion.js'
import type { Discovery } from './discovery.js'
import type { Answer, Http, SendOptions } from './http.js'
import { type ProofKey, proofOf, withNonce } from './proof.js'

/** What a client has to prove who it is: a key for its assertions, and one to which its tokens are bound. */
export interface Keys {
  readonly key?: SigningKey | undefined
  readonly proof?: ProofKey | undefined
}

/** Sends requests as their clients do, so that a check need not know how a client authenticates. */
export interface AsClient {
  /** Remembers a client that has keys. */
  readonly know: (clientId: string, keys: Keys) => void
  /**
   * Sends a request. For a client with a key, an assertion is added where none is; for one whose tokens are bound, a proof:
   * an empty `dpop` leaves it out. Where the server wants all requests pushed, an authorization request is pushed first.
   */
  readonly send: (
    target: URL | string,
    options?: SendOptions,
    isAuthenticated?: boolean,
  ) => Promise<Answer>
  /** Sends what `run` sends without pushing it. */
  readonly unpushed: <Value>(run: () => Promise<Value>) => Promise<Value>
}

const PUSH = 'pushed_authorization_request_endpoint'
/** The endpoints at which clients authenticate. */
const AUTHENTICATED = ['token_endpoint', PUSH, 'revocation_endpoint', 'introspection_endpoint', 'device_authorization_endpoint'] // prettier-ignore
const OF_A_FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'application/json',
}

export function createAsClient(http: Http, discovery: Discovery): AsClient {
  const clients = new Map<string, Keys>()
  /** The keys to which access tokens are bound that came for a proof of this engine. */
  const bound = new Map<string, ProofKey>()
  let isPushing = true

  /** The names of the endpoints that have this address. */
  async function endpointsAt({ origin, pathname }: URL): Promise<readonly string[]> {
    const metadata = await discovery.server().catch(() => ({}))
    return Object.entries(metadata)
      .filter(([, value]) => typeof value === 'string' && URL.canParse(value))
      .filter(([, value]) => sameAddress(new URL(value as string), { origin, pathname }))
      .map(([name]) => name)
  }

  /** Pushes the parameters of an authorization request, and returns the query that takes their place, or the refusal. */
  async function push(parameters: URLSearchParams, how: SendOptions): Promise<URLSearchParams | Answer> {
    const answer = await send(await discovery.endpoint(PUSH), { ...how, method: 'POST', headers: OF_A_FORM, body: parameters.toString() })
    const { request_uri: uri } = answer.json
    if (typeof uri !== 'string') return answer
    return new URLSearchParams({ client_id: parameters.get('client_id') ?? '', request_uri: uri })
  } // prettier-ignore

  const send: AsClient['send'] = async (target, options = {}, isAuthenticated = true) => {
    if (clients.size === 0) return http.send(target, options)
    const url = new URL(target)
    const { headers = {}, body, method } = options
    const at = await endpointsAt(url)
    const isForm = body !== undefined && /^application\/x-www-form-urlencoded/.test(headers['content-type'] ?? '') // prettier-ignore
    const fields = new URLSearchParams(isForm ? body : '')
    if (at.includes('authorization_endpoint') && isPushing && (await isPushRequired())) {
      const parameters = isForm ? fields : url.searchParams
      if (parameters.size > 0 && !parameters.has('request_uri')) {
        const { headers: _, body: __, method: ___, ...how } = options
        const instead = await push(parameters, how)
        if (!(instead instanceof URLSearchParams)) return instead
        if (isForm) return http.send(url, { ...options, body: instead.toString() })
        url.search = instead.toString()
        return http.send(url, options)
      }
    }
    const client = clients.get(fields.get('client_id') ?? '')
    const isOpen = AUTHENTICATED.some((name) => at.includes(name)) && !['client_assertion', 'client_secret'].some((name) => fields.has(name)) && headers['authorization'] === undefined // prettier-ignore
    const accessToken = /^Bearer (\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
    const ofToken = accessToken === undefined ? undefined : keyOf(accessToken)
    const proof = ofToken ?? (at.includes('token_endpoint') ? client?.proof : undefined)
    const isProved = proof !== undefined && headers['dpop'] === undefined
    /** The same request, with new proofs of its client. */
    const dressed = async (nonce: string | null): Promise<SendOptions> => {
      const added = { ...headers }
      if (added['dpop'] === '') delete added['dpop']
      const form = new URLSearchParams(fields)
      if (client?.key && isOpen && isAuthenticated) {
        const assertion = await signed(client.key, claimsOf(fields.get('client_id')!, String((await discovery.server())['issuer']))) // prettier-ignore
        for (const [name, value] of Object.entries(withAssertion(assertion)))
          form.append(name, value)
      }
      if (isProved) {
        const of = {
          method: method ?? 'GET',
          url,
          nonce,
          ...(accessToken !== undefined && { accessToken }),
        }
        added['dpop'] = await proofOf(proof, of)
        if (ofToken !== undefined)
          added['authorization'] = added['authorization']!.replace(/^Bearer/i, dpopAs)
      }
      return { ...options, headers: added, ...(isForm && { body: form.toString() }) }
    }
    if (!isProved) return http.send(url, await dressed(null))
    const { answer } = await withNonce(async (nonce) => http.send(url, await dressed(nonce)))
    const { access_token: issued, token_type: type } = answer.json
    if (typeof issued === 'string' && /^dpop$/i.test(String(type))) bound.set(issued, proof)
    return answer
  }

  /** A token that a check has damaged is sent as the whole one would be. */
  const keyOf = (accessToken: string): ProofKey | undefined =>
    [...bound].find(([one]) => one.startsWith(accessToken) || accessToken.startsWith(one))?.[1]

  const isPushRequired = async (): Promise<boolean> =>
    (await discovery.server())['require_pushed_authorization_requests'] === true

  return {
    know: (clientId, keys) => {
      if (keys.key !== undefined || keys.proof !== undefined) clients.set(clientId, keys)
    },
    send,
    async unpushed(run) {
      isPushing = false
      try {
        return await run()
      } finally {
        isPushing = true
      }
    },
  }
}

/** The scheme of bound tokens, in upper or lower case as the other one. */
const dpopAs = (scheme: string): string =>
  scheme === scheme.toLowerCase() ? 'dpop' : scheme === scheme.toUpperCase() ? 'DPOP' : 'DPoP'

const sameAddress = (one: URL, { origin, pathname }: Pick<URL, 'origin' | 'pathname'>): boolean =>
  one.origin === origin && one.pathname === pathname
