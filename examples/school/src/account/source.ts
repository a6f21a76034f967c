import type { AccountSource, ProfileRecord } from 'hallpass/account'
import { createBookings } from '../events/account.js'
import { listEnrollments } from '../learning/account.js'
import { createLectures } from '../learning/account-lectures.js'
import { createPurchases } from '../sales/account.js'
import type { Database } from '../platform/transaction.js'
import { dbOf } from '../admin/kit.js'
import { readTerms } from '../school/settings.js'
import type { SiteDefinition } from '../sites.js'

/**
 * Creates the account source of one school, which reads the data of its members from the tables.
 *
 * @param options - `origin`: prefix of every URL; `now`: epoch seconds
 */
export function createAccountSource({
  execute,
  transaction,
  site: definition,
  origin,
  now,
}: Pick<Database, 'execute' | 'transaction'> & {
  site: SiteDefinition
  origin: string
  now: () => number
}): AccountSource {
  const site = definition.id
  const options = { execute, transaction, site, origin, now }

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
    async site() {
      const { name, timeZone, currency } = await readTerms(dbOf(execute, site), definition)
      return { id: site, name, url: origin, timeZone, currencyCode: currency }
    },
    enrollments: listEnrollments(options),
    ...createPurchases(options),
    ...createBookings(options),
    ...createLectures(options),
    async updateProfile({ subject }, changes) {
      await execute(
        `update school_person
         set updated_at = $4::bigint,
           name = case when c ? 'name' then c ->> 'name' else name end,
           picture = case when c ? 'picture' then c ->> 'picture' else picture end,
           locale = case when c ? 'locale' then c ->> 'locale' else locale end,
           time_zone = case when c ? 'timeZone' then c ->> 'timeZone' else time_zone end
         from (select $3::text::jsonb as c) changes
         where site = $1 and member_id = $2`,
        [site, subject, JSON.stringify(changes), now()],
      )
    },
  }
}
