import { clientOfPinnedDocument, type PinnedDocument } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

/** A page of the demo that is an app: people sign in with it, and responses return to it. */
export interface PageApp {
  readonly name: string
  /** The path of the page. It is its redirect URI. */
  readonly path: string
  /** The path of its client metadata document. With the origin it is its `client_id`. */
  readonly document: string
  /** The scopes that it may request, or `null` for those of any app before its review. */
  readonly scopes: readonly SchoolScope[] | null
}

/** The walkthrough of the front page. */
export const WALK = {
  name: 'Front page walk',
  path: '/',
  document: '/assets/walk-client.json',
  scopes: ['courses:read'],
} as const satisfies PageApp

/** The playground. All that it needs is below its path. */
export const PLAYGROUND = {
  name: 'Playground',
  path: '/playground',
  document: '/playground/client.json',
  scopes: null,
} as const satisfies PageApp

/** The `client_id` by which every school of the demo knows the playground as an app for its members. */
export const PLAYGROUND_MEMBER_CLIENT = 'playground'

/**
 * Returns the client metadata document of a page.
 *
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 */
export const pageMetadata = (
  { name, path, document }: PageApp,
  origin: string,
): Readonly<Record<string, unknown>> => ({
  client_id: origin + document,
  client_name: name,
  client_uri: origin + path,
  redirect_uris: [origin + path],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

/**
 * Returns the documents of the pages as this school keeps them, since a server need not fetch from itself. None for an
 * origin on which no document can be, such as a loopback address: there the pages register themselves.
 */
export const pageDocuments = (
  pages: readonly PageApp[],
  origin: string,
): readonly PinnedDocument<SchoolScope>[] =>
  pages
    .map((page) => ({
      metadata: pageMetadata(page, origin),
      scopes: page.scopes,
      checkedOn: '2026-11-23',
    }))
    .filter((pinned) => clientOfPinnedDocument(pinned).ok)
