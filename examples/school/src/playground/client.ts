import { clientOfPinnedDocument, type PinnedDocument } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

/** The path of the playground. Its redirect URI, and where everything that it needs is. */
export const PLAYGROUND = '/playground'

/** The `client_id` by which every school of the demo knows the playground as an app for its members. */
export const PLAYGROUND_MEMBER_CLIENT = 'playground'

/**
 * Returns the client metadata document of the playground: its address is its `client_id`, and responses return to the
 * playground.
 *
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 */
export const playgroundMetadata = (origin: string): Readonly<Record<string, unknown>> => ({
  client_id: `${origin}${PLAYGROUND}/client.json`,
  client_name: 'Playground',
  client_uri: `${origin}${PLAYGROUND}`,
  redirect_uris: [origin + PLAYGROUND],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

/** Returns the document as this school keeps it. None for an origin on which no document can be: see `walkDocuments`. */
export function playgroundDocuments(origin: string): readonly PinnedDocument<SchoolScope>[] {
  const pinned: PinnedDocument<SchoolScope> = {
    metadata: playgroundMetadata(origin),
    scopes: null,
    checkedOn: '2026-11-23',
  }
  return clientOfPinnedDocument(pinned).ok ? [pinned] : []
}
