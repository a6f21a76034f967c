import { type Decision, refuse } from './decision.js'

/** Paths below the origin that clients name when they mean the origin: the MCP and Account API URLs. */
export const RESOURCE_PATHS: readonly string[] = ['/', '/mcp', '/account/graphql']

/** The spellings of one resource. Made by {@link defineResource}. */
export interface ResourceNames {
  /** The canonical form: the origin without a trailing slash. Stored, returned and introspected. */
  readonly canonical: string
  /** Every accepted spelling, compared as strings. */
  readonly accepted: ReadonlySet<string>
}

/**
 * The accepted spellings of a site's one resource: its origin, bare or with one of the paths.
 *
 * @param origin - scheme, host and port, without a trailing slash
 * @param paths - each beginning with `/`
 */
export function defineResource(
  origin: string,
  paths: readonly string[] = RESOURCE_PATHS,
): ResourceNames {
  return {
    canonical: origin,
    accepted: new Set([origin, ...paths.map((path) => origin + path)]),
  }
}

/**
 * Decides which resource a request is about. Values are compared as strings against the accepted
 * spellings and never parsed: parsing maps too many strings onto one.
 *
 * @param request - `resources`: every `resource` parameter as received; `required`: whether the
 *   client must name one (member clients)
 * @returns the canonical form. Refusals are `invalid_target`: `resource_unknown` also where one of
 *   several values is
 * @see RFC 8707 §2
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
  if (!resources.every((resource) => names.accepted.has(resource)))
    return refuse(
      'invalid_target',
      'resource_unknown',
      `resource must be ${names.canonical}, as the protected resource metadata says`,
    )
  return { ok: true, resource: names.canonical }
}

/**
 * Decides whether the `resource` of a token request repeats what the code or grant holds.
 *
 * @param request - `resources` as received; `bound`: the resource that the code or grant holds;
 *   `required` as in {@link decideResource}
 * @returns refusals are `invalid_target` where it is missing, and else `invalid_grant`
 * @see RFC 8707 §2.2
 */
export function decideRepeatedResource({
  resources,
  names,
  bound,
  required,
}: {
  resources: readonly string[]
  names: ResourceNames
  bound: string
  required: boolean
}): Decision<unknown, 'resource_missing' | 'resource_mismatch'> {
  if (resources.length === 0 && required)
    return refuse(
      'invalid_target',
      'resource_missing',
      `resource is required: repeat resource=${names.canonical}`,
    )
  const same = bound === names.canonical && resources.every((value) => names.accepted.has(value))
  return same ? { ok: true } : refuse('invalid_grant', 'resource_mismatch')
}
