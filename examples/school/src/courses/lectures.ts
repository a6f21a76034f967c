import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { Lecture, lectureId, lectureResource, lectureSent, MAX_LECTURES, Section, sectionId, sectionResource } from './curriculum-shape.js' // prettier-ignore
import { type CurriculumKit, found } from './curriculum-writes.js'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { newId } from '../admin/fields.js'
import { frameOf } from '../admin/frame.js'

/** The operations on lectures. */
export function lectureOperations(kit: CurriculumKit): readonly SchoolOperation[] {
  const frame = frameOf(kit, {
    scope: 'curriculum',
    many: 'lectures',
    prefix: 'lec',
    item: Lecture,
    rows: lectureResource,
  })
  const events = ['curriculum.updated']

  return [
    frame.get({ tool: null }),
    defineOperation({
      ...frame.save,
      id: 'lectures.create',
      summary: 'Add a lecture',
      description:
        'Adds the lecture at the end of its section, as a draft unless `state` says otherwise.',
      method: 'POST',
      path: '/sections/{id}/lectures',
      tool: { name: 'save_lecture', argument: 'action', value: 'create' },
      input: z.strictObject({
        ...lectureSent,
        id: sectionId.describe('Id of the section to add it to.'),
        duration_seconds: lectureSent.duration_seconds.default(null),
        previewable: lectureSent.previewable.default(false),
        state: lectureSent.state.default('draft'),
        attachments: lectureSent.attachments.default([]),
      }),
      status: 201,
      events,
      run: (context, { id, kind, ...lecture }) =>
        kit.within<Lecture>(
          context,
          { resource: sectionResource, id },
          async (db, { course_id }: Section) => {
            const [course] = await db.query(
              `select count(*)::integer as count, coalesce(max(position), 0) as last
               from school_lecture where site = $1 and course_id = $2`,
              course_id,
            )
            if (Number(course?.['count']) >= MAX_LECTURES)
              return refuseWith('conflict', `a course has at most ${MAX_LECTURES} lectures`)
            const newLecture = newId('lec')
            await db.insert('lecture', {
              ...lecture,
              id: newLecture,
              course_id,
              section_id: id,
              kind: kind.toUpperCase(),
              position: Number(course?.['last']) + 1,
              created_at: kit.now(),
              updated_at: kit.now(),
            })
            return found(db, lectureResource, newLecture)
          },
        ),
    }),
    frame.update({
      description:
        'Members that you omit stay unchanged. The list of attachments replaces the previous list.',
      input: z.strictObject({
        id: lectureId.describe('Id of the lecture.'),
        ...z.strictObject(lectureSent).partial().shape,
      }),
      events,
      columns: ({ kind, ...sent }) => ({ ...sent, kind: kind?.toUpperCase() }),
    }),
    frame.remove({
      id: 'lectures.delete',
      description: 'With what everybody has watched of it.',
      tool: 'delete_lecture',
      events,
    }),
  ]
}
