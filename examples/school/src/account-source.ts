import type { AccountSource, ProfileRecord } from 'hallpass/account'
import type { Execute } from 'hallpass/postgres'
import { createBookings } from './account/bookings.js'
import { listEnrollments } from './account/enrollments.js'
import { createLectures } from './account/lectures.js'
import { createPurchases } from './account/purchases.js'
import type { SiteDefinition } from './sites.js'

/**
 * What the members of one school reach of their own data, from its tables.
 *
 * @param options - `origin`: prefix of every URL; `now`: epoch seconds
 */
export function createAccountSource({
  execute,
  site: { id: site, name, timeZone, currency },
  origin,
  now,
}: {
  execute: Execute
  site: SiteDefinition
  origin: string
  now: () => number
}): AccountSource {
  const options = { execute, site, origin, now }

  return {
    async profile({ subject }) {
      const { rows } = await execute(
        `select jsonb_build_object('email', email, 'emailVerified', email_verified, 'name', name,
           'picture', picture, 'locale', locale, 'timeZone', time_zone,
           'memberSince', joined_at) as profile
         from school_person where site = $1 and member_id = $2`,
        [site, subject],
      )
      return (rows as { profile: ProfileRecord }[])[0]?.profile ?? null
    },
    site: async () => ({ id: site, name, url: origin, timeZone, currencyCode: currency }),
    enrollments: listEnrollments(options),
    ...createPurchases(options),
    ...createBookings(options),
    ...createLectures(options),
    async updateProfile({ subject }, changes) {
      await execute(
        `update school_person
         set name = case when c ? 'name' then c ->> 'name' else name end,
           picture = case when c ? 'picture' then c ->> 'picture' else picture end,
           locale = case when c ? 'locale' then c ->> 'locale' else locale end,
           time_zone = case when c ? 'timeZone' then c ->> 'timeZone' else time_zone end
         from (select $3::text::jsonb as c) changes
         where site = $1 and member_id = $2`,
        [site, subject, JSON.stringify(changes)],
      )
    },
  }
}
