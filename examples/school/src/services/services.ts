import { randomUUID } from 'node:crypto'
import type { Client, Person } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'
import type { People } from '../members/people.js'
import { createAudit } from '../platform/audit.js'
import type { Transaction } from '../platform/transaction.js'

/** The roles that a service may have: those of the staff, but for the owner, who is a person. */
export const SERVICE_ROLES = ['manager', 'lecturer', 'assistant'] as const

/** The name of a role of services. */
type ServiceRole = (typeof SERVICE_ROLES)[number]

/** A service of the school: a program that acts for itself. */
export interface Service {
  /** The client that acts as this service. */
  readonly clientId: string
  /** Its `sub`. It is never that of a person. */
  readonly serviceId: string
  readonly role: ServiceRole
  /** Epoch seconds; `null` while it may act. */
  readonly endedAt: number | null
}

/** Who does something, and when, for the audit log. */
interface By {
  /** The `sub` of a manager. */
  readonly actor: string
  /** Epoch seconds. */
  readonly at: number
}

/** The services of one site. */
export interface Services {
  /** Returns the `sub` of the service of a client, or `null` if it has none, or none any more. hallpass calls it. */
  readonly serviceOf: (client: Pick<Client, 'clientId'>) => Promise<string | null>
  /** Whether a client is a service, or was one. */
  readonly has: (clientId: string) => Promise<boolean>
  /** Returns the service with this `sub` as hallpass knows people, or `null` if there is none or it has ended. */
  readonly find: (subject: string) => Promise<Person | null>
  /** Returns the names of these services, including those that have ended. Others are omitted. */
  readonly names: (subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Returns the services whose client is not deleted, the newest first. */
  readonly list: () => Promise<readonly Service[]>
  /** Makes a client a service. Its entry in the audit log is stored with it. */
  readonly add: (service: { clientId: string; role: ServiceRole }, by: By) => Promise<void>
  /**
   * Ends the service of a client: it gets no further tokens, and those that it has open nothing. Its entry in the audit
   * log is stored with that.
   *
   * @returns `false` if there was none to end
   */
  readonly end: (clientId: string, by: By) => Promise<boolean>
}

/** No manager creates more. */
const MAX_SERVICES = 200

const COLUMNS = `s.client_id as "clientId", s.service_id as "serviceId", s.role, s.ended_at as "endedAt"`
const WITH_CLIENT = `school_service s
  join hallpass_client c on c.site = s.site and c.client_id = s.client_id`

/** Creates access to the services of one site, in its table. */
export function createServices({
  execute,
  transaction,
  site,
}: {
  execute: Execute
  transaction: Transaction
  site: string
}): Services {
  return {
    async serviceOf({ clientId }) {
      const { rows } = await execute(
        `select service_id as id from school_service
         where site = $1 and client_id = $2 and ended_at is null`,
        [site, clientId],
      )
      return (rows as { id: string }[])[0]?.id ?? null
    },
    async has(clientId) {
      const { rows } = await execute(
        'select 1 from school_service where site = $1 and client_id = $2',
        [site, clientId],
      )
      return rows.length > 0
    },
    async find(subject) {
      const { rows } = await execute(
        `select s.role, c.record::jsonb ->> 'name' as name from ${WITH_CLIENT}
         where s.site = $1 and s.service_id = $2 and s.ended_at is null`,
        [site, subject],
      )
      const [row] = rows as { role: ServiceRole; name: string }[]
      if (row === undefined) return null
      const { role, name } = row
      return { subject, orgId: site, roles: [role], name, email: null, picture: null }
    },
    async names(subjects) {
      const { rows } = await execute(
        `select s.service_id as id, c.record::jsonb ->> 'name' as name from ${WITH_CLIENT}
         where s.site = $1 and s.service_id in (select jsonb_array_elements_text($2::text::jsonb))`,
        [site, JSON.stringify(subjects)],
      )
      return new Map((rows as { id: string; name: string }[]).map(({ id, name }) => [id, name]))
    },
    async list() {
      const { rows } = await execute(
        `select ${COLUMNS} from ${WITH_CLIENT}
         where s.site = $1 and c.deleted_at is null
         order by c.created_at desc, s.client_id limit $2::int`,
        [site, MAX_SERVICES],
      )
      return (rows as (Omit<Service, 'endedAt'> & { endedAt: number | string | null })[]).map(
        ({ endedAt, ...row }) => ({ ...row, endedAt: endedAt === null ? null : Number(endedAt) }),
      )
    },
    add: ({ clientId, role }, by) =>
      transaction(async (within) => {
        const serviceId = `srv_${randomUUID()}`
        await within(
          `insert into school_service (site, client_id, service_id, role) values ($1, $2, $3, $4)`,
          [site, clientId, serviceId, role],
        )
        const event = { ...by, type: 'service.created', clientId, subject: serviceId } as const
        await createAudit({ execute: within, site }).record(event)
      }),
    end: (clientId, by) =>
      transaction(async (within) => {
        const { rows } = await within(
          `update school_service set ended_at = $3::bigint
           where site = $1 and client_id = $2 and ended_at is null returning service_id as id`,
          [site, clientId, by.at],
        )
        const [ended] = rows as { id: string }[]
        if (ended === undefined) return false
        const event = { ...by, type: 'service.ended', clientId, subject: ended.id } as const
        await createAudit({ execute: within, site }).record(event)
        return true
      }),
  }
}

/** Returns the lookup of a site with services: that of people, and behind it that of services. */
export const withServices =
  (people: Pick<People, 'find'>, services: Pick<Services, 'find'>): People['find'] =>
  async (subject) =>
    (await people.find(subject)) ?? services.find(subject)
