import type { ApiEvent, SiteEvent, SiteOptions } from 'hallpass'
import type { Audit, AuditEvent } from './audit.js'

/** A line for the log: no code, token, secret, cookie or password is ever in one. */
export type Log = (entry: Readonly<Record<string, unknown>>) => void

/** What one site does with what happens there. */
export interface Hooks extends Required<Pick<SiteOptions, 'onEvent' | 'onRefusal' | 'onFault'>> {
  /** Writes an event into the log and into the audit log. */
  readonly record: (event: AuditEvent) => void
}

/** Makes the hooks of one site: everything is logged, and what is about access is audited as well. */
export function createHooks({
  site,
  log,
  audit,
}: {
  site: string
  log: Log
  audit: Pick<Audit, 'record'>
}): Hooks {
  const fault = (endpoint: string, thrown: unknown): void =>
    log({ site, type: 'fault', endpoint, fault: describeFault(thrown) })
  const record = (event: AuditEvent): void => {
    log({ site, ...event })
    audit.record(event).catch((thrown: unknown) => fault('audit', thrown))
  }
  return {
    record,
    // What the admin API does is logged; the audit log is about access.
    onEvent: (event) => (isOfApi(event) ? log({ site, ...event }) : record(event)),
    onRefusal(notice) {
      log({ site, type: 'refused', ...notice })
      if (notice.endpoint === 'register')
        record({ type: 'oauth.client.refused', at: notice.at, reason: notice.reason })
    },
    onFault: (notice) => fault(notice.endpoint, notice.fault),
  }
}

const isOfApi = (event: SiteEvent): event is ApiEvent => event.type.startsWith('api.')

// The message of an error, and of its causes; the stack is for the operator's own tools.
function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return fault.cause === undefined
    ? fault.message
    : `${fault.message}: ${describeFault(fault.cause)}`
}
