import { createHash } from 'node:crypto'
import type { Site } from 'hallpass'
import type { Execute } from 'hallpass/postgres'
import type { StoredEvent } from 'hallpass/store'
import type { People } from '../members/people.js'
import { connectionMail } from '../../../pages/connection-mail.js'
import { within } from '../platform/within.js'
import type { SiteDefinition } from '../sites.js'
import { createScopeWords } from './words.js'

/** An email to one person, as plain text. */
export interface Mail {
  /** The same each time that the same mail is sent again. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * Sends a mail, or rejects: it is then sent again later, as it is if it takes longer than ten seconds. The port to your
 * own mail service.
 */
export type Notify = (mail: Mail) => Promise<void>

/** Email to people whose account an app can use for the first time. */
export interface Notices {
  /** Notes the connections among the events of `deliverEvents`. An event that comes again changes nothing. */
  readonly add: (events: readonly StoredEvent[]) => Promise<void>
  /** Sends what is due. A mail that cannot be sent is due again after five minutes, up to ten times. */
  readonly send: () => Promise<void>
}

const BATCH = 20
const TRIES = 10
const PAUSE_SECONDS = 300
/** How long one mail may take. The audit log is written by the same timer, and waits for it. */
const SEND_MILLISECONDS = 10_000

interface Due {
  readonly member_id: string
  readonly client_id: string
  readonly scopes: readonly string[]
  readonly at: number | string
}

/**
 * Creates the notices of one site, in its table.
 *
 * @param options - `notify`: `null` if the school sends no email; `onFault`: receives what `notify` rejected with
 */
export function createNotices(
  site: Pick<Site, 'findClient' | 'scopes'>,
  {
    definition,
    origin,
    execute,
    people,
    notify,
    onFault,
    now,
  }: {
    definition: SiteDefinition
    origin: string
    execute: Execute
    people: Pick<People, 'find'>
    notify: Notify | null
    onFault: (fault: unknown) => void
    now: () => number
  },
): Notices {
  const { id } = definition
  const inWords = createScopeWords({ scopes: site.scopes, school: definition.name })

  /** Marks what is due as tried, so that no other process sends it at the same time. */
  async function claim(): Promise<readonly Due[]> {
    const { rows } = await execute(
      `update school_notice set tries = tries + 1, due_at = $2::bigint + $3::int
       where site = $1 and (member_id, client_id) in (
         select member_id, client_id from school_notice
         where site = $1 and due_at <= $2::bigint order by due_at limit $4::int for update skip locked
       ) returning member_id, client_id, scopes, at`,
      [id, now(), PAUSE_SECONDS, BATCH],
    )
    return rows as Due[]
  }

  async function sendOne(due: Due, by: Notify): Promise<void> {
    const person = await people.find(due.member_id)
    const client = await site.findClient(due.client_id)
    if (person?.email != null && client !== null)
      await within(
        SEND_MILLISECONDS,
        by({
          id: createHash('sha256')
            .update(JSON.stringify([id, due.member_id, due.client_id]))
            .digest('hex')
            .slice(0, 16),
          to: person.email,
          ...connectionMail({
            site: definition,
            origin,
            name: person.name,
            app: client.name,
            at: Number(due.at),
            scopes: inWords((scope) => due.scopes.includes(scope)),
          }),
        }),
      )
    await done(due)
  }

  const done = async ({ member_id, client_id }: Due): Promise<void> => {
    await execute(
      `update school_notice set due_at = null where site = $1 and member_id = $2 and client_id = $3`,
      [id, member_id, client_id],
    )
  }

  return {
    async add(events) {
      const connected = events.filter(({ type }) => type === 'oauth.grant.created')
      if (notify === null || connected.length === 0) return
      await execute(
        `insert into school_notice (site, member_id, client_id, scopes, at, due_at)
         select $1, p.member_id, event ->> 'clientId', event -> 'scopes',
           (event ->> 'at')::bigint, (event ->> 'at')::bigint
         from jsonb_array_elements($2::text::jsonb) event
         join school_person p on p.site = $1 and p.member_id = event ->> 'subject'
         on conflict (site, member_id, client_id) do nothing`,
        [id, JSON.stringify(connected)],
      )
    },
    async send() {
      if (notify === null) return
      await execute(
        'update school_notice set due_at = null where site = $1 and due_at is not null and tries >= $2::int',
        [id, TRIES],
      )
      await Promise.all((await claim()).map((due) => sendOne(due, notify).catch(onFault)))
    },
  }
}
