import type { GrantEnd } from 'hallpass/authorization-server'
import { momentInWords } from '../pages/wording.js'
import type { SiteDefinition } from '../sites.js'

const DAY_SECONDS = 86_400

/** Creates the `grantEnds` option of hallpass: how long a person may let an app connect. */
export const createGrantEnds =
  ({
    site: { termEndsAt, timeZone },
    now,
  }: {
    site: Pick<SiteDefinition, 'termEndsAt' | 'timeZone'>
    now: () => number
  }): (() => readonly GrantEnd[]) =>
  () => {
    const at = termEndsAt
    return [
      { id: 'day', label: 'For one day', endsAt: now() + DAY_SECONDS },
      {
        id: 'term',
        label: `Until the end of term, ${momentInWords({ at, timeZone })}`,
        endsAt: at,
      },
    ]
  }
