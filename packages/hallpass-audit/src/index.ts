/**
 * Audits a running server of OAuth 2.1, OpenID Connect and MCP, clause by clause: {@link auditServer}. It sends requests
 * and reads answers, so the server may be any.
 *
 * Start with {@link auditServer}, whose {@link AuditReport} has a row for each check. {@link renderReport} makes it a
 * page, Markdown, SARIF or text. A {@link SignIn} says how people sign in at your server.
 *
 * @example
 * ```ts
 * import { auditServer } from 'hallpass-audit'
 *
 * const handler = () => Response.json({ code_challenge_methods_supported: ['S256', 'plain'] })
 * const { rows } = await auditServer(handler, { only: ['pkce'], depth: 'passive' })
 * const advice = rows.filter(({ verdict }) => verdict === 'advice')
 * advice.map(({ check, found }) => `${check}: ${found}`) // => ['pkce/plain-not-named: it lists plain']
 * ```
 *
 * @module
 */
export {
  type AuditReport,
  type AuditRow,
  auditServer,
  type AuditServerOptions,
} from './audit-server.js'
export type { Against, PlanModule, PlanName } from './against.js'
export { plannedCreations, selectChecks, type Selection } from './select.js'
export type { Check, Depth, Shared } from './check.js'
export type { Clause, Level, Subject } from './clause.js'
export type { Created, Creates, Exchange, Finding, Left, Shown, Verdict } from './finding.js'
export { CHECKS } from './checks/index.js'
export { type ClientDocument, clientDocuments } from './client-documents.js'
export type { Browser, Page } from './engine/browser.js'
export type { Cookie } from './engine/cookies.js'
export type { Button, Field, Form, Values } from './engine/form.js'
export type { Answer } from './engine/http.js'
export type { Handler } from './engine/network.js'
export {
  FORMATS,
  renderReport,
  type RenderReportOptions,
  type ReportFormat,
} from './reports/index.js'
export {
  answerForms,
  type Credentials,
  type GivenClient,
  type SignIn,
  type SigningClient,
  type Step,
  type Surface,
} from './sign-in.js'
