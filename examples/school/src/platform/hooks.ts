import type { SiteEvent, SiteOptions } from 'hallpass'
import type { Store } from 'hallpass/store'
import type { Audit, AuditEvent } from './audit.js'

/** Writes an entry to the log. Entries never contain a code, token, secret, cookie or password. */
export type Log = (entry: Readonly<Record<string, unknown>>) => void

/** The hooks of one site. */
export interface Hooks extends Required<
  Pick<SiteOptions<string, Store, string>, 'onEvent' | 'onRefusal' | 'onFault'>
> {
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

const isOfApi = (event: SiteEvent): event is Extract<SiteEvent, { operation: string }> =>
  event.type.startsWith('api.')

/**
 * Returns the messages of an error and of all its causes, from the outside to the inside, without stack traces. What an
 * outer message has already said is not repeated.
 */
export function describeFault(fault: unknown): string {
  const messages: string[] = []
  const seen = new Set<unknown>()
  const add = (one: unknown): void => {
    if (one === undefined || seen.has(one)) return
    seen.add(one)
    const message = messageOf(one)
    if (message !== '' && !messages.some((said) => said.includes(message))) messages.push(message)
    if (!(one instanceof Error)) return
    // A connection failed to each address of a host.
    if (one instanceof AggregateError) for (const each of one.errors) add(each)
    add(one.cause)
  }
  add(fault)
  return messages.join(': ')
}

/** Some errors of drivers have a name and a code, and no message. */
function messageOf(fault: unknown): string {
  if (typeof fault !== 'object' || fault === null) return String(fault)
  const { message, name, code, errno } = fault as Partial<NodeJS.ErrnoException>
  if ((message !== undefined && message !== '') || fault instanceof AggregateError)
    return message ?? ''
  return [name, code ?? errno].filter((part) => part !== undefined).join(' ')
}
