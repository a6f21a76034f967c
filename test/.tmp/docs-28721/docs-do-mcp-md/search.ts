// search.ts
import { defineTool, toolError } from 'hallpass/mcp'
import * as z from 'zod'
import { searchCourses } from './yours.js'

export const searchCatalog = defineTool({
  name: 'search_catalog',
  title: 'Search the catalogue',
  description:
    'Finds published courses by words in their titles. Use it to answer what the school teaches. It does not know who is enrolled.',
  input: z.strictObject({ query: z.string().min(2).max(200) }),
  output: z.object({
    data: z.array(z.object({ slug: z.string().regex(/^[a-z0-9-]+$/), title: z.string() })),
  }),
  async run(_context, { query }) {
    const found = await searchCourses(query)
    return found.length === 0
      ? toolError('NOT_FOUND', 'no course has these words', 'Try fewer words.')
      : { data: [...found] }
  },
})
