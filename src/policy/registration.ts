import {
  decideNameAndRedirects,
  decideTypesAndLinks,
  isMetadata,
  memberOf,
  type MetadataKind,
  quote,
} from './client-metadata.js'
import type { TokenEndpointAuthMethod } from './client.js'
import { type Decision, refuse } from './decision.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'
import { matchVendor, resemblesVendor, type Vendor } from './vendor-match.js'

/** What a registration request asks for, once decided. */
export type Registration =
  /** A known platform: answer with its `client_id`, store nothing. */
  | { readonly kind: 'vendor'; readonly vendor: Vendor }
  /** A new client on the person's own computer. */
  | {
      readonly kind: 'loopback'
      readonly name: string
      readonly redirectUris: readonly string[]
      readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
    }

/** The name of a client that gave none, or one that a person could take for a vendor's. */
export const UNNAMED_CLIENT = 'An app on this computer'

const KIND: MetadataKind = { where: '', least: 0 }

/** Why a registration is refused. */
export type RegistrationReason =
  | 'metadata_not_an_object'
  | 'redirect_uris_malformed'
  | 'client_name_malformed'
  | 'client_name_not_a_vendor'
  | 'redirect_uri_malformed'
  | 'redirect_uri_not_loopback'
  | 'auth_method_not_supported'
  | 'application_type_not_supported'
  | 'application_type_mismatch'
  | 'grant_types_not_supported'
  | 'response_types_not_supported'
  | 'link_malformed'

/**
 * Decides a registration request.
 *
 * | `redirect_uris` | `client_name` | answer |
 * | --- | --- | --- |
 * | all in the matched vendor's list, or none | a vendor's | the vendor's client |
 * | none | no vendor's | `client_name_not_a_vendor` |
 * | every one loopback | anything | a new client |
 * | any other | anything | `redirect_uri_not_loopback` |
 *
 * Members that the table does not name are ignored; a `null` counts as absent.
 *
 * @param request - `metadata`: the request body as parsed JSON
 * @returns refusals are `invalid_redirect_uri` for the redirect URIs, and else
 *   `invalid_client_metadata`
 * @see RFC 7591 §2, §3.2
 */
export function decideRegistration({
  metadata,
  vendors,
  loopbackHosts = LOOPBACK_HOSTS,
}: {
  metadata: unknown
  vendors: readonly Vendor[]
  loopbackHosts?: readonly string[]
}): Decision<{ registration: Registration }, RegistrationReason> {
  if (!isMetadata(metadata))
    return refuse(
      'invalid_client_metadata',
      'metadata_not_an_object',
      'the body must be one JSON object',
    )
  const read = decideNameAndRedirects(metadata, KIND)
  if (!read.ok)
    return read.reason === 'name_malformed'
      ? refuse('invalid_client_metadata', 'client_name_malformed', read.description)
      : refuse('invalid_redirect_uri', read.reason, read.description)
  const { name, redirectUris } = read

  const vendor = name === '' ? null : matchVendor({ name, vendors })
  if (vendor !== null && redirectUris.every((uri) => vendor.redirectUris.includes(uri)))
    return { ok: true, registration: { kind: 'vendor', vendor } }
  if (redirectUris.length === 0)
    return refuse(
      'invalid_client_metadata',
      'client_name_not_a_vendor',
      'client_name is not a known integration: send loopback redirect_uris, or use a client ID metadata document',
    )
  const foreign = redirectUris.find((uri) => parseLoopbackUri(uri, loopbackHosts) === null)
  if (foreign !== undefined)
    return refuse(
      'invalid_redirect_uri',
      'redirect_uri_not_loopback',
      `redirect_uris: ${quote(foreign)} is not a loopback address such as http://127.0.0.1:3000/callback; only those can be registered here`,
    )

  const method = memberOf(metadata, 'token_endpoint_auth_method') ?? 'none'
  if (method !== 'none' && method !== 'client_secret_post')
    return refuse(
      'invalid_client_metadata',
      'auth_method_not_supported',
      'token_endpoint_auth_method must be none or client_secret_post',
    )
  const applicationType = memberOf(metadata, 'application_type')
  if (applicationType !== undefined && applicationType !== 'native' && applicationType !== 'web')
    return refuse(
      'invalid_client_metadata',
      'application_type_not_supported',
      'application_type must be native or web',
    )
  if (applicationType === 'web' || (applicationType === 'native' && method !== 'none'))
    return refuse(
      'invalid_client_metadata',
      'application_type_mismatch',
      'loopback redirect_uris are for application_type native, and a native application cannot keep a secret',
    )
  const rest = decideTypesAndLinks(metadata, KIND)
  if (!rest.ok) return refuse('invalid_client_metadata', rest.reason, rest.description)
  return {
    ok: true,
    registration: {
      kind: 'loopback',
      name: name === '' || resemblesVendor({ name, vendors }) ? UNNAMED_CLIENT : name,
      redirectUris,
      tokenEndpointAuthMethod: method,
    },
  }
}
