import { refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { Lecture, lectureId, lectureResource, lectureSent, MAX_LECTURES, Section, sectionId, sectionResource } from './curriculum-shape.js' // prettier-ignore
import { type CurriculumWrite, found } from './curriculum-writes.js'
import { defineOperation, type SchoolOperation } from '../admin/define.js'
import { newId } from '../admin/fields.js'
import type { Kit } from '../admin/kit.js'

/** The operations on lectures. */
export function lectureOperations(kit: Kit, write: CurriculumWrite): readonly SchoolOperation[] {
  return [
    defineOperation({
      id: 'lectures.get',
      summary: 'Get a lecture',
      scope: 'curriculum:read',
      effect: 'read',
      method: 'GET',
      path: '/lectures/{id}',
      input: z.strictObject({ id: lectureId }),
      output: Lecture,
      run: (_context, { id }) => kit.get<Lecture>(lectureResource, id),
    }),
    defineOperation({
      id: 'lectures.create',
      summary: 'Add a lecture',
      description:
        'Adds the lecture at the end of its section, as a draft unless `state` says otherwise.',
      scope: 'curriculum:write',
      effect: 'write',
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
      output: Lecture,
      status: 201,
      events: ['curriculum.updated'],
      run: (context, { id, kind, ...lecture }) =>
        write(
          context,
          { resource: sectionResource, schema: Section, id },
          async (db, { course_id }) => {
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
    defineOperation({
      id: 'lectures.update',
      summary: 'Change a lecture',
      description:
        'Members that you omit stay unchanged. The list of attachments replaces the previous list.',
      scope: 'curriculum:write',
      effect: 'write',
      method: 'PATCH',
      path: '/lectures/{id}',
      tool: { name: 'save_lecture', argument: 'action', value: 'update' },
      input: z.strictObject({
        id: lectureId.describe('Id of the lecture.'),
        ...z.strictObject(lectureSent).partial().shape,
      }),
      output: Lecture,
      precondition: 'optional',
      events: ['curriculum.updated'],
      run: (context, { id, kind, ...changes }) =>
        write(context, { resource: lectureResource, schema: Lecture, id }, async (db) => {
          await db.update('lecture', id, {
            ...changes,
            kind: kind?.toUpperCase(),
            updated_at: kit.now(),
          })
          return found(db, lectureResource, id)
        }),
    }),
    defineOperation({
      id: 'lectures.delete',
      summary: 'Delete a lecture',
      description: 'With what everybody has watched of it.',
      scope: 'curriculum:write',
      effect: 'write',
      destructive: true,
      method: 'DELETE',
      path: '/lectures/{id}',
      tool: 'delete_lecture',
      input: z.strictObject({ id: lectureId }),
      output: z.null(),
      status: 204,
      precondition: 'optional',
      events: ['curriculum.updated'],
      run: (context, { id }) =>
        write(context, { resource: lectureResource, schema: Lecture, id }, async (db) => {
          await db.remove('lecture', id)
          return null
        }),
    }),
  ]
}
