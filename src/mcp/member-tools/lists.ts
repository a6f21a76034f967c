import * as z from 'zod'
import type { AccessState } from '../../account/source.js'
import {
  LIST_COURSES,
  LIST_DOWNLOADS,
  LIST_MEMBERSHIPS,
  LIST_ORDERS,
  LIST_REGISTRATIONS,
} from './documents.js'
import { paging } from './inputs.js'
import { loadPage, pageOf } from './page.js'
import { accessState, course, download, membership, order, registration } from './shapes.js'
import { defineTool, type Tool } from '../tool.js'

const SCOPES = ['account:read'] as const
const DAY_SECONDS = 86_400

/** `list_my_courses` */
export const listMyCourses = (): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_courses',
    title: 'My courses',
    description:
      'Lists the courses that the person is or was enrolled in, with progress, the last position and the access state. The course watched last comes first. Call it to find a slug, or to see which access ends soon. It does not return outlines: call get_my_course for those. Courses whose access was revoked are listed only with state REVOKED.',
    scopes: SCOPES,
    input: z.strictObject({
      state: accessState.optional().describe('Return only courses in this access state.'),
      expires_within_days: z
        .int()
        .min(1)
        .max(3650)
        .optional()
        .describe(
          'Return only courses whose access ends within this number of days, the earliest first. Courses whose access has already ended are left out unless state requests them.',
        ),
      ...paging,
    }),
    output: pageOf(course),
    run: (context, { state, expires_within_days: days, ...page }) =>
      loadPage(context, page, {
        query: LIST_COURSES,
        variables: (since) => courseFilter(state, days === undefined ? null : endOf(since, days)),
        steps: [
          'Call get_my_course with a slug to get the outline of that course.',
          'Call resume_learning with a slug to continue where the person stopped.',
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
export const listMyOrders = (): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_orders',
    title: 'My orders',
    description:
      'Lists the orders of the person, the latest first, with state, total and the titles of the items. Call get_my_order for the amounts, discounts and receipt of one order. It cannot buy, pay or refund.',
    scopes: SCOPES,
    input: z.strictObject(paging),
    output: pageOf(order),
    run: (context, page) =>
      loadPage(context, page, {
        query: LIST_ORDERS,
        steps: ['Call get_my_order with an id to get the amounts and the receipt of that order.'],
      }),
  })

/** `list_my_event_registrations` */
export const listMyEventRegistrations = (): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_event_registrations',
    title: 'My event bookings',
    description:
      'Lists the event bookings of the person, the latest booking first, with time, ticket and whether the booking can still be cancelled. Call it before cancel_my_registration, or to find the link to join an event. It does not return events that the person has not booked.',
    scopes: SCOPES,
    input: z.strictObject({
      when: z
        .enum(['UPCOMING', 'PAST', 'ANY'])
        .default('ANY')
        .describe(
          'Return only bookings of events that have not ended (UPCOMING) or that have ended (PAST). ANY returns both.',
        ),
      ...paging,
    }),
    output: pageOf(registration),
    run: (context, { when, ...page }) =>
      loadPage(context, page, {
        query: LIST_REGISTRATIONS,
        variables: () => ({ filter: { when } }),
        steps: [
          'If the person asks for it, call cancel_my_registration with an id whose can_cancel is true.',
        ],
      }),
  })

/** `list_my_memberships` */
export const listMyMemberships = (): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_memberships',
    title: 'My memberships',
    description:
      'Lists the current and past memberships of the person, the latest first, with state, price and the next charge. Call it to see when a membership renews or ends. It cannot start, change or cancel a membership: the person does that at the school.',
    scopes: SCOPES,
    input: z.strictObject(paging),
    output: pageOf(membership),
    run: (context, page) =>
      loadPage(context, page, {
        query: LIST_MEMBERSHIPS,
        steps: [
          'Call list_my_courses to see the courses that a membership includes: their access_source is MEMBERSHIP.',
        ],
      }),
  })

/** `list_my_downloads` */
export const listMyDownloads = (): Tool<'account:read'> =>
  defineTool({
    name: 'list_my_downloads',
    title: 'My downloads',
    description:
      'Lists the digital products that the person owns, the latest first, with the names and sizes of their files. Call it to find the page where the person can download them. It returns no links to files, because a download needs the browser of the person.',
    scopes: SCOPES,
    input: z.strictObject(paging),
    output: pageOf(download),
    run: (context, page) =>
      loadPage(context, page, {
        query: LIST_DOWNLOADS,
        steps: [
          'Give the person the url of a product, so that they can open its files in their browser.',
        ],
      }),
  })
