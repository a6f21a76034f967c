import type { AuditReport, AuditRow } from '../audit-server.js'
import type { Created, Left, Verdict } from '../finding.js'
import { count } from './text.js'

/** The verdict of a row, or that the operator accepts it. */
export type Outcome = Verdict | 'accepted'

/** In the order in which reports list them. */
const OUTCOMES: readonly Outcome[] = ['held', 'violated', 'advice', 'accepted', 'not applicable', 'not reached'] // prettier-ignore

/** The checks that the operator accepts, each with the reason. */
export type Accepted = Readonly<Record<string, string>>

/** Whether a row needs work: only such a one can be accepted. */
export const needsWork = ({ verdict }: Pick<AuditRow, 'verdict'>): boolean =>
  verdict === 'violated' || verdict === 'not reached'

export const outcomeOf = (row: AuditRow, accepted: Accepted): Outcome =>
  needsWork(row) && Object.hasOwn(accepted, row.check) ? 'accepted' : row.verdict

export const rowsOf = (
  { rows }: AuditReport,
  accepted: Accepted,
  outcome: Outcome,
): readonly AuditRow[] => rows.filter((row) => outcomeOf(row, accepted) === outcome)

/** Whether a row is about a MUST, and not about a recommendation. */
const isMust = ({ clause }: AuditRow): boolean => clause.level.startsWith('MUST')

/** The rows that are violated: those of a MUST first. */
export function violatedOf(report: AuditReport, accepted: Accepted): readonly AuditRow[] {
  const rows = rowsOf(report, accepted, 'violated')
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

/** The outcomes that a table has columns for: advice and what is accepted only where there is some. */
export function columnsOf(report: AuditReport, accepted: Accepted): readonly Outcome[] {
  const totals = totalsOf(report, accepted)
  return OUTCOMES.filter((one) => (one !== 'accepted' && one !== 'advice') || totals[one] > 0)
}

export function totalsOf(report: AuditReport, accepted: Accepted): Record<Outcome, number> {
  const totals = noCounts()
  for (const row of report.rows) totals[outcomeOf(row, accepted)] += 1
  return totals
}

const noCounts = (): Record<Outcome, number> => ({
  held: 0,
  violated: 0,
  advice: 0,
  accepted: 0,
  'not applicable': 0,
  'not reached': 0,
})

/** The result in one line, in which nothing is left out that was not found out. */
export function resultLine(report: AuditReport, accepted: Accepted): string {
  const totals = totalsOf(report, accepted)
  const counts = columnsOf(report, accepted).map((outcome) => `${totals[outcome]} ${outcome}`)
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

/** Says in words what an audit could not remove. A terminal shows the first identifiers only. */
export function leftLine({ clients, grants }: Left, most: number = Number.POSITIVE_INFINITY): string {
  const ids = clients.slice(0, most).map(({ client_id: id }) => id)
  const more = clients.length > most ? ` and ${clients.length - most} more` : ''
  const named = ids.length === 0 ? '' : ` (${ids.join(', ')}${more})`
  const parts = [
    ...(clients.length === 0 ? [] : [`${count(clients.length, 'client')}${named}`]),
    ...(grants === 0 ? [] : [`${count(grants, 'grant')} that could not be revoked`]),
  ]
  return parts.length === 0 ? 'nothing' : parts.join(' and ')
} // prettier-ignore

/** The facts of an audit, such as its depth, by their names. */
export const factsOf = (report: AuditReport): readonly (readonly [string, string])[] => [
  ['Server', report.issuer],
  ['Time', `${report.startedAt.slice(0, 16).replace('T', ' ')} UTC`],
  ['Depth', report.depth],
  ['Requests', report.requests.toLocaleString('en-US')],
  ['Created', creationsOf(report.created)],
  ['Audited by', `hallpass-audit ${report.version}`],
]

/** How many modules of a plan hold, in a sentence, and those that do not, with their checks. */
export function againstOf({ against }: AuditReport): Said | null {
  if (against === null) return null
  const { title, modules } = against
  const left = modules.filter(({ outcome }) => outcome !== 'held')
  return {
    title,
    line: `${modules.length - left.length} of ${modules.length} modules hold`,
    left: left.map(({ module, outcome, checks }) => ({
      module,
      why: outcome === 'lacking' ? 'no check asks it' : `${outcome}: ${checks.join(', ')}`,
    })),
  }
}

/** A plan in words. */
interface Said {
  readonly title: string
  readonly line: string
  readonly left: readonly { readonly module: string; readonly why: string }[]
}

/** The headline of a report: what is violated, in a sentence or two. */
export function headlineOf(report: AuditReport, accepted: Accepted): string {
  const violated = violatedOf(report, accepted)
  const known = rowsOf(report, accepted, 'accepted').filter(({ verdict }) => verdict === 'violated')
  const unreached = rowsOf(report, accepted, 'not reached').length
  const musts = violated.filter(isMust).length
  const advised = violated.length - musts
  const and = advised === 0 ? '' : advised === 1 ? ', and one recommendation' : `, and ${advised} recommendations` // prettier-ignore
  if (musts > 0) return `${musts === 1 ? 'One requirement is' : `${count(musts, 'requirement')} are`} violated${and}` // prettier-ignore
  const left = unreached === 0 ? '' : unreached === 1 ? '. One was not reached' : `. ${unreached} were not reached` // prettier-ignore
  const isAll = unreached === 0 && report.beyond === 0
  const excepted = known.filter(isMust).length
  const held = excepted > 0 ? `Every MUST holds but ${excepted === 1 ? 'one that is' : `${excepted} that are`} accepted` : isAll ? 'Every MUST holds' : 'No requirement is violated' // prettier-ignore
  const recommended = advised === 0 ? '' : advised === 1 ? '. One recommendation does not' : `. ${advised} recommendations do not` // prettier-ignore
  return `${held}${recommended}${left}`
}
