import type { AccountSource, LectureState, SectionRecord } from 'hallpass/account'
import type { SourceOptions } from '../account/listing.js'
import { accessStateSql } from './account.js'

type LectureMethods = Pick<
  AccountSource,
  'courseOutlines' | 'lecture' | 'savePlayback' | 'markLecture'
>

/** The lectures of a member, with positions and completion. */
export function createLectures({ execute, site, origin, now }: SourceOptions): LectureMethods {
  return {
    async courseOutlines({ subject }, courseIds) {
      const { rows } = await execute(
        `select course_id as "courseId", jsonb_agg(section order by position, id) as sections
         from (
           select s.course_id, s.position, s.id, jsonb_build_object('id', s.id, 'title', s.title,
             'lectures', coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'title', l.title,
               'kind', l.kind, 'durationSeconds', l.duration_seconds,
               'completed', p.completed_at is not null, 'positionSeconds', p.position_seconds,
               'url', $4::text || '/courses/' || c.slug || '/lectures/' || l.id
             ) order by l.position, l.id) filter (where l.id is not null), '[]')) as section
           from school_course c
           join school_section s on s.site = c.site and s.course_id = c.id
           left join school_lecture l on l.site = s.site and l.section_id = s.id
             and l.state is distinct from 'draft'
           left join school_lecture_progress p
             on p.site = l.site and p.lecture_id = l.id and p.member_id = $2
           where c.site = $1
             and c.id = any(array(select jsonb_array_elements_text($3::text::jsonb)))
             and exists (select from school_enrollment e
               where e.site = c.site and e.member_id = $2 and e.course_id = c.id)
           group by s.course_id, s.position, s.id, s.title
         ) outline
         group by course_id`,
        [site, subject, JSON.stringify(courseIds), origin],
      )
      const outlines = rows as { courseId: string; sections: readonly SectionRecord[] }[]
      return new Map(outlines.map(({ courseId, sections }) => [courseId, sections]))
    },

    async lecture({ subject }, { courseId, lectureId }) {
      // If a member has several enrollments in a course, an active one determines access, or else the newest.
      const { rows } = await execute(
        `select jsonb_build_object('enrollmentId', e.id, 'accessState', access.state,
           'durationSeconds', l.duration_seconds, 'watchedAt', p.watched_at) as state
         from school_enrollment e
         cross join lateral (select ${accessStateSql('$5::bigint')} as state) access
         join school_lecture l
           on l.site = e.site and l.course_id = e.course_id and l.id = $4
             and l.state is distinct from 'draft'
         left join school_lecture_progress p
           on p.site = l.site and p.lecture_id = l.id and p.member_id = e.member_id
         where e.site = $1 and e.member_id = $2 and e.course_id = $3
         order by access.state = 'ACTIVE' desc, e.enrolled_at desc, e.id
         limit 1`,
        [site, subject, courseId, lectureId, now()],
      )
      return (rows as { state: LectureState }[])[0]?.state ?? null
    },

    async savePlayback({ subject }, { courseId, lectureId, positionSeconds, watchedAt }) {
      const { rows } = await execute(
        `insert into school_lecture_progress as p
           (site, member_id, lecture_id, position_seconds, watched_at)
         select l.site, $2, l.id, $5::integer, $6::bigint from school_lecture l
         where l.site = $1 and l.course_id = $3 and l.id = $4
         on conflict (site, member_id, lecture_id) do update
           set position_seconds = excluded.position_seconds, watched_at = excluded.watched_at
           where p.watched_at is null or p.watched_at <= excluded.watched_at
         returning p.lecture_id`,
        [site, subject, courseId, lectureId, positionSeconds, watchedAt],
      )
      return rows.length > 0 ? 'saved' : 'stale'
    },

    async markLecture({ subject }, { courseId, lectureId, completed, at }) {
      await execute(
        `insert into school_lecture_progress as p (site, member_id, lecture_id, completed_at)
         select l.site, $2, l.id, $5::bigint from school_lecture l
         where l.site = $1 and l.course_id = $3 and l.id = $4
         on conflict (site, member_id, lecture_id) do update
           set completed_at = case when excluded.completed_at is not null
             then coalesce(p.completed_at, excluded.completed_at) end`,
        [site, subject, courseId, lectureId, completed ? at : null],
      )
    },
  }
}
