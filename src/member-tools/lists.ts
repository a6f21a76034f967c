import * as z from 'zod'
import type { AccessState } from '../account/source.js'
import {
  LIST_COURSES,
  LIST_DOWNLOADS,
  LIST_MEMBERSHIPS,
  LIST_ORDERS,
  LIST_REGISTRATIONS,
} from './documents.js'
import type { AccountExecutor } from './executor.js'
import { paging } from './inputs.js'
import { loadPage, pageOf } from './page.js'
import { accessState, course, download, membership, order, registration } from './shapes.js'
import { defineTool, type Tool } from '../mcp/tool.js'

const SCOPES = ['account:read'] as const
const DAY_SECONDS = 86_400

/** `list_my_courses` */
export const listMyCourses = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_courses',
    title: 'My courses',
    description:
      'Lists the courses the person is or was enrolled in, with progress, where they stopped and how access stands; the one watched last comes first. Use it to find a slug, or what ends soon. It does not show outlines: get_my_course does. Courses taken away for good appear only with state REVOKED.',
    scopes: SCOPES,
    input: z.strictObject({
      state: accessState.optional().describe('Only courses whose access stands so.'),
      expires_within_days: z
        .int()
        .min(1)
        .max(3650)
        .optional()
        .describe(
          'Only courses whose access ends within so many days, the earliest first. Access that has ended already is left out unless state asks for it.',
        ),
      ...paging,
    }),
    output: pageOf(course),
    run: (context, { state, expires_within_days: days, ...page }) =>
      loadPage(account, context, page, {
        query: LIST_COURSES,
        variables: (since) => courseFilter(state, days === undefined ? null : endOf(since, days)),
        steps: [
          'Call get_my_course with a slug for its outline.',
          'Call resume_learning with a slug to go on where the person stopped.',
        ],
      }),
  })

const endOf = (since: number, days: number): string =>
  new Date((since + days * DAY_SECONDS) * 1000).toISOString()

function courseFilter(
  state: AccessState | undefined,
  expiresBefore: string | null,
): Readonly<Record<string, unknown>> {
  const accessStates = state === undefined ? null : [state]
  if (expiresBefore === null) return { filter: { accessState: accessStates } }
  const notEnded = ['SCHEDULED', 'ACTIVE', 'SUSPENDED']
  return {
    filter: { accessState: accessStates ?? notEnded, expiresBefore },
    orderBy: 'EXPIRE_DATE_ASC',
  }
}

/** `list_my_orders` */
export const listMyOrders = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_orders',
    title: 'My orders',
    description:
      'Lists what the person bought, the latest first, with state, total and the titles of the items. Use get_my_order for amounts, discounts and the receipt of one order. It cannot buy, pay or refund.',
    scopes: SCOPES,
    input: z.strictObject(paging),
    output: pageOf(order),
    run: (context, page) =>
      loadPage(account, context, page, {
        query: LIST_ORDERS,
        steps: ['Call get_my_order with an id for its amounts and its receipt.'],
      }),
  })

/** `list_my_event_registrations` */
export const listMyEventRegistrations = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_event_registrations',
    title: 'My event bookings',
    description:
      'Lists the events the person booked, the latest booking first, with time, ticket, and whether it can still be cancelled. Use it before cancel_my_registration, and to find a link to join. It does not show events that the person has not booked.',
    scopes: SCOPES,
    input: z.strictObject({
      when: z
        .enum(['UPCOMING', 'PAST', 'ANY'])
        .default('ANY')
        .describe('Whether the event has ended.'),
      ...paging,
    }),
    output: pageOf(registration),
    run: (context, { when, ...page }) =>
      loadPage(account, context, page, {
        query: LIST_REGISTRATIONS,
        variables: () => ({ filter: { when } }),
        steps: [
          'Call cancel_my_registration with an id whose can_cancel is true, if the person asks for it.',
        ],
      }),
  })

/** `list_my_memberships` */
export const listMyMemberships = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_memberships',
    title: 'My memberships',
    description:
      'Lists the memberships the person has or had, the latest first, with state, price and the next charge. Use it to tell when a membership renews or ends. It cannot start, change or cancel one: the person does that at the school.',
    scopes: SCOPES,
    input: z.strictObject(paging),
    output: pageOf(membership),
    run: (context, page) =>
      loadPage(account, context, page, {
        query: LIST_MEMBERSHIPS,
        steps: ['Call list_my_courses: access_source MEMBERSHIP marks what a membership gives.'],
      }),
  })

/** `list_my_downloads` */
export const listMyDownloads = (account: AccountExecutor): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_downloads',
    title: 'My downloads',
    description:
      'Lists the digital products the person owns, the latest first, with the names and sizes of their files. Use it to find the page on which they can be fetched. It gives no link to a file: that needs the browser of the person.',
    scopes: SCOPES,
    input: z.strictObject(paging),
    output: pageOf(download),
    run: (context, page) =>
      loadPage(account, context, page, {
        query: LIST_DOWNLOADS,
        steps: ['Give the person the url of a product: its files open in their browser.'],
      }),
  })
