import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { common, commonSql, idOf, line, newId, slug, time, timeSql } from '../admin/fields.js'
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
  const byId = z.strictObject({ id })
  const save = { scope: 'posts:write', effect: 'write', output: Post } as const

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
    defineOperation({
      id: 'posts.get',
      summary: 'Get a post',
      scope: 'posts:read',
      effect: 'read',
      method: 'GET',
      path: '/posts/{id}',
      tool: 'get_post',
      input: byId,
      output: Post,
      run: (_context, input) => kit.get<Post>(posts, input.id),
    }),
    defineOperation({
      ...save,
      id: 'posts.create',
      summary: 'Write a post',
      description:
        'The post is a draft until it is published. If you omit the author, the caller is the author.',
      method: 'POST',
      path: '/posts',
      tool: { name: 'save_post', argument: 'action', value: 'create' },
      input: z.strictObject({
        ...fields,
        excerpt: fields.excerpt.default(''),
        body_html: fields.body_html.default(''),
        author_id: fields.author_id.optional(),
        category: fields.category.default(null),
        tags: fields.tags.default([]),
        access: fields.access.default('public'),
      }),
      status: 201,
      events: ['post.created'],
      run: (context, input) =>
        kit.create<Post>(context, posts, async (db) => {
          const author_id = input.author_id ?? context.access.person.subject
          const refused = await authorFault(db, author_id)
          if (refused !== null) return refused
          const at = kit.now()
          const row = { ...input, author_id, id: newId('pst'), state: 'draft' }
          await db.insert('post', { ...row, created_at: at, updated_at: at })
          return row.id
        }),
    }),
    defineOperation({
      ...save,
      id: 'posts.update',
      summary: 'Change a post',
      description: 'Members that you omit stay unchanged. A published post needs a text.',
      method: 'PATCH',
      path: '/posts/{id}',
      tool: { name: 'save_post', argument: 'action', value: 'update' },
      input: z.strictObject({ id, ...z.object(fields).partial().shape }),
      precondition: 'optional',
      events: ['post.updated'],
      run: (context, { id: postId, ...changes }) =>
        kit.change<Post>(context, posts, postId, async (db, { state }) => {
          if (state === 'published' && changes.body_html === '') return emptyText()
          const refused = await authorFault(db, changes.author_id)
          if (refused !== null) return refused
          return db.update('post', postId, { ...changes, updated_at: kit.now() })
        }),
    }),
    defineOperation({
      ...save,
      id: 'posts.remove',
      summary: 'Delete a post',
      description: 'Cannot be undone. The comments of the post are deleted as well.',
      destructive: true,
      method: 'DELETE',
      path: '/posts/{id}',
      input: byId,
      output: z.null(),
      status: 204,
      tool: 'delete_post',
      precondition: 'optional',
      events: ['post.deleted'],
      run: (context, { id: postId }) =>
        kit.remove<Post>(context, posts, postId, async (db) => {
          await db.query(
            `delete from school_comment
             where site = $1 and subject_type = 'post' and subject_id = $2`,
            postId,
          )
          await db.remove('post', postId)
        }),
    }),
    defineOperation({
      ...save,
      id: 'posts.publish',
      summary: 'Publish a post',
      description: 'Repeating it changes nothing.',
      idempotent: true,
      method: 'POST',
      path: '/posts/{id}/publish',
      tool: { name: 'save_post', argument: 'action', value: 'publish' },
      input: byId,
      events: ['post.published'],
      run: (context, { id: postId }) =>
        kit.change<Post>(context, posts, postId, async (db, { state, body_html: text }) => {
          if (state === 'published') return
          if (text === '') return emptyText()
          const at = kit.now()
          return db.update('post', postId, { state: 'published', published_at: at, updated_at: at })
        }),
    }),
    defineOperation({
      ...save,
      id: 'posts.unpublish',
      summary: 'Unpublish a post',
      description: 'The post becomes a draft again. Repeating it changes nothing.',
      idempotent: true,
      method: 'POST',
      path: '/posts/{id}/unpublish',
      tool: { name: 'save_post', argument: 'action', value: 'unpublish' },
      input: byId,
      events: ['post.unpublished'],
      run: (context, { id: postId }) =>
        kit.change<Post>(context, posts, postId, async (db, { state }) => {
          if (state === 'draft') return
          return db.update('post', postId, {
            state: 'draft',
            published_at: null,
            updated_at: kit.now(),
          })
        }),
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
