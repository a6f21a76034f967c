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
import { type AccountExecutor, type Ask, askFor, payloadOf, type UserError } from './executor.js'
import { line, reference } from './inputs.js'
import { changeOf, type Row } from './page.js'
import { type NodeAnswer, nodeOf, noSuchCourse } from './reads.js'
import { openCourse, profile, registration } from './shapes.js'
import { defineTool, type Tool } from '../mcp/tool.js'
import { faultWith, isToolFault, type ToolFault } from '../mcp/tool-fault.js'

// The Account API lets nothing be written without the right to read.
const WRITE = {
  scopes: ['account:read', 'account:write'],
  effect: 'write',
  idempotent: true,
} as const

interface Written {
  readonly payload: { readonly after: Row | null; readonly user_errors: readonly UserError[] }
}

/** Runs a mutation, and compares what it answers with what was there before. */
async function write(
  ask: Ask,
  { before, mutation, input }: { before: Row; mutation: string; input: object },
): Promise<Row | ToolFault> {
  const payload = payloadOf(await ask<Written>(mutation, { input }))
  if (isToolFault(payload)) return payload
  const { after } = payload
  if (after === null) return faultWith('NOT_FOUND', 'the school has taken it away meanwhile')
  const isOther = (name: string): boolean =>
    JSON.stringify(after[name]) !== JSON.stringify(before[name])
  return { data: after, changed: Object.keys(after).filter(isOther) }
}

/** `update_my_profile` */
export const updateMyProfile = (account: AccountExecutor): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    name: 'update_my_profile',
    title: 'Change my profile',
    description:
      'Changes name, picture, language or time zone of the person. What is left out stays as it is, and null clears it. Use it only when the person asks for it; e-mail address and password change at the school alone.',
    input: z.strictObject({
      name: line(100).nullable().optional(),
      picture: line(2048)
        .regex(/^https:\/\//)
        .refine((value) => URL.canParse(value), 'must be an absolute https URL')
        .nullable()
        .optional()
        .describe('An https URL, on a host that the school allows.'),
      locale: line(100).nullable().optional().describe('A language tag such as pt-PT.'),
      time_zone: line(100).nullable().optional().describe('A name such as Europe/Lisbon.'),
    }),
    output: changeOf(profile),
    async run(context, { time_zone: timeZone, ...changes }) {
      const ask = askFor(account, context)
      const found = await ask<{ viewer: Row }>(GET_PROFILE)
      if (isToolFault(found)) return found
      const input = { ...changes, ...(timeZone !== undefined && { timeZone }) }
      return write(ask, { before: found.viewer, mutation: UPDATE_PROFILE, input })
    },
  })

/** Writes to a lecture of the course with this slug. */
async function writeToLecture(
  ask: Ask,
  { slug, mutation, input }: { slug: string; mutation: string; input: object },
): Promise<Row | ToolFault> {
  const found = await ask<{ viewer: { course: (Row & { readonly course_id: string }) | null } }>(
    FIND_COURSE,
    { slug },
  )
  if (isToolFault(found)) return found
  if (found.viewer.course === null) return noSuchCourse()
  const { course_id: courseId, ...before } = found.viewer.course
  return write(ask, { before, mutation, input: { ...input, courseId } })
}

const lectureInput = {
  course: reference.describe('slug of list_my_courses.'),
  lecture_id: reference.describe('id of a lecture of get_my_course.'),
}

/** `save_my_position` */
export const saveMyPosition = (account: AccountExecutor): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    name: 'save_my_position',
    title: 'Save where I stopped',
    description:
      'Keeps the second at which the person stopped in a lecture, so that every player goes on there. Use it when the person tells where they are. It does not mark the lecture done: mark_my_lecture does.',
    input: z.strictObject({
      ...lectureInput,
      position_seconds: z.int32().min(0).describe('From the beginning of the lecture.'),
    }),
    output: changeOf(openCourse),
    run: (context, { course, lecture_id: lectureId, position_seconds: positionSeconds }) =>
      writeToLecture(askFor(account, context), {
        slug: course,
        mutation: SAVE_POSITION,
        input: { lectureId, positionSeconds },
      }),
  })

/** `mark_my_lecture` */
export const markMyLecture = (account: AccountExecutor): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    name: 'mark_my_lecture',
    title: 'Mark a lecture',
    description:
      'Marks a lecture of the person done, or not done, which moves their progress. Use it when the person says so, with a lecture_id of get_my_course. It does not save a position.',
    input: z.strictObject({ ...lectureInput, completed: z.boolean() }),
    output: changeOf(openCourse),
    run: (context, { course, lecture_id: lectureId, completed }) =>
      writeToLecture(askFor(account, context), {
        slug: course,
        mutation: MARK_LECTURE,
        input: { lectureId, completed },
      }),
  })

/** `cancel_my_registration` */
export const cancelMyRegistration = (
  account: AccountExecutor,
): Tool<'account:read' | 'account:write'> =>
  defineTool({
    ...WRITE,
    destructive: true,
    name: 'cancel_my_registration',
    title: 'Cancel an event booking',
    description:
      'Cancels a booking of the person; the seat goes to somebody else and cannot be taken back here. Ask the person first, and use an id of list_my_event_registrations whose can_cancel is true. It refunds nothing; one that is cancelled already stays as it is.',
    input: z.strictObject({
      id: reference.describe('id of list_my_event_registrations.'),
      reason: line(500).optional().describe('For the school, in the words of the person.'),
    }),
    output: changeOf(registration),
    async run(context, { id, reason = null }) {
      const ask = askFor(account, context)
      const found = await ask<NodeAnswer>(GET_REGISTRATION, { id })
      if (isToolFault(found)) return found
      const before = nodeOf(found)
      if (before === null)
        return faultWith(
          'NOT_FOUND',
          'the person has no booking with this id',
          'Call list_my_event_registrations, and use an id from it.',
        )
      const input = { registrationId: id, reason }
      return write(ask, { before, mutation: CANCEL_REGISTRATION, input })
    },
  })
