import { claimsOf, type SigningKey, signed, withAssertion } from './assertion.js'
import type { Discovery } from './discovery.js'
import { type Answer, type Http, readObject, type SendOptions } from './http.js'
import { type ProofKey, proofOf, withNonce } from './proof.js'

/** The keys of a client: one signs its assertions, and its tokens are bound to the other. */
export interface Keys {
  readonly key?: SigningKey | undefined
  readonly proof?: ProofKey | undefined
}

/** A client that can prove who it is. */
interface Known extends Keys {
  readonly clientId: string
  readonly secret: string | null
}

/** Sends requests as their clients do, so that a check need not know how a client authenticates. */
export interface AsClient {
  /** Remembers a client. */
  readonly know: (client: Known) => void
  /**
   * Sends a request. For a client with a key, an assertion is added where there is none, and for one whose tokens are
   * bound a proof, which an empty `dpop` leaves out. An authorization request is pushed first where the server wants it.
   * What comes from elsewhere is of a third party, to which nothing is added.
   */
  readonly send: (
    target: URL | string,
    options?: SendOptions,
    isAuthenticated?: boolean,
  ) => Promise<Answer>
  /** Sends what `run` sends without pushing it. */
  readonly unpushed: <Value>(run: () => Promise<Value>) => Promise<Value>
  /** Pushes what `run` sends. */
  readonly pushing: <Value>(run: () => Promise<Value>) => Promise<Value>
}

const PUSH = 'pushed_authorization_request_endpoint'
/** The endpoints at which clients authenticate. */
const AUTHENTICATED = ['token_endpoint', PUSH, 'revocation_endpoint', 'introspection_endpoint', 'device_authorization_endpoint'] // prettier-ignore
const FORM = 'application/x-www-form-urlencoded'

export function createAsClient(http: Http, discovery: Discovery): AsClient {
  const clients = new Map<string, Known>()
  /** The keys of access tokens that were bound to one by this engine. */
  const bound = new Map<string, ProofKey>()
  /** Default: what the metadata says. */
  let isPushing: boolean | null = null

  /** The names in the metadata of what is at an address. */
  async function namesOf({ origin, pathname }: URL): Promise<readonly string[]> {
    const metadata: Readonly<Record<string, unknown>> = await discovery.server().catch(() => ({}))
    const isThere = (value: unknown): boolean =>
      typeof value === 'string' && URL.canParse(value) && new URL(value).pathname === pathname && new URL(value).origin === origin
    return Object.keys(metadata).filter((name) => isThere(metadata[name]))
  } // prettier-ignore

  /** A token that a check has changed at its end is sent as the whole one would be. */
  const keyOf = (accessToken: string): ProofKey | undefined =>
    [...bound].find(([one]) => one.startsWith(accessToken) || accessToken.startsWith(one))?.[1]

  /** Pushes an authorization request as its client, and opens it, unless the server refuses it. */
  async function push(url: URL, { method, headers, body, ...how }: SendOptions, fields: URLSearchParams): Promise<Answer> {
    const clientId = fields.get('client_id') ?? ''
    const secret = clients.get(clientId)?.secret ?? null
    const form = new URLSearchParams([...fields, ...(secret === null ? [] : [['client_secret', secret]])] as [string, string][])
    const answer = await send(await discovery.endpoint(PUSH), {
      ...how, method: 'POST', headers: { 'content-type': FORM, accept: 'application/json' }, body: form.toString(),
    })
    const { request_uri: uri } = answer.json
    if (typeof uri !== 'string') return answer
    const pushed = new URLSearchParams({ client_id: clientId, request_uri: uri }).toString()
    if (body !== undefined) return http.send(url, { ...how, method: method!, headers: headers!, body: pushed })
    return http.send(Object.assign(new URL(url), { search: pushed }), { ...how, headers: headers ?? {} })
  } // prettier-ignore

  const send: AsClient['send'] = async (target, options = {}, isAuthenticated = true) => {
    if (options.isElsewhere === true) return http.send(target, options)
    const url = new URL(target)
    const at = await namesOf(url)
    const { fields, add } = fieldsOf(url, options)
    if (at.includes('authorization_endpoint') && fields.size > 0 && (fields.get('request_uri') ?? '') === '') {
      const isRequired = (await discovery.server())['require_pushed_authorization_requests'] === true
      if (isPushing ?? isRequired) return push(url, options, fields)
    } // prettier-ignore
    const { headers = {}, method = 'GET' } = options
    const { authorization, dpop } = headers
    const clientId = fields.get('client_id') ?? ''
    const { key, proof } = clients.get(clientId) ?? ({} as Keys)
    const isOpen = authorization === undefined && !fields.has('client_assertion') && !fields.has('client_secret') // prettier-ignore
    const signs = key !== undefined && isAuthenticated && isOpen && AUTHENTICATED.some((name) => at.includes(name)) // prettier-ignore
    const accessToken = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
    const ofToken = accessToken === undefined ? undefined : keyOf(accessToken)
    const prover = ofToken ?? (at.includes('token_endpoint') ? proof : undefined)
    const isProved = prover !== undefined && dpop === undefined
    /** The request, with a new assertion and a new proof. */
    const made = async (nonce: string | null): Promise<readonly [URL, SendOptions]> => {
      const issuer = String((await discovery.server())['issuer'])
      const [to, dressed] = signs ? add(withAssertion(await signed(key, claimsOf(clientId, issuer)))) : [url, options] // prettier-ignore
      const of = { method, url, nonce, ...(accessToken !== undefined && { accessToken }) }
      const { dpop: _, ...others } = headers
      const added = {
        ...(dpop === '' || isProved ? others : headers),
        ...(ofToken !== undefined && isProved && { authorization: authorization!.replace(/^Bearer/i, dpopAs) }), // prettier-ignore
        ...(isProved && { dpop: await proofOf(prover, of) }),
      }
      return [to, { ...dressed, headers: added, renewed: async () => (await made(nonce))[1] }]
    }
    const sendOnce = async (nonce: string | null) => http.send(...(await made(nonce)))
    if (!isProved) return signs || dpop === '' ? sendOnce(null) : http.send(url, options)
    const { answer } = await withNonce(sendOnce)
    const { access_token: issued, token_type: type } = answer.json
    if (typeof issued === 'string' && /^dpop$/i.test(String(type))) bound.set(issued, prover)
    return answer
  }

  const withPushing =
    (value: boolean): AsClient['pushing'] =>
    async (run) => {
      const before = isPushing
      isPushing = value
      return run().finally(() => {
        isPushing = before
      })
    }
  return {
    know: (client) => clients.set(client.clientId, client),
    send,
    unpushed: withPushing(false),
    pushing: withPushing(true),
  }
}

/** The fields of a request, in its form, in JSON or in its query, and the request with more of them. */
function fieldsOf(url: URL, options: SendOptions) {
  const { body = '', headers = {} } = options
  const type = headers['content-type'] ?? ''
  const encoded = (more: Readonly<Record<string, string>>): string =>
    new URLSearchParams(more).toString()
  if (type.startsWith('application/json')) {
    const json = readObject(body) as Readonly<Record<string, string>>
    return {
      fields: new URLSearchParams(
        Object.entries(json).filter(([, value]) => typeof value === 'string'),
      ),
      add: (more: Readonly<Record<string, string>>) =>
        [url, { ...options, body: JSON.stringify({ ...json, ...more }) }] as const,
    }
  }
  // A check may send what cannot be parsed, so that a text is added to and not written again.
  return type.startsWith(FORM) && !url.searchParams.has('client_id')
    ? {
        fields: new URLSearchParams(body),
        add: (more: Readonly<Record<string, string>>) =>
          [url, { ...options, body: `${body}&${encoded(more)}` }] as const,
      }
    : {
        fields: url.searchParams,
        add: (more: Readonly<Record<string, string>>) =>
          [new URL(`${url.href}&${encoded(more)}`), options] as const,
      }
}

/** The scheme of bound tokens, in upper or lower case as the other one. */
const dpopAs = (scheme: string): string =>
  scheme === scheme.toLowerCase() ? 'dpop' : scheme === scheme.toUpperCase() ? 'DPOP' : 'DPoP'
