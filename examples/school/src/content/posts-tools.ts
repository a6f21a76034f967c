import type { Tool } from 'hallpass/mcp'
import * as z from 'zod'
import { timeSql } from '../admin/fields.js'
import { definePublicObject, type PublicSource } from '../agents/kit.js'
import { definePublicList } from '../agents/public-list.js'
import { isOpenPost, isPublicPost, tagsSql, wordsSql } from '../agents/public-rows.js'
import { timeSchema } from '../agents/shapes.js'
import { plainText, textSchema } from '../agents/text.js'

const summary = {
  slug: z.string().describe('For get_public_post.'),
  title: z.string(),
  excerpt: z.string(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  access: z.enum(['public', 'members', 'paid']).describe('Who may read the whole text.'),
  published_at: timeSchema,
  url: z.string(),
}
const summarySchema = z.object(summary)
const postSchema = z.object({
  ...summary,
  body: textSchema.nullable().describe('null if the text is not public; see access.'),
})
type Summary = z.output<typeof summarySchema>
type PostRow = Summary & { readonly html: string | null }

const summarySql = (origin: string): string => `
  jsonb_build_object('slug', p.slug, 'title', p.title, 'excerpt', p.excerpt,
    'category', p.category, 'tags', p.tags, 'access', p.access,
    'published_at', ${timeSql('p.published_at')}, 'url', ${origin} || '/posts/' || p.slug)`

/** SQL of the text of a post that a search covers. It contains only what the tools show. */
export const postWordsSql = `concat_ws(' ', p.title, p.excerpt, p.category,
  ${tagsSql('p.tags')}, case when ${isOpenPost('p')} then ${wordsSql('p.body_html')} end)`

/** The tools that show published posts. */
export function postTools(source: PublicSource): readonly Tool<never>[] {
  const { site, origin } = source
  return [
    definePublicList(source, {
      name: 'list_public_posts',
      title: 'List posts',
      description:
        'Lists the published posts of this school, the newest first, with title and excerpt. Call it to see what the school writes about. It never returns the text of a post.',
      filters: {},
      item: summarySchema,
      keyType: 'bigint',
      descending: true,
      select: ({ text }) =>
        `select p.slug as id, p.published_at as key, ${summarySql(text(origin))} as data
         from school_post p where p.site = ${text(site)} and ${isPublicPost('p')}`,
      itemOf: (row: Summary) => row,
      nextSteps: ['To read a post whose access is public, call get_public_post with its slug.'],
    }),
    definePublicObject(source, {
      name: 'get_public_post',
      title: 'Read a post',
      description:
        'Returns one published post, with its text if the text is public. Call it after list_public_posts or search_catalog. For posts for members or buyers it returns only the title and the excerpt.',
      noun: 'post',
      item: postSchema,
      select: ({ text }, slug) =>
        `select ${summarySql(text(origin))} || jsonb_build_object(
           'html', case when ${isOpenPost('p')} then p.body_html end) as data
         from school_post p
         where p.site = ${text(site)} and p.slug = ${text(slug)} and ${isPublicPost('p')}`,
      itemOf: ({ html, ...row }: PostRow) => ({
        ...row,
        body: html === null ? null : plainText(html),
      }),
      nextSteps: [
        'Where body is null, give the person the url: they may be able to read it there.',
      ],
    }),
  ]
}
