import { idsOf, type PlanName, PLANS } from './against.js'
import { type Check, type Depth, DEPTHS } from './check.js'
import { CHECKS } from './checks/index.js'
import { MOST_SHARED_GRANTS } from './engine/audit.js'
import type { Created } from './finding.js'
import { nearest } from './nearest.js'

/**
 * Which checks an audit has.
 *
 * @group Checks
 */
export interface Selection {
  /** Subjects such as `pkce`, or single checks such as `pkce/plain`. Default: all. */
  readonly only?: readonly string[]
  /** A test plan of others, whose modules the report lists: only its checks run. Default: none. */
  readonly against?: PlanName
  /** Further checks, such as what one kind of server promises and no specification demands. Default: none. */
  readonly checks?: readonly Check[]
  /**
   * How many minutes checks may wait until something has expired, from 1 to 120. They wait at the same time. Default:
   * such checks do not run.
   */
  readonly patient?: number
}

/**
 * Returns the checks that an audit with these options runs, and how many need more than its depth.
 *
 * @throws Error - if a name in `only` or the plan is unknown, or both are given
 * @example
 * ```ts
 * import { selectChecks } from 'hallpass-audit'
 *
 * const { checks } = selectChecks({ only: ['pkce/s256-named'] }, 'passive')
 * checks.map(({ id }) => id) // => ['pkce/s256-named']
 * ```
 * @group Checks
 */
export function selectChecks(
  { only: named, against, checks: further = [], patient }: Selection,
  depth: Depth,
): { readonly checks: readonly Check[]; readonly beyond: number } {
  if (against !== undefined && !Object.hasOwn(PLANS, against))
    throw new Error(`there is no plan ${against}: ${Object.keys(PLANS).join(', ')}`)
  if (against !== undefined && named !== undefined)
    throw new Error('name a plan in `against` or checks in `only`, not both')
  const only = against === undefined ? named : idsOf(against)
  const all = [...CHECKS, ...further]
  for (const name of only ?? []) {
    if (all.some(({ id }) => isNamed(id, name))) continue
    const subjects = subjectsOf(all)
    const meant = nearest(name, [...subjects, ...all.map(({ id }) => id)])
    throw new Error(
      `no check is named ${name}: ${meant === null ? `subjects are ${subjects.join(', ')}` : `did you mean ${meant}?`}`,
    )
  }
  const wanted = all.filter(
    (check) =>
      (patient !== undefined || check.patient !== true) &&
      (only === undefined || only.some((name) => isNamed(check.id, name))),
  )
  if (wanted.length === 0 && only !== undefined && only.length > 0)
    throw new Error(`no check runs: ${only.join(', ')} waits until something has expired, which needs \`patient\` or --patient`) // prettier-ignore
  const checks = wanted.filter((check) => DEPTHS.indexOf(check.depth) <= DEPTHS.indexOf(depth))
  return { checks, beyond: wanted.length - checks.length }
}

/**
 * Returns what an audit creates at most, so that the operator of the server knows before it begins.
 *
 * @example
 * ```ts
 * import { plannedCreations, selectChecks } from 'hallpass-audit'
 *
 * plannedCreations(selectChecks({}, 'passive').checks) // => { clients: 0, authorizations: 0 }
 * ```
 * @group Audits
 */
export function plannedCreations(checks: readonly Check[]): Created {
  // Next to what each check spends, all share three clients, and a grant that the server may end.
  const needs = (depth: Depth): number => (checks.some((check) => check.depth === depth) ? 1 : 0)
  const shared = new Map(checks.flatMap(({ shares = [] }) => shares.map((one) => [one.name, one])))
  const sum = (what: keyof Created): number =>
    [...checks.map(({ creates }) => creates), ...shared.values()].reduce(
      (total, creates) => total + (creates?.[what] ?? 0),
      0,
    )
  return {
    clients: Math.max(needs('people'), needs('anonymous')) * 3 + sum('clients'),
    authorizations: needs('people') * MOST_SHARED_GRANTS + sum('authorizations'),
  }
}

const isNamed = (id: string, name: string): boolean => id === name || id.startsWith(`${name}/`)

const subjectsOf = (checks: readonly Check[]): readonly string[] => [
  ...new Set(checks.map(({ id }) => id.slice(0, id.indexOf('/')))),
]
