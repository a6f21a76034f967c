import type { AuditReport, AuditRow } from '../audit-server.js'
import { style } from './html-style.js'
import {
  type Accepted,
  againstOf,
  beyondLine,
  clauseOf,
  columnsOf,
  factsOf,
  headlineOf,
  leftLine,
  type Outcome,
  rowsOf,
  type SubjectCounts,
  subjectOf,
  subjectsOf,
  totalsOf,
  type Unreached,
  unreachedOf,
  violatedOf,
} from './rows.js'
import { visible, visibleLines } from './text.js'

/** Returns the report as one page without script, which loads nothing, and which prints. */
export function renderHtml(report: AuditReport, accepted: Accepted): string {
  const title = `Audit of ${escape(report.issuer)}`
  const violated = violatedOf(report, accepted)
  const unreached = unreachedOf(rowsOf(report, accepted, 'not reached'))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
${headPart(report, accepted)}
<main>
${section('Violated', 'Each of these breaks a clause. What decided is below it, without secrets.', violated.map(violatedPart), violated.length)}
${section('Not reached', 'The answer is unknown here, which is never as good as held.', unreached.map(unreachedPart), unreached.flatMap(({ rows }) => rows).length)}
${tablePart(report, accepted)}
${againstPart(report)}
${foldedPart('Accepted', rowsOf(report, accepted, 'accepted'), ({ check }) => accepted[check]!)}
${foldedPart('Advice', rowsOf(report, accepted, 'advice'), ({ change }) => change)}
${foldedPart('Held', rowsOf(report, accepted, 'held'))}
${foldedPart('Not applicable', rowsOf(report, accepted, 'not applicable'))}
${leftPart(report.left.clients)}
</main>
<footer>Written by hallpass-audit ${escape(report.version)}. It saw answers only: neither code, nor keys at rest, nor load.</footer>
</body>
</html>
` // prettier-ignore
}

/** A text of a server as HTML. */
const escape = (text: string): string =>
  visible(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The same for a sentence: what was code in it stays in one piece, such as the name of an option. */
const sentence = (text: string): string =>
  escape(text)
    .replace(/&#96;([\w.-]{1,40})&#96;/g, '<code>$1</code>')
    .replace(/(?<![\w-])--[a-z-]{1,20}(?![\w-])/g, '<span class="whole">$&</span>')

/** A link to a section: only an address of the web becomes one. */
const link = (url: string, text: string): string =>
  /^https?:\/\//.test(url) ? `<a href="${escape(url)}">${escape(text)}</a>` : escape(text)

const classOf = (outcome: Outcome): string => outcome.replace(' ', '-')

function headPart(report: AuditReport, accepted: Accepted): string {
  const totals = totalsOf(report, accepted)
  const outcomes = columnsOf(report, accepted)
  const beyond = beyondLine(report)
  const bar = outcomes
    .filter((outcome) => totals[outcome] > 0)
    .map(
      (outcome) => `<i class="${classOf(outcome)}" style="flex-grow:${totals[outcome]}"></i>`,
    )
  const counts = outcomes.map(
    (outcome) =>
      `<li class="${classOf(outcome)}"><b>${totals[outcome]}</b> ${outcome}</li>`,
  )
  const facts = [...factsOf(report), ['Left there', leftLine(report.left, 0)] as const].map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${escape(value)}</dd></div>`,
  )
  return `<header class="${totals.violated > 0 ? 'is-violated' : totals['not reached'] > 0 ? 'is-unknown' : 'is-held'}">
<div>
<p class="eyebrow">Audit of OAuth, OpenID Connect and MCP</p>
<h1>${escape(headlineOf(report, accepted))}</h1>
<p class="origin">${escape(report.issuer)}</p>
<div class="bar" aria-hidden="true">${bar.join('')}</div>
<ul class="counts">${counts.join('')}${beyond === null ? '' : `<li class="beyond">${escape(beyond)}</li>`}</ul>
<dl>${facts.slice(1).join('')}</dl>
</div>
</header>`
} // prettier-ignore

function tablePart(report: AuditReport, accepted: Accepted): string {
  const outcomes = columnsOf(report, accepted)
  const cells = ({ counts }: Pick<SubjectCounts, 'counts'>): string =>
    outcomes
      .map((outcome) =>
        counts[outcome] === 0
          ? '<td class="none">·</td>'
          : `<td class="${classOf(outcome)}">${counts[outcome]}</td>`,
      )
      .join('')
  const rows = subjectsOf(report, accepted).map(
    (row) => `<tr><th scope="row">${escape(row.subject)}</th>${cells(row)}</tr>`,
  )
  const heads = outcomes.map((outcome) => `<th scope="col"><span>${outcome}</span></th>`).join('')
  return `<section>
<h2>Subjects</h2>
<table>
<thead><tr><th scope="col">subject</th>${heads}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
<tfoot><tr><th scope="row">all</th>${cells({ counts: totalsOf(report, accepted) })}</tr></tfoot>
</table>
</section>`
}

function againstPart(report: AuditReport): string {
  const against = againstOf(report)
  if (against === null) return ''
  const items = against.left.map(({ module, why }) => `<li><code>${escape(module)}</code><p class="found">${escape(why)}</p></li>`) // prettier-ignore
  return `<section>\n<h2>${escape(against.title)}</h2>\n<p class="lead">${against.line}.</p>\n<ul class="checks">${items.join('\n')}</ul>\n</section>`
}

const section = (
  title: string,
  lead: string,
  parts: readonly string[],
  rows: number,
): string =>
  parts.length === 0
    ? ''
    : `<section>\n<h2>${title} <small>${rows}</small></h2>\n<p class="lead">${lead}</p>\n${parts.join('\n')}\n</section>` // prettier-ignore

const level = ({ clause }: AuditRow): string =>
  `<span class="level ${clause.level.startsWith('MUST') ? 'must' : clause.level === 'advice' ? 'advice' : 'should'}">${clause.level}</span>`

const violatedPart = (row: AuditRow): string => `<details class="row violated" open>
<summary><code>${escape(row.check)}</code><span class="clause">${level(row)} ${escape(clauseOf(row))}</span></summary>
<div class="body">
<p class="says">${escape(row.clause.quote)}</p>
<dl><div><dt>Found</dt><dd>${sentence(row.found)}</dd></div><div><dt>Change</dt><dd>${sentence(row.change)}</dd></div>${row.url === '' ? '' : `<div><dt>Read</dt><dd>${link(row.url, clauseOf(row))}</dd></div>`}</dl>
${exchangePart(row)}
</div>
</details>` // prettier-ignore

const unreachedPart = ({ found, rows }: Unreached): string => `<details class="row not-reached" open>
<summary><span>${sentence(found)}</span></summary>
<div class="body">
<ul class="checks">${rows.map((row) => `<li><code>${escape(row.check)}</code><span class="clause">${level(row)} ${link(row.url, clauseOf(row))}</span></li>`).join('')}</ul>
${exchangePart(rows[0]!)}
</div>
</details>` // prettier-ignore

function exchangePart({ request, answer }: AuditRow): string {
  if (request === null) return ''
  const block = (name: string, text: string): string =>
    `<figure><figcaption>${name}</figcaption><pre>${visibleLines(text.trimEnd()).map(escape).join('\n')}</pre></figure>`
  return `<div class="exchange">${block('Request', request)}${block('Answer', answer ?? 'no answer')}</div>`
}

/** Rows that are folded, by subject. */
function foldedPart(
  title: string,
  rows: readonly AuditRow[],
  say?: (row: AuditRow) => string,
): string {
  if (rows.length === 0) return ''
  const subjects = [...new Set(rows.map(({ check }) => subjectOf(check)))]
  const groups = subjects.map((subject) => {
    const items = rows
      .filter(({ check }) => subjectOf(check) === subject)
      .map(
        (row) =>
          `<li><code>${escape(row.check)}</code><span class="clause">${level(row)} ${link(row.url, clauseOf(row))}</span><p>${escape(row.clause.quote)}</p><p class="found">${sentence(say === undefined ? row.found : `${row.found}. ${say(row)}`)}</p></li>`,
      )
    return `<h3>${escape(subject)}</h3>\n<ul class="checks">${items.join('\n')}</ul>`
  })
  return folded(title, rows.length, groups)
}

const leftPart = (clients: AuditReport['left']['clients']): string =>
  clients.length === 0
    ? ''
    : folded('Clients left there', clients.length, [`<ul class="checks">${clients.map(({ client_id: id }) => `<li><code>${escape(id)}</code></li>`).join('\n')}</ul>`]) // prettier-ignore

const folded = (title: string, rows: number, parts: readonly string[]): string => `<section>
<details class="folded">
<summary><h2>${title} <small>${rows}</small></h2></summary>
${parts.join('\n')}
</details>
</section>`
