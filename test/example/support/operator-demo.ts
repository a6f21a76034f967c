import type { Operation } from 'hallpass/admin'
import type { SchoolScope } from 'hallpass/scope'
import type { Kit } from '../../../examples/school/src/admin/kit.js'
import type { DemoOptions } from '../../../examples/school/src/demo/seed.js'
import { demoAtT } from '../../support/databases/templates.js'
import { KILN_SITE, LANTERN_SITE, openOperatorSchool, type OperatorSchool } from './operator-school.js' // prettier-ignore

/**
 * Opens the admin API of both demo schools with everything of the demo in them.
 *
 * @param part - what a test puts into each school once more
 */
export const openOperatorDemo = (
  operations: (kit: Kit) => readonly Operation<SchoolScope>[],
  part: (options: DemoOptions) => Promise<void> = async () => {},
): Promise<OperatorSchool> =>
  openOperatorSchool(
    operations,
    async (execute, now) => {
      for (const site of [LANTERN_SITE, KILN_SITE]) await part({ execute, site, now })
    },
    demoAtT,
  )
