import { decideAbout } from './client-about.js'
import {
  decideNameAndRedirects,
  decideTypes,
  type MetadataKind,
  needsRedirects,
  quote,
} from './client-metadata.js'
import type { Client, TokenEndpointAuthMethod } from './client.js'
import { type Decision, refuse } from './decision.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'
import { isMembers, memberOf, type Members } from './reading.js'
import { matchVendor, resemblesVendor, type Vendor } from './vendor-match.js'

/**
 * The outcome of a valid registration request.
 *
 * @typeParam Known - the members of a vendor that are known. Default: all
 *
 * @group Clients
 */
export type Registration<Known = Vendor> =
  /** The request comes from a known vendor: respond with its `client_id`, and store nothing. */
  | { readonly kind: 'vendor'; readonly vendor: Known }
  /** A new client on the person's own computer. */
  | {
      readonly kind: 'loopback'
      readonly name: string
      readonly redirectUris: readonly string[]
      readonly tokenEndpointAuthMethod: TokenEndpointAuthMethod
      /** Links and contacts, which any program can claim. `null` if the client names none. */
      readonly about: Client['about']
    }

/**
 * The name of a client that sent no name, or one that a person could mistake for that of a
 * vendor or of the site.
 */
const UNNAMED_CLIENT = 'An app on this computer'

/**
 * Decides whether a client may register, and as which client.
 *
 * The first rule that applies decides:
 *
 * - The `client_name` is that of a vendor, and all redirect URIs are in the list of the vendor, or
 *   there are none: the client of the vendor.
 * - There are no redirect URIs: a new client, if its `grant_types` name only some of `grants`; otherwise refused with
 *   `client_name_not_a_vendor`.
 * - All redirect URIs are loopback addresses: a new client, if its other members are valid.
 * - Any other redirect URIs: refused with `redirect_uri_not_loopback`.
 *
 * Members of the request that have no meaning here are ignored. A member that is `null` is treated
 * as absent.
 *
 * @param request - `metadata` is the request body as parsed JSON, and `vendors` are those of the
 *   site. `loopbackHosts` are host names that mean "this computer". Default: {@link LOOPBACK_HOSTS}.
 *   `site` has the name of the site, which no client may use. Default: none. `lookalikes` are
 *   such as `LOOKALIKES` from `hallpass/clients`. Default: the most frequent letters of Greek and Cyrillic. `grants` are
 *   those of the server that redirect nowhere, which a client may have without `authorization_code`. Default: none.
 *   `methods` are those with which a client may authenticate, for the words of a refusal. Default: `none` and
 *   `client_secret_post`
 * @returns the registration, or a refusal. The error is `invalid_redirect_uri` for the redirect
 *   URIs, and otherwise `invalid_client_metadata`.
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 * @see [RFC 7591, section 3.2](https://www.rfc-editor.org/rfc/rfc7591#section-3.2)
 *
 * @example
 * ```ts
 * import { decideRegistration } from 'hallpass/policy'
 *
 * const metadata = { client_name: 'Notes', redirect_uris: ['http://127.0.0.1/callback'] }
 * const decided = decideRegistration({ metadata, vendors: [] })
 * decided.ok ? decided.registration.kind : decided.reason // => 'loopback'
 *
 * const web = { ...metadata, redirect_uris: ['https://notes.example/callback'] }
 * const refused = decideRegistration({ metadata: web, vendors: [] })
 * refused.ok ? null : refused.reason // => 'redirect_uri_not_loopback'
 * ```
 *
 * @group Clients
 */
export function decideRegistration<Known extends Pick<Vendor, 'name' | 'redirectUris'> = Vendor>({
  metadata,
  vendors,
  loopbackHosts = LOOPBACK_HOSTS,
  site,
  lookalikes = {},
  grants = [],
  methods = ['none', 'client_secret_post'],
}: {
  metadata: unknown
  vendors: readonly Known[]
  loopbackHosts?: readonly string[]
  site?: { readonly name: string }
  lookalikes?: Readonly<Record<string, string>>
  grants?: readonly string[]
  methods?: readonly string[]
}): Decision<
  { registration: Registration<Known> },
  | 'metadata_not_an_object'
  | 'redirect_uris_malformed'
  | 'client_name_malformed'
  | 'client_name_not_a_vendor'
  | 'redirect_uri_malformed'
  | 'redirect_uri_not_loopback'
  | 'auth_method_not_supported'
  | 'application_type_mismatch'
  | 'grant_types_not_supported'
  | 'response_types_not_supported'
  | 'link_malformed'
  | 'contacts_malformed'
> {
  if (!isMembers(metadata))
    return refuse(
      'invalid_client_metadata',
      'metadata_not_an_object',
      'the body must be one JSON object',
    )
  const kind: MetadataKind = { where: '', least: 0, grants }
  const redirects = needsRedirects(metadata, kind)
  const read = decideNameAndRedirects(metadata, kind)
  if (!read.ok)
    return read.reason === 'name_malformed'
      ? refuse('invalid_client_metadata', 'client_name_malformed', read.description)
      : refuse('invalid_redirect_uri', read.reason, read.description)
  const { name, redirectUris } = read

  // The entry of a vendor has redirect URIs, so a client that redirects nowhere is another one.
  const vendor = name === '' || !redirects ? null : matchVendor({ name, vendors })
  if (vendor !== null && redirectUris.every((uri) => vendor.redirectUris.includes(uri)))
    return { ok: true, registration: { kind: 'vendor', vendor } }
  const types = decideTypes(metadata, kind)
  if (redirectUris.length === 0 && redirects)
    return types.ok
      ? refuse(
          'invalid_client_metadata',
          'client_name_not_a_vendor',
          'client_name is not the name of a known integration: send loopback redirect_uris, or use a client ID metadata document',
        )
      : refuse('invalid_client_metadata', types.reason, types.description)
  const foreign = redirectUris.find((uri) => parseLoopbackUri(uri, loopbackHosts) === null)
  if (foreign !== undefined)
    return refuse(
      'invalid_redirect_uri',
      'redirect_uri_not_loopback',
      `redirect_uris: ${quote(foreign)} is not http:// with a loopback host, at most a port, and a path, such as http://127.0.0.1:3000/callback, and no other addresses can be registered`,
    )

  const method = memberOf(metadata, 'token_endpoint_auth_method') ?? 'none'
  if (method !== 'none' && method !== 'client_secret_post')
    return refuse(
      'invalid_client_metadata',
      'auth_method_not_supported',
      `token_endpoint_auth_method must be ${methods.join(' or ')}`,
    )
  // `native` with a secret is valid: each installation that registers gets its own (RFC 8252 §8.4).
  const applicationType = memberOf(metadata, 'application_type')
  if (applicationType !== undefined && applicationType !== 'native')
    return refuse(
      'invalid_client_metadata',
      'application_type_mismatch',
      'loopback redirect_uris require application_type native',
    )
  if (!types.ok) return refuse('invalid_client_metadata', types.reason, types.description)
  const said = decideAbout(metadata, kind)
  if (!said.ok) return refuse('invalid_client_metadata', said.reason, said.description)
  const owners = site === undefined ? vendors : [...vendors, site]
  return {
    ok: true,
    registration: {
      kind: 'loopback',
      name:
        name === '' || resemblesVendor({ name, vendors: owners, lookalikes })
          ? UNNAMED_CLIENT
          : name,
      redirectUris,
      tokenEndpointAuthMethod: method,
      about: said.about,
    },
  }
}

/** The outcome of a registration that names a block. */
export interface Registered {
  /** Members of the metadata as a server without the block would accept them. */
  readonly instead: Members
  /** Fields of the client. */
  readonly fields?: Partial<Client>
  /** Members of the response. */
  readonly answer: Members
}

/** Reads what a registration names of a block; `null` if nothing. */
export type Registers = (metadata: unknown) => Registered | null
