import type { SessionEvent } from 'hallpass/operations'
import type { SiteEvent } from 'hallpass'
import type { Execute } from 'hallpass/postgres'
import type { StoredEvent } from 'hallpass/store'
import { purgeRows } from './purge.js'

/** An event of the school itself, in addition to those of hallpass. */
type SchoolEvent = { readonly at: number } & (
  | {
      readonly type: 'oauth.client.refused'
      readonly reason: string
    }
  | {
      readonly type: 'feature.enabled' | 'feature.disabled'
      readonly feature: 'mcp_connections'
      readonly actor: string
    }
  | {
      readonly type: 'service.created' | 'service.ended'
      readonly clientId: string
      readonly actor: string
      /** The `sub` of the service. */
      readonly subject: string
    }
  | {
      readonly type: 'member.erased'
      /** The pseudonym of the member. */
      readonly subject: string
      /** How many grants of apps were deleted. */
      readonly grants: number
    }
)

/** An event that the audit log keeps. */
export type AuditEvent = Exclude<SiteEvent, { operation: string }> | SessionEvent | SchoolEvent

/** An entry of the audit log. Fields that the event's type does not have are `null`. */
export interface AuditEntry {
  readonly at: number
  readonly type: string
  readonly clientId: string | null
  /** The `sub` of the person who did it. */
  readonly actor: string | null
  /** The `sub` of the person whom it concerns, or of the service. */
  readonly subject: string | null
  /** The event, with a pseudonym in place of a person who was erased. */
  readonly event: Readonly<Record<string, unknown>>
}

/** An entry that a search found. */
interface FoundEntry extends AuditEntry {
  /** The identifier of the entry, as decimal digits. */
  readonly number: string
  /** The name of the app, or `null` if the site does not store it. */
  readonly clientName: string | null
}

/** The audit log of one site. */
export interface Audit {
  /**
   * Appends an entry. It names only people and services that the school knows: an actor or a subject who was erased
   * while the event happened is stored as `null`.
   */
  readonly record: (event: AuditEvent) => Promise<void>
  /**
   * Appends the events of `deliverEvents`, as `record` does, all or nothing. An event that has been appended
   * before is left out.
   */
  readonly append: (events: readonly StoredEvent[]) => Promise<void>
  /**
   * Replaces a person's identifier in every entry. Their number, order, times and types stay. Call it in the
   * transaction that deletes the person: it lets no entry be appended until that ends.
   */
  readonly replacePerson: (person: { memberId: string; pseudonym: string }) => Promise<void>
  /** Returns the newest entries, if given only those of a client, of a person, or of both. */
  readonly recent: (question: {
    clientId?: string
    subject?: string
    limit: number
  }) => Promise<readonly AuditEntry[]>
  /**
   * Returns the entries of an app, of a person or of a type, the newest first.
   *
   * @param question - `search`: a part of the name or `client_id` of an app, or of a person's name or email address;
   *   empty for every entry. `types`: further types that match. `since`: epoch seconds. `before`: the last entry of
   *   the page before
   */
  readonly search: (question: {
    search: string
    types: readonly string[]
    since: number
    before: { at: number; number: string } | null
    limit: number
  }) => Promise<readonly FoundEntry[]>
  /** Deletes entries that were older than a year at a time in epoch seconds. */
  readonly purge: (before: number) => Promise<void>
}

const YEAR_SECONDS = 365 * 86_400

/**
 * Creates the audit log of one site, in its table.
 *
 * @param options - `deliver`: appends the events that the store still keeps, before entries are read.
 *   Default: entries are read as they are
 */
export function createAudit({
  execute,
  site,
  deliver = async () => {},
}: {
  execute: Execute
  site: string
  deliver?: () => Promise<void>
}): Audit {
  const append = async (events: readonly (AuditEvent | StoredEvent)[]): Promise<void> => {
    const nameOf = (field: string, person: string): string =>
      `case when entry.event ->> '${field}' is null then '{}'
       else jsonb_build_object('${field}', ${person}) end`
    const subject = 'coalesce(s.member_id, service.service_id)'
    await execute(
      `insert into school_audit (site, event_id, at, type, client_id, actor, subject, event)
       select $1, entry.event ->> 'id', (entry.event ->> 'at')::bigint, entry.event ->> 'type',
         entry.event ->> 'clientId', a.member_id, ${subject},
         entry.event - 'id' || ${nameOf('actor', 'a.member_id')} || ${nameOf('subject', subject)}
       from jsonb_array_elements($2::text::jsonb) with ordinality as entry (event, number)
       left join school_person a on a.site = $1 and a.member_id = entry.event ->> 'actor'
       left join school_person s on s.site = $1 and s.member_id = entry.event ->> 'subject'
       left join school_service service
         on service.site = $1 and service.service_id = entry.event ->> 'subject'
       order by entry.number
       on conflict (site, event_id) do nothing`,
      [site, JSON.stringify(events)],
    )
  }
  return {
    record: (event) => append([event]),
    append,
    async replacePerson({ memberId, pseudonym }) {
      await execute('lock table school_audit in share row exclusive mode', [])
      const replaced = (field: string): string =>
        `case when ${field} = $2 then jsonb_build_object('${field}', $3::text) else '{}' end`
      await execute(
        `update school_audit set
           actor = case when actor = $2 then $3 else actor end,
           subject = case when subject = $2 then $3 else subject end,
           event = event || ${replaced('actor')} || ${replaced('subject')}
         where site = $1 and (actor = $2 or subject = $2)`,
        [site, memberId, pseudonym],
      )
    },
    async recent({ clientId, subject, limit }) {
      await deliver()
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
    async search({ search, types, since, before, limit }) {
      await deliver()
      const { rows } = await execute(
        `with person as (
           select member_id from school_person
           where site = $1 and $2::text <> ''
             and (strpos(lower(name), lower($2)) > 0 or strpos(lower(email), lower($2)) > 0)
         ), app as (
           select client_id from hallpass_client
           where site = $1 and $2::text <> '' and strpos(search, lower($2)) > 0
         )
         select entry.number::text, entry.at, entry.type, entry.client_id as "clientId", entry.actor,
           entry.subject, entry.event, client.record::jsonb ->> 'name' as "clientName"
         from school_audit entry
         left join hallpass_client client
           on client.site = $1 and client.client_id = entry.client_id
         where entry.site = $1 and entry.at >= $3::bigint
           and ($4::bigint is null or (entry.at, entry.number) < ($4::bigint, $5::bigint))
           and ($2::text = '' or strpos(lower(entry.client_id), lower($2)) > 0
             or strpos(lower(entry.event ->> 'clientName'), lower($2)) > 0
             or entry.type in (select jsonb_array_elements_text($6::text::jsonb))
             or entry.client_id in (select client_id from app)
             or entry.actor in (select member_id from person)
             or entry.subject in (select member_id from person))
         order by entry.at desc, entry.number desc limit $7::int`,
        [
          site,
          search,
          since,
          before?.at ?? null,
          before?.number ?? null,
          JSON.stringify(types),
          limit,
        ],
      )
      return (rows as (Omit<FoundEntry, 'at'> & { at: number | string })[]).map((row) => ({
        ...row,
        at: Number(row.at),
      }))
    },
    async purge(before) {
      await purgeRows(execute, {
        table: 'school_audit',
        key: 'number',
        time: 'at',
        site,
        before: before - YEAR_SECONDS,
      })
    },
  }
}
