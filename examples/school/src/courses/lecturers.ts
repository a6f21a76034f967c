import { type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { webUrl } from '../admin/addresses.js'
import type { SchoolOperation } from '../admin/define.js'
import { common, commonSql, idOf, line, slug } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
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
  const frame = frameOf(kit, { scope: 'lecturers', prefix: 'lct', item: Lecturer, rows: lecturers })
  return [
    frame.list({
      description: 'With `course_ids` it lists only lecturers who teach all of these courses.',
      filters: { slug: slug.optional(), course_ids: z.array(idOf('crs')).max(20).optional() },
      sorts: ['created_at', 'updated_at', 'name'],
    }),
    frame.get({ tool: null }),
    frame.create({
      input: z.strictObject({
        ...fields,
        bio_html: fields.bio_html.default(''),
        avatar_url: fields.avatar_url.default(null),
        links: fields.links.default([]),
      }),
    }),
    frame.update({
      description: 'Members that you omit stay unchanged. A list replaces the previous list.',
      input: z.strictObject({ id, ...z.object(fields).partial().shape }),
    }),
    frame.remove({
      description:
        'Cannot be undone. Refused while a published course names the lecturer. Drafts and archived courses lose the lecturer.',
      async before(db, { id: lecturerId }): Promise<Problem | void> {
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
      },
    }),
  ]
}
