import type { AuditReport, AuditRow } from '../audit-server.js'
import type { Created, Verdict } from '../finding.js'
import { count } from './text.js'

/** The verdict of a row, or that the operator accepts it in a baseline. */
export type Outcome = Verdict | 'accepted'

/** In the order in which reports list them. */
const OUTCOMES: readonly Outcome[] = ['held', 'violated', 'accepted', 'not applicable', 'not reached'] // prettier-ignore

/** The checks that a baseline accepts. */
export type Accepted = ReadonlySet<string>

/** Whether a row needs work: only such a one can be accepted. */
export const needsWork = ({ verdict }: Pick<AuditRow, 'verdict'>): boolean =>
  verdict === 'violated' || verdict === 'not reached'

export const outcomeOf = (row: AuditRow, accepted: Accepted): Outcome =>
  needsWork(row) && accepted.has(row.check) ? 'accepted' : row.verdict

export const rowsOf = (
  { rows }: AuditReport,
  accepted: Accepted,
  outcome: Outcome,
): readonly AuditRow[] => rows.filter((row) => outcomeOf(row, accepted) === outcome)

/** The rows that are violated: those of a MUST first. */
export function violatedOf(report: AuditReport, accepted: Accepted): readonly AuditRow[] {
  const rows = rowsOf(report, accepted, 'violated')
  const isMust = ({ clause }: AuditRow): boolean => clause.level.startsWith('MUST')
  return [...rows.filter(isMust), ...rows.filter((row) => !isMust(row))]
}

export const subjectOf = (check: string): string => check.slice(0, check.indexOf('/'))

/** How many rows of a subject have each outcome. */
export interface SubjectCounts {
  readonly subject: string
  readonly counts: Readonly<Record<Outcome, number>>
}

/** The subjects in the order of the audit. */
export function subjectsOf({ rows }: AuditReport, accepted: Accepted): readonly SubjectCounts[] {
  const subjects = new Map<string, Record<Outcome, number>>()
  for (const row of rows) {
    const subject = subjectOf(row.check)
    const counts = subjects.get(subject) ?? noCounts()
    subjects.set(subject, counts)
    counts[outcomeOf(row, accepted)] += 1
  }
  return [...subjects].map(([subject, counts]) => ({ subject, counts }))
}

/** The outcomes that a table has columns for: nothing is accepted without a baseline. */
export const columnsOf = (accepted: Accepted): readonly Outcome[] =>
  OUTCOMES.filter((outcome) => outcome !== 'accepted' || accepted.size > 0)

export function totalsOf(report: AuditReport, accepted: Accepted): Record<Outcome, number> {
  const totals = noCounts()
  for (const row of report.rows) totals[outcomeOf(row, accepted)] += 1
  return totals
}

const noCounts = (): Record<Outcome, number> => ({
  held: 0,
  violated: 0,
  accepted: 0,
  'not applicable': 0,
  'not reached': 0,
})

/** The result in one line, in which nothing is left out that was not found out. */
export function resultLine(report: AuditReport, accepted: Accepted): string {
  const totals = totalsOf(report, accepted)
  const counts = columnsOf(accepted).map((outcome) => `${totals[outcome]} ${outcome}`)
  const beyond = beyondLine(report)
  return `${counts.join(', ')}${beyond === null ? '' : `; ${beyond}`}`
}

/** How many checks were left out because of the depth; `null` if none was. */
export function beyondLine({ beyond, depth }: AuditReport): string | null {
  if (beyond === 0) return null
  const need = beyond === 1 ? 'needs' : 'need'
  return `${count(beyond, 'check')} ${need} ${depth === 'passive' ? 'a greater --depth' : '--sign-in'}`
}

/** A clause in few words, such as `RFC 7636 §4.6`. */
export const clauseOf = ({ clause: { document, section } }: Pick<AuditRow, 'clause'>): string =>
  /^[\dA-Z](?:[\d.]*\d)?$/.test(section) ? `${document} §${section}` : `${document}, ${section}`

/** Rows that were not reached for the same reason. */
export interface Unreached {
  readonly found: string
  readonly rows: readonly AuditRow[]
}

/** Puts rows together that were not reached for the same reason: one missing client stops many checks. */
export function unreachedOf(rows: readonly AuditRow[]): readonly Unreached[] {
  const reasons = new Map<string, AuditRow[]>()
  for (const row of rows) reasons.set(row.found, [...(reasons.get(row.found) ?? []), row])
  return [...reasons].map(([found, all]) => ({ found, rows: all }))
}

/** Says in words what an audit created. */
export const creationsOf = ({ clients, authorizations }: Created): string =>
  `${count(clients, 'client')} registered, ${count(authorizations, 'authorization request')} answered`

/** The facts of an audit, such as its depth, by their names. */
export const factsOf = (report: AuditReport): readonly (readonly [string, string])[] => [
  ['Server', report.issuer],
  ['Time', `${report.startedAt.slice(0, 16).replace('T', ' ')} UTC`],
  ['Depth', report.depth],
  ['Requests', report.requests.toLocaleString('en-US')],
  ['Created', creationsOf(report.created)],
  ['Audited by', `hallpass-audit ${report.version}`],
]

/** The headline of a report: one sentence of what is violated. */
export function headlineOf(report: AuditReport, accepted: Accepted): string {
  const { violated, accepted: known, 'not reached': unreached } = totalsOf(report, accepted)
  if (violated > 0)
    return violated === 1
      ? 'One requirement is violated'
      : `${count(violated, 'requirement')} are violated`
  const left = unreached === 1 ? 'one was not reached' : `${unreached} were not reached`
  if (unreached > 0) return `None is violated, and ${left}`
  return known > 0 ? 'Nothing is left but what is accepted' : 'No requirement is violated'
}
