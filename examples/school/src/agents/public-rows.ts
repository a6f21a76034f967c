import type { SqlParameters } from '../account/listing.js'

/** SQL: whether everybody may see a course. Rows from before say "unlisted" by their status. */
export const isPublicCourse = (c: string): string =>
  `(${c}.status = 'published' and coalesce(${c}.visibility, 'public') = 'public')`

/**
 * SQL: whether everybody may see an event. No row says whether a cancelled one was published before, so
 * none of those is shown.
 */
export const isPublicEvent = (v: string): string => `(${v}.status = 'published')`

/** SQL: whether everybody may know of a post. */
export const isPublicPost = (p: string): string => `(${p}.state = 'published')`

/** SQL: whether everybody may read a post, too. */
export const isOpenPost = (p: string): string => `(${isPublicPost(p)} and ${p}.access = 'public')`

/**
 * SQL: whether everybody may buy a membership.
 *
 * @param now - SQL of a moment
 */
export const isOffered = (m: string, now: string): string =>
  `(${m}.status = 'active' and coalesce(${m}.visible, true)
    and (${m}.ends_at is null or ${m}.ends_at > ${now}))`

/** SQL for the courses that everybody may see among some, as `jsonb`. */
export const publicCoursesSql = (site: string, condition: string): string =>
  `(select coalesce(jsonb_agg(jsonb_build_object('slug', c.slug, 'title', c.title)
      order by c.slug collate "C"), '[]')
    from school_course c where c.site = ${site} and ${isPublicCourse('c')} and ${condition})`

/** SQL for the words of a column of HTML. */
export const wordsSql = (column: string): string => `regexp_replace(${column}, '<[^>]*>', ' ', 'g')`

/** SQL: whether a text has every word of another, in any order and case. */
export function hasWords(
  { texts }: Pick<SqlParameters, 'texts'>,
  text: string,
): (sql: string) => string {
  const words = [...new Set(text.split(/\s+/))].filter((word) => word !== '')
  const patterns = texts(words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`))
  return (sql) => `(${sql} ilike all (${patterns}))`
}

/** SQL for the words of a column of tags. */
export const tagsSql = (column: string): string =>
  `(select string_agg(t, ' ') from jsonb_array_elements_text(coalesce(${column}, '[]')) t)`
