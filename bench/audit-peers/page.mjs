// The page about what `npm run audit:peers` found, from its results.

const subjectOf = (check) => check.slice(0, check.indexOf('/'))
const cell = (text) =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&#123;&#123;')
    .replaceAll(/\s+/g, ' ')

/** The counts of one server, as `held / violated`, for a subject or for all. */
function counted(rows, subject = null) {
  const own = rows.filter(([check]) => subject === null || subjectOf(check) === subject)
  const count = (verdict) => own.filter((row) => row[1] === verdict).length
  const [held, violated, unreached] = ['held', 'violated', 'not reached'].map(count)
  if (held + violated + unreached === 0) return '–'
  return `${held} / ${violated}${unreached > 0 ? ` (${unreached} not reached)` : ''}`
}

/**
 * Writes the page.
 *
 * @param found - `{ date, checks: [[check, clause]], servers: { name: { versions, setUp, better, host, rows: [[check, verdict, found]] } } }`
 */
export function pageOf({ date, checks, servers }) {
  const names = Object.keys(servers)
  const subjects = [...new Set(checks.map(([check]) => subjectOf(check)))]
  const table = (head, rows) =>
    [head, head.map(() => '-'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
  const clauses = new Map(checks)
  const sections = names.map((name) => {
    const { versions, setUp, better, notes = {}, host, rows } = servers[name]
    const violated = rows.filter(([, verdict]) => verdict === 'violated')
    const unreached = rows.filter(([, verdict]) => verdict === 'not reached')
    return `## ${name}

${Object.entries(versions)
  .map(([one, version]) => `\`${one}\` ${version}`)
  .join(', ')}. ${setUp}.

${host === undefined ? '' : `Its host writes ${host}, so that ${rows.filter(([, verdict]) => verdict === 'of the host').length} clauses are not counted.\n`}
${better === undefined ? '' : `**What it does better than hallpass:** ${better}\n`}
${
  violated.length === 0
    ? 'It violates no clause that was checked.'
    : table(
        ['Clause', 'What it does'],
        violated.map(([check, , what]) => [
          `\`${check}\`: ${clauses.get(check)}`,
          `${what}${notes[check] === undefined ? '' : ` (${notes[check]})`}`,
        ]),
      )
}
${unreached.length === 0 ? '' : `\nNot reached: ${[...new Set(unreached.map(([check]) => `\`${check}\``))].join(', ')}.\n`}`
  })
  return `# Seven servers, audited

hallpass and six servers that others wrote, as of **${date}**: \`npm run audit:peers\` starts each as its own documentation
sets it up, with the options that its section names, and audits it with [hallpass-audit](../do/audit-a-server.md), ${checks.length} clauses each. A cell counts the
clauses that a server holds and those that it violates. What a server does not promise, such as OpenID Connect, is not counted.

Libraries leave parts to their host: pages, sessions, rows. Those parts are in \`bench/audit-peers\`, as short as the
documentation has them. Clauses about nothing
but these pages are neither counted nor listed, whether held or violated: each section says how many. No server is given a public
document of a client, so that checks of one are not reached. If a row is wrong, or a new version changed it, please open an issue:
it is a fault of this page.

${table(['', ...names], [['**all**', ...names.map((name) => counted(servers[name].rows))], ...subjects.map((subject) => [subject, ...names.map((name) => counted(servers[name].rows, subject))])])}

${sections.join('\n')}`
}
