import * as z from 'zod'
import type { AccessState } from '../../account/source.js'
import { RESUME_ANY, RESUME_COURSE } from './documents.js'
import { type Ask, askFor } from './executor.js'
import { reference } from './inputs.js'
import type { Row } from './page.js'
import { noSuchCourse } from './reads.js'
import { resumption } from './shapes.js'
import { defineTool, type Tool } from '../tool.js'
import { toolError, isToolError, type ToolError } from '../tool-error.js'

/** The members of a course that determine where to continue. */
interface Course {
  readonly slug: string
  readonly title: string
  readonly access_state: AccessState
  readonly expire_date: string | null
  readonly has_lifetime_access: boolean
  readonly last_watched_lecture: {
    readonly lecture_id: string
    readonly title: string | null
    readonly position_seconds: number
    readonly resume_url: string | null
  } | null
  readonly next_lecture: {
    readonly id: string
    readonly title: string
    readonly position_seconds: number | null
    readonly url: string | null
  } | null
}

/** `resume_learning` */
export const resumeLearning = (): Tool<'account:read'> =>
  defineTool({
    name: 'resume_learning',
    title: 'Continue learning',
    description:
      'Returns where to continue: the lecture, the position in seconds, and a link that opens the lecture there. With slug, it uses that course. Without slug, it uses the course watched last among those with active access, or among all courses if there is none. Check access.state before you offer the link. To store a position, call save_my_position instead.',
    scopes: ['account:read'],
    input: z.strictObject({
      slug: reference
        .optional()
        .describe('A slug from list_my_courses. If omitted, the course watched last is used.'),
    }),
    output: resumption,
    async run(context, { slug }) {
      const ask = askFor(context)
      const course = await (slug === undefined ? findLatest(ask) : findCourse(ask, slug))
      return isToolError(course) ? course : placeIn(course)
    },
  })

async function findCourse(ask: Ask, slug: string): Promise<Course | ToolError> {
  const answer = await ask<{ viewer: { course: Course | null } }>(RESUME_COURSE, { slug })
  return isToolError(answer) ? answer : (answer.viewer.course ?? noSuchCourse())
}

interface Latest {
  readonly viewer: Readonly<Record<'open' | 'any', { readonly nodes: readonly Course[] }>>
}

async function findLatest(ask: Ask): Promise<Course | ToolError> {
  const answer = await ask<Latest>(RESUME_ANY)
  if (isToolError(answer)) return answer
  const { open, any } = answer.viewer
  return (
    open.nodes[0] ??
    any.nodes[0] ??
    toolError(
      'NOT_FOUND',
      'the person has no course at this school',
      'Tell the person that they can enroll in a course at the school.',
    )
  )
}

function placeIn(course: Course): Row | ToolError {
  const place = lastOf(course) ?? nextOf(course)
  if (place === null)
    return toolError(
      'NOT_FOUND',
      'the person has watched no lecture of this course, and there is no next lecture',
      'Call get_my_course with the slug to see the outline, or list_my_courses to see other courses.',
    )
  const { slug, title, access_state: state, expire_date, has_lifetime_access } = course
  return {
    course: { slug, title },
    ...place,
    access: { state, expire_date, has_lifetime_access },
  }
}

function lastOf({ last_watched_lecture: last }: Course): Row | null {
  if (last === null) return null
  const { lecture_id: id, title, position_seconds, resume_url } = last
  return { lecture: { id, title }, position_seconds, resume_url }
}

function nextOf({ next_lecture: next }: Course): Row | null {
  if (next === null) return null
  const { id, title, position_seconds, url } = next
  return { lecture: { id, title }, position_seconds: position_seconds ?? 0, resume_url: url }
}
