import * as z from 'zod'
import { accessStateSql } from './account.js'
import { common, commonSql, idOf, time, timeSql } from '../admin/fields.js'
import type { Listed } from '../admin/kit.js'

export const enrollmentId = idOf('enr')
export const courseId = idOf('crs')
export const memberId = idOf('mem')
export const accessState = z.enum(['scheduled', 'active', 'suspended', 'expired', 'revoked'])
export const accessSource = z.enum(['purchase', 'membership', 'free', 'granted', 'gift'])

export const Enrollment = z
  .object({
    id: enrollmentId,
    course_id: courseId,
    course_title: z.string().max(200),
    member_id: memberId,
    member_name: z.string().max(200).nullable(),
    access_state: accessState,
    access_source: accessSource,
    starts_at: time.nullable().describe('null if access has no later start.'),
    expires_at: time.nullable().describe('null if no end is known; see `lifetime`.'),
    lifetime: z.boolean(),
    subscription_id: idOf('sub').nullable().describe('The membership that gives this access.'),
    progress: z
      .object({
        completed: z.int(),
        total: z.int(),
        ratio: z.number(),
        completed_at: time.nullable().describe('null until every lecture is completed.'),
      })
      .meta({ id: 'EnrollmentProgress' }),
    last_watched: z
      .object({
        lecture_id: idOf('lec'),
        title: z.string().max(200),
        position_seconds: z.int(),
        watched_at: time,
      })
      .meta({ id: 'LastWatched' })
      .nullable(),
    ...common,
  })
  .meta({
    id: 'Enrollment',
    description: 'The enrollment of a member in a course: access and progress.',
  })
export type Enrollment = z.output<typeof Enrollment>

// Progress is stored by lecture, so it changes every enrollment of the member in the course.
const PROGRESS = `
  select count(*) as total, count(d.completed_at) as completed,
    max(d.completed_at) as completed_at,
    greatest(max(d.completed_at), max(d.watched_at)) as changed_at
  from school_lecture l
  left join school_lecture_progress d
    on d.site = l.site and d.lecture_id = l.id and d.member_id = e.member_id
  where l.site = e.site and l.course_id = e.course_id and l.state is distinct from 'draft'`

const LAST_WATCHED = `
  select jsonb_build_object('lecture_id', l.id, 'title', l.title,
    'position_seconds', d.position_seconds, 'watched_at', ${timeSql('d.watched_at')}) as data
  from school_lecture l
  join school_lecture_progress d
    on d.site = l.site and d.lecture_id = l.id and d.member_id = e.member_id
  where l.site = e.site and l.course_id = e.course_id and d.watched_at is not null
  order by d.watched_at desc, l.id collate "C"
  limit 1`

/** Enrollments as the admin API shows them. The identifiers in their rows have no prefix. */
export const enrollmentResource = (now: number): Listed => ({
  table: 'enrollment',
  search: ['member_name', 'course_title'],
  select: `select 'enr_' || e.id as id, jsonb_build_object('id', 'enr_' || e.id,
      'course_id', e.course_id, 'course_title', c.title,
      'member_id', e.member_id, 'member_name', p.name,
      'access_state', lower(${accessStateSql(String(now))}), 'access_source', lower(e.source),
      'starts_at', ${timeSql('e.start_date')},
      'expires_at', ${timeSql('coalesce(e.revoked_at, e.expire_date)')},
      'lifetime', e.lifetime and e.revoked_at is null,
      'subscription_id', 'sub_' || e.subscription_id,
      'progress', jsonb_build_object('completed', done.completed, 'total', done.total,
        'ratio', case done.total when 0 then 0 else done.completed::float8 / done.total end,
        'completed_at', case when done.total > 0 and done.completed = done.total
          then ${timeSql('done.completed_at')} end),
      'last_watched', (${LAST_WATCHED}), ${commonSql('t')}
    ) as data
    from school_enrollment e
    join school_course c on c.site = e.site and c.id = e.course_id
    join school_person p on p.site = e.site and p.member_id = e.member_id
    cross join lateral (${PROGRESS}) done
    cross join lateral (
      select e.enrolled_at as created_at,
        greatest(e.updated_at, e.enrolled_at, e.revoked_at, done.changed_at) as updated_at
    ) t
    where e.site = $1`,
})
