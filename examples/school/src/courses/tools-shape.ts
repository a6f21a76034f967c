import * as z from 'zod'
import { CoursePlan } from './rules.js'
import { timeSql } from '../admin/fields.js'
import { tagsSql, wordsSql } from '../agents/public-rows.js'
import { moneySchema, timeSchema } from '../agents/shapes.js'
import { textSchema } from '../agents/text.js'

const MAX_OUTLINE = 300

const planSchema = z.object({
  ...CoursePlan.shape,
  price: moneySchema.nullable().describe('null = free.'),
  access_days: CoursePlan.shape.access_days.describe('How long a fixed_length plan lasts.'),
  interval: CoursePlan.shape.interval.describe('How often a subscription is paid.'),
  starts_at: timeSchema.nullable().describe('When a pre_order opens.'),
  ends_at: timeSchema.nullable().describe('When a fixed_date plan ends.'),
})

/** A plan by which students get access. */
export type Plan = z.output<typeof planSchema>

const summary = {
  slug: z.string().describe('For get_public_course.'),
  title: z.string(),
  subtitle: z.string().nullable(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  lectures: z.int().min(0).describe('Number of lectures.'),
  duration_seconds: z
    .int()
    .min(0)
    .describe('Total duration of the lectures whose duration is known.'),
  plans: z
    .array(planSchema)
    .describe('Plans with their prices. Empty if the course is not for sale now.'),
  url: z.string().describe('The page of the course, where people can enrol.'),
}

/** A course in a list. */
export const CourseSummary = z.object(summary)
export type CourseSummary = z.output<typeof CourseSummary>

/** A course as visitors see it. */
export const PublicCourse = z.object({
  ...summary,
  description: textSchema,
  lecturers: z
    .array(z.object({ slug: z.string(), name: z.string() }))
    .describe('The lecturers. Call list_public_lecturers for more about them.'),
  outline: z
    .array(z.object({ section: z.string(), lectures: z.array(z.string()) }))
    .describe(`Titles of the first ${MAX_OUTLINE} lectures, section by section.`),
  published_at: timeSchema.nullable(),
})

/** The same, with the description as HTML. */
export type CourseRow = Omit<z.output<typeof PublicCourse>, 'description'> & {
  readonly html: string
}

// Draft lectures are neither counted nor named.
const lecturesSql = `
  select l.id, l.title, l.position, l.duration_seconds, s.title as section, s.id as section_id,
    row_number() over (order by s.position, s.id, l.position, l.id) as place
  from school_lecture l
  join school_section s on s.site = l.site and s.id = l.section_id
  where l.site = c.site and l.course_id = c.id and l.state is distinct from 'draft'`

/** SQL of a {@link CourseSummary}; `origin` is SQL too. */
export const summarySql = (origin: string): string => `
  jsonb_build_object('slug', c.slug, 'title', c.title, 'subtitle', c.subtitle,
    'category', c.category, 'tags', coalesce(c.tags, '[]'), 'plans', coalesce(c.plans, '[]'),
    'url', ${origin} || '/courses/' || c.slug)
  || (select jsonb_build_object('lectures', count(*),
      'duration_seconds', coalesce(sum(l.duration_seconds), 0)) from (${lecturesSql}) l)`

/** SQL of the further members of a {@link CourseRow}. */
export const detailSql = `
  jsonb_build_object('html', c.description, 'published_at', ${timeSql('c.published_at')},
    'lecturers', (
      select coalesce(jsonb_agg(jsonb_build_object('slug', t.slug, 'name', t.name)
        order by t.slug collate "C"), '[]')
      from school_lecturer t where t.site = c.site and c.lecturer_ids @> jsonb_build_array(t.id)
    ),
    'outline', (
      select coalesce(jsonb_agg(jsonb_build_object('section', o.section, 'lectures', o.lectures)
        order by o.place), '[]')
      from (
        select l.section, min(l.place) as place, jsonb_agg(l.title order by l.place) as lectures
        from (${lecturesSql}) l where l.place <= ${MAX_OUTLINE} group by l.section_id, l.section
      ) o
    ))`

/** SQL of the text of a course that `q` searches. It contains only what the tools show. */
export const courseWordsSql = `concat_ws(' ', c.title, c.subtitle, c.category,
  ${tagsSql('c.tags')}, ${wordsSql('c.description')})`
