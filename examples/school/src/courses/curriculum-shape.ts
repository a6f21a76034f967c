import * as z from 'zod'
import { webUrl } from '../admin/addresses.js'
import { common, idOf, line, timeSql } from '../admin/fields.js'
import type { Listed, Resource } from '../admin/kit.js'

export const MAX_SECTIONS = 200
export const MAX_LECTURES = 2000

export const sectionId = idOf('sec')
export const lectureId = idOf('lec')
export const courseId = idOf('crs')

const attachment = {
  name: line(),
  url: webUrl,
  content_type: z
    .string()
    .max(100)
    .regex(/^[a-z]+\/[a-z0-9.+-]+$/),
  size: z.int().min(0).max(10_000_000_000),
}
const Attachment = z.object(attachment).meta({ id: 'Attachment' })

/** The members of a lecture in a request. */
export const lectureSent = {
  title: line(),
  kind: z.enum(['video', 'audio', 'document', 'text', 'quiz', 'live', 'other']),
  duration_seconds: z.int().min(1).max(360_000).nullable(),
  previewable: z.boolean().describe('Whether visitors can see it before they enrol.'),
  state: z.enum(['draft', 'published']),
  attachments: z.array(z.strictObject(attachment)).max(50),
}

export const Section = z
  .object({
    id: sectionId,
    course_id: courseId,
    title: line(),
    position: z.int().describe('From 1.'),
    ...common,
  })
  .meta({ id: 'Section', description: 'A section of a course, which groups lectures.' })
export type Section = z.output<typeof Section>

export const Lecture = z
  .object({
    id: lectureId,
    course_id: courseId,
    section_id: sectionId,
    ...lectureSent,
    position: z.int().describe('From 1, within its section.'),
    attachments: z.array(Attachment).max(50),
    ...common,
  })
  .meta({ id: 'Lecture' })
export type Lecture = z.output<typeof Lecture>

export const Curriculum = z
  .object({
    id: courseId,
    sections: z.array(Section).max(MAX_SECTIONS),
    lectures: z
      .array(Lecture)
      .max(MAX_LECTURES)
      .describe('The lectures of all sections, in their order.'),
    ...common,
  })
  .meta({ id: 'Curriculum', description: 'The sections and lectures of a course.' })
export type Curriculum = z.output<typeof Curriculum>

// Older rows have no times of their own, so they show the one of their course.
const times = (row: string): string =>
  ['created_at', 'updated_at']
    .map((name) => `'${name}', ${timeSql(`coalesce(${row}.${name}, c.created_at)`)}`)
    .join(', ')

export const sectionResource: Listed = {
  table: 'section',
  search: ['title'],
  select: `select s.id, s.course_id, s.position, jsonb_build_object('id', s.id,
      'course_id', s.course_id, 'title', s.title, 'position',
      row_number() over (partition by s.course_id order by s.position, s.id), ${times('s')}
    ) as data
    from school_section s
    join school_course c on c.site = s.site and c.id = s.course_id
    where s.site = $1`,
}

export const lectureResource: Listed = {
  table: 'lecture',
  search: ['title'],
  select: `select l.id, l.course_id, l.section_id, l.position, s.position as section_position,
      jsonb_build_object('id', l.id, 'course_id', l.course_id, 'section_id', l.section_id,
        'title', l.title, 'kind', lower(l.kind), 'duration_seconds', l.duration_seconds,
        'previewable', coalesce(l.previewable, false), 'state', coalesce(l.state, 'published'),
        'attachments', coalesce(l.attachments, '[]'), 'position',
        row_number() over (partition by l.course_id, l.section_id order by l.position, l.id),
        ${times('l')}
      ) as data
    from school_lecture l
    join school_section s on s.site = l.site and s.id = l.section_id
    join school_course c on c.site = l.site and c.id = l.course_id
    where l.site = $1`,
}

export const curriculumResource: Resource = {
  table: 'course',
  select: `select c.id, jsonb_build_object('id', c.id,
      'sections', (
        select coalesce(jsonb_agg(s.data order by s.position, s.id), '[]')
        from (${sectionResource.select}) s where s.course_id = c.id
      ),
      'lectures', (
        select coalesce(jsonb_agg(
          l.data order by l.section_position, l.section_id, l.position, l.id), '[]')
        from (${lectureResource.select}) l where l.course_id = c.id
      ),
      'created_at', ${timeSql('c.created_at')},
      'updated_at', ${timeSql('coalesce(c.curriculum_updated_at, c.created_at)')}
    ) as data
    from school_course c where c.site = $1`,
}
