import * as z from 'zod'
import { GET_COURSE, GET_ORDER, GET_PROFILE } from './documents.js'
import { askFor } from './executor.js'
import { reference } from './inputs.js'
import { oneOf, type Row } from './page.js'
import { profile, wholeCourse, wholeOrder } from './shapes.js'
import { defineTool, type Tool } from '../tool.js'
import { toolError, isToolError, type ToolError } from '../tool-error.js'

const SCOPES = ['account:read'] as const

/** `get_my_profile` */
export const getMyProfile = (): Tool<'account:read'> =>
  defineTool({
    name: 'get_my_profile',
    title: 'My profile',
    description:
      'Returns who the person is at this school: name, email address, language, time zone and roles, and details of the school. Call it to learn the time zone before you mention times, and before update_my_profile. It returns no other person.',
    scopes: SCOPES,
    input: z.strictObject({}),
    output: oneOf(profile),
    async run(context) {
      const ask = askFor(context)
      const answer = await ask<{ viewer: Row }>(GET_PROFILE)
      if (isToolError(answer)) return answer
      return {
        data: answer.viewer,
        next_steps: ['Call list_my_courses for the courses of the person.'],
      }
    },
  })

/** Returns the tool error for a slug that none of the caller's courses has. */
export const noSuchCourse = (): ToolError =>
  toolError(
    'NOT_FOUND',
    'the person has no course with this slug',
    'Call list_my_courses, then use a slug from its result.',
  )

/** `get_my_course` */
export const getMyCourse = (): Tool<'account:read'> =>
  defineTool({
    name: 'get_my_course',
    title: 'One of my courses',
    description:
      'Returns one course of the person with progress, access and the whole outline: each lecture with its id and whether it is completed. Call it to find a lecture_id, or to see what is left. It does not return lecture content.',
    scopes: SCOPES,
    input: z.strictObject({ slug: reference.describe('A slug from list_my_courses.') }),
    output: oneOf(wholeCourse),
    async run(context, { slug }) {
      const ask = askFor(context)
      const answer = await ask<{ viewer: { course: Row | null } }>(GET_COURSE, { slug })
      if (isToolError(answer)) return answer
      const { course } = answer.viewer
      if (course === null) return noSuchCourse()
      return {
        data: course,
        next_steps: ['Call resume_learning with this slug to continue where the person stopped.'],
      }
    },
  })

interface OrderRow extends Row {
  readonly items: readonly { readonly enrolled_course: Row | null }[]
}

/** `get_my_order` */
export const getMyOrder = (): Tool<'account:read'> =>
  defineTool({
    name: 'get_my_order',
    title: 'One of my orders',
    description:
      'Returns one order of the person: every amount, the discount, the payment method, the receipt, and the course, booking, membership or download that each item led to. Call it after list_my_orders. It cannot pay or refund.',
    scopes: SCOPES,
    input: z.strictObject({ id: reference.describe('An id from list_my_orders.') }),
    output: oneOf(wholeOrder),
    async run(context, { id }) {
      const ask = askFor(context)
      const answer = await ask<NodeAnswer<OrderRow>>(GET_ORDER, { id })
      if (isToolError(answer)) return answer
      const order = nodeOf(answer)
      if (order === null)
        return toolError(
          'NOT_FOUND',
          'the person has no order with this id',
          'Call list_my_orders, then use an id from its result.',
        )
      const opens = order.items.some((item) => item.enrolled_course !== null)
      return {
        data: order,
        next_steps: opens ? ['Call get_my_course with the slug of an enrolled_course.'] : [],
      }
    },
  })

/** The result of `node` in an operation that selects the fields of one type: `{}` for any other type. */
export interface NodeAnswer<Node extends Row = Row> {
  readonly node: Node | Readonly<Record<string, never>> | null
}

/** Returns the node, or `null` if the caller has no such node or it is of another type. */
export const nodeOf = <Node extends Row>({ node }: NodeAnswer<Node>): Node | null =>
  node !== null && 'id' in node ? (node as Node) : null
