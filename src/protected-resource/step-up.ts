import { type Access, type AccessRefusal, decideReach } from '../policy/bearer.js'
import { audienceOf } from '../policy/client.js'
import { PATHS } from '../site/paths.js'
import type { ReasonsOf } from '../policy/decision.js'
import { decideAddition } from '../policy/widening.js'
import type { RoleTable } from '../scope/role.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'

/** The members of a site that tell a person where to allow more. */
export interface StepUpSource {
  readonly issuer: string
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
  readonly stepUpLinks?: boolean
}

/**
 * The scopes that a request needs, all of them, and the roles of which it needs one, if some are named.
 *
 * @inline
 */
export type Requirement = Pick<Parameters<typeof decideReach>[0], 'required' | 'requiredRoles'>

/** Decides as `decideReach` does. Its refusal tells the person what helps. */
export function reachOf(
  source: StepUpSource,
  access: Access,
  { required, requiredRoles }: Requirement,
): { readonly ok: true } | AccessRefusal<ReasonsOf<typeof decideReach>> {
  const { scopes: registry, roles } = source
  const reach = decideReach({ access, required, requiredRoles, registry, roles })
  return reach.ok ? reach : explainMissing(source, reach, access)
}

/**
 * Describes a refusal for missing scopes in a sentence for the person, because some clients ignore the challenge and
 * show nothing else. It names a page of this origin only if the site has it, and the person can allow the scopes
 * there. Otherwise it says who can change that.
 *
 * The sentence depends on nothing that changes from call to call: clients stop when the same challenge comes again.
 */
export function explainMissing<Refused extends AccessRefusal>(
  source: StepUpSource,
  refusal: Refused,
  access: Access,
): Refused {
  const { missingScopes: missing = [] } = refusal
  if (missing.length === 0) return refusal
  const noun = missing.length === 1 ? 'permission' : 'permissions'
  const what = `This needs the ${noun} ${missing.join(', ')}`
  return { ...refusal, description: what + wayTo(source, refusal, missing, access) }
}

function wayTo(
  { issuer, scopes: registry, stepUpLinks = false }: StepUpSource,
  { reason, requiredScopes = [] }: AccessRefusal,
  missing: readonly string[],
  { client, grantId, hasFixedScopes }: Access,
): string {
  if (reason === 'scope_beyond_client') {
    const isOwn = (scope: string): boolean =>
      registry.get(scope)?.audience === audienceOf(client.kind)
    return missing.every(isOwn) ? BY_CLIENT : BY_AUDIENCE
  }
  if (reason === 'scope_beyond_role') return BY_ROLE
  if (hasFixedScopes) return BY_REQUEST
  const scopes = missing.filter((scope) => requiredScopes.includes(scope))
  return stepUpLinks
    ? `. Open ${issuer}${stepUpPath(grantId, scopes)} to allow it, then try again.`
    : '. Connect the app again to allow it.'
}

const BY_ROLE =
  ", which the person's role does not include. Someone who manages the roles of this site can change that."
const BY_CLIENT =
  ', which this app may not use. Someone who manages the apps of this site can change that.'
const BY_REQUEST =
  ', which this app has to request with another token. No page of this site can add it.'
const BY_AUDIENCE = ', which apps of this kind cannot get. Use another app.'

/** Returns the scopes that the person of an access could add to its grant now, without identity scopes. */
export const addableScopes = (
  { scopes: registry, roles }: Pick<StepUpSource, 'scopes' | 'roles'>,
  { client, person, scopes: held, hasFixedScopes }: Access,
): readonly string[] =>
  registry.names.filter(
    (scope) =>
      !hasFixedScopes &&
      registry.get(scope)?.access !== 'identity' &&
      !held.includes(scope) &&
      decideAddition({ scopes: [scope], client, person, registry, roles }).ok,
  )

/**
 * Returns the path of the page on which a person can add scopes to a grant. It contains no secret. Its parameter is
 * not called `scope`: some clients take the first `scope=` of a challenge, also within its description.
 */
export const stepUpPath = (grantId: string, scopes: readonly string[]): string =>
  `${PATHS.interaction}/${encodeURIComponent(grantId)}?add=${scopes
    .map((scope) => encodeURIComponent(scope).replaceAll('%3A', ':'))
    .join('+')}`
