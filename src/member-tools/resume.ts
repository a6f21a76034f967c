import * as z from 'zod'
import type { AccessState } from '../account/source.js'
import { RESUME_ANY, RESUME_COURSE } from './documents.js'
import { type AccountExecutor, type Ask, askFor } from './executor.js'
import { reference } from './inputs.js'
import type { Row } from './page.js'
import { noSuchCourse } from './reads.js'
import { resumption } from './shapes.js'
import { defineTool, type Tool } from '../mcp/tool.js'
import { faultWith, isToolFault, type ToolFault } from '../mcp/tool-fault.js'

/** What of a course says where to go on. */
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
export const resumeLearning = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'resume_learning',
    title: 'Go on learning',
    description:
      'Tells where to go on: the lecture, the second, and a link that opens it there. Without slug it takes the course watched last of those that are open; with slug, that course. Look at access.state before offering the link, and use save_my_position, not this, to keep a place.',
    scopes: ['account:read'],
    input: z.strictObject({
      slug: reference.optional().describe('slug of list_my_courses. Left out: the latest.'),
    }),
    output: resumption,
    async run(context, { slug }) {
      const ask = askFor(account, context)
      const course = await (slug === undefined ? findLatest(ask) : findCourse(ask, slug))
      return isToolFault(course) ? course : placeIn(course)
    },
  })

async function findCourse(ask: Ask, slug: string): Promise<Course | ToolFault> {
  const answer = await ask<{ viewer: { course: Course | null } }>(RESUME_COURSE, { slug })
  return isToolFault(answer) ? answer : (answer.viewer.course ?? noSuchCourse())
}

interface Latest {
  readonly viewer: Readonly<Record<'open' | 'any', { readonly nodes: readonly Course[] }>>
}

async function findLatest(ask: Ask): Promise<Course | ToolFault> {
  const answer = await ask<Latest>(RESUME_ANY)
  if (isToolFault(answer)) return answer
  const { open, any } = answer.viewer
  return (
    open.nodes[0] ??
    any.nodes[0] ??
    faultWith(
      'NOT_FOUND',
      'the person has no course here',
      'Tell the person; they can enroll in a course at the school.',
    )
  )
}

function placeIn(course: Course): Row | ToolFault {
  const place = lastOf(course) ?? nextOf(course)
  if (place === null)
    return faultWith(
      'NOT_FOUND',
      'nothing of this course was watched, and no lecture comes next',
      'Call get_my_course with the slug for its outline, or list_my_courses for other courses.',
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
