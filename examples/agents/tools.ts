// Tools for agents. `list_courses` is for everyone; `list_students` needs an operator with a scope.
import { type Tool, toolsFor } from 'hallpass/mcp'
import { type SchoolScope, schoolScopes } from 'hallpass/scope'
import * as z from 'zod'
import { execute } from '../common/store.js'

const { defineTool } = toolsFor(schoolScopes)
const slug = z.string().regex(/^[a-z0-9-]{1,100}$/)
const student = z.object({ id: z.string().regex(/^\w+$/), name: z.string().nullable() })

export const tools: readonly Tool<SchoolScope>[] = [
  defineTool({
    name: 'list_courses',
    title: 'List courses',
    description:
      'Lists the courses of this school. Call it to answer what the school teaches, or to get the slug that list_students needs.',
    input: z.strictObject({}),
    output: z.object({ data: z.array(z.object({ slug, title: z.string() })) }),
    async run() {
      const { rows } = await execute('select slug, title from courses order by title', [])
      return { data: rows as { slug: string; title: string }[] }
    },
  }),
  defineTool({
    name: 'list_students',
    title: 'List students',
    description:
      'Lists the people who are enrolled in a course. Call list_courses first to get its slug.',
    scopes: ['students:read'],
    input: z.strictObject({ course: slug.describe('The slug of a course, from list_courses.') }),
    output: z.object({ data: z.array(student) }),
    async run(_context, { course }) {
      const sql = `select u.id, u.name from enrollments e join users u on u.id = e.user_id
        join courses c on c.id = e.course_id where c.slug = $1 order by u.name, u.id limit 100`
      return { data: (await execute(sql, [course])).rows as z.infer<typeof student>[] }
    },
  }),
]
