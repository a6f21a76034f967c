import type { Tool } from 'hallpass/mcp'
import * as z from 'zod'
import { courseWordsSql } from '../courses/tools-shape.js'
import { eventWordsSql } from '../events/tools.js'
import { type PublicSource, wordsInput } from './kit.js'
import { postWordsSql } from '../content/posts-tools.js'
import { definePublicList } from './public-list.js'
import { hasWords, isPublicCourse, isPublicEvent, isPublicPost } from './public-rows.js'
import { plainText } from './text.js'

const MAX_SUMMARY = 200

const hitSchema = z.object({
  kind: z.enum(['course', 'event', 'post']),
  slug: z.string().describe('For the tool that gets objects of this kind.'),
  title: z.string(),
  summary: z.string().describe('The beginning of its text. May be empty.'),
  url: z.string(),
})
type HitRow = Omit<z.output<typeof hitSchema>, 'summary'> & {
  readonly html: string
  readonly excerpt: string
}

/** Returns the tool that searches the public content of the school. */
export function searchTools(source: PublicSource): readonly Tool<never>[] {
  const { site, origin, now } = source
  return [
    definePublicList(source, {
      name: 'search_catalog',
      title: 'Search the school',
      description:
        'Searches the published courses, upcoming events and posts of this school for words, with matching titles first. Call it when you know what to look for, but not which kind of object it is. It does not search lectures, past events or texts that are not public.',
      filters: { query: wordsInput.describe('Words that must all occur, in any order.') },
      item: hitSchema,
      keyType: 'text',
      select(parameters, { query }) {
        const { text, integer } = parameters
        const matches = hasWords(parameters, query)
        const [ofSite, ofOrigin, moment] = [text(site), text(origin), integer(now())]
        return `select f.kind || ' ' || f.slug as id,
            case when ${matches('f.title')} then '0' else '1' end || f.kind
              || ' ' || left(lower(f.title), 100) as key,
            jsonb_build_object('kind', f.kind, 'slug', f.slug, 'title', f.title, 'html', f.html,
              'excerpt', f.excerpt,
              'url', ${ofOrigin} || '/' || f.kind || 's/' || f.slug) as data
          from (
            select 'course' as kind, c.slug, c.title, c.description as html, '' as excerpt,
              ${courseWordsSql} as words
            from school_course c where c.site = ${ofSite} and ${isPublicCourse('c')}
            union all
            select 'event', v.slug, v.title, coalesce(v.description_html, ''), '', ${eventWordsSql}
            from school_event v
            where v.site = ${ofSite} and ${isPublicEvent('v')} and v.ends_at > ${moment}
            union all
            select 'post', p.slug, p.title, '', p.excerpt, ${postWordsSql}
            from school_post p where p.site = ${ofSite} and ${isPublicPost('p')}
          ) f
          where ${matches('f.words')}`
      },
      itemOf: ({ html, excerpt, ...row }: HitRow) => ({
        ...row,
        summary: row.kind === 'post' ? excerpt : plainText(html, MAX_SUMMARY).text,
      }),
      nextSteps: [
        'Call get_public_course, get_public_event or get_public_post with the slug of a result.',
        'If nothing is found, try fewer words, or call list_public_courses.',
      ],
    }),
  ]
}
