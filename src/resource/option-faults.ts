import type { ScopeRegistry } from '../scope/registry.js'
import type { RoleTable } from '../scope/role.js'

/** The options that nobody reads: a misspelt one would leave its default in place. */
export const unknownOptions = (options: object, names: ReadonlySet<string>): readonly string[] =>
  Object.keys(options)
    .filter((name) => !names.has(name))
    .map((name) => `unknown option "${name}"`)

/** The scopes of an option that the registry lacks. */
export const unknownScopes = (
  option: string,
  scopes: readonly string[],
  registry: ScopeRegistry,
): readonly string[] =>
  scopes
    .filter((scope) => registry.get(scope) === undefined)
    .map((scope) => `${option} names the unknown scope "${scope}"`)

/** What every part of a site is told. */
interface SiteOptions {
  readonly issuer: string
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
}

/**
 * What is wrong with it, for a message that names every fault at once. An issuer that is only nearly an
 * origin would make each token one of another resource, and a scope that a role alone knows opens nothing.
 */
export function siteFaults({ issuer, scopes, roles }: SiteOptions): readonly string[] {
  return [...issuerFaults(issuer), ...roleFaults(roles, scopes)]
}

const LOOPBACK_ORIGIN = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?$/
const HTTPS_ORIGIN = /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?$/

function issuerFaults(issuer: string): readonly string[] {
  const well = LOOPBACK_ORIGIN.test(issuer) || HTTPS_ORIGIN.test(issuer)
  return well && new URL(issuer).origin === issuer
    ? []
    : [
        `issuer "${issuer}" is not an origin such as https://school.example (http on loopback alone)`,
      ]
}

function roleFaults(roles: RoleTable, registry: ScopeRegistry): readonly string[] {
  return Object.entries(roles).flatMap(([role, { scopes }]) =>
    unknownScopes(`roles.${role}`, scopes === 'all' ? [] : scopes, registry).map(
      (fault) => `${fault}: rolesFor(scopes, roles) leaves such out`,
    ),
  )
}
