import type { Tool } from 'hallpass/mcp'
import * as z from 'zod'
import { moneySql, timeSql } from '../admin/fields.js'
import type { PublicSource } from '../agents/kit.js'
import { definePublicList } from '../agents/public-list.js'
import { isOffered, publicCoursesSql } from '../agents/public-rows.js'
import { courseNameSchema, moneySchema, timeSchema } from '../agents/shapes.js'

const offerSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['recurring', 'fixed_date', 'specific_length', 'lifetime']),
  price: moneySchema,
  interval: z
    .enum(['day', 'week', 'month', 'year'])
    .nullable()
    .describe('How often a recurring one is paid.'),
  trial_days: z.int().nullable().describe('Days before the first payment.'),
  length_days: z.int().nullable().describe('How long one of a specific length lasts.'),
  ends_at: timeSchema.nullable().describe('When one of a fixed date ends.'),
  courses: z.array(courseNameSchema).describe('The public courses that it opens.'),
})

const opened = `c.id in (select pc.course_id from school_plan_course pc
  where pc.site = m.site and pc.plan_id = m.id)`

/** The memberships that everybody may buy. */
export const offerTools = (source: PublicSource): readonly Tool<never>[] => [
  definePublicList(source, {
    name: 'list_membership_offers',
    title: 'List membership offers',
    description:
      'Lists the memberships that anybody can buy at this school now: price, term, and the courses that each opens. Use it when somebody asks what membership costs or which one has a course. It knows nothing of memberships that somebody has, and cannot sell one.',
    filters: {},
    item: offerSchema,
    keyType: 'text',
    select: ({ text, integer }) => `
      select m.id, left(lower(m.name), 100) as key, jsonb_build_object('id', m.id,
        'name', m.name, 'kind', m.kind, 'price', ${moneySql('m.price', 'm.currency')},
        'interval', lower(m.interval), 'trial_days', m.trial_days,
        'length_days', m.length_days, 'ends_at', ${timeSql('m.ends_at')},
        'courses', ${publicCoursesSql('m.site', opened)}) as data
      from school_plan m
      where m.site = ${text(source.site)} and ${isOffered('m', integer(source.now()))}`,
    itemOf: (row: z.output<typeof offerSchema>) => row,
    nextSteps: [
      'Call get_public_course with the slug of a course to see what it teaches.',
      'Memberships are bought on the website: get_school_info has its address.',
    ],
  }),
]
