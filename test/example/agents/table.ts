import { schoolScopes } from 'hallpass/scope'
import type { Caller } from './demo.js'

/** What a tool does at most: read, write, or take away what the same caller cannot put back. */
export type Effect = 'r' | 'w' | 'd'

/** The tools of everybody, in the order in which they are listed. */
export const PUBLIC_TOOLS = [
  'check_connection',
  'get_school_info',
  'search_catalog',
  'list_public_courses',
  'get_public_course',
  'list_public_events',
  'get_public_event',
  'list_membership_offers',
  'list_public_posts',
  'get_public_post',
  'list_public_lecturers',
] as const

/** The tools of members, by the scope they need. */
export const MEMBER_TOOLS = {
  'account:read': [
    'get_my_profile',
    'list_my_courses',
    'get_my_course',
    'resume_learning',
    'list_my_orders',
    'get_my_order',
    'list_my_event_registrations',
    'list_my_memberships',
    'list_my_downloads',
  ],
  'account:write': [
    'update_my_profile',
    'save_my_position',
    'mark_my_lecture',
    'cancel_my_registration',
  ],
} as const

/** The tools of staff, by the first words of the scopes they need. */
export const OPERATOR_TOOLS: Readonly<Record<string, Readonly<Record<string, Effect>>>> = {
  courses: {
    list_courses: 'r',
    get_course: 'r',
    create_course: 'w',
    update_course: 'w',
    set_course_state: 'w',
  },
  curriculum: {
    get_curriculum: 'r',
    save_lecture: 'w',
    reorder_curriculum: 'w',
    delete_lecture: 'd',
  },
  students: {
    list_enrollments: 'r',
    get_student_progress: 'r',
    list_course_students: 'r',
    enroll_student: 'w',
    set_enrollment_access: 'w',
    revoke_enrollment: 'd',
  },
  members: {
    list_members: 'r',
    get_member: 'r',
    invite_member: 'w',
    update_member: 'w',
    set_member_state: 'd',
  },
  analytics: { get_analytics: 'r' },
  orders: { list_orders: 'r', get_order: 'r' },
  'school appearance': { get_settings: 'r', update_settings: 'w' },
  events: {
    list_events: 'r',
    get_event: 'r',
    list_event_registrations: 'r',
    save_event: 'w',
    check_in_attendee: 'w',
    cancel_event: 'd',
  },
  // Archiving a plan and stopping a coupon are for good, so these two say more than that they write.
  membership_plans: { list_membership_plans: 'r', save_membership_plan: 'd' },
  subscriptions: { list_subscriptions: 'r', get_subscription: 'r', change_subscription: 'd' },
  coupons: { list_coupons: 'r', get_coupon: 'r', save_coupon: 'd' },
  posts: { list_posts: 'r', get_post: 'r', save_post: 'w', delete_post: 'd' },
  digital_products: {
    list_digital_products: 'r',
    get_digital_product: 'r',
    save_digital_product: 'w',
  },
  lecturers: { list_lecturers: 'r', save_lecturer: 'w' },
  comments: { list_comments: 'r' },
  forms: { list_forms: 'r', get_form: 'r', list_form_submissions: 'r' },
  storage: { create_upload: 'w', complete_upload: 'w' },
  pages: {
    list_pages: 'r',
    get_page: 'r',
    list_page_deployments: 'r',
    create_page: 'w',
    deploy_page: 'w',
    rollback_page: 'd',
  },
}

/** The tools of staff with what they do. */
export const EFFECTS: Readonly<Record<string, Effect>> = Object.assign(
  {},
  ...Object.values(OPERATOR_TOOLS),
) as Record<string, Effect>

/** The scopes that each tool of staff needs, one of them for each thing that it does. */
export const SCOPES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(OPERATOR_TOOLS).flatMap(([words, tools]) =>
    Object.entries(tools).map(([name, effect]) => [
      name,
      words.split(' ').map((word) => `${word}:${effect === 'r' ? 'read' : 'write'}`),
    ]),
  ),
)

/** Every scope that an operator's client can have. */
const OPERATOR_SCOPES = schoolScopes.names.filter(
  (scope) => schoolScopes.get(scope)?.audience === 'operator',
)

const DESK = 'desk-cli'
const HUB = 'portfolio-hub'

/** The owner's own tool, with every scope there is. */
export const OWNER: Caller = { subject: 'mem_l01', clientId: DESK, scopes: OPERATOR_SCOPES }

/** Somebody of the staff, with these scopes. */
export const staff = (subject: string, ...scopes: readonly string[]): Caller => ({
  subject,
  clientId: DESK,
  scopes,
})

/** A student, by a client that may read and write. */
export const member = (...scopes: readonly string[]): Caller => ({
  subject: 'mem_l05',
  clientId: HUB,
  scopes,
})
