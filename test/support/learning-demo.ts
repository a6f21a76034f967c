import type { Execute } from 'hallpass/postgres'
import { createMemoryStore } from 'hallpass/store'
import { seedDemo } from '../../examples/school/src/demo.js'
import { createPeople } from '../../examples/school/src/people.js'
import { KILN_SITE, LANTERN_SITE } from './operator-school.js'

// In an order that their references allow.
const TABLES = [
  'course', 'section', 'lecture', 'plan', 'subscription', 'enrollment', 'lecture_progress', 'order',
] as const // prettier-ignore

/**
 * Puts both demo schools in, with what they teach and who studies there. A third school that nobody
 * asks has rows with the very identifiers of the first, so a query that forgets the site is noticed.
 */
export async function seedLearningDemo(execute: Execute, now: () => number): Promise<void> {
  for (const site of [LANTERN_SITE, KILN_SITE]) {
    const people = createPeople({ execute, site })
    const origin = `https://${site.replace('_', '-')}.example`
    await seedDemo({ execute, site, origin, people, store: createMemoryStore(), now })
  }
  const columns = 'member_id, name, email, role, password_hash, joined_at, tags'
  await execute(
    `insert into school_person (site, ${columns})
     select 'site_twin', ${columns} from school_person where site = $1`,
    [LANTERN_SITE],
  )
  for (const table of TABLES)
    await execute(
      `insert into school_${table}
       select (jsonb_populate_record(t, '{"site": "site_twin"}')).* from school_${table} t
       where site = $1`,
      [LANTERN_SITE],
    )
  await execute(
    `insert into school_enrollment
       (site, id, member_id, course_id, enrolled_at, lifetime, suspended, source)
     values ('site_twin', 'twin', 'mem_l10', 'crs_l01', $1, true, false, 'FREE')`,
    [now()],
  )
}
