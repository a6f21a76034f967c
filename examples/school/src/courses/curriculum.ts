import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { placesOf, refuseOrder } from './curriculum-order.js'
import { courseId, Curriculum, curriculumResource, lectureId, MAX_LECTURES, MAX_SECTIONS, Section, sectionId, sectionResource } from './curriculum-shape.js' // prettier-ignore
import { curriculumWrites, found } from './curriculum-writes.js'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { line, newId } from '../admin/fields.js'
import type { Db, Kit } from '../admin/kit.js'
import { lectureOperations } from './lectures.js'

/** The operations on the sections and lectures of courses. */
export function curriculumOperations(kit: Kit): readonly SchoolOperation[] {
  const write = curriculumWrites(kit)

  return [
    defineOperation({
      id: 'curriculum.get',
      summary: 'Get the curriculum of a course',
      description: 'Returns all sections and lectures, drafts included.',
      scope: 'curriculum:read',
      effect: 'read',
      method: 'GET',
      path: '/courses/{id}/curriculum',
      tool: 'get_curriculum',
      input: z.strictObject({ id: courseId }),
      output: Curriculum,
      run: (_context, { id }) => kit.get<Curriculum>(curriculumResource, id),
    }),
    defineOperation({
      id: 'curriculum.reorder',
      summary: 'Reorder sections and lectures',
      description:
        'Send every section and every lecture of the course exactly once. A lecture may move to another section.',
      scope: 'curriculum:write',
      effect: 'write',
      method: 'PUT',
      path: '/courses/{id}/curriculum/order',
      tool: 'reorder_curriculum',
      input: z.strictObject({
        id: courseId,
        sections: z
          .array(
            z.strictObject({ id: sectionId, lecture_ids: z.array(lectureId).max(MAX_LECTURES) }),
          )
          .max(MAX_SECTIONS),
      }),
      output: Curriculum,
      precondition: 'required',
      events: ['curriculum.updated'],
      run: (context, { id, sections: wanted }) =>
        write(
          context,
          { resource: curriculumResource, schema: Curriculum, id },
          async (db, { sections, lectures }) => {
            const refused = refuseOrder({
              wanted,
              sectionIds: sections.map((section) => section.id),
              lectureIds: lectures.map((lecture) => lecture.id),
            })
            if (refused !== null) return refused
            await moveAll(db, wanted, kit.now())
            return found(db, curriculumResource, id)
          },
        ),
    }),
    defineOperation({
      id: 'sections.create',
      summary: 'Add a section',
      description: 'Adds the section at the end of the course.',
      scope: 'curriculum:write',
      effect: 'write',
      method: 'POST',
      path: '/courses/{id}/sections',
      tool: { name: 'save_lecture', argument: 'action', value: 'create_section' },
      input: z.strictObject({ id: courseId.describe('Id of the course.'), title: line() }),
      output: Section,
      status: 201,
      events: ['curriculum.updated'],
      run: (context, { id, title }) =>
        write(
          context,
          { resource: curriculumResource, schema: Curriculum, id },
          async (db, { sections }) => {
            if (sections.length >= MAX_SECTIONS)
              return refuseWith('conflict', `a course has at most ${MAX_SECTIONS} sections`)
            const newSection = newId('sec')
            await db.query(
              `insert into school_section (site, id, course_id, position, title, created_at, updated_at)
               select $1, $2, $3, coalesce(max(position) + 1, 0), $4, $5::bigint, $5::bigint
               from school_section where site = $1 and course_id = $3`,
              newSection,
              id,
              title,
              kit.now(),
            )
            return found(db, sectionResource, newSection)
          },
        ),
    }),
    defineOperation({
      id: 'sections.update',
      summary: 'Change a section',
      scope: 'curriculum:write',
      effect: 'write',
      method: 'PATCH',
      path: '/sections/{id}',
      tool: { name: 'save_lecture', argument: 'action', value: 'update_section' },
      input: z.strictObject({
        id: sectionId.describe('Id of the section.'),
        title: line().optional(),
      }),
      output: Section,
      precondition: 'optional',
      events: ['curriculum.updated'],
      run: (context, { id, ...changes }) =>
        write(context, { resource: sectionResource, schema: Section, id }, async (db) => {
          await db.update('section', id, { ...changes, updated_at: kit.now() })
          return found(db, sectionResource, id)
        }),
    }),
    defineOperation({
      id: 'sections.delete',
      summary: 'Delete an empty section',
      description: 'Move or delete its lectures first.',
      scope: 'curriculum:write',
      effect: 'write',
      destructive: true,
      method: 'DELETE',
      path: '/sections/{id}',
      input: z.strictObject({ id: sectionId }),
      output: z.null(),
      status: 204,
      precondition: 'optional',
      events: ['curriculum.updated'],
      run: (context, { id }) =>
        write(context, { resource: sectionResource, schema: Section, id }, async (db) => {
          const lectures = await db.query(
            'select from school_lecture where site = $1 and section_id = $2 limit 1',
            id,
          )
          if (lectures.length > 0)
            return refuseWith('conflict', 'the section has lectures: move or delete them first')
          await db.remove('section', id)
          return null
        }),
    }),
    ...lectureOperations(kit, write),
  ]
}

/** Moves rows to their positions. Rows that do not move keep their time. */
async function moveAll(db: Db, wanted: Parameters<typeof placesOf>[0], now: number): Promise<void> {
  const { sections, lectures } = placesOf(wanted)
  await db.query(
    `update school_section s set position = p.position, updated_at = $3::bigint
     from jsonb_to_recordset($2::text::jsonb) p (id text, position integer)
     where s.site = $1 and s.id = p.id and s.position <> p.position`,
    JSON.stringify(sections),
    now,
  )
  await db.query(
    `update school_lecture l
     set position = p.position, section_id = p.section_id, updated_at = $3::bigint
     from jsonb_to_recordset($2::text::jsonb) p (id text, section_id text, position integer)
     where l.site = $1 and l.id = p.id
       and (l.position, l.section_id) is distinct from (p.position, p.section_id)`,
    JSON.stringify(lectures),
    now,
  )
}
