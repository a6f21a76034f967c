import { createJsonDocument } from '../http/document.js'
import type { Endpoint } from '../http/exchange.js'
import { createEndpoint, type ErrorFormat, PUBLIC } from '../http/frame.js'
import { spelledAs } from '../policy/resource-spelling.js'
import { PATHS } from '../site/paths.js'
import type { Site } from '../site/site.js'

/**
 * The clients that read each document, which request exactly the scopes that it lists: one of the other audience would
 * be refused for them. At the origin, both do.
 */
const READERS = {
  protectedResourceMetadata: 'any',
  mcpResourceMetadata: 'operator',
  signedInResourceMetadata: 'operator',
  memberResourceMetadata: 'member',
  accountResourceMetadata: 'member',
} as const

/**
 * A document of the metadata, by the name of its endpoint.
 *
 * @inline
 */
export type ResourceName =
  | 'protectedResourceMetadata'
  | 'mcpResourceMetadata'
  | 'signedInResourceMetadata'
  | 'memberResourceMetadata'
  | 'accountResourceMetadata'

const addressPath = (name: ResourceName): string =>
  PATHS[name].slice(PATHS.protectedResourceMetadata.length)

/** Builds the metadata of RFC 9728, section 2, for one of the addresses of a resource. */
export function resourceMetadata(
  {
    issuer,
    resource,
    name: siteName,
    scopes,
    baselineScopes = baselineOf(scopes),
    senderConstraint,
  }: ResourceSource,
  name: ResourceName,
  address: string = resource.canonical + addressPath(name),
): Readonly<Record<string, unknown>> {
  const recommended = baselineScopes.filter((scope) => {
    const audience = scopes.get(scope)?.audience
    return audience === 'any' || audience === READERS[name]
  })
  return {
    resource: address,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    ...(recommended.length > 0 && { scopes_supported: recommended }),
    resource_name: siteName,
    ...senderConstraint?.metadata,
  }
}

/** The members of a site that its resource metadata shows. */
interface ResourceSource extends Pick<Site, 'issuer' | 'name' | 'scopes'> {
  readonly resource: Pick<Site['resource'], 'canonical'>
  readonly senderConstraint?: Site['senderConstraint']
  /** The scopes that the documents recommend. Default: {@link baselineOf}. */
  readonly baselineScopes?: readonly string[]
}

/** Returns what a client needs to be useful: who the person is, and what its tools and fields read. */
export const baselineOf = (scopes: Site['scopes']): readonly string[] =>
  scopes.names.filter((scope) => {
    const { access, sensitive = false } = scopes.get(scope)!
    return access !== 'write' && !sensitive
  })

/** Creates the endpoints that serve the metadata of a resource, each for the address at which its clients begin. */
export function createResourceMetadata(
  site: Site & Pick<ResourceSource, 'baselineScopes'>,
  errors: ErrorFormat<never>,
): Readonly<Record<ResourceName, Endpoint>> {
  const endpoint = (name: ResourceName): Endpoint => {
    const usual = site.resource.canonical + addressPath(name)
    const document = createJsonDocument(() => resourceMetadata(site, name))
    return createEndpoint(site, { ...PUBLIC, name, errors }, async ({ incoming }) => {
      const spelled = spelledAs(usual, incoming.target)
      return spelled === usual
        ? document(incoming)
        : createJsonDocument(() => resourceMetadata(site, name, spelled))(incoming)
    })
  }
  return {
    protectedResourceMetadata: endpoint('protectedResourceMetadata'),
    mcpResourceMetadata: endpoint('mcpResourceMetadata'),
    signedInResourceMetadata: endpoint('signedInResourceMetadata'),
    memberResourceMetadata: endpoint('memberResourceMetadata'),
    accountResourceMetadata: endpoint('accountResourceMetadata'),
  }
}
