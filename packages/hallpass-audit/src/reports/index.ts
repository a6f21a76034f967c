import type { AuditReport } from '../audit-server.js'
import { renderHtml } from './html.js'
import { renderJson } from './json.js'
import { renderMarkdown } from './markdown.js'
import type { Accepted } from './rows.js'
import { renderSarif } from './sarif.js'
import { renderTerminal } from './terminal.js'

/**
 * A form in which an audit is reported.
 *
 * @group Reports
 */
export type ReportFormat = 'terminal' | 'markdown' | 'json' | 'sarif' | 'html'

/**
 * Every {@link ReportFormat}.
 *
 * @group Reports
 */
export const FORMATS: readonly ReportFormat[] = ['terminal', 'markdown', 'json', 'sarif', 'html']

const RENDERERS: Readonly<
  Record<Exclude<ReportFormat, 'terminal'>, (report: AuditReport, accepted: Accepted) => string>
> = { markdown: renderMarkdown, json: renderJson, sarif: renderSarif, html: renderHtml }

/**
 * Options of {@link renderReport}.
 *
 * @group Reports
 */
export interface RenderReportOptions {
  /** The checks whose rows you accept although they are not held, each with the reason. Default: none. */
  readonly accepted?: Readonly<Record<string, string>>
  /** Columns of the terminal, from 40 to 120. Default: 80. */
  readonly columns?: number
  /** Whether the terminal shows colours. Default: `false`. */
  readonly colour?: boolean
}

/**
 * Returns a report as text. Whatever the server answered is harmless in it: control characters are written as numbers,
 * and no link or HTML is made from an answer.
 *
 * @example
 * ```ts
 * import { auditServer, renderReport } from 'hallpass-audit'
 *
 * const handler = () => Response.json({ code_challenge_methods_supported: ['S256'] })
 * const report = await auditServer(handler, { only: ['pkce'], depth: 'passive' })
 * renderReport(report, 'markdown').startsWith('# ') // => true
 * ```
 * @group Reports
 */
export function renderReport(
  report: AuditReport,
  format: ReportFormat,
  { accepted = {}, columns = 80, colour = false }: RenderReportOptions = {},
): string {
  return format === 'terminal'
    ? renderTerminal(report, accepted, { columns, colour })
    : RENDERERS[format](report, accepted)
}
