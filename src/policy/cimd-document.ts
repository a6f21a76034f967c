import { sha256Base64url } from '../encoding/hash.js'
import { decideAbout, linkMembers } from './client-about.js'
import { decideNameAndRedirects, decideTypes, type MetadataKind, quote } from './client-metadata.js'
import type { Client } from './client.js'
import { type Decision, present, type Refusal, refuse, type With } from './decision.js'
import { authorityOf, type DocumentUrl } from './cimd-url.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'
import { isSecretKey } from './public-key.js'
import { isMembers, listOf, memberOf, type Members } from './reading.js'
import { resemblesVendor, type Vendor } from './vendor-match.js'

export {
  decideDocumentUrl,
  type DocumentPolicy,
  type DocumentUrl,
  isDocumentClientId,
} from './cimd-url.js'

/**
 * The members of a client metadata document that are used and stored.
 *
 * @group Client metadata documents
 */
export interface MetadataDocument {
  /** The URL of the document. */
  readonly clientId: string
  readonly name: string
  /**
   * Loopback addresses, and https on the document's own host and port. Exactly as published, each
   * once.
   */
  readonly redirectUris: readonly string[]
  /** `private_key_jwt` only if {@link decideDocument} got `signing`. */
  readonly tokenEndpointAuthMethod: 'none' | 'private_key_jwt'
  /** The keys of a client with `private_key_jwt`. Absent for any other. */
  readonly keys?: Client['keys']
  /** Links and contacts. Absent or `null` if the document names none. */
  readonly about?: Client['about']
  /** Present if the document asks for bound tokens only: see {@link Client}. */
  readonly dpopBoundAccessTokens?: true
  /** Present if the document asks that every request is pushed: see {@link Client}. */
  readonly requirePushedRequests?: true
}

/**
 * Why a client metadata document does not define a client.
 *
 * @group Client metadata documents
 */
export type DocumentReason =
  | 'document_not_an_object'
  | 'document_client_id_mismatch'
  | 'document_name_malformed'
  | 'document_name_resembles_vendor'
  | 'document_redirect_uris_malformed'
  | 'document_redirect_uri_malformed'
  | 'document_redirect_uri_of_other_host'
  | 'document_secret_published'
  | 'document_auth_method_not_supported'
  | 'document_grant_types_not_supported'
  | 'document_response_types_not_supported'
  | 'document_link_malformed'
  | 'document_contacts_malformed'

/**
 * Decides whether a client metadata document defines a client. Only the members of
 * {@link MetadataDocument} are kept. Links are checked, and not fetched. Members with which a document would grant itself rights (`scope`, `reviewed`, `skip_consent`) have no effect, and
 * other members are ignored. A member that is `null` is treated as absent.
 *
 * - `client_id`: the URL of the document, byte for byte
 * - `client_name`: shown to people. It must not resemble the name of a vendor, unless a redirect
 *   URI of that vendor is on this host. The name of the site is for documents on its own host.
 * - `redirect_uris`: 1 to 10, each a loopback address or https on the same host and port; none, if `grant_types` name
 *   only some of `grants`
 * - `token_endpoint_auth_method`, `token_endpoint_auth_methods_supported`: `none` in one of them,
 *   or both absent
 * - `client_uri`, `policy_uri`, `tos_uri`, `logo_uri`, `jwks_uri`: http or https URLs, if present
 * - `contacts`: at most 5 printable strings, if present
 * - `grant_types`, `response_types`: must contain `authorization_code` and `code`, if present
 * - `client_secret`, `client_secret_expires_at`, private keys in `jwks`: must be absent, because
 *   anyone can read the document
 *
 * @param request - `url`: where the document was fetched; `metadata`: its content as parsed JSON;
 *   `loopbackHosts`: host names that mean "this computer". Default: {@link LOOPBACK_HOSTS};
 *   `vendors`: whose names an unknown client must not use. Default: none; `site`: whose name it must not use.
 *   Default: none; `lookalikes`: such as `LOOKALIKES` from `hallpass/clients`. Default: the most
 *   frequent letters of Greek and Cyrillic; `signing`: reads the keys of a client that signs, such as
 *   `decideClientKeys` from `hallpass/blocks`. Default: none, so that no client can sign; `grants`: those of the server
 *   that redirect nowhere, which a client may have without `authorization_code`. Default: none
 * @returns the document, or a refusal with `invalid_client`; or the refusal of `signing`
 * @see [OAuth Client ID Metadata Document, section 4](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 *
 * @example
 * ```ts
 * import { decideDocument, decideDocumentUrl } from 'hallpass/policy'
 *
 * const clientId = 'https://notes.example/client.json'
 * const policy = { allowedHosts: ['notes.example'], openRegistration: false, ports: [443] }
 * const allowed = decideDocumentUrl({ clientId, policy })
 * if (!allowed.ok) throw new Error(allowed.reason)
 * const [url, redirect_uris] = [allowed.url, ['https://notes.example/callback']]
 * const metadata = { client_id: clientId, client_name: 'Notes', redirect_uris }
 * const decided = decideDocument({ url, metadata })
 * decided.ok ? decided.document.name : decided.reason // => 'Notes'
 *
 * const refused = decideDocument({ url, metadata: { ...metadata, client_secret: 's3cret' } })
 * refused.ok ? null : refused.reason // => 'document_secret_published'
 * ```
 *
 * @group Client metadata documents
 */
export function decideDocument({
  url,
  metadata,
  loopbackHosts = LOOPBACK_HOSTS,
  vendors = [],
  site,
  lookalikes = {},
  signing,
  grants = [],
}: {
  url: DocumentUrl
  metadata: unknown
  loopbackHosts?: readonly string[]
  vendors?: readonly Pick<Vendor, 'name' | 'redirectUris'>[]
  site?: { readonly name: string; readonly issuer: string }
  lookalikes?: Readonly<Record<string, string>>
  signing?: (metadata: Readonly<Record<string, unknown>>) => SigningKeys | null
  grants?: readonly string[]
}): Decision<{ document: MetadataDocument }, DocumentReason> {
  if (!isMembers(metadata))
    return refuse(
      'invalid_client',
      'document_not_an_object',
      'the document must be one JSON object',
    )
  if (memberOf(metadata, 'client_id') !== url)
    return refuse(
      'invalid_client',
      'document_client_id_mismatch',
      `client_id in the document must equal ${quote(url)}, character by character`,
    )
  const kind: MetadataKind = { where: ' in the document', least: 1, grants }
  const read = decideNameAndRedirects(metadata, kind)
  if (!read.ok) return refuse('invalid_client', `document_${read.reason}`, read.description)
  const { name, redirectUris } = read
  const owners: readonly Owner[] =
    site === undefined
      ? vendors
      : [...vendors, { name: site.name, redirectUris: [`${site.issuer}/`] }]
  if (isNameOfOther({ name, url, owners, lookalikes }))
    return refuse(
      'invalid_client',
      'document_name_resembles_vendor',
      'client_name in the document resembles the name of the site, or of a known integration that has no redirect URI on this host: choose another name',
    )
  const isHere = (uri: string): boolean => parseLoopbackUri(uri, loopbackHosts) !== null
  const foreign = redirectUris.find((uri) => !isOnHostOf(uri, url) && !isHere(uri))
  if (foreign !== undefined)
    return refuse(
      'invalid_client',
      'document_redirect_uri_of_other_host',
      `redirect_uris in the document: ${quote(foreign)} must be https on the document's own host and port, or http:// with a loopback host, at most a port, and a path`,
    )
  if (publishesSecret(metadata))
    return refuse(
      'invalid_client',
      'document_secret_published',
      'the document must not contain client_secret, client_secret_expires_at or a private key in jwks',
    )
  const signed = signing?.(metadata) ?? null
  if (signed !== null && !signed.ok) return signed as Refusal<never>
  if (signed === null && !offersNone(metadata))
    return refuse(
      'invalid_client',
      'document_auth_method_not_supported',
      `token_endpoint_auth_method or token_endpoint_auth_methods_supported in the document must contain the method ${signing ? 'none or private_key_jwt' : 'none'}`,
    )
  const types = decideTypes(metadata, kind)
  if (!types.ok) return refuse('invalid_client', `document_${types.reason}`, types.description)
  const said = decideAbout(metadata, kind)
  if (!said.ok) return refuse('invalid_client', `document_${said.reason}`, said.description)
  return {
    ok: true,
    document: {
      clientId: url,
      name,
      redirectUris,
      tokenEndpointAuthMethod: signed?.tokenEndpointAuthMethod ?? 'none',
      ...(signed !== null && { keys: signed.keys }),
      about: said.about,
      ...(memberOf(metadata, 'dpop_bound_access_tokens') === true && {
        dpopBoundAccessTokens: true,
      }),
      ...(memberOf(metadata, 'require_pushed_authorization_requests') === true && {
        requirePushedRequests: true,
      }),
    },
  }
}

/**
 * The keys that a block reads from the metadata of a client, or its refusal.
 *
 * @inline
 */
export type SigningKeys =
  | {
      readonly ok: true
      readonly tokenEndpointAuthMethod: 'private_key_jwt'
      readonly keys: NonNullable<Client['keys']>
    }
  | Refusal<string>

/** Whose name it is, and where its documents may be. */
type Owner = Pick<Vendor, 'name' | 'redirectUris'>

function isNameOfOther({
  name,
  url,
  owners,
  lookalikes,
}: {
  name: string
  url: DocumentUrl
  owners: readonly Owner[]
  lookalikes: Readonly<Record<string, string>>
}): boolean {
  const alike = owners.filter((owner) => resemblesVendor({ name, vendors: [owner], lookalikes }))
  const isOwn = ({ redirectUris }: Owner): boolean =>
    redirectUris.some((uri) => isOnHostOf(uri, url))
  return alike.length > 0 && !alike.some(isOwn)
}

// Compares the strings up to the path, since a URL parser would change what it reads.
function isOnHostOf(uri: string, url: DocumentUrl): boolean {
  return uri.startsWith(`https://${authorityOf(url)}/`)
}

function publishesSecret(metadata: Members): boolean {
  // Also of a set that is refused as a record: a secret is one wherever it is.
  const keys = listOf(memberOf(Object(memberOf(metadata, 'jwks')) as Members, 'keys'))
  return (
    memberOf(metadata, 'client_secret') !== undefined ||
    memberOf(metadata, 'client_secret_expires_at') !== undefined ||
    keys.some(isSecretKey)
  )
}

// A client that prefers private_key_jwt can list none as well, in the plural member.
function offersNone(metadata: Members): boolean {
  const method = memberOf(metadata, 'token_endpoint_auth_method')
  const methods = memberOf(metadata, 'token_endpoint_auth_methods_supported')
  if (method === undefined && methods === undefined) return true
  return method === 'none' || listOf(methods).includes('none')
}

/**
 * Returns a digest of what a review covers: the name, the redirect URIs in any order, the
 * authentication method, and the links, logo included. A document with another digest needs a new review.
 * Contacts are not covered, because only managers see them. Keys and their address are not either, because keys rotate.
 *
 * @param document - from {@link decideDocument}
 * @returns 43 base64url characters
 *
 * @example
 * ```ts
 * import { documentDigest } from 'hallpass/policy'
 *
 * const redirectUris = ['https://notes.example/a', 'https://notes.example/b']
 * const clientId = 'https://notes.example/client.json'
 * const document = { clientId, name: 'Notes', redirectUris, tokenEndpointAuthMethod: 'none' } as const
 * const digest = documentDigest(document)
 * digest === documentDigest({ ...document, redirectUris: redirectUris.toReversed() }) // => true
 * digest === documentDigest({ ...document, name: 'Notes Pro' }) // => false
 * ```
 *
 * @group Client metadata documents
 */
export function documentDigest(
  document: With<MetadataDocument, 'name' | 'redirectUris' | 'tokenEndpointAuthMethod'>,
): string {
  const { name, redirectUris, tokenEndpointAuthMethod, about = null } = document
  const content = Object.values(
    present({ name, redirectUris: redirectUris.toSorted(), tokenEndpointAuthMethod }),
  )
  const links = linkMembers(about)
  // Without links the digest is that of versions which did not keep them.
  const covered = Object.keys(links).length === 0 ? content : [...content, links]
  return sha256Base64url(JSON.stringify(covered))
}
