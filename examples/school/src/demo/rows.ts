/** A row to insert, by column. The site is added to each. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/** Rows by table, without the prefix `school_`, in an order that their foreign keys allow. */
export type DemoRows = Readonly<Record<string, readonly Row[]>>

export const HOUR = 3600
export const DAY = 24 * HOUR

type Kind = 'VIDEO' | 'AUDIO' | 'DOCUMENT' | 'TEXT' | 'QUIZ' | 'LIVE'

/** A course with its sections. A lecture is given by its title, and by its kind unless it is a video. */
export interface DemoCourse {
  readonly id: string
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly status: 'published' | 'unlisted' | 'draft' | 'archived'
  readonly sections: Readonly<Record<string, readonly (string | readonly [string, Kind])[]>>
}

/** Returns the identifier of a lecture. The number starts at 1 and runs across all sections. */
const lectureId = (courseId: string, number: number): string =>
  `lec_${courseId.slice('crs_'.length)}_${String(number).padStart(2, '0')}`

/** Returns the rows of a course, its sections and its lectures. */
export function courseRows(
  courses: readonly DemoCourse[],
  now: number,
): { course: Row[]; section: Row[]; lecture: Row[] } {
  const rows = { course: [] as Row[], section: [] as Row[], lecture: [] as Row[] }
  for (const [index, { sections, ...course }] of courses.entries()) {
    const created_at = now - (500 - 10 * index) * DAY
    const published_at = course.status === 'draft' ? null : created_at + 7 * DAY
    const cover = `https://images.example/covers/${course.slug}.jpg`
    rows.course.push({ ...course, cover, published_at, created_at, updated_at: now - 3 * DAY })
    let number = 0
    for (const [position, [title, lectures]] of Object.entries(sections).entries()) {
      const section_id = `sec_${course.id.slice('crs_'.length)}_${position + 1}`
      rows.section.push({ id: section_id, course_id: course.id, position, title })
      for (const lecture of lectures) {
        number += 1
        const [lectureTitle, kind] = typeof lecture === 'string' ? [lecture, 'VIDEO'] : lecture
        rows.lecture.push({
          id: lectureId(course.id, number),
          course_id: course.id,
          section_id,
          position: number,
          title: lectureTitle,
          kind,
          duration_seconds: kind === 'VIDEO' || kind === 'AUDIO' ? 600 + 75 * number : null,
        })
      }
    }
  }
  return rows
}

/** Returns the row of an enrollment, with lifetime access unless `more` says otherwise. */
export const enrollment = (
  id: string,
  member_id: string,
  course_id: string,
  enrolled_at: number,
  more: Row = {},
): Row => ({
  id,
  member_id,
  course_id,
  enrolled_at,
  start_date: null,
  expire_date: null,
  lifetime: true,
  suspended: false,
  revoked_at: null,
  source: 'PURCHASE',
  subscription_id: null,
  ...more,
})

/** Returns the rows for a person who has completed the lectures of a course up to one, a day apart. */
export function completed(
  member_id: string,
  courseId: string,
  upTo: number,
  lastAt: number,
): readonly Row[] {
  return Array.from({ length: upTo }, (_, index) => {
    const at = lastAt - (upTo - 1 - index) * DAY
    return {
      member_id,
      lecture_id: lectureId(courseId, index + 1),
      completed_at: at,
      position_seconds: 600,
      watched_at: at,
    }
  })
}

/** Returns the row for a person who stopped within a lecture. */
export const stopped = (
  member_id: string,
  courseId: string,
  lecture: number,
  position_seconds: number,
  watched_at: number,
): Row => ({
  member_id,
  lecture_id: lectureId(courseId, lecture),
  completed_at: null,
  position_seconds,
  watched_at,
})
