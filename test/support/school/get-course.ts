import { defineOperation } from 'hallpass/admin'
import * as z from 'zod'

/** An operation that reads one course, whatever its `id`. */
export const getCourse = defineOperation({
  id: 'courses.get',
  summary: 'Get a course',
  scope: 'courses:read',
  effect: 'read',
  method: 'GET',
  path: '/courses/{id}',
  input: z.strictObject({ id: z.string().max(99) }),
  output: z.object({ id: z.string().max(99) }),
  run: async (_, { id }) => ({ id }),
})
