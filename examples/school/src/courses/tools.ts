import type { Tool } from 'hallpass/mcp'
import { type CourseRow, CourseSummary, courseWordsSql, detailSql, type Plan, PublicCourse, summarySql } from './tools-shape.js' // prettier-ignore
import { definePublicObject, type PublicSource, wordsInput } from '../agents/kit.js'
import { definePublicList } from '../agents/public-list.js'
import { hasWords, isPublicCourse } from '../agents/public-rows.js'
import { plainText } from '../agents/text.js'

/** The tools that show public courses. */
export function courseTools(source: PublicSource): readonly Tool<never>[] {
  const { site, origin, now } = source
  const offered = (plans: readonly Plan[]): Plan[] =>
    plans.filter(({ ends_at }) => ends_at === null || Date.parse(ends_at) > now() * 1000)

  return [
    definePublicList(source, {
      name: 'list_public_courses',
      title: 'List courses',
      description:
        'Lists the published courses of this school with their prices, ordered by title. Call it to browse, or with `q` or `tag` to narrow the list. It does not return what a person has bought, or lecture content.',
      filters: {
        q: wordsInput
          .optional()
          .describe('Words that must all occur in the title, tags or description.'),
        tag: wordsInput.optional().describe('A tag exactly as the list shows it.'),
      },
      item: CourseSummary,
      keyType: 'text',
      select(parameters, { q, tag }) {
        const { text } = parameters
        const conditions = [
          `c.site = ${text(site)} and ${isPublicCourse('c')}`,
          ...(q === undefined ? [] : [hasWords(parameters, q)(courseWordsSql)]),
          ...(tag === undefined ? [] : [`c.tags @> jsonb_build_array(${text(tag)})`]),
        ]
        return `select c.slug as id, left(lower(c.title), 100) as key,
            ${summarySql(text(origin))} as data
          from school_course c where ${conditions.join(' and ')}`
      },
      itemOf: ({ plans, ...row }: CourseSummary) => ({ ...row, plans: offered(plans) }),
      nextSteps: ['Call get_public_course with a slug to get the description and the outline.'],
    }),
    definePublicObject(source, {
      name: 'get_public_course',
      title: 'Get a course',
      description:
        'Returns one published course: description, prices, lecturers and the titles in its outline. Call it after list_public_courses or search_catalog. It never returns the content of lectures, and cannot enrol anyone.',
      noun: 'course',
      item: PublicCourse,
      select: ({ text }, slug) =>
        `select ${summarySql(text(origin))} || ${detailSql} as data from school_course c
         where c.site = ${text(site)} and c.slug = ${text(slug)} and ${isPublicCourse('c')}`,
      itemOf: ({ html, plans, ...row }: CourseRow) => ({
        ...row,
        plans: offered(plans),
        description: plainText(html),
      }),
      nextSteps: [
        'Give the person the url, so that they can enrol on the page of the course.',
        'Call list_membership_offers for memberships that include courses.',
      ],
    }),
  ]
}
