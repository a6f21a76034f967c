import type { AccountSource, EnrollmentOrder, EnrollmentRecord } from 'hallpass/account'
import {
  createSqlParameters,
  type Listing,
  loadRows,
  type SourceOptions,
} from '../account/listing.js'

/**
 * SQL of the access to a course, from the columns of an enrollment `e`, as `accessStateOf` decides it.
 *
 * @param now - the SQL of the current time
 */
export const accessStateSql = (now: string): string => `case
  when e.revoked_at is not null then 'REVOKED'
  when e.start_date > ${now} then 'SCHEDULED'
  when e.expire_date <= ${now} then 'EXPIRED'
  when e.suspended then 'SUSPENDED'
  else 'ACTIVE' end`

const ORDERS: Readonly<Record<EnrollmentOrder, Omit<Listing, 'matching'>>> = {
  RECENTLY_WATCHED: { key: 'watched_at', keyType: 'bigint', descending: true },
  ENROLLED_AT_DESC: { key: 'enrolled_at', keyType: 'bigint', descending: true },
  EXPIRE_DATE_ASC: { key: 'expire_date', keyType: 'bigint', descending: false },
  TITLE_ASC: { key: 'title', keyType: 'text', descending: false },
}

/** A member's enrollments, with progress and the lecture watched last. Each page takes one query. */
export function listEnrollments({
  execute,
  site,
  origin,
  now,
}: SourceOptions): AccountSource['enrollments'] {
  return ({ subject }, query) => {
    const { ids, slug, accessStates, expiresBefore, completed } = query.filter
    const parameters = createSqlParameters()
    const { text, integer, texts } = parameters
    const courseUrl = `${text(`${origin}/courses/`)} || c.slug`
    const conditions = [
      `access_state = any(${texts(accessStates)})`,
      ...(ids === null ? [] : [`id = any(${texts(ids)})`]),
      ...(slug === null ? [] : [`slug = ${text(slug)}`]),
      ...(expiresBefore === null ? [] : [`expire_date < ${integer(expiresBefore)}`]),
      ...(completed === null ? [] : [`(completed_at is ${completed ? 'not ' : ''}null)`]),
    ]
    const matching = `
      select id, enrolled_at, expire_date, title, watched_at, record || jsonb_build_object(
          'accessState', access_state,
          'expireDate', expire_date,
          'progress', jsonb_build_object('completedLectures', completed_lectures,
            'totalLectures', total_lectures, 'completedAt', completed_at),
          'lastWatchedLecture', case when watched_at is not null then last || jsonb_build_object(
            'resumeUrl', case when access_state = 'ACTIVE' then resume_url end) end
        ) as record
      from (
        select e.id, e.enrolled_at, c.title, c.slug, w.watched_at, w.last,
          coalesce(e.revoked_at, e.expire_date) as expire_date,
          coalesce(p.completed_lectures, 0) as completed_lectures,
          coalesce(p.total_lectures, 0) as total_lectures,
          case when p.total_lectures > 0 and p.completed_lectures = p.total_lectures
            then p.completed_at end as completed_at,
          ${accessStateSql(integer(now()))} as access_state,
          ${courseUrl} || '/lectures/' || w.lecture_id as resume_url,
          jsonb_build_object('id', e.id, 'courseId', c.id, 'slug', c.slug, 'title', c.title,
            'coverImage', c.cover, 'url', ${courseUrl}, 'enrolledAt', e.enrolled_at,
            'startDate', e.start_date, 'accessSource', e.source,
            'hasLifetimeAccess', e.lifetime and e.revoked_at is null) as record
        from school_enrollment e
        join school_course c on c.site = e.site and c.id = e.course_id
        left join (
          select l.course_id, count(*)::integer as total_lectures,
            count(d.completed_at)::integer as completed_lectures, max(d.completed_at) as completed_at
          from school_lecture l
          left join school_lecture_progress d
            on d.site = l.site and d.lecture_id = l.id and d.member_id = ${text(subject)}
          where l.site = ${text(site)} and l.state is distinct from 'draft' and l.course_id in (
            select course_id from school_enrollment
            where site = ${text(site)} and member_id = ${text(subject)}
          )
          group by l.course_id
        ) p on p.course_id = e.course_id
        left join (
          select distinct on (l.course_id) l.course_id, d.watched_at, d.lecture_id,
            jsonb_build_object('lectureId', l.id, 'title', l.title,
              'positionSeconds', d.position_seconds, 'durationSeconds', l.duration_seconds,
              'watchedAt', d.watched_at) as last
          from school_lecture_progress d
          join school_lecture l on l.site = d.site and l.id = d.lecture_id
          where d.site = ${text(site)} and d.member_id = ${text(subject)}
            and d.watched_at is not null and l.state is distinct from 'draft'
          order by l.course_id, d.watched_at desc, l.id collate "C"
        ) w on w.course_id = e.course_id
        where e.site = ${text(site)} and e.member_id = ${text(subject)}
      ) enrolled
      where ${conditions.join(' and ')}`
    return loadRows<EnrollmentRecord>(
      execute,
      parameters,
      { matching, ...ORDERS[query.order] },
      query,
    )
  }
}
