import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { webUrl } from '../admin/addresses.js'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { common, commonSql, idOf, line, newId, slug } from '../admin/fields.js'
import { html } from '../admin/html.js'
import type { Kit, Listed } from '../admin/kit.js'

const id = idOf('lct')

const LecturerLink = z.strictObject({ label: line(80), url: webUrl }).meta({ id: 'LecturerLink' })

const fields = {
  name: line(),
  slug,
  bio_html: html(),
  avatar_url: webUrl.nullable(),
  links: z.array(LecturerLink).max(10),
}

const Lecturer = z
  .object({
    id,
    ...fields,
    bio_html: z.string().max(50_000),
    course_ids: z.array(idOf('crs')).max(10_000).describe('To change them, change the courses.'),
    ...common,
  })
  .meta({ id: 'Lecturer', description: 'A lecturer, as visitors see them.' })
type Lecturer = z.output<typeof Lecturer>

const lecturers: Listed = {
  table: 'lecturer',
  search: ['name', 'slug', 'bio_html'],
  select: `select l.id, jsonb_build_object(
      'id', l.id, 'name', l.name, 'slug', l.slug, 'bio_html', l.bio_html,
      'avatar_url', l.avatar_url, 'links', l.links, 'course_ids', (
        select coalesce(jsonb_agg(c.id order by c.id), '[]') from school_course c
        where c.site = l.site and c.lecturer_ids @> jsonb_build_array(l.id)
      ), ${commonSql('l')}
    ) as data
    from school_lecturer l where l.site = $1`,
}

/** The operations on the profiles of lecturers. */
export function lecturerOperations(kit: Kit): readonly SchoolOperation[] {
  const byId = z.strictObject({ id })
  const save = { scope: 'lecturers:write', effect: 'write', output: Lecturer } as const

  return [
    defineList({
      id: 'lecturers.list',
      summary: 'List lecturers',
      description: 'With `course_ids` it lists only lecturers who teach all of these courses.',
      scope: 'lecturers:read',
      path: '/lecturers',
      tool: 'list_lecturers',
      item: Lecturer,
      filters: {
        slug: slug.optional(),
        course_ids: z.array(idOf('crs')).max(20).optional(),
      },
      sorts: ['created_at', 'updated_at', 'name'],
      rows: (_context, request) => kit.list<Lecturer>(lecturers, request),
    }),
    defineOperation({
      id: 'lecturers.get',
      summary: 'Get a lecturer',
      scope: 'lecturers:read',
      effect: 'read',
      method: 'GET',
      path: '/lecturers/{id}',
      input: byId,
      output: Lecturer,
      run: (_context, input) => kit.get<Lecturer>(lecturers, input.id),
    }),
    defineOperation({
      ...save,
      id: 'lecturers.create',
      summary: 'Create a lecturer',
      method: 'POST',
      path: '/lecturers',
      tool: { name: 'save_lecturer', argument: 'action', value: 'create' },
      input: z.strictObject({
        ...fields,
        bio_html: fields.bio_html.default(''),
        avatar_url: fields.avatar_url.default(null),
        links: fields.links.default([]),
      }),
      status: 201,
      events: ['lecturer.created'],
      run: (context, input) =>
        kit.create<Lecturer>(context, lecturers, async (db) => {
          const at = kit.now()
          const row = { ...input, id: newId('lct'), created_at: at, updated_at: at }
          await db.insert('lecturer', row)
          return row.id
        }),
    }),
    defineOperation({
      ...save,
      id: 'lecturers.update',
      summary: 'Change a lecturer',
      description: 'Members that you omit stay unchanged. A list replaces the previous list.',
      method: 'PATCH',
      path: '/lecturers/{id}',
      tool: { name: 'save_lecturer', argument: 'action', value: 'update' },
      input: z.strictObject({ id, ...z.object(fields).partial().shape }),
      precondition: 'optional',
      events: ['lecturer.updated'],
      run: (context, { id: lecturerId, ...changes }) =>
        kit.change<Lecturer>(context, lecturers, lecturerId, (db) =>
          db.update('lecturer', lecturerId, { ...changes, updated_at: kit.now() }),
        ),
    }),
    defineOperation({
      ...save,
      id: 'lecturers.remove',
      summary: 'Delete a lecturer',
      description:
        'Cannot be undone. Refused while a published course names the lecturer. Drafts and archived courses lose the lecturer.',
      destructive: true,
      method: 'DELETE',
      path: '/lecturers/{id}',
      input: byId,
      output: z.null(),
      status: 204,
      precondition: 'optional',
      events: ['lecturer.deleted'],
      run: (context, { id: lecturerId }) =>
        kit.remove<Lecturer>(context, lecturers, lecturerId, async (db) => {
          // Locked, so that no course is published before the lecturer is deleted.
          const courses = await db.query(
            `select title, status in ('published', 'unlisted') as published from school_course
             where site = $1 and lecturer_ids @> jsonb_build_array($2::text) order by title for update`,
            lecturerId,
          )
          const titles = courses.flatMap(({ title, published }) => (published ? [title] : []))
          if (titles.length > 0)
            return refuseWith(
              'conflict',
              `published courses name this lecturer: ${titles.join(', ')}`,
            )
          await db.query(
            `update school_course set lecturer_ids = lecturer_ids - $2::text
             where site = $1 and lecturer_ids @> jsonb_build_array($2::text)`,
            lecturerId,
          )
          return db.remove('lecturer', lecturerId)
        }),
    }),
  ]
}
