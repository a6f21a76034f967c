import type { AuditReport } from '../audit-server.js'
import { CHECKS } from '../checks/index.js'
import { type Accepted, needsWork } from '../reports/rows.js'
import { Mistake } from './arguments.js'

/** The rows that an operator accepts: the check, and the verdict that it has. */
export type Baseline = Readonly<Record<string, 'violated' | 'not reached'>>

/**
 * Reads a baseline.
 *
 * @throws Mistake - if the text is not one
 */
export function readBaseline(text: string, file: string): Baseline {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Mistake(`--baseline ${file} is not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Mistake(`--baseline ${file} must be an object such as {"pkce/plain": "violated"}`)
  for (const [check, verdict] of Object.entries(value))
    if (verdict !== 'violated' && verdict !== 'not reached')
      throw new Mistake(
        `--baseline ${file} accepts ${check} as ${JSON.stringify(verdict)}: only "violated" and "not reached" can be accepted`,
      )
  return value as Baseline
}

/** A baseline that accepts every row of a report that is not held. An earlier one says what other checks have. */
export function baselineOf({ rows }: AuditReport, earlier: Baseline): Baseline {
  const run = new Set(rows.map(({ check }) => check))
  const kept = Object.entries(earlier).filter(([check]) => !run.has(check) && isKnown(check))
  const wrong = rows.filter(needsWork)
  return Object.fromEntries(
    [...kept, ...wrong.map(({ check, verdict }) => [check, verdict] as const)].toSorted(
      ([one], [other]) => (one < other ? -1 : 1),
    ),
  ) as Baseline
}

/** The checks that there are, also those that are not part of an audit. */
const KNOWN = new Set(CHECKS.map(({ id }) => id))
const isKnown = (check: string): boolean => KNOWN.has(check)

/** The checks that are accepted: with the verdict that a baseline accepts, or violated for a reason of the sign-in. */
export const acceptedBy = (
  { rows }: AuditReport,
  baseline: Baseline,
  reasons: Accepted = {},
): Accepted =>
  Object.fromEntries(
    rows.flatMap(({ check, verdict }) => {
      const reason = verdict === 'violated' ? reasons[check] : undefined
      if (reason !== undefined) return [[check, reason]]
      return baseline[check] === verdict ? [[check, 'The baseline accepts it.']] : []
    }),
  )

/** The entries of a baseline that are no longer so, a sentence for each. */
export function staleIn({ rows }: AuditReport, baseline: Baseline): readonly string[] {
  const verdicts = new Map(rows.map(({ check, verdict }) => [check, verdict]))
  return Object.entries(baseline).flatMap(([check, accepted]) => {
    const verdict = verdicts.get(check)
    if (verdict === undefined && !isKnown(check))
      return [`the baseline accepts ${check}, and there is no such check`]
    // A check that was not part of this audit says nothing of its entry.
    if (verdict === undefined || needsWork({ verdict })) return []
    return [`the baseline accepts ${check} as ${accepted}, and it is ${verdict}: remove its entry`]
  })
}
