import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { placesOf, refuseOrder } from './curriculum-order.js'
import { courseId, Curriculum, curriculumResource, lectureId, MAX_LECTURES, MAX_SECTIONS, Section, sectionId, sectionResource } from './curriculum-shape.js' // prettier-ignore
import { curriculumKit, found } from './curriculum-writes.js'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { line, newId } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'
import type { Db, Kit } from '../admin/kit.js'
import { lectureOperations } from './lectures.js'

/** The operations on the sections and lectures of courses. */
export function curriculumOperations(outer: Kit): readonly SchoolOperation[] {
  const kit = curriculumKit(outer)
  const frame = frameOf(kit, {
    scope: 'curriculum',
    many: 'sections',
    prefix: 'sec',
    item: Section,
    rows: sectionResource,
  })
  const events = ['curriculum.updated']

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
      ...frame.save,
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
      events,
      run: (context, { id, sections: wanted }) =>
        kit.change<Curriculum>(context, curriculumResource, id, async (db, current) => {
          const refused = refuseOrder({
            wanted,
            sectionIds: current.sections.map((section) => section.id),
            lectureIds: current.lectures.map((lecture) => lecture.id),
          })
          return refused ?? moveAll(db, wanted, kit.now())
        }),
    }),
    defineOperation({
      id: 'sections.create',
      summary: 'Add a section',
      description: 'Adds the section at the end of the course.',
      ...frame.save,
      method: 'POST',
      path: '/courses/{id}/sections',
      tool: { name: 'save_lecture', argument: 'action', value: 'create_section' },
      input: z.strictObject({ id: courseId.describe('Id of the course.'), title: line() }),
      status: 201,
      events,
      run: (context, { id, title }) =>
        kit.within<Section>(
          context,
          { resource: curriculumResource, id },
          async (db, { sections }: Curriculum) => {
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
    frame.update({
      summary: 'Change a section',
      tool: { name: 'save_lecture', argument: 'action', value: 'update_section' },
      input: z.strictObject({
        id: sectionId.describe('Id of the section.'),
        title: line().optional(),
      }),
      events,
    }),
    frame.remove({
      id: 'sections.delete',
      summary: 'Delete an empty section',
      description: 'Move or delete its lectures first.',
      events,
      async before(db, { id }) {
        const lectures = await db.query(
          'select from school_lecture where site = $1 and section_id = $2 limit 1',
          id,
        )
        return lectures.length > 0
          ? refuseWith('conflict', 'the section has lectures: move or delete them first')
          : undefined
      },
    }),
    ...lectureOperations(kit),
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
