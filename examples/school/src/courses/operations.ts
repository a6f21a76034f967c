import { type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { accessStateSql } from '../learning/account.js'
import { webUrl } from '../admin/addresses.js'
import { CoursePlan, coursePlanSent, refuseDeletion, refusePlans, refuseUnpublishing } from './rules.js' // prettier-ignore
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import {
  common,
  commonSql,
  distinct,
  idOf,
  line,
  newId,
  slug,
  tags,
  time,
  timeSql,
} from '../admin/fields.js'
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
  const courses = (): Listed => courseResource(kit.now())
  const input = z.strictObject({ id })

  /** Changes the state of a course. If the course has this state already, nothing changes. */
  const moveTo = (
    context: OperationContext,
    courseId: string,
    next: Course['state'],
    { refuse = () => null, columns }: { refuse?: typeof refuseUnpublishing; columns?: Columns },
  ): Promise<Course | Problem> =>
    kit.change<Course>(context, courses(), courseId, async (db, { state, visibility, ...was }) => {
      const refused = refuse(state)
      if (refused !== null || state === next) return refused ?? undefined
      const firstAt = was.published_at === null && next === 'published'
      return db.update('course', courseId, {
        status: next,
        visibility,
        ...(firstAt && { published_at: kit.now() }),
        ...columns,
        updated_at: kit.now(),
      })
    })

  return [
    defineList({
      id: 'courses.list',
      summary: 'List courses',
      description: 'Lists courses in every state, drafts and archived courses included.',
      scope: 'courses:read',
      path: '/courses',
      tool: 'list_courses',
      item: Course,
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
      rows: (_context, request) => kit.list<Course>(courses(), request),
    }),
    defineOperation({
      id: 'courses.get',
      summary: 'Get a course',
      scope: 'courses:read',
      effect: 'read',
      method: 'GET',
      path: '/courses/{id}',
      tool: 'get_course',
      input,
      output: Course,
      run: (_context, { id: courseId }) => kit.get<Course>(courses(), courseId),
    }),
    defineOperation({
      id: 'courses.create',
      summary: 'Create a course',
      description: 'The course is a draft until it is published.',
      scope: 'courses:write',
      effect: 'write',
      method: 'POST',
      path: '/courses',
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
      output: Course,
      status: 201,
      events: ['course.created'],
      run: (context, course) =>
        kit.create<Course>(context, courses(), async (db) => {
          const courseId = newId('crs')
          const refused = await refuseCourse(db, course, { id: courseId, lecturer_ids: [] })
          if (refused !== null) return refused
          const at = kit.now()
          await db.insert('course', {
            id: courseId,
            ...columnsOf(course, 'draft'),
            created_at: at,
            updated_at: at,
          })
          return courseId
        }),
    }),
    defineOperation({
      id: 'courses.update',
      summary: 'Change a course',
      description: 'Members that you omit stay unchanged. A list replaces the previous list.',
      scope: 'courses:write',
      effect: 'write',
      method: 'PATCH',
      path: '/courses/{id}',
      tool: 'update_course',
      input: z.strictObject({ id, ...z.strictObject(sent).partial().shape }),
      output: Course,
      precondition: 'optional',
      events: ['course.updated'],
      run: (context, { id: courseId, ...changes }) =>
        kit.change<Course>(context, courses(), courseId, async (db, current) => {
          const refused = await refuseCourse(db, changes, current)
          if (refused !== null) return refused
          const { state, visibility } = current
          return db.update('course', courseId, {
            ...columnsOf({ visibility, ...changes }, state),
            updated_at: kit.now(),
          })
        }),
    }),
    defineOperation({
      id: 'courses.publish',
      summary: 'Publish a course',
      description: 'It also brings an archived course back. Repeating it changes nothing.',
      scope: 'courses:write',
      effect: 'write',
      idempotent: true,
      method: 'POST',
      path: '/courses/{id}/publish',
      tool: { name: 'set_course_state', argument: 'action', value: 'publish' },
      input,
      output: Course,
      events: ['course.published'],
      run: (context, { id: courseId }) => moveTo(context, courseId, 'published', {}),
    }),
    defineOperation({
      id: 'courses.unpublish',
      summary: 'Make a course a draft again',
      description:
        'New visitors no longer see it. Enrolled students keep their access. Repeating it changes nothing.',
      scope: 'courses:write',
      effect: 'write',
      idempotent: true,
      method: 'POST',
      path: '/courses/{id}/unpublish',
      tool: { name: 'set_course_state', argument: 'action', value: 'unpublish' },
      input,
      output: Course,
      events: ['course.unpublished'],
      run: (context, { id: courseId }) =>
        moveTo(context, courseId, 'draft', {
          refuse: refuseUnpublishing,
          columns: { published_at: null },
        }),
    }),
    defineOperation({
      id: 'courses.archive',
      summary: 'Archive a course',
      description:
        'New students can no longer enrol. Enrolled students keep their access. Repeating it changes nothing.',
      scope: 'courses:write',
      effect: 'write',
      idempotent: true,
      method: 'POST',
      path: '/courses/{id}/archive',
      tool: { name: 'set_course_state', argument: 'action', value: 'archive' },
      input,
      output: Course,
      events: ['course.archived'],
      run: (context, { id: courseId }) => moveTo(context, courseId, 'archived', {}),
    }),
    defineOperation({
      id: 'courses.delete',
      summary: 'Delete a draft',
      description: 'With its sections and lectures. Only a draft that nobody was ever enrolled in.',
      scope: 'courses:write',
      effect: 'write',
      destructive: true,
      method: 'DELETE',
      path: '/courses/{id}',
      input,
      output: z.null(),
      status: 204,
      precondition: 'optional',
      events: ['course.deleted'],
      run: (context, { id: courseId }) =>
        kit.remove<Course>(context, courses(), courseId, async (db, { state }) => {
          const enrollments = await db.query(
            'select from school_enrollment where site = $1 and course_id = $2 limit 1',
            courseId,
          )
          const refused = refuseDeletion({ state, hasEnrollments: enrollments.length > 0 })
          return refused ?? db.remove('course', courseId)
        }),
    }),
  ]
}
