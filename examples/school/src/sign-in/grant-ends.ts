import type { GrantEnd } from 'hallpass/authorization-server'
import { momentInWords } from '../../../pages/wording.js'
import type { SiteDefinition } from '../sites.js'

const DAY_SECONDS = 86_400

/** Creates the `grantEnds` option of hallpass: how long a person may let an app connect. */
export const createGrantEnds =
  ({
    site: { termEnds, timeZone },
    now,
  }: {
    site: Pick<SiteDefinition, 'termEnds' | 'timeZone'>
    now: () => number
  }): (() => readonly GrantEnd[]) =>
  () => {
    const at = nextEnd(termEnds, now())
    return [
      { id: 'day', label: 'For one day', endsAt: now() + DAY_SECONDS },
      {
        id: 'term',
        label: `Until the end of term, ${momentInWords({ at, timeZone })}`,
        endsAt: at,
      },
    ]
  }

function nextEnd(termEnds: readonly string[], now: number): number {
  const year = new Date(now * 1000).getUTCFullYear()
  const ends = [year, year + 1].flatMap((one) =>
    termEnds.map((end) => Date.parse(`${one}-${end}`) / 1000),
  )
  return Math.min(...ends.filter((end) => end > now))
}
