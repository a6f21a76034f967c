import type { AuditReport, AuditRow } from '../audit-server.js'
import {
  type Accepted,
  againstOf,
  clauseOf,
  columnsOf,
  factsOf,
  headlineOf,
  leftLine,
  resultLine,
  rowsOf,
  subjectsOf,
  totalsOf,
  unreachedOf,
  violatedOf,
} from './rows.js'
import { visible, visibleLines } from './text.js'

/**
 * Returns the report as Markdown, for a comment or the summary of a job. What a server said is code there: no link, no
 * mention and no HTML is made from it.
 */
export function renderMarkdown(report: AuditReport, accepted: Accepted): string {
  const violated = violatedOf(report, accepted)
  const unreached = unreachedOf(rowsOf(report, accepted, 'not reached'))
  const known = rowsOf(report, accepted, 'accepted')
  return `${[
    `# ${headlineOf(report, accepted)}`,
    `**${resultLine(report, accepted)}**`,
    [...factsOf(report).map(([name, value]) => `- ${name}: ${value}`), `- Left there: ${leftLine(report.left, 0)}`].join('\n'),
    tableOf(report, accepted),
    ...againstPart(report),
    ...section('Violated', violated.map(violatedPart)),
    ...section(
      'Not reached',
      unreached.map(({ found, rows }) => [
        `${code(found)}:`,
        rows.map((row) => `- ${titleOf(row)}`).join('\n'),
      ]),
    ),
    ...section('Accepted', listed(known, ({ check }) => accepted[check]!)),
    ...section('Advice', listed(rowsOf(report, accepted, 'advice'), ({ change }) => change)),
    ...leftPart(report.left.clients),
  ].join('\n\n')}\n` // prettier-ignore
}

function againstPart(report: AuditReport): readonly string[] {
  const against = againstOf(report)
  if (against === null) return []
  const lines = against.left.map(({ module, why }) => `- ${code(module)}: ${why}`)
  return [
    `## ${against.title}`,
    `${against.line}.`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ]
}

const leftPart = (clients: AuditReport['left']['clients']): readonly string[] =>
  clients.length === 0 ? [] : ['## Clients left there', clients.map(({ client_id: id }) => `- ${code(id)}`).join('\n')] // prettier-ignore

const listed = (rows: readonly AuditRow[], say: (row: AuditRow) => string) =>
  rows.length === 0 ? [] : [[rows.map((row) => `- ${titleOf(row)}: ${code(row.found)}. ${plain(say(row))}`).join('\n')]] // prettier-ignore

const section = (
  title: string,
  parts: readonly (readonly string[])[],
): readonly string[] => {
  const blocks = parts.flat()
  return blocks.length === 0 ? [] : [`## ${title}`, ...blocks]
} // prettier-ignore

function tableOf(report: AuditReport, accepted: Accepted): string {
  const outcomes = columnsOf(report, accepted)
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
  const totals = totalsOf(report, accepted)
  return [
    line(['subject', ...outcomes]),
    line(['---', ...outcomes.map(() => '---:')]),
    ...subjectsOf(report, accepted).map(({ subject, counts }) =>
      line([code(subject), ...outcomes.map((outcome) => counts[outcome])]),
    ),
    line(['**all**', ...outcomes.map((outcome) => `**${totals[outcome]}**`)]),
  ].join('\n')
}

const violatedPart = (row: AuditRow): readonly string[] => [
  `### ${code(row.check)}`,
  `${row.clause.level}, ${linkOf(row)}: ${row.clause.quote}`,
  `- Found: ${code(row.found)}\n- Change: ${plain(row.change)}`,
  ...(row.request === null ? [] : [fence(row.request), fence(row.answer ?? 'no answer')]),
]

const titleOf = (row: AuditRow): string => `${code(row.check)}, ${row.clause.level}, ${linkOf(row)}`

/** A link to the clause, if its document has an address. */
const linkOf = (row: AuditRow): string =>
  row.url === '' ? clauseOf(row) : `[${clauseOf(row)}](${row.url})`

/** Text of this package in which no sign is one of Markdown. */
const plain = (text: string): string => text.replace(/[\\`*_[\]<>|~]/g, '\\$&')

/** A code span, whose marks are longer than any in the text. */
function code(text: string): string {
  const seen = visible(text)
  const marks = '`'.repeat(longestRun(seen) + 1)
  // A text that begins or ends with a mark is set apart from those of the span.
  const gap = /^`|`$|^ .* $/.test(seen) ? ' ' : ''
  return seen === '' ? '` `' : `${marks}${gap}${seen}${gap}${marks}`
}

/** A block of code, whose fence is longer than any in the text. */
function fence(text: string): string {
  const lines = visibleLines(text.trimEnd())
  const marks = '`'.repeat(Math.max(3, longestRun(lines.join('\n')) + 1))
  return `${marks}http\n${lines.join('\n')}\n${marks}`
}

const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
