import { defineSite, type Site, type SiteOptions } from 'hallpass'
import { deliverEvents, erasePerson } from 'hallpass/operations'
import { createPostgresStore, type Execute } from 'hallpass/postgres'
import { type SchoolScope, schoolRoles, schoolScopes } from 'hallpass/scope'
import type { Store } from 'hallpass/store'
import { newId } from '../admin/fields.js'
import { createAudit } from '../platform/audit.js'
import type { Database } from '../platform/transaction.js'
import type { SiteDefinition } from '../sites.js'
import { createPeople } from './people.js'

/** The school whose members are erased. */
export interface EraseOptions {
  readonly definition: SiteDefinition
  readonly origin: string
  readonly database: Database
  /** Returns the current time in epoch seconds. Default: the platform's clock. */
  readonly now?: () => number
}

/** Erases members of one school. */
export type EraseMember = (memberId: string) => Promise<Erasure>

/** The result of an erasure, or why the member was not erased. */
type Erasure =
  | {
      readonly ok: true
      /** The identifier that orders and the audit log have in place of the member's. */
      readonly pseudonym: string
      /** How many grants of apps were deleted. */
      readonly grants: number
    }
  | { readonly ok: false; readonly reason: 'unknown_member' | 'owner' }

/** The rows that stay under the pseudonym: their table, the column with the member, and what is cleared. */
const KEPT: readonly (readonly [table: string, column: string, cleared?: string])[] = [
  ['order', 'member_id', 'payment_brand = null, payment_last4 = null'],
  ['subscription', 'member_id'],
  ['enrollment', 'member_id'],
  ['event_registration', 'member_id', 'ticket_code = null, cancel_reason = null'],
  ['digital_ownership', 'member_id'],
  ['post', 'author_id'],
  ['comment', 'author_id', `body = '', state = 'hidden'`],
  ['upload', 'uploader_id'],
  ['page_deployment', 'deployed_by'],
]

/**
 * Creates the function that erases a member on request (GDPR, article 17).
 *
 * It ends the access of all apps first. Everything else is one transaction, so a call that failed can be
 * repeated. A pseudonym without a name replaces the member wherever a row has to stay.
 */
export const createEraseMember =
  (options: EraseOptions): EraseMember =>
  async (memberId) => {
    const { database, now = secondsNow } = options
    const site = siteOf(options)
    const { rows } = await database.execute(
      'select email, role from school_person where site = $1 and member_id = $2',
      [site.id, memberId],
    )
    const [member] = rows as { email: string | null; role: string }[]
    if (member === undefined) return { ok: false, reason: 'unknown_member' }
    if (member.role === 'owner') return { ok: false, reason: 'owner' }

    const { append } = createAudit({ execute: database.execute, site: site.id })
    // An event that still waits would lose the member; an entry of the audit log has a pseudonym instead.
    await deliverEvents(site, { deliver: append })
    const loginHints = member.email === null ? [] : [member.email]
    const { grants } = await erasePerson(site, { subject: memberId, loginHints })
    await deliverEvents(site, { deliver: append })
    const pseudonym = newId('mem')
    const isErased = await database.transaction((execute) =>
      eraseRows(execute, { site: site.id, memberId, pseudonym, grants, at: now() }),
    )
    return isErased ? { ok: true, pseudonym, grants } : { ok: false, reason: 'unknown_member' }
  }

const secondsNow = (): number => Math.floor(Date.now() / 1000)

/** Defines the school with nothing but its store: a command needs no keys, so it has no secret. */
export function siteOf(
  { definition: { id, name }, origin, database, now }: EraseOptions,
  hooks: Pick<SiteOptions, 'onEvent'> = {},
): Site<SchoolScope, Store> {
  const { execute } = database
  const clock = now === undefined ? {} : { now }
  return defineSite({
    issuer: origin,
    name,
    id,
    store: createPostgresStore({ execute, site: id, ...clock }),
    scopes: schoolScopes,
    roles: schoolRoles,
    outbox: true,
    findPerson: createPeople({ execute, site: id }).find,
    ...clock,
    ...hooks,
  })
}

async function eraseRows(
  execute: Execute,
  {
    site,
    memberId,
    pseudonym,
    grants,
    at,
  }: { site: string; memberId: string; pseudonym: string; grants: number; at: number },
): Promise<boolean> {
  const { rows } = await execute(
    'select name, email from school_person where site = $1 and member_id = $2 for update',
    [site, memberId],
  )
  const [member] = rows as { name: string | null; email: string | null }[]
  // Another call has erased the member.
  if (member === undefined) return false

  await execute(
    `insert into school_person (site, member_id, role, suspended, joined_at, deleted_at, updated_at)
     select site, $3, 'student', true, joined_at, $4::bigint, $4::bigint from school_person
     where site = $1 and member_id = $2`,
    [site, memberId, pseudonym, at],
  )
  for (const [table, column, cleared] of KEPT)
    await execute(
      `update school_${table} set ${column} = $3${cleared === undefined ? '' : `, ${cleared}`}
       where site = $1 and ${column} = $2`,
      [site, memberId, pseudonym],
    )
  await execute('delete from school_form_submission where site = $1 and member_id = $2', [
    site,
    memberId,
  ])
  // A retry of a request whose response is cleared gets 409 until its key expires: it is not run again.
  await execute(
    `update hallpass_idempotency set answer = null
     where site = $1 and answer is not null and exists (
       select from jsonb_array_elements_text($2::text::jsonb) known
       where strpos(answer, known) > 0 or strpos(answer::jsonb ->> 'body', known) > 0
     )`,
    [site, JSON.stringify(wordsOf(memberId, member))],
  )
  // The sessions and the progress of the member are deleted with the person.
  await execute('delete from school_person where site = $1 and member_id = $2', [site, memberId])
  const audit = createAudit({ execute, site })
  await audit.replacePerson({ memberId, pseudonym })
  await audit.record({ type: 'member.erased', at, subject: pseudonym, grants })
  return true
}

/** The texts by which a JSON response names a member. A name must be a whole value. */
const wordsOf = (
  memberId: string,
  { name, email }: { name: string | null; email: string | null },
): readonly string[] => [
  memberId,
  ...(email === null ? [] : [JSON.stringify(email).slice(1, -1)]),
  ...(name === null ? [] : [JSON.stringify(name)]),
]
