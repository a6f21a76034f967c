import { equalText } from '../encoding/equal-text.js'
import { sha256Base64url } from '../encoding/hash.js'
import { type Client, type DisabledReason, disabledReason } from './client.js'
import { type Decision, refuse } from './decision.js'

declare const authenticated: unique symbol

/** A client that proved who it is. Only {@link decideClientAuthentication} makes one. */
export type AuthenticatedClient = Client & { readonly [authenticated]: true }

/**
 * Decides who is calling the token, revocation or introspection endpoint. Public clients name
 * themselves (`none`); confidential clients send their secret in the form (`client_secret_post`).
 *
 * An unknown client and a wrong secret take the same path and get the same answer.
 *
 * @param request - `client`: the stored client with the identifier sent, `null` = unknown;
 *   `clientSecret` as received, `null` = absent; `authorization`: the `Authorization` header,
 *   `null` = absent; `now`: epoch seconds
 * @returns refusals are `invalid_request` where two methods were used at once, and else
 *   `invalid_client`
 * @see RFC 6749 §2.3, §5.2
 */
export function decideClientAuthentication({
  client,
  clientSecret,
  authorization,
  now,
}: {
  client: Client | null
  clientSecret: string | null
  authorization: string | null
  now: number
}): Decision<
  { client: AuthenticatedClient },
  | 'client_auth_ambiguous'
  | 'client_auth_method_not_supported'
  | 'client_unknown'
  | DisabledReason
  | 'client_secret_unexpected'
  | 'client_secret_missing'
  | 'client_secret_mismatch'
> {
  if (authorization !== null && clientSecret !== null)
    return refuse(
      'invalid_request',
      'client_auth_ambiguous',
      'use one client authentication method',
    )
  if (authorization !== null) return refuse('invalid_client', 'client_auth_method_not_supported')
  const matched = clientSecret === null ? false : secretMatches({ client, clientSecret, now })
  if (client === null) return refuse('invalid_client', 'client_unknown')
  if (client.disabled) return refuse('invalid_client', disabledReason(client))
  if (client.tokenEndpointAuthMethod === 'none') {
    if (clientSecret !== null) return refuse('invalid_client', 'client_secret_unexpected')
  } else {
    if (clientSecret === null) return refuse('invalid_client', 'client_secret_missing')
    if (!matched) return refuse('invalid_client', 'client_secret_mismatch')
  }
  return { ok: true, client: client as AuthenticatedClient }
}

function secretMatches({
  client,
  clientSecret,
  now,
}: {
  client: Client | null
  clientSecret: string
  now: number
}): boolean {
  const presented = sha256Base64url(clientSecret)
  let matched = false
  for (const secret of client?.secrets ?? []) {
    if (secret.expiresAt !== null && secret.expiresAt <= now) continue
    if (equalText(presented, secret.hash)) matched = true
  }
  return matched
}
