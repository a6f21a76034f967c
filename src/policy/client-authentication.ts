import { equalText } from '../encoding/equal-text.js'
import { sha256Base64url } from '../encoding/hash.js'
import { hasEnded } from '../time/seconds.js'
import { type Client, type ClientSecret, disabledReason } from './client.js'
import { type Decision, refuse } from './decision.js'

declare const authenticated: unique symbol

/**
 * A client that is authenticated for this request. Only {@link decideClientAuthentication} creates
 * one, and an authorization server whose block accepted it.
 *
 * @typeParam Named - the members of the client that are known. Default: all
 *
 * @group Token endpoint
 */
export type AuthenticatedClient<Named = Client> = Named & { readonly [authenticated]: true }

/**
 * Decides which client is calling the token, revocation or introspection endpoint. A public client
 * only sends its `client_id` (`none`). A confidential client also sends its secret in the form
 * (`client_secret_post`).
 *
 * The secret is hashed and compared even for an unknown client, and the error does not reveal whether
 * the client or the secret was wrong.
 *
 * @param request - `client` is the client with the `client_id` of the form, or `null` if there is
 *   none. `clientSecret` and the header `authorization` are as received, `null` if absent. `now` is
 *   in epoch seconds.
 * @returns the client, now authenticated, or a refusal. The error is `invalid_request` if the
 *   request uses two methods, and otherwise `invalid_client`.
 * @see [RFC 6749, section 2.3](https://www.rfc-editor.org/rfc/rfc6749#section-2.3)
 * @see [RFC 6749, section 5.2](https://www.rfc-editor.org/rfc/rfc6749#section-5.2)
 *
 * @example
 * ```ts
 * import { clientOfVendor, decideClientAuthentication } from 'hallpass/policy'
 *
 * const redirectUris = ['https://notes.example/callback']
 * const vendor = { clientId: 'notes', name: 'Notes', redirectUris, scopes: null, reviewedOn: '2026-11-20' }
 * const request = { client: clientOfVendor(vendor), authorization: null, now: 1_795_165_200 }
 * decideClientAuthentication({ ...request, clientSecret: null }).ok // => true
 *
 * const decided = decideClientAuthentication({ ...request, clientSecret: 'not-mine' })
 * decided.ok ? null : decided.reason // => 'client_secret_unexpected'
 * ```
 *
 * @group Token endpoint
 */
export function decideClientAuthentication<
  Named extends Pick<Client, 'kind' | 'tokenEndpointAuthMethod' | 'disabled' | 'disabledBy'> & {
    readonly secrets: readonly Pick<ClientSecret, 'hash' | 'expiresAt'>[]
  } = Client,
>({
  client,
  clientSecret,
  authorization,
  now,
}: {
  client: Named | null
  clientSecret: string | null
  authorization: string | null
  now: number
}): Decision<
  { client: AuthenticatedClient<Named> },
  | 'client_auth_ambiguous'
  | 'client_auth_method_not_supported'
  | 'client_unknown'
  | 'client_disabled'
  | 'client_blocked'
  | NonNullable<Client['disabledBy']>
  | 'client_auth_method_mismatch'
  | 'client_secret_unexpected'
  | 'client_secret_missing'
  | 'client_secret_mismatch'
> {
  if (authorization !== null && clientSecret !== null)
    return refuse(
      'invalid_request',
      'client_auth_ambiguous',
      'use only one client authentication method',
    )
  if (authorization !== null) return refuse('invalid_client', 'client_auth_method_not_supported')
  const matched = clientSecret !== null && secretMatches({ client, clientSecret, now })
  if (client === null) return refuse('invalid_client', 'client_unknown')
  if (client.disabled) return refuse('invalid_client', disabledReason(client))
  const method = client.tokenEndpointAuthMethod
  if (method === 'none') {
    if (clientSecret !== null) return refuse('invalid_client', 'client_secret_unexpected')
  } else {
    if (method !== 'client_secret_post')
      return refuse('invalid_client', 'client_auth_method_mismatch')
    if (clientSecret === null) return refuse('invalid_client', 'client_secret_missing')
    if (!matched) return refuse('invalid_client', 'client_secret_mismatch')
  }
  return { ok: true, client: client as AuthenticatedClient<Named> }
}

function secretMatches({
  client,
  clientSecret,
  now,
}: {
  client: { readonly secrets: readonly Pick<ClientSecret, 'hash' | 'expiresAt'>[] } | null
  clientSecret: string
  now: number
}): boolean {
  const presented = sha256Base64url(clientSecret)
  let matched = false
  for (const secret of client?.secrets ?? []) {
    if (hasEnded(secret.expiresAt, now)) continue
    if (equalText(presented, secret.hash)) matched = true
  }
  return matched
}
