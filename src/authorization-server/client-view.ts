import { isAboutReviewed } from '../policy/cimd-lifecycle.js'
import type { Client } from '../policy/client.js'
import { parseLoopbackUri } from '../policy/loopback-redirect.js'
import type { AuthorizationServerConfiguration } from './block.js'
import type { ClientLink, ClientView } from './interact.js'

/**
 * Builds the view of a client. A loopback client is never `verified`, because it chose its name itself,
 * and a document client only after a review.
 */
export function viewOf(
  client: Client,
  redirectUri: string,
  { issuer, loopbackHosts }: Pick<AuthorizationServerConfiguration, 'issuer' | 'loopbackHosts'>,
): ClientView {
  const { clientId, name, kind, scopes, createdAt } = client
  return {
    clientId,
    name,
    kind,
    verified: kind === 'member' || kind === 'vendor' || (kind === 'document' && scopes !== null),
    links: linksOf(client, loopbackHosts),
    logoUri: isAboutReviewed(client) ? (client.about?.logoUri ?? null) : null,
    // Clients of the configuration have no such time.
    createdAt: createdAt === 0 ? null : createdAt,
    redirectHost: targetOf(redirectUri),
    redirectIsLoopback: parseLoopbackUri(redirectUri, loopbackHosts) !== null,
    redirectIsOwn: new URL(redirectUri).origin === issuer,
  }
}

/**
 * The links of a client in a fixed order. Only links that the site vouches for have an address: a page of the
 * site that linked to others would help to deceive people.
 */
function linksOf(client: Client, loopbackHosts: readonly string[]): readonly ClientLink[] {
  const { about, clientId, redirectUris } = client
  if (about == null) return []
  const own = redirectUris.filter(
    (uri) => /^https?:/.test(uri) && parseLoopbackUri(uri, loopbackHosts) === null,
  )
  // Only the identifier of a document client is a URL, whose host is that of the client.
  const hosts = [...own, clientId].map(hostOf)
  const isReviewed = isAboutReviewed(client)
  const pages = [
    ['site', about.clientUri],
    ['policy', about.policyUri],
    ['terms', about.tosUri],
  ] as const
  return pages.flatMap(([page, link]) => {
    if (link === null) return []
    const host = hostOf(link)
    return [{ page, host, isElsewhere: !hosts.includes(host), href: isReviewed ? link : null }]
  })
}

/** The host of a link as a browser reads it, in ASCII, with the port if it is not the default one. */
const hostOf = (link: string): string => (URL.canParse(link) ? new URL(link).host : '')

// The host of an http(s) URI includes its port. The host of another scheme has no meaning.
function targetOf(redirectUri: string): string {
  const scheme = redirectUri.slice(0, redirectUri.indexOf(':') + 1)
  const isWeb = scheme === 'https:' || scheme === 'http:'
  return isWeb ? redirectUri.split('/', 3)[2]!.split('?', 1)[0]! : scheme
}

/** The site in place of the client: who is not signed in does not learn whose link it is. */
export function viewOfSite({
  issuer,
  name,
}: Pick<AuthorizationServerConfiguration, 'issuer' | 'name'>): ClientView {
  return {
    clientId: issuer,
    name,
    kind: 'vendor',
    verified: true,
    links: [],
    logoUri: null,
    createdAt: null,
    redirectHost: new URL(issuer).host,
    redirectIsLoopback: false,
    redirectIsOwn: true,
  }
}
