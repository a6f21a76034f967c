import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineList, type SchoolOperation } from '../admin/define.js'
import { common, commonSql, idOf, line, slug, time, timeSql } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import { html } from '../admin/html.js'
import type { Db, Kit, Listed } from '../admin/kit.js'

const id = idOf('pst')

const fields = {
  slug,
  title: line(),
  excerpt: z.string().trim().max(500),
  body_html: html(),
  author_id: idOf('mem'),
  category: slug.nullable(),
  tags: z.array(line(40)).max(20),
  access: z.enum(['public', 'members', 'paid']),
}

const Post = z
  .object({
    id,
    ...fields,
    body_html: z.string().max(50_000),
    state: z.enum(['draft', 'published']),
    published_at: time.nullable(),
    ...common,
  })
  .meta({ id: 'Post', description: 'An article of the school.' })
type Post = z.output<typeof Post>

const PostSummary = Post.omit({ body_html: true }).meta({
  id: 'PostSummary',
  description: 'An article without its text.',
})
type PostSummary = z.output<typeof PostSummary>

const posts: Listed = {
  table: 'post',
  search: ['slug', 'title', 'excerpt', 'body_html'],
  select: `select p.id, jsonb_build_object(
      'id', p.id, 'slug', p.slug, 'title', p.title, 'excerpt', p.excerpt,
      'body_html', p.body_html, 'author_id', p.author_id, 'category', p.category, 'tags', p.tags,
      'access', p.access, 'state', p.state, 'published_at', ${timeSql('p.published_at')},
      ${commonSql('p')}
    ) as data
    from school_post p where p.site = $1`,
}

/** The operations on posts, drafts included. */
export function postOperations(kit: Kit): readonly SchoolOperation[] {
  const frame = frameOf(kit, { scope: 'posts', prefix: 'pst', item: Post, rows: posts })

  return [
    defineList({
      id: 'posts.list',
      summary: 'List posts',
      description:
        'Returns posts without their text, but `q` searches the text as well. With `tags` it lists only posts that have all of them.',
      scope: 'posts:read',
      path: '/posts',
      tool: 'list_posts',
      item: PostSummary,
      filters: {
        slug: slug.optional(),
        author_id: fields.author_id.optional(),
        category: slug.optional(),
        tags: fields.tags.optional(),
        access: fields.access.optional(),
        state: Post.shape.state.optional(),
      },
      sorts: ['created_at', 'updated_at', 'published_at', 'title'],
      rows: (_context, request) => kit.list<PostSummary>(posts, request),
    }),
    frame.get(),
    frame.create({
      summary: 'Write a post',
      description:
        'The post is a draft until it is published. If you omit the author, the caller is the author.',
      input: z.strictObject({
        ...fields,
        excerpt: fields.excerpt.default(''),
        body_html: fields.body_html.default(''),
        author_id: fields.author_id.optional(),
        category: fields.category.default(null),
        tags: fields.tags.default([]),
        access: fields.access.default('public'),
      }),
      async columns(sent, db, { access }) {
        const author_id = sent.author_id ?? access.person.subject
        return (await authorFault(db, author_id)) ?? { ...sent, author_id, state: 'draft' }
      },
    }),
    frame.update({
      description: 'Members that you omit stay unchanged. A published post needs a text.',
      input: z.strictObject({ id, ...z.object(fields).partial().shape }),
      async columns(sent, { state }, db) {
        if (state === 'published' && sent.body_html === '') return emptyText()
        return (await authorFault(db, sent.author_id)) ?? sent
      },
    }),
    frame.remove({
      description: 'Cannot be undone. The comments of the post are deleted as well.',
      tool: 'delete_post',
      async before(db, { id: postId }) {
        await db.query(
          `delete from school_comment
           where site = $1 and subject_type = 'post' and subject_id = $2`,
          postId,
        )
      },
    }),
    frame.move('publish', {
      summary: 'Publish a post',
      description: 'Repeating it changes nothing.',
      events: ['post.published'],
      columns: ({ state, body_html: text }) => {
        if (state === 'published') return null
        return text === '' ? emptyText() : { state: 'published', published_at: kit.now() }
      },
    }),
    frame.move('unpublish', {
      summary: 'Unpublish a post',
      description: 'The post becomes a draft again. Repeating it changes nothing.',
      events: ['post.unpublished'],
      columns: ({ state }) => (state === 'draft' ? null : { state: 'draft', published_at: null }),
    }),
  ]
}

const emptyText = () => refuseWith('unprocessable', 'a published post needs a text: body_html')

async function authorFault(db: Db, authorId: string | undefined) {
  if (authorId === undefined) return null
  const rows = await db.query(
    'select from school_person where site = $1 and member_id = $2',
    authorId,
  )
  return rows.length > 0
    ? null
    : refuseWith('unprocessable', 'author_id: there is no such person at this school')
}
