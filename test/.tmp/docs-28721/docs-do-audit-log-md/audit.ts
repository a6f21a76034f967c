// audit.ts
import { deliverEvents } from 'hallpass/operations'
import type { StoredEvent } from 'hallpass/store'
import { execute, site } from './site.js'

// create table audit (event_id text primary key, number bigint generated always as identity, event jsonb not null)
async function append(events: readonly StoredEvent[]): Promise<void> {
  await execute(
    `insert into audit (event_id, event)
     select entry ->> 'id', entry
     from jsonb_array_elements($1::text::jsonb) with ordinality as sent (entry, number)
     order by number
     on conflict (event_id) do nothing`,
    [JSON.stringify(events)],
  )
}

let isDelivering = false
setInterval(() => {
  if (isDelivering) return
  isDelivering = true
  deliverEvents(site, { deliver: append })
    .catch((fault: unknown) => console.error(fault))
    .finally(() => (isDelivering = false))
}, 5000)
