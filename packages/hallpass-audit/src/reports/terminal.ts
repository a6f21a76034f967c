import { styleText } from 'node:util'
import type { AuditReport, AuditRow } from '../audit-server.js'
import {
  type Accepted,
  againstOf,
  beyondLine,
  clauseOf,
  columnsOf,
  creationsOf,
  headlineOf,
  leftLine,
  type Outcome,
  resultLine,
  rowsOf,
  subjectsOf,
  totalsOf,
  type Unreached,
  unreachedOf,
  violatedOf,
} from './rows.js'
import { count, cut, visible, visibleLines, wrap } from './text.js'

/** How a terminal shows a report. */
export interface TerminalOptions {
  /** Columns, of which a report uses 40 to 120. */
  readonly columns: number
  readonly colour: boolean
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'
type Paint = (style: Style, text: string) => string

/** Whether a text is a stream's matter has been decided: no stream is asked again. */
const painter =
  (colour: boolean): Paint =>
  (style, text) =>
    colour && text !== '' ? styleText(style, text, { validateStream: false }) : text

/** Identifiers of clients that are left behind: the other reports have all. */
const MOST_LEFT = 3
/** Lines of a head and of a body that a report shows of a request or an answer. */
const HEAD_LINES = 6
const BODY_LINES = 4

/** Returns the report as text for a terminal, or for a file if there are no colours. */
export function renderTerminal(
  report: AuditReport,
  accepted: Accepted,
  { columns, colour }: TerminalOptions,
): string {
  const width = Math.min(Math.max(columns, 40), 120)
  const paint = painter(colour)
  const violated = violatedOf(report, accepted)
  const unreached = unreachedOf(rowsOf(report, accepted, 'not reached'))
  const known = rowsOf(report, accepted, 'accepted')
  const advice = rowsOf(report, accepted, 'advice')
  const parts = [
    ...violated.map((row) => violatedPart(row, width, paint)),
    ...unreached.map((reason) => unreachedPart(reason, width, paint)),
    ...(known.length > 0
      ? [
          listPart('Accepted', known, (row) => `${row.found}. ${accepted[row.check]}`, {
            width,
            paint,
          }),
        ]
      : []),
    ...(advice.length > 0
      ? [
          listPart(
            'Advice, which violates nothing',
            advice,
            (row) => `${row.found}. ${row.change}`,
            { width, paint },
          ),
        ]
      : []),
    tablePart(report, accepted, { width, paint }),
    ...againstPart(report, width, paint),
    endPart(report, accepted, { width, paint }),
  ]
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

function violatedPart(row: AuditRow, width: number, paint: Paint): readonly string[] {
  return [
    ...headLines({ sign: paint('red', '✗'), row, width, paint }),
    ...indented(row.clause.quote, width, paint, 'dim'),
    '',
    ...labelled('Found', row.found, width, paint),
    ...labelled('Change', row.change, width, paint),
    ...(row.url === '' ? [] : labelled('Read', row.url, width, paint)),
    ...exchangeLines(row, width, paint),
  ]
}

function unreachedPart({ found, rows }: Unreached, width: number, paint: Paint): readonly string[] {
  const [first = '', ...rest] = wrap(`not reached: ${visible(found)}`, width - 2)
  return [
    `${paint('yellow', '?')} ${paint('bold', first)}`,
    ...rest.map((line) => `  ${paint('bold', line)}`),
    ...rows.flatMap((row) => headLines({ sign: ' ', row, width, paint })),
    ...(rows.length === 1 ? indented(rows[0]!.clause.quote, width, paint, 'dim') : []),
    ...exchangeLines(rows[0]!, width, paint),
  ]
}

const listPart = (
  title: string,
  rows: readonly AuditRow[],
  say: (row: AuditRow) => string,
  { width, paint }: { width: number; paint: Paint },
): readonly string[] => [
  paint('bold', title),
  ...rows.flatMap((row) => [
    ...headLines({ sign: ' ', row, width, paint }),
    ...indented(say(row), width, paint, 'dim'),
  ]),
]

/** A check at the left, its level and its clause at the right, or below where both do not fit. */
function headLines({
  sign,
  row,
  width,
  paint,
}: {
  sign: string
  row: AuditRow
  width: number
  paint: Paint
}): readonly string[] {
  const clause = visible(`${row.clause.level}  ${clauseOf(row)}`)
  const check = visible(row.check)
  const gap = width - 2 - [...check].length - [...clause].length
  const shown = paint(row.verdict === 'violated' ? 'red' : 'yellow', check)
  if (gap >= 2) return [`${sign} ${shown}${' '.repeat(gap)}${paint('cyan', clause)}`]
  return [`${sign} ${shown}`, ...indented(clause, width, paint, 'cyan')]
}

const indented = (text: string, width: number, paint: Paint, style: Style): readonly string[] =>
  wrap(visible(text), width - 2).map((line) => `  ${paint(style, line)}`)

function labelled(label: string, text: string, width: number, paint: Paint): readonly string[] {
  const [first = '', ...rest] = wrap(visible(text), width - 10)
  return [`  ${paint('bold', label.padEnd(8))}${first}`, ...rest.map((line) => `          ${line}`)]
}

function exchangeLines(row: AuditRow, width: number, paint: Paint): readonly string[] {
  const { request, answer } = row
  if (request === null) return []
  const part = (sign: string, text: string): readonly string[] =>
    shortened(text, width - 4).map((line) => `  ${paint('dim', `${sign} ${line}`)}`)
  return ['', ...part('>', request), ...part('<', answer ?? 'no answer')]
}

/** The first lines of the head and of the body, and how many more there are. */
function shortened(text: string, width: number): readonly string[] {
  const [head = '', ...body] = text.split('\n\n')
  const first = (lines: readonly string[], most: number): readonly string[] =>
    lines.length <= most
      ? lines
      : [...lines.slice(0, most - 1), `… ${count(lines.length - most + 1, 'more line')}`]
  const shown = (lines: string): readonly string[] =>
    visibleLines(lines.trimEnd()).flatMap((line) => wrap(line, width))
  return [
    ...first(shown(head), HEAD_LINES),
    ...(body.length > 0 ? first(shown(body.join('\n\n')), BODY_LINES) : []),
  ]
}

function againstPart(
  report: AuditReport,
  width: number,
  paint: Paint,
): readonly (readonly string[])[] {
  const against = againstOf(report)
  if (against === null) return []
  const lines = against.left.flatMap(({ module, why }) => [`  ${module}`, ...indented(`  ${why}`, width, paint, 'dim')]) // prettier-ignore
  return [[...wrap(`${against.title}: ${against.line}`, width).map((line) => paint('bold', line)), ...lines]] // prettier-ignore
}

const STYLES: Readonly<Record<Outcome, Style>> = {
  held: 'green',
  violated: 'red',
  accepted: 'cyan',
  advice: 'cyan',
  'not applicable': 'dim',
  'not reached': 'yellow',
}

function tablePart(
  report: AuditReport,
  accepted: Accepted,
  { width, paint }: { width: number; paint: Paint },
): readonly string[] {
  const subjects = subjectsOf(report, accepted)
  const outcomes = columnsOf(report, accepted)
  const gap = width < 72 ? 1 : 2
  const rest = outcomes.reduce((sum, outcome) => sum + outcome.length + gap, 0)
  const longest = Math.max('subject'.length, ...subjects.map(({ subject }) => subject.length))
  const first = Math.max(8, Math.min(longest, width - rest))
  const cells = (counts: Readonly<Record<Outcome, number>>): string =>
    outcomes
      .map((outcome) => {
        const number = counts[outcome]
        const cell = (number === 0 ? '·' : String(number)).padStart(outcome.length + gap)
        return paint(number === 0 ? 'dim' : STYLES[outcome], cell)
      })
      .join('')
  const heads = outcomes.map((outcome) => ' '.repeat(gap) + outcome).join('')
  return [
    paint('bold', 'subject'.padEnd(first) + heads),
    ...subjects.map(
      ({ subject, counts }) => cut(visible(subject), first).padEnd(first) + cells(counts),
    ),
    paint('dim', '─'.repeat(first + rest)),
    'all'.padEnd(first) + cells(totalsOf(report, accepted)),
  ]
}

function endPart(
  report: AuditReport,
  accepted: Accepted,
  { width, paint }: { width: number; paint: Paint },
): readonly string[] {
  const { violated, 'not reached': unreached } = totalsOf(report, accepted)
  const isGreen = violated === 0 && unreached === 0 && beyondLine(report) === null
  const style = violated > 0 ? 'red' : isGreen ? 'green' : 'yellow'
  const facts = `${count(report.requests, 'request')} to ${report.issuer}: ${creationsOf(report.created)}. Left there: ${visible(leftLine(report.left, MOST_LEFT))}.`
  return [
    ...report.refused.flatMap((one) => wrap(visible(`${one[0]!.toUpperCase()}${one.slice(1)}.`), width)).map((line) => paint('yellow', line)), // prettier-ignore
    ...wrap(`${headlineOf(report, accepted)}. ${facts}`, width),
    ...wrap(resultLine(report, accepted), width).map((line) => paint(style, line)),
  ]
}
