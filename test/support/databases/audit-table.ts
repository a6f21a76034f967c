import type { Execute } from 'hallpass/postgres'
import type { StoredEvent } from 'hallpass/store'

/** An audit log of a host application, in the simplest form that misses no entry and has none twice. */
export const AUDIT_TABLE = `create table audit (
  site text not null,
  event_id text not null,
  number bigint generated always as identity,
  event jsonb not null,
  primary key (site, event_id)
)`

/** Returns the `deliver` that appends events to the table. */
export const append =
  ({ execute, site }: { execute: Execute; site: string }) =>
  async (events: readonly StoredEvent[]): Promise<void> => {
    await execute(
      `insert into audit (site, event_id, event)
       select $1, event ->> 'id', event
       from jsonb_array_elements($2::text::jsonb) with ordinality as told (event, number)
       order by number
       on conflict do nothing`,
      [site, JSON.stringify(events)],
    )
  }
