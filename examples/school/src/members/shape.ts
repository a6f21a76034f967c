import * as z from 'zod'
import { webUrl } from '../admin/addresses.js'
import { common, idOf, line, money, moneySql, tags, time, timeSql } from '../admin/fields.js'
import type { Listed } from '../admin/kit.js'
import { memberRoles, memberStateSql } from './rules.js'

export const memberId = idOf('mem')

/** The roles of a request. Every member of this school has exactly one. */
export const memberRolesSent = z.array(z.enum(memberRoles)).length(1)

/** The fields of a member that a request can set. */
export const memberSent = {
  email: z.email().max(254),
  name: line(100).nullable(),
  picture: webUrl.nullable(),
  phone: z
    .string()
    .max(16)
    .regex(/^\+[1-9]\d{4,14}$/)
    .nullable(),
  locale: z.string().max(35).refine(isLocale, 'must be a language tag such as pt-PT').nullable(),
  marketing_opt_in: z.boolean(),
}

// A regular expression would accept invalid tags, and the platform implements the grammar.
function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

// Members write these fields themselves, so they can be as long as the Account API allows.
const own = z.string().max(100_000)

export const Member = z
  .object({
    id: memberId,
    email: z.string().max(320).nullable(),
    email_verified: z.boolean(),
    name: own.nullable(),
    picture: own.nullable(),
    phone: z.string().max(16).nullable(),
    roles: z.array(z.enum(memberRoles)).max(1),
    tags,
    state: z.enum(['invited', 'active', 'suspended', 'deleted']),
    locale: own.nullable(),
    marketing_opt_in: z.boolean(),
    last_seen_at: time
      .nullable()
      .describe('When the member last signed in, or watched or completed a lecture.'),
    lifetime_value: z
      .array(money)
      .max(20)
      .describe('Payments less refunds, per currency. Empty if the member never paid anything.'),
    ...common,
  })
  .meta({ id: 'Member', description: 'A person who belongs to the school.' })
export type Member = z.output<typeof Member>

const LAST_SEEN = `(
  select max(seen.at) from (
    select s.auth_time as at from school_session s
    where s.site = p.site and s.member_id = p.member_id
    union all
    select greatest(d.watched_at, d.completed_at) from school_lecture_progress d
    where d.site = p.site and d.member_id = p.member_id
  ) seen
)`

const LIFETIME_VALUE = `(
  select coalesce(jsonb_agg(${moneySql('v.amount', 'v.currency')} order by v.currency), '[]')
  from (
    select o.currency, sum(o.total - o.refunded) as amount from school_order o
    where o.site = p.site and o.member_id = p.member_id
      and o.state in ('PAID', 'PARTIALLY_REFUNDED', 'REFUNDED')
    group by o.currency
  ) v
)`

/** The members as the admin API shows them, without their password hashes. */
export const memberResource: Listed = {
  table: 'person',
  search: ['name', 'email'],
  select: `select p.member_id as id, jsonb_build_object('id', p.member_id, 'email', p.email,
      'email_verified', p.email_verified, 'name', p.name, 'picture', p.picture, 'phone', p.phone,
      'roles', jsonb_build_array(p.role), 'tags', coalesce(p.tags, '[]'),
      'state', ${memberStateSql}, 'locale', p.locale,
      'marketing_opt_in', coalesce(p.marketing_opt_in, false),
      'last_seen_at', ${timeSql(LAST_SEEN)}, 'lifetime_value', ${LIFETIME_VALUE},
      'created_at', ${timeSql('p.joined_at')},
      'updated_at', ${timeSql('coalesce(p.updated_at, p.joined_at)')}
    ) as data
    from school_person p where p.site = $1`,
}
