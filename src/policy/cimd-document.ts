import { sha256Base64url } from '../encoding/hash.js'
import {
  decideNameAndRedirects,
  decideTypesAndLinks,
  isMetadata,
  memberOf,
  type Metadata,
  type MetadataKind,
  quote,
} from './client-metadata.js'
import { type Decision, refuse } from './decision.js'
import { authorityOf, type DocumentUrl } from './cimd-url.js'
import { LOOPBACK_HOSTS, parseLoopbackUri } from './loopback-redirect.js'
import { resemblesVendor, type Vendor } from './vendor-match.js'

export {
  decideDocumentUrl,
  type DocumentPolicy,
  type DocumentUrl,
  isDocumentClientId,
} from './cimd-url.js'

/** What is kept of a document. */
export interface MetadataDocument {
  /** The document's own URL. */
  readonly clientId: string
  readonly name: string
  /** Loopback, or https on the document's own host and port; raw as published, each once. */
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: 'none'
}

/** Why a document makes no client. */
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

const KIND: MetadataKind = { where: ' in the document', least: 1 }
const PRIVATE_KEY_MEMBERS = ['d', 'p', 'q', 'k']

/**
 * Decides what a document says about its client. Members that are not named below are ignored, and
 * nothing is kept but what {@link MetadataDocument} holds: links are checked, neither kept nor
 * fetched, and what a document grants itself (`scope`, `reviewed`, `skip_consent`) has no effect. A
 * `null` counts as absent.
 *
 * - `client_id`: the URL, byte for byte
 * - `client_name`: shown to people, and no vendor's unless a redirect URI of that vendor is on this host
 * - `redirect_uris`: one to ten, each loopback or https on the same host and port
 * - `token_endpoint_auth_method`, `token_endpoint_auth_methods_supported`: `none` in either, or neither
 * - `grant_types`, `response_types`: with `authorization_code` and `code`, where present
 * - `client_secret`, `client_secret_expires_at`, private keys in `jwks`: must not be there, for
 *   everybody can read them
 *
 * @param request - `url` the document was fetched from; `metadata`: its content as parsed JSON;
 *   `vendors`: the platforms whose names a stranger must not carry
 * @returns refusals are `invalid_client`
 * @see draft-ietf-oauth-client-id-metadata-document-02 §4; RFC 7591 §2
 */
export function decideDocument({
  url,
  metadata,
  loopbackHosts = LOOPBACK_HOSTS,
  vendors = [],
}: {
  url: DocumentUrl
  metadata: unknown
  loopbackHosts?: readonly string[]
  vendors?: readonly Vendor[]
}): Decision<{ document: MetadataDocument }, DocumentReason> {
  if (!isMetadata(metadata))
    return refuse(
      'invalid_client',
      'document_not_an_object',
      'the document must be one JSON object',
    )
  if (memberOf(metadata, 'client_id') !== url)
    return refuse(
      'invalid_client',
      'document_client_id_mismatch',
      `client_id in the document must be ${quote(url)} character by character`,
    )
  const read = decideNameAndRedirects(metadata, KIND)
  if (!read.ok) return refuse('invalid_client', `document_${read.reason}`, read.description)
  const { name, redirectUris } = read
  if (isNameOfOther({ name, url, vendors }))
    return refuse(
      'invalid_client',
      'document_name_resembles_vendor',
      'client_name in the document is the name of a known integration that has no redirect URI on this host',
    )
  const isHere = (uri: string): boolean => parseLoopbackUri(uri, loopbackHosts) !== null
  const foreign = redirectUris.find((uri) => !isOnHostOf(uri, url) && !isHere(uri))
  if (foreign !== undefined)
    return refuse(
      'invalid_client',
      'document_redirect_uri_of_other_host',
      `redirect_uris in the document: ${quote(foreign)} is neither https on the document's own host and port nor a loopback address`,
    )
  if (publishesSecret(metadata))
    return refuse(
      'invalid_client',
      'document_secret_published',
      'the document must hold neither client_secret, client_secret_expires_at nor a private key in jwks',
    )
  if (!offersNone(metadata))
    return refuse(
      'invalid_client',
      'document_auth_method_not_supported',
      'token_endpoint_auth_method or token_endpoint_auth_methods_supported in the document must name none',
    )
  const rest = decideTypesAndLinks(metadata, KIND)
  if (!rest.ok) return refuse('invalid_client', `document_${rest.reason}`, rest.description)
  return {
    ok: true,
    document: {
      clientId: url,
      name,
      redirectUris,
      tokenEndpointAuthMethod: 'none',
    },
  }
}

function isNameOfOther({
  name,
  url,
  vendors,
}: {
  name: string
  url: DocumentUrl
  vendors: readonly Vendor[]
}): boolean {
  const alike = vendors.filter((vendor) => resemblesVendor({ name, vendors: [vendor] }))
  const isOwn = (vendor: Vendor): boolean => vendor.redirectUris.some((uri) => isOnHostOf(uri, url))
  return alike.length > 0 && !alike.some(isOwn)
}

// "https://" + the same host and port + "/", on the raw strings: nothing to parse, nothing to mend.
function isOnHostOf(uri: string, url: DocumentUrl): boolean {
  return uri.startsWith(`https://${authorityOf(url)}/`)
}

function publishesSecret(metadata: Metadata): boolean {
  const keys = keysOf(memberOf(metadata, 'jwks'))
  return (
    memberOf(metadata, 'client_secret') !== undefined ||
    memberOf(metadata, 'client_secret_expires_at') !== undefined ||
    keys.some(
      (key) =>
        isObject(key) && PRIVATE_KEY_MEMBERS.some((name) => memberOf(key, name) !== undefined),
    )
  )
}

function keysOf(jwks: unknown): readonly unknown[] {
  const keys = isObject(jwks) ? memberOf(jwks, 'keys') : undefined
  return Array.isArray(keys) ? keys : []
}

function isObject(value: unknown): value is Metadata {
  return typeof value === 'object' && value !== null
}

// A client that would rather sign (private_key_jwt) says in the plural member that it can do without.
function offersNone(metadata: Metadata): boolean {
  const method = memberOf(metadata, 'token_endpoint_auth_method')
  const methods = memberOf(metadata, 'token_endpoint_auth_methods_supported')
  if (method === undefined && methods === undefined) return true
  return method === 'none' || (Array.isArray(methods) && methods.includes('none'))
}

/**
 * A fingerprint of what a reviewer saw: name, redirect URIs in any order, authentication method. A
 * document whose digest has changed needs a new review.
 *
 * @returns 43 base64url characters
 */
export function documentDigest(document: MetadataDocument): string {
  const { name, redirectUris, tokenEndpointAuthMethod } = document
  return sha256Base64url(JSON.stringify([name, redirectUris.toSorted(), tokenEndpointAuthMethod]))
}
