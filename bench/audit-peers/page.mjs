// The page about what `npm run audit:peers -- --write` found, its heat map, and a note for each maintainer.

const subjectOf = ({ check }) => check.slice(0, check.indexOf('/'))
const isMust = ({ clause }) => clause.level.startsWith('MUST')
const violatedOf = ({ rows }) =>
  rows
    .filter(({ verdict }) => verdict === 'violated')
    .toSorted((one, other) => Number(isMust(other)) - Number(isMust(one)))
const count = (rows, verdict) => rows.filter((row) => row.verdict === verdict).length
const cell = (text) =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&#123;&#123;')
    .replaceAll(/\s+/g, ' ')
const clauseOf = ({ clause: { document, section, level } }) => `${level}, ${document} §${section}`
const versionsIn = ({ versions }) =>
  Object.entries(versions).map(([name, version]) => `\`${name}\` ${version}`).join(', ') // prettier-ignore

/** Returns the page: our own deviations first, each with its reason, then the clauses of others. */
export function pageOf(servers, date) {
  const [own, ...others] = servers
  const sections = others.map((server) => {
    const { name, setUp, better, notes, host, rows } = server
    const lines = violatedOf(server).map((row) => {
      const note = notes[row.check]
      return `- \`${row.check}\`: ${clauseOf(row)}${note === undefined ? '' : ` (${cell(note)})`}`
    })
    return `## ${name}

${versionsIn(server)}. ${setUp}. Not counted: ${count(rows, 'of the host')} clauses about ${host.what}.

**Better than hallpass:** ${better}

${lines.join('\n')}
`
  })
  const deviations = violatedOf(own).map(
    (row) => `- \`${row.check}\`: ${clauseOf(row)}. ${cell(own.accepts[row.check])}`,
  )
  return `# Seven servers, audited

\`npm run audit:peers\` starts hallpass and six servers that others wrote, each as its own documentation sets it up, and
audits them with [hallpass-audit](../do/audit-a-server.md): this is the run of **${date}**.

![Clauses of each subject that each server holds and violates](audited-servers.svg)

A cell has the clauses that a server holds and those that it violates: red with a MUST among them, yellow with only
recommendations. Empty is what a server does not promise. Advice is not counted, nor are parts that a library leaves to its
host or calls a demonstration. [The notes to the maintainers](../../bench/audit-peers/MAINTAINERS.txt) have what was found:
the sentence of each clause, and the request and the answer that decided. Where a row is wrong, please open an issue.

## hallpass

${versionsIn(own)}. ${own.setUp}.

${deviations.join('\n')}

${sections.join('\n')}`
}

const text = (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const WIDTH = { subject: 172, cell: 104 }
const HEIGHT = { head: 52, cell: 24 }

/** Returns the heat map as SVG: a column for each server, a row for each subject. */
export function heatMapOf(servers) {
  const counted = servers.flatMap(({ rows }) => rows.filter(({ verdict }) => /^(?:held|violated)$/.test(verdict))) // prettier-ignore
  const subjects = [...new Set(counted.map(subjectOf))]
  const width = WIDTH.subject + WIDTH.cell * servers.length
  const height = HEIGHT.head + HEIGHT.cell * (subjects.length + 1) + 12
  const at = (column, row) => ({ x: WIDTH.subject + WIDTH.cell * column, y: HEIGHT.head + HEIGHT.cell * row }) // prettier-ignore
  const label = (x, y, value, rest = '') => `<text x="${x}" y="${y}" ${rest}>${text(value)}</text>`
  const cellOf = (rows, column, row) => {
    const { x, y } = at(column, row)
    const held = count(rows, 'held')
    const violated = rows.filter(({ verdict }) => verdict === 'violated')
    const kind = violated.some(isMust) ? 'must' : violated.length > 0 ? 'should' : held > 0 ? 'held' : 'none' // prettier-ignore
    const words =
      kind === 'none' ? '' : violated.length === 0 ? held : `${held} / ${violated.length}`
    return `<rect x="${x + 1}" y="${y + 1}" width="${WIDTH.cell - 2}" height="${HEIGHT.cell - 2}" rx="3" class="${kind}"/>${label(x + WIDTH.cell / 2, y + 16, words, 'text-anchor="middle"')}`
  }
  const heads = servers.map(({ name }, column) => {
    const lines = name.replace('@jmondi/', '').split(/(?<=workers-oauth-)| (?=workers)/)
    return lines.map((line, number) => label(at(column, 0).x + WIDTH.cell / 2, HEIGHT.head - 10 - 14 * (lines.length - 1 - number), line, 'text-anchor="middle" class="head"')).join('') // prettier-ignore
  })
  const body = ['all', ...subjects].map((subject, row) => {
    const name = label(8, at(0, row).y + 16, subject, `class="${row === 0 ? 'head' : 'subject'}"`)
    return name + servers.map(({ rows }, column) => cellOf(rows.filter((one) => row === 0 || subjectOf(one) === subject), column, row)).join('') // prettier-ignore
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Clauses of each subject that each server holds and violates">
<style>
  svg { background: #fffcf6 }
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #211c2f }
  .head { font-weight: 600 } .subject { font-family: ui-monospace, monospace }
  .held { fill: #cfe8d3 } .should { fill: #f8dd9b } .must { fill: #f5b8a9 } .none { fill: #f1ebdf }
</style>
<rect width="${width}" height="${height}" fill="#fffcf6"/>
${heads.join('\n')}
${body.join('\n')}
</svg>
`
}

const indented = (value) => value.trimEnd().replaceAll(/^(?=.)/gm, '    ')

/** Returns a note for each maintainer: every row with its sentence, and the request and answer that decided it. */
export function notesOf(servers, date) {
  const notes = servers.filter(({ name }) => name !== 'hallpass').map((server) => {
    const shown = (value) => indented(value.replaceAll(new URL(server.issuer).origin, 'http://127.0.0.1:3000'))
    const rows = violatedOf(server).map((row) => `${row.check} (${clauseOf(row)}, ${row.url})

  "${row.clause.quote}" It binds the ${row.clause.subject}.

  Found: ${row.found}.${server.notes[row.check] === undefined ? '' : ` Note: ${server.notes[row.check]}.`}

${shown(row.request)}

${shown(row.answer)}
`)
    return `${server.name}
${'='.repeat(server.name.length)}

${versionsIn(server).replaceAll('`', '')}. ${server.setUp.replaceAll('`', '')}.

${rows.length === 0 ? 'Nothing was found.\n' : rows.join('\n')}`
  }) // prettier-ignore
  return `Notes to the maintainers

What an audit of ${date} found at each server, to send before docs/look-up/audited-servers.md is published anew: the sentence
of the clause, and the request and the answer that decided. Please say where a row is wrong, where the set-up is not yours,
and what your documentation leaves to the host.

${notes.join('\n')}`
}
