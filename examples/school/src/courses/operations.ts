import { type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { accessStateSql } from '../learning/account.js'
import { webUrl } from '../admin/addresses.js'
import { CoursePlan, coursePlanSent, refuseDeletion, refusePlans, refuseUnpublishing } from './rules.js' // prettier-ignore
import type { SchoolOperation } from '../admin/define.js'
import {
  common,
  commonSql,
  distinct,
  idOf,
  line,
  slug,
  tags,
  time,
  timeSql,
} from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import { html } from '../admin/html.js'
import { type Columns, type Db, type Kit, type Listed } from '../admin/kit.js'

const id = idOf('crs')
const state = z.enum(['draft', 'published', 'archived'])
const visibility = z.enum(['public', 'unlisted', 'members'])
const lecturerIds = z.array(idOf('lct')).max(20)

const Course = z
  .object({
    id,
    slug,
    title: line(),
    subtitle: line(300).nullable(),
    description_html: z.string().max(50_000),
    state,
    visibility,
    cover_image_url: webUrl.nullable(),
    lecturer_ids: lecturerIds,
    category: line(100).nullable(),
    tags,
    plans: z.array(CoursePlan).max(20),
    published_at: time.nullable(),
    stats: z
      .object({
        lectures: z.int(),
        duration_seconds: z.int(),
        students: z.int().describe('Number of students whose access has not been revoked.'),
        active_students: z.int(),
      })
      .meta({ id: 'CourseStats' }),
    ...common,
  })
  .meta({ id: 'Course', description: 'A course, drafts included.' })
type Course = z.output<typeof Course>

const sent = {
  slug,
  title: line(),
  subtitle: line(300).nullable(),
  description_html: html(),
  visibility,
  cover_image_url: webUrl.nullable(),
  lecturer_ids: lecturerIds,
  category: line(100).nullable(),
  tags,
  plans: z.array(coursePlanSent).max(20),
}
type Sent = { readonly [Name in keyof typeof sent]?: z.output<(typeof sent)[Name]> | undefined }

/** Courses as the admin API shows them. Older rows mark an unlisted course by their status. */
const courseResource = (now: number): Listed => ({
  table: 'course',
  search: ['title', 'subtitle', 'slug', 'category'],
  select: `select c.id, jsonb_build_object(
      'id', c.id, 'slug', c.slug, 'title', c.title, 'subtitle', c.subtitle,
      'description_html', c.description,
      'state', case c.status when 'unlisted' then 'published' else c.status end,
      'visibility', case c.status when 'unlisted' then 'unlisted'
        else coalesce(c.visibility, 'public') end,
      'cover_image_url', c.cover, 'lecturer_ids', coalesce(c.lecturer_ids, '[]'),
      'category', c.category, 'tags', coalesce(c.tags, '[]'), 'plans', coalesce(c.plans, '[]'),
      'published_at', ${timeSql('c.published_at')},
      'stats', (
        select jsonb_build_object('lectures', count(*),
          'duration_seconds', coalesce(sum(l.duration_seconds), 0))
        from school_lecture l where l.site = c.site and l.course_id = c.id
      ) || (
        select jsonb_build_object('students', count(distinct e.member_id),
          'active_students', count(distinct e.member_id)
            filter (where ${accessStateSql(String(now))} = 'ACTIVE'))
        from school_enrollment e
        where e.site = c.site and e.course_id = c.id and e.revoked_at is null
      ), ${commonSql('c')}
    ) as data
    from school_course c where c.site = $1`,
})

/** Returns the columns of a request. Each change writes the state with the visibility. */
function columnsOf({ plans, ...course }: Sent, state: Course['state']): Columns {
  return {
    status: state,
    slug: course.slug,
    title: course.title,
    subtitle: course.subtitle,
    description: course.description_html,
    visibility: course.visibility,
    cover: course.cover_image_url,
    lecturer_ids: course.lecturer_ids && distinct(course.lecturer_ids),
    category: course.category,
    tags: course.tags && distinct(course.tags),
    plans: plans?.map((plan) => ({
      ...plan,
      starts_at: inUtc(plan.starts_at),
      ends_at: inUtc(plan.ends_at),
    })),
  }
}

const inUtc = (moment: string | null): string | null =>
  moment === null ? null : new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z')

/**
 * Refuses what no course can have but the schema allows.
 *
 * @param current - the stored course; unchanged values are not checked again
 */
async function refuseCourse(
  db: Db,
  course: Sent,
  current: Pick<Course, 'id' | 'lecturer_ids'>,
): Promise<Problem | null> {
  const refused = refusePlans(course.plans ?? [])
  if (refused !== null) return refused
  const slugs = await db.query(
    'select from school_course where site = $1 and slug = $2 and id <> $3',
    course.slug ?? '',
    current.id,
  )
  if (slugs.length > 0)
    return refuseWith('conflict', `another course has the slug "${course.slug}"`)
  const named = course.lecturer_ids ?? []
  return refuseLecturers(
    db,
    named.filter((one) => !current.lecturer_ids.includes(one)),
  )
}

async function refuseLecturers(db: Db, ids: readonly string[]): Promise<Problem | null> {
  // Locked, so that no lecturer is deleted before the course names them.
  const rows = await db.query(
    `select id from school_lecturer
     where site = $1 and id in (select jsonb_array_elements_text($2::text::jsonb)) for key share`,
    JSON.stringify(ids),
  )
  const missing = ids.filter((one) => !rows.some((row) => row['id'] === one))
  return missing.length > 0
    ? refuseWith('unprocessable', `there is no lecturer ${missing.join(', ')}`)
    : null
}

/** The operations on courses. */
export function courseOperations(kit: Kit): readonly SchoolOperation[] {
  const frame = frameOf(kit, {
    scope: 'courses',
    prefix: 'crs',
    item: Course,
    rows: courseResource,
  })

  const movedTo = (was: Course, next: Course['state']): Columns | null => {
    if (was.state === next) return null
    const firstAt = was.published_at === null && next === 'published'
    return {
      status: next,
      visibility: was.visibility,
      ...(firstAt && { published_at: kit.now() }),
      ...(next === 'draft' && { published_at: null }),
    }
  }

  return [
    frame.list({
      description: 'Lists courses in every state, drafts and archived courses included.',
      filters: {
        slug: slug.optional(),
        state: state.optional(),
        visibility: visibility.optional(),
        category: line(100).optional(),
        tags: tags.optional().describe('Return only courses with all of these tags.'),
        lecturer_ids: lecturerIds
          .optional()
          .describe('Return only courses with all of these lecturers.'),
      },
      sorts: ['created_at', 'updated_at', 'published_at', 'title'],
    }),
    frame.get(),
    frame.create({
      description: 'The course is a draft until it is published.',
      tool: 'create_course',
      input: z.strictObject({
        ...sent,
        subtitle: sent.subtitle.default(null),
        description_html: sent.description_html.default(''),
        visibility: sent.visibility.default('public'),
        cover_image_url: sent.cover_image_url.default(null),
        lecturer_ids: sent.lecturer_ids.default([]),
        category: sent.category.default(null),
        tags: sent.tags.default([]),
        plans: sent.plans.default([]),
      }),
      columns: async (course, db) =>
        (await refuseCourse(db, course, { id: '', lecturer_ids: [] })) ??
        columnsOf(course, 'draft'),
    }),
    frame.update({
      description: 'Members that you omit stay unchanged. A list replaces the previous list.',
      tool: 'update_course',
      input: z.strictObject({ id, ...z.strictObject(sent).partial().shape }),
      async columns(changes, current, db) {
        const refused = await refuseCourse(db, changes, current)
        return refused ?? columnsOf({ visibility: current.visibility, ...changes }, current.state)
      },
    }),
    frame.move('publish', {
      summary: 'Publish a course',
      description: 'It also brings an archived course back. Repeating it changes nothing.',
      tool: { name: 'set_course_state', argument: 'action', value: 'publish' },
      events: ['course.published'],
      columns: (current) => movedTo(current, 'published'),
    }),
    frame.move('unpublish', {
      summary: 'Make a course a draft again',
      description:
        'New visitors no longer see it. Enrolled students keep their access. Repeating it changes nothing.',
      tool: { name: 'set_course_state', argument: 'action', value: 'unpublish' },
      events: ['course.unpublished'],
      columns: (current) => refuseUnpublishing(current.state) ?? movedTo(current, 'draft'),
    }),
    frame.move('archive', {
      summary: 'Archive a course',
      description:
        'New students can no longer enrol. Enrolled students keep their access. Repeating it changes nothing.',
      tool: { name: 'set_course_state', argument: 'action', value: 'archive' },
      events: ['course.archived'],
      columns: (current) => movedTo(current, 'archived'),
    }),
    frame.remove({
      id: 'courses.delete',
      summary: 'Delete a draft',
      description: 'With its sections and lectures. Only a draft that nobody was ever enrolled in.',
      async before(db, { id: courseId, state }) {
        const enrollments = await db.query(
          'select from school_enrollment where site = $1 and course_id = $2 limit 1',
          courseId,
        )
        return refuseDeletion({ state, hasEnrollments: enrollments.length > 0 }) ?? undefined
      },
    }),
  ]
}
