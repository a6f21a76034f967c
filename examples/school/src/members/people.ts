import type { Execute } from 'hallpass/postgres'
import type { Person } from 'hallpass/policy'

/** A row of the school's table of people. */
export interface PersonRow {
  readonly memberId: string
  readonly name: string | null
  readonly email: string | null
  readonly picture: string | null
  readonly role: 'owner' | 'manager' | 'lecturer' | 'assistant' | 'student'
  readonly suspended: boolean
  /** The result of `hashPassword`, or `null` if the person cannot sign in with a password. */
  readonly passwordHash: string | null
}

/** The people of one site. */
export interface People {
  /** Returns the person with this `sub`, or `null` if there is none or they are suspended. hallpass calls it for every request. */
  readonly find: (subject: string) => Promise<Person | null>
  /** Returns the names of these people, including suspended ones. People without a name and an email address are omitted. */
  readonly names: (subjects: readonly string[]) => Promise<ReadonlyMap<string, string>>
  readonly findByEmail: (email: string) => Promise<PersonRow | null>
  /** Adds people. Those who already exist are not changed. */
  readonly add: (people: readonly PersonRow[]) => Promise<void>
}

const COLUMNS = `member_id as "memberId", name, email, picture, role, suspended,
  password_hash as "passwordHash"`

/** Creates access to the people of one site, in its table. */
export function createPeople({ execute, site }: { execute: Execute; site: string }): People {
  return {
    async find(subject) {
      const { rows } = await execute(
        `select ${COLUMNS} from school_person where site = $1 and member_id = $2 and not suspended`,
        [site, subject],
      )
      const [row] = rows as PersonRow[]
      if (row === undefined) return null
      const { memberId, role, name, email, picture } = row
      return { subject: memberId, orgId: site, roles: [role], name, email, picture }
    },
    async names(subjects) {
      const { rows } = await execute(
        `select member_id as "memberId", coalesce(name, email) as name from school_person
         where site = $1 and member_id in (select jsonb_array_elements_text($2::text::jsonb))
           and coalesce(name, email) is not null`,
        [site, JSON.stringify(subjects)],
      )
      return new Map((rows as PersonRow[]).map(({ memberId, name }) => [memberId, name!]))
    },
    async findByEmail(email) {
      // PostgreSQL fails on a text with a NUL, so no one has such an address.
      if (email.includes('\0')) return null
      const { rows } = await execute(
        `select ${COLUMNS} from school_person where site = $1 and lower(email) = lower($2)`,
        [site, email],
      )
      return (rows as PersonRow[])[0] ?? null
    },
    async add(people) {
      await execute(
        `insert into school_person
         select $1, p ->> 'memberId', p ->> 'name', p ->> 'email', p ->> 'picture', p ->> 'role',
           (p ->> 'suspended')::boolean, p ->> 'passwordHash'
         from jsonb_array_elements($2::text::jsonb) p
         on conflict do nothing`,
        [site, JSON.stringify(people)],
      )
    },
  }
}
