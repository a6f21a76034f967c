import { DAY } from '../demo/rows.js'
import {
  type DemoOptions,
  fillIn,
  insertMissing,
  type JsonRow,
  type PerSchool,
} from '../demo/seed.js'

/** The data of a school's people that only the admin API shows. */
interface Details {
  /** Additions to the people of the Account API, by id. */
  readonly people: readonly JsonRow[]
  /** People who exist only in the admin API. */
  readonly newcomers: readonly JsonRow[]
}

const member = (number: string, tags: readonly string[], more: JsonRow = {}): JsonRow => ({
  id: `mem_l${number}`,
  tags,
  marketing_opt_in: false,
  phone: null,
  ...more,
})

const lantern = (now: number): Details => ({
  people: [
    member('01', ['staff'], { phone: '+351210000001' }),
    member('02', ['staff']),
    member('03', ['staff']),
    member('04', ['staff']),
    member('05', ['regular', 'ink'], { marketing_opt_in: true, phone: '+351910000005' }),
    member('06', ['membership']),
    member('07', ['new'], { marketing_opt_in: true }),
    member('08', ['pre-order']),
    member('09', ['regular'], { marketing_opt_in: true }),
    member('10', ['events']),
    member('11', []),
    member('12', []),
  ],
  newcomers: [
    {
      member_id: 'mem_l13',
      name: 'Grete Lund',
      email: 'grete.lund@example.com',
      role: 'lecturer',
      suspended: false,
      joined_at: now - 2 * DAY,
      invited_at: now - 2 * DAY,
      deleted_at: null,
      tags: ['staff'],
    },
    {
      member_id: 'mem_l14',
      name: null,
      email: null,
      role: 'student',
      suspended: true,
      joined_at: now - 420 * DAY,
      invited_at: null,
      deleted_at: now - 30 * DAY,
      tags: [],
    },
  ],
})

const kiln = (): Details => ({
  people: [
    { id: 'mem_k01', tags: ['staff'], marketing_opt_in: false, phone: '+886223000001' },
    { id: 'mem_k02', tags: ['wheel'], marketing_opt_in: false, phone: null },
    { id: 'mem_k03', tags: ['membership'], marketing_opt_in: true, phone: null },
  ],
  newcomers: [],
})

const details: PerSchool<Details> = { site_lantern: lantern, site_kiln: kiln }

/** Inserts the data of the demo's people that only the admin API shows. */
export async function seedMembers(options: DemoOptions): Promise<void> {
  const { people = [], newcomers = [] } = details[options.site]?.(options.now()) ?? {}
  await fillIn(options, {
    table: 'person',
    columns: ['tags', 'marketing_opt_in', 'phone'],
    unless: 'tags',
    rows: people,
  })
  await insertMissing(options, { person: newcomers })
}
