import type { ApiEvent, SessionEvent, SiteEvent } from 'hallpass'
import type { RefusalReason } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'

/** An event of the school itself, in addition to those of hallpass. */
type SchoolEvent = { readonly at: number } & (
  | {
      readonly type: 'oauth.client.refused'
      readonly reason: RefusalReason
    }
  | {
      readonly type: 'feature.enabled' | 'feature.disabled'
      readonly feature: 'mcp_connections'
      readonly actor: string
    }
)

/** An event that the audit log keeps. */
export type AuditEvent = Exclude<SiteEvent, ApiEvent> | SessionEvent | SchoolEvent

/** An entry of the audit log. Fields that the event's type does not have are `null`. */
export interface AuditEntry {
  readonly at: number
  readonly type: string
  readonly clientId: string | null
  /** The `sub` of the person who did it. */
  readonly actor: string | null
  /** The `sub` of the person whom it concerns. */
  readonly subject: string | null
  /** The unchanged event. */
  readonly event: Readonly<Record<string, unknown>>
}

/** The audit log of one site. */
export interface Audit {
  readonly record: (event: AuditEvent) => Promise<void>
  /** Returns the newest entries, if given only those of a client, of a person, or of both. */
  readonly recent: (question: {
    clientId?: string
    subject?: string
    limit: number
  }) => Promise<readonly AuditEntry[]>
  /** Deletes entries that were older than a year at a time in epoch seconds. */
  readonly purge: (before: number) => Promise<void>
}

const YEAR_SECONDS = 365 * 86_400

/** Creates the audit log of one site, in its table. */
export function createAudit({ execute, site }: { execute: Execute; site: string }): Audit {
  return {
    async record(event) {
      const field = (name: string): unknown => (event as Record<string, unknown>)[name] ?? null
      await execute(
        `insert into school_audit (site, at, type, client_id, actor, subject, event)
         values ($1, $2, $3, $4, $5, $6, $7::text::jsonb)`,
        [
          site,
          event.at,
          event.type,
          field('clientId'),
          field('actor'),
          field('subject'),
          JSON.stringify(event),
        ],
      )
    },
    async recent({ clientId, subject, limit }) {
      const { rows } = await execute(
        `select at, type, client_id as "clientId", actor, subject, event from school_audit
         where site = $1 and ($2::text is null or client_id = $2)
           and ($3::text is null or subject = $3)
         order by at desc, number desc limit $4`,
        [site, clientId ?? null, subject ?? null, limit],
      )
      return (rows as (Omit<AuditEntry, 'at'> & { at: number | string })[]).map((row) => ({
        ...row,
        at: Number(row.at),
      }))
    },
    async purge(before) {
      await execute('delete from school_audit where site = $1 and at < $2', [
        site,
        before - YEAR_SECONDS,
      ])
    },
  }
}
