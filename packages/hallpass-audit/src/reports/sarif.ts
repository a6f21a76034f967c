import type { AuditReport, AuditRow } from '../audit-server.js'
import { type Accepted, clauseOf, factsOf, needsWork, outcomeOf, subjectOf } from './rows.js'
import { toJson, visible } from './text.js'

/**
 * Returns the report as SARIF 2.1.0. Results are the rows that are violated or not reached: services that show such
 * files make an alert of each result, also of one that passed.
 */
export function renderSarif(report: AuditReport, accepted: Accepted): string {
  const rows = report.rows.filter(needsWork)
  const ruleIndex = new Map(report.rows.map(({ check }, index) => [check, index]))
  return toJson({
    $schema:
      'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'hallpass-audit',
            semanticVersion: report.version,
            rules: report.rows.map(ruleOf),
          },
        },
        invocations: [{ executionSuccessful: true, startTimeUtc: report.startedAt }],
        automationDetails: { id: `hallpass-audit/${new URL(report.issuer).host}/` },
        results: rows.map((row) => resultOf(row, ruleIndex.get(row.check)!, accepted)),
        properties: { ...Object.fromEntries(factsOf(report)), counts: report.counts },
      },
    ],
  })
}

const ruleOf = ({ check, clause, change, url }: AuditRow): object => ({
  id: check,
  shortDescription: { text: clause.quote },
  fullDescription: { text: `${clause.quote} (${clause.level}, ${clauseOf({ clause })})` },
  help: { text: url === '' ? change : `${change} See ${url}` },
  ...(url !== '' && { helpUri: url }),
  defaultConfiguration: { level: levelOf(clause.level) },
  properties: { tags: [subjectOf(check), clause.document] },
})

const levelOf = (level: string): string =>
  level.startsWith('MUST') ? 'error' : level === 'advice' ? 'note' : 'warning'

function resultOf(row: AuditRow, ruleIndex: number, accepted: Accepted): object {
  const isViolated = row.verdict === 'violated'
  return {
    ruleId: row.check,
    ruleIndex,
    kind: isViolated ? 'fail' : 'open',
    level: isViolated ? levelOf(row.clause.level) : 'none',
    message: {
      text: isViolated
        ? `${line(row.found)}. ${row.change}`
        : `Not reached, so it is unknown whether the requirement holds: ${line(row.found)}`,
    },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: pathOf(row.request) },
          // There is no file, and some services show no result without a line.
          region: { startLine: 1 },
        },
      },
    ],
    partialFingerprints: { primaryLocationLineHash: `${row.check}:1` },
    ...(outcomeOf(row, accepted) === 'accepted' && {
      suppressions: [{ kind: 'external', status: 'accepted', justification: accepted[row.check] }], // prettier-ignore
    }),
    properties: {
      verdict: row.verdict,
      ...(row.request !== null && { request: row.request, answer: row.answer ?? 'no answer' }),
    },
  }
}

/** A text of a server, in which no link is one of SARIF. */
const line = (text: string): string => visible(text).replaceAll('](', '] (')

/** The path of a request as a relative URI: services refuse a result whose URI is not one of a file. */
function pathOf(request: string | null): string {
  const [, path = ''] = /^\S+ \/+([^\s?#]*)/.exec(request ?? '') ?? []
  return path === '' ? '.well-known/oauth-authorization-server' : path.replace(/[^\w./-]/g, '_')
}
