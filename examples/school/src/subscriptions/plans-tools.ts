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
    .describe('How often a recurring membership is paid.'),
  trial_days: z.int().nullable().describe('Days before the first payment.'),
  length_days: z.int().nullable().describe('How long a membership of a specific length lasts.'),
  ends_at: timeSchema.nullable().describe('When a membership with a fixed date ends.'),
  courses: z.array(courseNameSchema).describe('The public courses that the membership includes.'),
})

const opened = `c.id in (select pc.course_id from school_plan_course pc
  where pc.site = m.site and pc.plan_id = m.id)`

/** The tool that lists memberships for sale. */
export const offerTools = (source: PublicSource): readonly Tool<never>[] => [
  definePublicList(source, {
    name: 'list_membership_offers',
    title: 'List membership offers',
    description:
      'Lists the memberships that are for sale at this school now: price, term and included courses. Call it when a person asks what a membership costs, or which membership includes a course. It does not return memberships that people have, and cannot sell one.',
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
      'Call get_public_course with the slug of a course to get its description.',
      'People buy memberships on the website. Call get_school_info for its URL.',
    ],
  }),
]
