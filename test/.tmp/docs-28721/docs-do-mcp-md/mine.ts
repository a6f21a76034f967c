// mine.ts
import { defineTool } from 'hallpass/mcp'
import * as z from 'zod'
import { coursesTaughtBy } from './yours.js'

export const listMyCourses = defineTool({
  name: 'list_my_courses',
  title: 'List my courses',
  description: 'Lists the courses that the person who signed in teaches.',
  scopes: ['courses:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({ data: z.array(z.object({ slug: z.string().regex(/^[a-z0-9-]+$/) })) }),
  async run({ caller }) {
    if (caller.kind === 'anonymous') throw new Error('a tool with scopes has a caller')
    return { data: [...(await coursesTaughtBy(caller.access.person.subject))] }
  },
})
