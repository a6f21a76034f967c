import * as z from 'zod'
import {
  CANCEL_REGISTRATION,
  FIND_COURSE,
  GET_PROFILE,
  GET_REGISTRATION,
  MARK_LECTURE,
  SAVE_POSITION,
  UPDATE_PROFILE,
} from './documents.js'
import { type Ask, askFor, payloadOf, type UserError } from './executor.js'
import { line, reference } from './inputs.js'
import { changeOf, type Row } from './page.js'
import { type NodeAnswer, nodeOf, noSuchCourse } from './reads.js'
import { openCourse, profile, registration } from './shapes.js'
import { defineTool, type Tool } from '../tool.js'
import { toolError, isToolError, type ToolError } from '../tool-error.js'

// A change reads the state before and returns the state after, so it needs the scope to read as well.
const WRITE = {
  scopes: ['account:read', 'account:write'],
  effect: 'write',
  idempotent: true,
} as const

interface Written {
  readonly payload: { readonly after: Row | null; readonly user_errors: readonly UserError[] }
}

/** Runs a mutation, and compares its result with the state before. */
async function write(
  ask: Ask,
  { before, mutation, input }: { before: Row; mutation: string; input: object },
): Promise<Row | ToolError> {
  const payload = payloadOf(await ask<Written>(mutation, { input }))
  if (isToolError(payload)) return payload
  const { after } = payload
  if (after === null)
    return toolError('NOT_FOUND', 'the school removed this object during the call')
  const isOther = (name: string): boolean =>
    JSON.stringify(after[name]) !== JSON.stringify(before[name])
  return { data: after, changed: Object.keys(after).filter(isOther) }
}

/** `update_my_profile` */
export const updateMyProfile = (): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    name: 'update_my_profile',
    title: 'Change my profile',
    description:
      'Changes the name, picture, language or time zone of the person. Arguments that you omit stay unchanged, and null clears a value. Call it only when the person asks for it. The email address and the password can be changed only at the school.',
    input: z.strictObject({
      name: line(100).nullable().optional(),
      picture: line(2048)
        .regex(/^https:\/\//)
        .refine((value) => URL.canParse(value), 'must be an absolute https URL')
        .nullable()
        .optional()
        .describe('An https URL on a host that the school allows.'),
      locale: line(100).nullable().optional().describe('A language tag such as pt-PT.'),
      time_zone: line(100)
        .nullable()
        .optional()
        .describe('A time zone name such as Europe/Lisbon.'),
    }),
    output: changeOf(profile),
    async run(context, { time_zone: timeZone, ...changes }) {
      const ask = askFor(context)
      const found = await ask<{ viewer: Row }>(GET_PROFILE)
      if (isToolError(found)) return found
      const input = { ...changes, ...(timeZone !== undefined && { timeZone }) }
      return write(ask, { before: found.viewer, mutation: UPDATE_PROFILE, input })
    },
  })

/** Runs a mutation on a lecture of the course with this slug. */
async function writeToLecture(
  ask: Ask,
  { slug, mutation, input }: { slug: string; mutation: string; input: object },
): Promise<Row | ToolError> {
  const found = await ask<{ viewer: { course: (Row & { readonly course_id: string }) | null } }>(
    FIND_COURSE,
    { slug },
  )
  if (isToolError(found)) return found
  if (found.viewer.course === null) return noSuchCourse()
  const { course_id: courseId, ...before } = found.viewer.course
  return write(ask, { before, mutation, input: { ...input, courseId } })
}

const lectureInput = {
  course: reference.describe('A slug from list_my_courses.'),
  lecture_id: reference.describe('The id of a lecture from get_my_course.'),
}

/** `save_my_position` */
export const saveMyPosition = (): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    name: 'save_my_position',
    title: 'Save my position',
    description:
      'Stores the second at which the person stopped in a lecture, so that every player continues there. Call it when the person says where they are. It does not mark the lecture as completed: call mark_my_lecture for that.',
    input: z.strictObject({
      ...lectureInput,
      position_seconds: z.int32().min(0).describe('Seconds from the beginning of the lecture.'),
    }),
    output: changeOf(openCourse),
    run: (context, { course, lecture_id: lectureId, position_seconds: positionSeconds }) =>
      writeToLecture(askFor(context), {
        slug: course,
        mutation: SAVE_POSITION,
        input: { lectureId, positionSeconds },
      }),
  })

/** `mark_my_lecture` */
export const markMyLecture = (): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    name: 'mark_my_lecture',
    title: 'Mark a lecture',
    description:
      'Marks a lecture of the person as completed or not completed, which changes their progress. Call it when the person says so, with a lecture_id from get_my_course. It does not store a position.',
    input: z.strictObject({ ...lectureInput, completed: z.boolean() }),
    output: changeOf(openCourse),
    run: (context, { course, lecture_id: lectureId, completed }) =>
      writeToLecture(askFor(context), {
        slug: course,
        mutation: MARK_LECTURE,
        input: { lectureId, completed },
      }),
  })

/** `cancel_my_registration` */
export const cancelMyRegistration = (): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    destructive: true,
    name: 'cancel_my_registration',
    title: 'Cancel an event booking',
    description:
      'Cancels an event booking of the person. The seat becomes available to others, and no tool can restore the booking. Ask the person first, and use an id from list_my_event_registrations whose can_cancel is true. It does not refund anything. A booking that is already cancelled stays unchanged.',
    input: z.strictObject({
      id: reference.describe('An id from list_my_event_registrations.'),
      reason: line(500).optional().describe('A reason for the school, in the words of the person.'),
    }),
    output: changeOf(registration),
    async run(context, { id, reason = null }) {
      const ask = askFor(context)
      const found = await ask<NodeAnswer>(GET_REGISTRATION, { id })
      if (isToolError(found)) return found
      const before = nodeOf(found)
      if (before === null)
        return toolError(
          'NOT_FOUND',
          'the person has no booking with this id',
          'Call list_my_event_registrations, then use an id from its result.',
        )
      const input = { registrationId: id, reason }
      return write(ask, { before, mutation: CANCEL_REGISTRATION, input })
    },
  })
