import type { ApiEvent, SiteEvent, SiteOptions } from 'hallpass'
import type { Audit, AuditEvent } from './audit.js'

/** Writes an entry to the log. Entries never contain a code, token, secret, cookie or password. */
export type Log = (entry: Readonly<Record<string, unknown>>) => void

/** The hooks of one site. */
export interface Hooks extends Required<Pick<SiteOptions, 'onEvent' | 'onRefusal' | 'onFault'>> {
  /** Writes an event to the log and to the audit log. */
  readonly record: (event: AuditEvent) => void
}

/**
 * Creates the hooks of one site. Every event is logged. Those that the store keeps are delivered to the audit log
 * later; the others about access are recorded here.
 */
export function createHooks({
  site,
  log,
  audit,
}: {
  site: string
  log: Log
  audit: Pick<Audit, 'record'>
}): Hooks {
  const fault = (endpoint: string, thrown: unknown, requestId: string | null = null): void =>
    log({
      site,
      type: 'fault',
      endpoint,
      fault: describeFault(thrown),
      ...(requestId !== null && { requestId }),
    })
  const record = (event: AuditEvent): void => {
    log({ site, ...event })
    audit.record(event).catch((thrown: unknown) => fault('audit', thrown))
  }
  return {
    record,
    // Events of the admin API are only logged, because the audit log is about access.
    onEvent: (event) =>
      event.id !== undefined || isOfApi(event) ? log({ site, ...event }) : record(event),
    onRefusal(notice) {
      log({ site, type: 'refused', ...notice })
      if (notice.endpoint === 'register')
        record({ type: 'oauth.client.refused', at: notice.at, reason: notice.reason })
    },
    onFault: (notice) => fault(notice.endpoint, notice.fault, notice.requestId),
  }
}

const isOfApi = (event: SiteEvent): event is ApiEvent => event.type.startsWith('api.')

/** Returns the messages of an error and of its causes, without stack traces. */
export function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return fault.cause === undefined
    ? fault.message
    : `${fault.message}: ${describeFault(fault.cause)}`
}
