import * as z from 'zod'
import { GET_COURSE, GET_ORDER, GET_PROFILE } from './documents.js'
import { type AccountExecutor, askFor } from './executor.js'
import { reference } from './inputs.js'
import { oneOf, type Row } from './page.js'
import { profile, wholeCourse, wholeOrder } from './shapes.js'
import { defineTool, type Tool } from '../mcp/tool.js'
import { faultWith, isToolFault, type ToolFault } from '../mcp/tool-fault.js'

const SCOPES = ['account:read'] as const

/** `get_my_profile` */
export const getMyProfile = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'get_my_profile',
    title: 'My profile',
    description:
      'Shows who the person is at this school: name, e-mail address, language, time zone and roles, and the school itself. Use it for the time zone before telling times, and before update_my_profile. It shows nobody else.',
    scopes: SCOPES,
    input: z.strictObject({}),
    output: oneOf(profile),
    async run(context) {
      const ask = askFor(account, context)
      const answer = await ask<{ viewer: Row }>(GET_PROFILE)
      if (isToolFault(answer)) return answer
      return {
        data: answer.viewer,
        next_steps: ['Call list_my_courses for the courses of the person.'],
      }
    },
  })

/** No course of the caller's has this slug. */
export const noSuchCourse = (): ToolFault =>
  faultWith(
    'NOT_FOUND',
    'the person has no course with this slug',
    'Call list_my_courses, and use a slug from it.',
  )

/** `get_my_course` */
export const getMyCourse = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'get_my_course',
    title: 'One of my courses',
    description:
      'Shows one course of the person with progress, access, and the whole outline: each lecture with its id and whether it is done. Use it to find a lecture_id, or to see what is left. It holds no lecture content.',
    scopes: SCOPES,
    input: z.strictObject({ slug: reference.describe('slug of list_my_courses.') }),
    output: oneOf(wholeCourse),
    async run(context, { slug }) {
      const ask = askFor(account, context)
      const answer = await ask<{ viewer: { course: Row | null } }>(GET_COURSE, { slug })
      if (isToolFault(answer)) return answer
      const { course } = answer.viewer
      if (course === null) return noSuchCourse()
      return {
        data: course,
        next_steps: ['Call resume_learning with this slug to go on where the person stopped.'],
      }
    },
  })

interface OrderRow extends Row {
  readonly items: readonly { readonly enrolled_course: Row | null }[]
}

/** `get_my_order` */
export const getMyOrder = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'get_my_order',
    title: 'One of my orders',
    description:
      'Shows one order of the person: every amount, the discount, how it was paid, the receipt, and what each item led to. Use it after list_my_orders. It cannot pay or refund.',
    scopes: SCOPES,
    input: z.strictObject({ id: reference.describe('id of list_my_orders.') }),
    output: oneOf(wholeOrder),
    async run(context, { id }) {
      const ask = askFor(account, context)
      const answer = await ask<NodeAnswer<OrderRow>>(GET_ORDER, { id })
      if (isToolFault(answer)) return answer
      const order = nodeOf(answer)
      if (order === null)
        return faultWith(
          'NOT_FOUND',
          'the person has no order with this id',
          'Call list_my_orders, and use an id from it.',
        )
      const opens = order.items.some((item) => item.enrolled_course !== null)
      return {
        data: order,
        next_steps: opens ? ['Call get_my_course with the slug of an enrolled_course.'] : [],
      }
    },
  })

/** What `node` answers where a document selects one kind of it: `{}` for any other. */
export interface NodeAnswer<Node extends Row = Row> {
  readonly node: Node | Readonly<Record<string, never>> | null
}

/** The node; `null` = there is none of the caller's, or it is of another kind. */
export const nodeOf = <Node extends Row>({ node }: NodeAnswer<Node>): Node | null =>
  node !== null && 'id' in node ? (node as Node) : null
