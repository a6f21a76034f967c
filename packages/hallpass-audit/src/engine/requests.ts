import type { AsClient } from './as-client.js'
import type { Client } from './clients.js'
import type { Discovery } from './discovery.js'
import type { Answer, SendOptions } from './http.js'
import type { Once } from './keep.js'
import { challengeOf, newSecret } from './random.js'

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

export interface Requests {
  readonly send: (target: URL | string, options?: SendOptions) => Promise<Answer>
  /** Sends a form: `null` leaves a field out, a list repeats it. */
  readonly form: (
    target: URL | string,
    fields: Changes,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** An authorization request that is right but for the changes. It is not sent. */
  readonly request: (client: Client, changes?: Changes) => AuthorizationRequest
  /** Sends what `run` sends without pushing it, also where the server wants all authorization requests pushed. */
  readonly unpushed: <Value>(run: () => Promise<Value>) => Promise<Value>
  /** Pushes the authorization requests that `run` sends, also where the server takes them in a query. */
  readonly pushing: <Value>(run: () => Promise<Value>) => Promise<Value>
}

/** `prepare` reads the parts of every request, before the first one is built. */
export function createRequests(
  asClient: AsClient,
  discovery: Discovery,
  { origin, once }: { readonly origin: string; readonly once: Once },
): Requests & { readonly prepare: () => Promise<void> } {
  const known = { authorize: origin, resource: null as string | null }
  return {
    send: (target, options) => asClient.send(target, options),
    form: (target, fields, headers = {}) =>
      asClient.send(target, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
        body: encode(fields).toString(),
      }, fields['client_assertion'] !== null),
    unpushed: asClient.unpushed,
    pushing: asClient.pushing,
    prepare: () =>
      once('prepare', async () => {
        known.authorize = await discovery.endpoint('authorization_endpoint')
        known.resource = await discovery.resourceIdentifier()
      }),
    request(client, changes = {}) {
      const verifier = newSecret()
      const values = { state: newSecret(), nonce: newSecret() }
      const scopes = String(changes['scope'] ?? client.scope).split(' ')
      const parameters = encode({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        scope: client.scope,
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
      return { url, client, verifier, ...values }
    },
  }
} // prettier-ignore

function encode(fields: Changes): URLSearchParams {
  const encoded = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) encoded.append(name, one)
  return encoded
}
