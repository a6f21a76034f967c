import type { Tool } from 'hallpass/mcp'
import * as z from 'zod'
import type { PublicSource } from '../agents/kit.js'
import { definePublicList } from '../agents/public-list.js'
import { publicCoursesSql } from '../agents/public-rows.js'
import { courseNameSchema } from '../agents/shapes.js'
import { plainText, textSchema } from '../agents/text.js'

const lecturerSchema = z.object({
  slug: z.string(),
  name: z.string(),
  bio: textSchema,
  courses: z.array(courseNameSchema).describe('The public courses that they teach.'),
})
type LecturerRow = Omit<z.output<typeof lecturerSchema>, 'bio'> & { readonly html: string }

/** The tools that show lecturers as visitors see them. */
export const lecturerTools = (source: PublicSource): readonly Tool<never>[] => [
  definePublicList(source, {
    name: 'list_public_lecturers',
    title: 'List lecturers',
    description:
      'Lists the lecturers of this school, with their own descriptions and the public courses that they teach. Call it when a person asks who teaches something. It returns no contact details and no other staff.',
    filters: {},
    item: lecturerSchema,
    keyType: 'text',
    select: ({ text }) => `
      select l.slug as id, left(lower(l.name), 100) as key, jsonb_build_object('slug', l.slug,
        'name', l.name, 'html', l.bio_html, 'courses',
        ${publicCoursesSql('l.site', 'c.lecturer_ids @> jsonb_build_array(l.id)')}) as data
      from school_lecturer l where l.site = ${text(source.site)}`,
    itemOf: ({ html, ...row }: LecturerRow) => ({ ...row, bio: plainText(html) }),
    nextSteps: ['Call get_public_course with the slug of a course that a lecturer teaches.'],
  }),
]
