import { clientOfPinnedDocument, type PinnedDocument } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

/** The path of the client metadata document of the front page's walkthrough. */
export const WALK_CLIENT_PATH = '/assets/walk-client.json'

/**
 * Returns the client metadata document of the front page's walkthrough: its address is its `client_id`, and responses
 * return to the page itself.
 *
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 */
export const walkMetadata = (origin: string): Readonly<Record<string, unknown>> => ({
  client_id: origin + WALK_CLIENT_PATH,
  client_name: 'Front page walk',
  client_uri: `${origin}/`,
  redirect_uris: [`${origin}/`],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

/**
 * Returns the document as this school keeps it, since a server need not fetch from itself. None for an origin on which
 * no document can be, such as a loopback address: there the page registers itself.
 */
export function walkDocuments(origin: string): readonly PinnedDocument<SchoolScope>[] {
  const pinned: PinnedDocument<SchoolScope> = {
    metadata: walkMetadata(origin),
    scopes: ['courses:read'],
    checkedOn: '2026-11-23',
  }
  return clientOfPinnedDocument(pinned).ok ? [pinned] : []
}
