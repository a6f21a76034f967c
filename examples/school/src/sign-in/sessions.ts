import { createHash, randomBytes } from 'node:crypto'
import type { SessionEvent } from 'hallpass/operations'
import type { SignedIn } from 'hallpass/authorization-server'
import type { Execute } from 'hallpass/postgres'
import { purgeRows } from '../platform/purge.js'

/** How long a session lasts. */
export const SESSION_SECONDS: number = 12 * 3600

/** The sessions of one site. The table contains hashes of the identifiers that the browsers store. */
export interface Sessions {
  /** Returns the person of a session, or `null` if it does not exist or has expired. */
  find(sessionId: string): Promise<SignedIn | null>
  /**
   * Begins a session with a new identifier and ends the old session, if there is one. The audit log gets
   * `session.signed_in` at the same time. Returns `null` if there is no such member any more.
   */
  begin(options: { memberId: string; old: string | null }): Promise<string | null>
  end(sessionId: string): Promise<void>
  /** Ends every session of the site, and returns how many there were. */
  endAll(): Promise<number>
  /** Deletes sessions that had expired by a time in epoch seconds. */
  purge(before: number): Promise<void>
}

const hash = (sessionId: string): string =>
  createHash('sha256').update(sessionId).digest('base64url')

/** Creates access to the sessions of one site, in its table. */
export function createSessions({
  execute,
  site,
  now,
}: {
  execute: Execute
  site: string
  now: () => number
}): Sessions {
  const end = async (sessionId: string): Promise<void> => {
    await execute('delete from school_session where site = $1 and session_hash = $2', [
      site,
      hash(sessionId),
    ])
  }
  const purgeSessions = (before: number): Promise<number> =>
    purgeRows(execute, {
      table: 'school_session',
      key: 'session_hash',
      time: 'expires_at',
      site,
      before,
    })
  return {
    async find(sessionId) {
      const { rows } = await execute(
        `select member_id, auth_time from school_session
         where site = $1 and session_hash = $2 and expires_at > $3 and auth_time <= $3 + 60`,
        [site, hash(sessionId), now()],
      )
      const [row] = rows as { member_id: string; auth_time: number | string }[]
      return row === undefined ? null : { subject: row.member_id, authTime: Number(row.auth_time) }
    },
    async begin({ memberId, old }) {
      const sessionId = randomBytes(32).toString('base64url')
      const at = now()
      const event: SessionEvent = { type: 'session.signed_in', at, subject: memberId }
      // One statement: no session begins without its entry. It waits for an erasure that is under way.
      const { rows } = await execute(
        `with ended as (delete from school_session where site = $1 and session_hash = $6),
         person as (
           select member_id from school_person where site = $1 and member_id = $3 for key share
         ),
         begun as (
           insert into school_session (site, session_hash, member_id, auth_time, expires_at)
           select $1, $2, member_id, $4::bigint, $5::bigint from person returning site, member_id, auth_time
         )
         insert into school_audit (site, at, type, subject, event)
         select site, auth_time, 'session.signed_in', member_id, $7::text::jsonb from begun returning 1`,
        [
          site,
          hash(sessionId),
          memberId,
          at,
          at + SESSION_SECONDS,
          old === null ? null : hash(old),
          JSON.stringify(event),
        ],
      )
      return rows.length === 0 ? null : sessionId
    },
    end,
    async endAll() {
      let ended = 0
      for (let call = 0; call < 1000; call++) {
        const found = await purgeSessions(Number.MAX_SAFE_INTEGER)
        if (found === 0) break
        ended += found
      }
      return ended
    },
    async purge(before) {
      await purgeSessions(before + 1)
    },
  }
}
