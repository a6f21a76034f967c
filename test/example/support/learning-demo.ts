import type { Operation } from 'hallpass/admin'
import type { Execute } from 'hallpass/postgres'
import type { SchoolScope } from 'hallpass/scope'
import type { Kit } from '../../../examples/school/src/admin/kit.js'
import { demoAtT } from '../../support/databases/templates.js'
import { LANTERN_SITE, openOperatorSchool, type OperatorSchool } from './operator-school.js'

// In an order that their references allow.
const TABLES = [
  'course', 'section', 'lecture', 'plan', 'subscription', 'enrollment', 'lecture_progress', 'order',
] as const // prettier-ignore

/**
 * Opens the admin API of both demo schools. A third school that nobody asks has rows with the very
 * identifiers of the first, so a query that forgets the site is noticed.
 */
export const openLearningDemo = (
  operations: (kit: Kit) => readonly Operation<SchoolScope>[],
): Promise<OperatorSchool> => openOperatorSchool(operations, addTwin, demoAtT)

async function addTwin(execute: Execute, now: () => number): Promise<void> {
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
