import { type Decision, present, refuse } from './decision.js'

/**
 * The paths that clients append to the origin when they mean the origin: the URLs of the MCP
 * endpoint and the Account API.
 */
export const RESOURCE_PATHS = ['/mcp', '/account/graphql'] as const

/**
 * The accepted spellings of the resources of a site. Created by {@link defineResource}.
 *
 * @group Scopes, roles and resources
 */
export interface ResourceNames {
  /** The canonical form of the resource of a request that names none: the origin without a trailing slash. */
  readonly canonical: string
  /**
   * The canonical form of each accepted address. It is stored, and returned by introspection. The names of a site also
   * have other spellings that mean the same.
   */
  readonly accepted: Pick<ReadonlyMap<string, string>, 'get'>
}

/**
 * Returns the accepted addresses of a resource, which is an origin. A client may also send the origin with a slash, or
 * with one of the paths. To accept several resources, join their maps.
 *
 * @param origin - scheme, host and port, without a trailing slash. It is not checked.
 * @param paths - accepted paths, each of which begins with `/`. Default: `/mcp` and `/account/graphql`
 * @returns the spellings, for {@link decideResource} and {@link decideRepeatedResource}
 * @see [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707#section-2)
 *
 * @example
 * ```ts
 * import { defineResource } from 'hallpass/policy'
 *
 * const names = defineResource('https://school.example', ['/mcp'])
 * names.canonical // => 'https://school.example'
 * names.accepted.get('https://school.example/mcp') // => 'https://school.example'
 * names.accepted.get('https://school.example/MCP') // => undefined
 * ```
 *
 * @group Scopes, roles and resources
 */
export function defineResource(
  origin: string,
  paths: readonly string[] = RESOURCE_PATHS,
): { readonly canonical: string; readonly accepted: ReadonlyMap<string, string> } {
  return {
    canonical: origin,
    // A URL parser ends the origin with a slash.
    accepted: new Map(['', '/', ...paths].map((path) => [origin + path, origin])),
  }
}

/**
 * Returns the canonical form of the one resource that all of these addresses name; `undefined` if one of them is
 * unknown, or if they name several. Without any it is that of a request that names none.
 */
export function resourceNamed(
  addresses: readonly string[],
  { canonical, accepted }: ResourceNames,
): string | undefined {
  const resource = accepted.get(addresses[0] ?? canonical)
  return addresses.every((address) => accepted.get(address) === resource) ? resource : undefined
}

/**
 * Decides for which resource an authorization request asks. The values are compared with the
 * accepted addresses as strings. They are not parsed, because a URL parser turns too many different
 * strings into the same URL.
 *
 * @param request - `resources`: every `resource` parameter as received; `names`: from
 *   {@link defineResource}; `required`: whether the client must send one, as member clients must
 * @returns the canonical form, or a refusal with `invalid_target`. If there are several values, all must name the
 *   same resource: a token is for one.
 * @see [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707#section-2)
 *
 * @example
 * ```ts
 * import { decideResource, defineResource } from 'hallpass/policy'
 *
 * const request = { names: defineResource('https://school.example'), required: true }
 * const decided = decideResource({ ...request, resources: ['https://school.example/mcp'] })
 * decided // => { ok: true, resource: 'https://school.example' }
 *
 * const refused = decideResource({ ...request, resources: ['https://school.example/MCP'] })
 * refused.ok ? null : refused.reason // => 'resource_unknown'
 * ```
 *
 * @group Scopes, roles and resources
 */
export function decideResource({
  resources,
  names,
  required,
}: {
  resources: readonly string[]
  names: ResourceNames
  required: boolean
}): Decision<{ resource: string }, 'resource_missing' | 'resource_unknown'> {
  if (resources.length === 0 && required)
    return refuse(
      'invalid_target',
      'resource_missing',
      `resource is required: send resource=${names.canonical}`,
    )
  const resource = resourceNamed(resources, names)
  if (resource === undefined)
    return refuse(
      'invalid_target',
      'resource_unknown',
      `resource must be one of the metadata, such as ${names.canonical}`,
    )
  return { ok: true, resource }
}

/**
 * Decides whether the `resource` of a token request matches the resource of the code or grant.
 *
 * @param request - `resources`: every `resource` parameter as received; `names`: from
 *   {@link defineResource}; `bound`: the resource of the code or grant; `required`: whether the client
 *   must send one
 * @returns `{ ok: true }`, or a refusal. The error is `invalid_target` if the parameter is missing,
 *   and `invalid_grant` if it does not match.
 * @see [RFC 8707, section 2.2](https://www.rfc-editor.org/rfc/rfc8707#section-2.2)
 *
 * @example
 * ```ts
 * import { decideRepeatedResource, defineResource } from 'hallpass/policy'
 *
 * const bound = 'https://school.example'
 * const request = { names: defineResource(bound), bound, required: false }
 * decideRepeatedResource({ ...request, resources: [] }) // => { ok: true }
 *
 * const refused = decideRepeatedResource({ ...request, resources: ['https://other.example'] })
 * refused.ok ? null : refused.reason // => 'resource_mismatch'
 * ```
 *
 * @group Scopes, roles and resources
 */
export function decideRepeatedResource({
  resources,
  names,
  bound,
  required,
}: {
  resources: readonly string[]
  names: Pick<ResourceNames, 'accepted'>
  bound: string
  required: boolean
}): Decision<unknown, 'resource_missing' | 'resource_mismatch'> {
  present({ bound, required })
  if (resources.length === 0 && required)
    return refuse(
      'invalid_target',
      'resource_missing',
      `resource is required: repeat resource=${bound}`,
    )
  // Also without a parameter: the site may have named this resource only earlier.
  const same = [bound, ...resources].every((value) => names.accepted.get(value) === bound)
  return same ? { ok: true } : refuse('invalid_grant', 'resource_mismatch')
}
