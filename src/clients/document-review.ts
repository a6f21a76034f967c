import { aboutMembers, linkMembers } from '../policy/client-about.js'
import type { Client } from '../policy/client.js'

/**
 * A member of a client metadata document that differs from what its review covered.
 *
 * @group Client changes
 */
export interface DocumentDifference {
  /** Name of the member, as in the document. */
  readonly member:
    'client_name' | 'redirect_uris' | 'client_uri' | 'policy_uri' | 'tos_uri' | 'logo_uri'
  /** The values that the review covered and that the document no longer has. */
  readonly removed: readonly string[]
  /** The values that no review covers. */
  readonly added: readonly string[]
}

/**
 * Returns what changed in a client metadata document since its last review, for the page on which it is
 * reviewed again. These are the members that {@link decideReview} covers.
 *
 * @param client - as stored
 * @returns one entry for each member that differs; `null` if there was no review, or an earlier version of
 *   hallpass did not keep what it covered. Escape the values: the client chose them
 * @example
 * ```ts
 * import { defineClient, differencesSinceReview } from 'hallpass/clients'
 *
 * const times = { firstSeenAt: 1795165200, fetchedAt: 1795165200, freshUntil: 1795168800 }
 * const content = { name: 'Agent', redirectUris: ['https://agent.example/callback'], about: null }
 * const client = defineClient({
 *   ...content,
 *   clientId: 'https://agent.example/client.json',
 *   kind: 'document',
 *   name: 'Agent Pro',
 *   createdAt: 1795165200,
 *   document: { ...times, digest: 'digest-2', reviewedAt: null, changedAt: 1795165260, reviewed: content },
 * })
 * const renamed = [{ member: 'client_name', removed: ['Agent'], added: ['Agent Pro'] }]
 * differencesSinceReview(client) // => renamed
 * ```
 *
 * @group Client changes
 */
export function differencesSinceReview(client: Client): readonly DocumentDifference[] | null {
  const reviewed = client.document?.reviewed ?? null
  if (reviewed === null) return null
  const [before, after] = [valuesOf(reviewed), valuesOf(client)]
  return MEMBERS.map((member) => ({
    member,
    removed: without(before[member], after[member]),
    added: without(after[member], before[member]),
  })).filter(({ removed, added }) => removed.length + added.length > 0)
}

const MEMBERS = [
  'client_name',
  'redirect_uris',
  'client_uri',
  'policy_uri',
  'tos_uri',
  'logo_uri',
] as const

type Values = Readonly<Partial<Record<DocumentDifference['member'], readonly string[]>>>

function valuesOf({
  name,
  redirectUris,
  about,
}: Pick<Client, 'name' | 'redirectUris' | 'about'>): Values {
  const links = Object.entries(linkMembers(about)).map(([member, link]) => [member, [link]])
  return { client_name: [name], redirect_uris: redirectUris, ...Object.fromEntries(links) }
}

const without = (some: readonly string[] = [], others: readonly string[] = []): readonly string[] =>
  some.filter((one) => !others.includes(one))

/**
 * Returns a client as the metadata document that the site keeps of it, to show it as JSON. Members that the site
 * ignores, such as `scope`, are not kept and not in it.
 *
 * @param client - as stored; of any kind
 * @returns the members, by their names in RFC 7591. Escape them: the client chose them
 * @see [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591#section-2)
 * @example
 * ```ts
 * import { defineClient, keptMetadata } from 'hallpass/clients'
 *
 * const client = defineClient({
 *   clientId: 'app_1',
 *   kind: 'loopback',
 *   name: 'Notes',
 *   redirectUris: ['http://127.0.0.1/callback'],
 *   createdAt: 1795165200,
 * })
 * keptMetadata(client)['client_name'] // => 'Notes'
 * ```
 *
 * @group Client changes
 */
export function keptMetadata(client: Client): Readonly<Record<string, unknown>> {
  return {
    client_id: client.clientId,
    client_name: client.name,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    ...aboutMembers(client.about),
  }
}
