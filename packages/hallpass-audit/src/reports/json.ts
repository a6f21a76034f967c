import type { AuditReport } from '../audit-server.js'
import { type Accepted, outcomeOf } from './rows.js'
import { toJson } from './text.js'

/** Returns the report as JSON. A row that is accepted has the reason as `accepted`. */
export const renderJson = (report: AuditReport, accepted: Accepted): string =>
  toJson({
    ...report,
    rows: report.rows.map((row) => ({
      ...row,
      accepted: outcomeOf(row, accepted) === 'accepted' ? accepted[row.check] : null,
    })),
  })
