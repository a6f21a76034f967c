import type { SqlParameters } from '../account/listing.js'

/** SQL: whether a course is public. Older rows mark an unlisted course by their status. */
export const isPublicCourse = (c: string): string =>
  `(${c}.status = 'published' and coalesce(${c}.visibility, 'public') = 'public')`

/**
 * SQL: whether an event is public. No row records whether a cancelled event was published before, so
 * no cancelled event is shown.
 */
export const isPublicEvent = (v: string): string => `(${v}.status = 'published')`

/** SQL: whether a post appears in public lists. */
export const isPublicPost = (p: string): string => `(${p}.state = 'published')`

/** SQL: whether anyone may also read the text of a post. */
export const isOpenPost = (p: string): string => `(${isPublicPost(p)} and ${p}.access = 'public')`

/**
 * SQL: whether anyone may buy a membership.
 *
 * @param now - SQL of the current time
 */
export const isOffered = (m: string, now: string): string =>
  `(${m}.status = 'active' and coalesce(${m}.visible, true)
    and (${m}.ends_at is null or ${m}.ends_at > ${now}))`

/** SQL for the public courses that meet a condition, as `jsonb`. */
export const publicCoursesSql = (site: string, condition: string): string =>
  `(select coalesce(jsonb_agg(jsonb_build_object('slug', c.slug, 'title', c.title)
      order by c.slug collate "C"), '[]')
    from school_course c where c.site = ${site} and ${isPublicCourse('c')} and ${condition})`

/** SQL for the text of a column of HTML, without its tags. */
export const wordsSql = (column: string): string => `regexp_replace(${column}, '<[^>]*>', ' ', 'g')`

/** SQL: whether a text contains every word of another, in any order and case. */
export function hasWords(
  { texts }: Pick<SqlParameters, 'texts'>,
  text: string,
): (sql: string) => string {
  const words = [...new Set(text.split(/\s+/))].filter((word) => word !== '')
  const patterns = texts(words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`))
  return (sql) => `(${sql} ilike all (${patterns}))`
}

/** SQL for the tags in a column, as one text. */
export const tagsSql = (column: string): string =>
  `(select string_agg(t, ' ') from jsonb_array_elements_text(coalesce(${column}, '[]')) t)`
