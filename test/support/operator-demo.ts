import type { Operation } from 'hallpass/admin'
import type { Execute } from 'hallpass/postgres'
import type { SchoolScope } from 'hallpass/scope'
import type { Kit } from '../../examples/school/src/admin/kit.js'
import { demoAtT } from './databases.js'
import { KILN_SITE, LANTERN_SITE, openOperatorSchool, type OperatorSchool } from './operator-school.js' // prettier-ignore

/** What else a test puts into each school. */
export type DemoPart = (options: {
  execute: Execute
  site: string
  now: () => number
}) => Promise<void>

/** Opens the admin API of both demo schools with everything of the demo in them. */
export const openOperatorDemo = (
  operations: (kit: Kit) => readonly Operation<SchoolScope>[],
  part: DemoPart = async () => {},
): Promise<OperatorSchool> =>
  openOperatorSchool(
    operations,
    async (execute, now) => {
      for (const site of [LANTERN_SITE, KILN_SITE]) await part({ execute, site, now })
    },
    demoAtT,
  )
