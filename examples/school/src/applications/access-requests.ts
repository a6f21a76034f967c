import type { Execute } from 'hallpass/postgres'

/** A person who asks for an app that their role does not allow. */
interface AccessRequest {
  readonly memberId: string
  readonly clientId: string
  /** Epoch seconds. */
  readonly at: number
}

/** The requests of people at one site for apps that their roles do not allow. */
export interface AccessRequests {
  /** Stores a request. A person has at most one for each app, and {@link MOST_OF_PERSON} in all: the oldest makes room. */
  readonly ask: (request: AccessRequest) => Promise<void>
  /** Returns the requests that no one dismissed, the newest first, at most `limit`. */
  readonly open: (limit: number) => Promise<readonly AccessRequest[]>
  /** Whether a person has asked for an app. */
  readonly has: (asked: Pick<AccessRequest, 'memberId' | 'clientId'>) => Promise<boolean>
  readonly dismiss: (asked: Pick<AccessRequest, 'memberId' | 'clientId'>) => Promise<void>
  /** Deletes requests that are older than 30 days. `now`: as far as rows may be deleted, in epoch seconds. */
  readonly purge: (now: number) => Promise<void>
}

const MOST_OF_PERSON = 20
const KEPT_SECONDS = 30 * 86_400

/** Creates access to the requests of one site, in its table. */
export function createAccessRequests({
  execute,
  site,
}: {
  execute: Execute
  site: string
}): AccessRequests {
  return {
    async ask({ memberId, clientId, at }) {
      await execute(
        `insert into school_access_request (site, member_id, client_id, at) values ($1, $2, $3, $4)
         on conflict (site, member_id, client_id) do update set at = excluded.at`,
        [site, memberId, clientId, at],
      )
      await execute(
        `delete from school_access_request where site = $1 and member_id = $2 and client_id in (
           select client_id from school_access_request where site = $1 and member_id = $2
           order by at desc, client_id offset $3
         )`,
        [site, memberId, MOST_OF_PERSON],
      )
    },
    async open(limit) {
      const { rows } = await execute(
        `select member_id as "memberId", client_id as "clientId", at from school_access_request
         where site = $1 order by at desc, member_id, client_id limit $2`,
        [site, limit],
      )
      return (rows as (Omit<AccessRequest, 'at'> & { at: unknown })[]).map((row) => ({
        ...row,
        at: Number(row.at),
      }))
    },
    async has({ memberId, clientId }) {
      const { rows } = await execute(
        `select 1 from school_access_request
         where site = $1 and member_id = $2 and client_id = $3`,
        [site, memberId, clientId],
      )
      return rows.length > 0
    },
    async dismiss({ memberId, clientId }) {
      await execute(
        `delete from school_access_request
         where site = $1 and member_id = $2 and client_id = $3`,
        [site, memberId, clientId],
      )
    },
    async purge(now) {
      await execute('delete from school_access_request where site = $1 and at < $2', [
        site,
        now - KEPT_SECONDS,
      ])
    },
  }
}
