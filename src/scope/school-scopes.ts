import type { ScopeTable } from './scope-registry.js'

/**
 * The operator scopes of an online school.
 *
 * @group Online school
 */
export type SchoolStaffScope =
  | `${'courses' | 'curriculum' | 'students' | 'members'}:${'read' | 'write'}`
  | `${'events' | 'membership_plans' | 'subscriptions' | 'coupons'}:${'read' | 'write'}`
  | `${'posts' | 'digital_products' | 'lecturers'}:${'read' | 'write'}`
  | `${'school' | 'appearance' | 'pages'}:${'read' | 'write'}`
  | `${'analytics' | 'orders' | 'comments' | 'forms'}:read`
  | 'storage:write'

/**
 * Every scope of an online school: identity scopes, operator scopes and member scopes.
 *
 * @group Online school
 */
export type SchoolScope =
  'openid' | 'profile' | 'email' | SchoolStaffScope | `account:${'read' | 'write'}`

/**
 * The scope table of {@link schoolScopes}, for a table of your own.
 *
 * @group Online school
 */
export const schoolScopeTable: ScopeTable<SchoolScope> = {
  openid: {
    audience: 'any',
    access: 'identity',
    group: 'You',
    consent: 'Confirm your identity at {school}: an ID for you, and which school it is',
  },
  profile: {
    audience: 'any',
    access: 'identity',
    group: 'You',
    consent: 'See your name, picture and role',
  },
  email: {
    audience: 'any',
    access: 'identity',
    group: 'You',
    consent: 'See your email address',
  },
  'courses:read': {
    audience: 'operator',
    access: 'read',
    group: 'Courses',
    consent: 'See courses, drafts included',
  },
  'courses:write': {
    audience: 'operator',
    access: 'write',
    group: 'Courses',
    consent: 'Create, edit, publish and archive courses that visitors and students see',
  },
  'students:read': {
    audience: 'operator',
    access: 'read',
    group: 'Students',
    consent: 'See who is enrolled in which course, and their progress',
    personalData: true,
  },
  'students:write': {
    audience: 'operator',
    access: 'write',
    group: 'Students',
    consent: "Grant, extend, end or remove students' access to courses",
    personalData: true,
  },
  'members:read': {
    audience: 'operator',
    access: 'read',
    group: 'Members',
    consent: "See members' names, email addresses and tags",
    personalData: true,
  },
  'members:write': {
    audience: 'operator',
    access: 'write',
    group: 'Members',
    consent: 'Invite, edit and suspend members',
    personalData: true,
    sensitive: true,
  },
  'analytics:read': {
    audience: 'operator',
    access: 'read',
    group: 'Sales',
    consent: 'See revenue and learning statistics',
  },
  'curriculum:read': {
    audience: 'operator',
    access: 'read',
    group: 'Courses',
    consent: 'See sections and lectures',
  },
  'curriculum:write': {
    audience: 'operator',
    access: 'write',
    group: 'Courses',
    consent: 'Add, change, reorder and delete lectures',
  },
  'orders:read': {
    audience: 'operator',
    access: 'read',
    group: 'Sales',
    consent: 'See orders: who bought what, when, and for how much',
    personalData: true,
  },
  'school:read': {
    audience: 'operator',
    access: 'read',
    group: 'School',
    consent: 'See school settings',
  },
  'school:write': {
    audience: 'operator',
    access: 'write',
    group: 'School',
    consent: "Change the school's name, time zone, currency and policies",
    sensitive: true,
  },
  'appearance:read': {
    audience: 'operator',
    access: 'read',
    group: 'School',
    consent: "See the school's design",
  },
  'appearance:write': {
    audience: 'operator',
    access: 'write',
    group: 'School',
    consent: 'Change how the school looks to every visitor',
  },
  'events:read': {
    audience: 'operator',
    access: 'read',
    group: 'Events',
    consent: 'See events and who attends',
    personalData: true,
  },
  'events:write': {
    audience: 'operator',
    access: 'write',
    group: 'Events',
    consent: 'Create, change and cancel events; check people in',
    personalData: true,
  },
  'membership_plans:read': {
    audience: 'operator',
    access: 'read',
    group: 'Sales',
    consent: 'See membership plans',
  },
  'membership_plans:write': {
    audience: 'operator',
    access: 'write',
    group: 'Sales',
    consent: 'Create and change membership plans, and prices for future buyers',
  },
  'coupons:read': {
    audience: 'operator',
    access: 'read',
    group: 'Sales',
    consent: 'See discount codes',
  },
  'coupons:write': {
    audience: 'operator',
    access: 'write',
    group: 'Sales',
    consent: 'Create, change and stop discount codes',
  },
  'posts:read': {
    audience: 'operator',
    access: 'read',
    group: 'Content',
    consent: 'See posts, drafts included',
  },
  'posts:write': {
    audience: 'operator',
    access: 'write',
    group: 'Content',
    consent: "Write, publish and delete posts in the school's name",
  },
  'subscriptions:read': {
    audience: 'operator',
    access: 'read',
    group: 'Sales',
    consent: 'See who has which membership',
    personalData: true,
  },
  'subscriptions:write': {
    audience: 'operator',
    access: 'write',
    group: 'Sales',
    consent: "Grant, extend or cancel members' memberships",
    personalData: true,
    sensitive: true,
  },
  'digital_products:read': {
    audience: 'operator',
    access: 'read',
    group: 'Content',
    consent: 'See downloads for sale',
  },
  'digital_products:write': {
    audience: 'operator',
    access: 'write',
    group: 'Content',
    consent: 'Create and change downloads for sale',
  },
  'comments:read': {
    audience: 'operator',
    access: 'read',
    group: 'Content',
    consent: 'Read comments',
    personalData: true,
  },
  'lecturers:read': {
    audience: 'operator',
    access: 'read',
    group: 'Content',
    consent: 'See lecturers',
  },
  'lecturers:write': {
    audience: 'operator',
    access: 'write',
    group: 'Content',
    consent: 'Create and change lecturer profiles',
  },
  'storage:write': {
    audience: 'operator',
    access: 'write',
    group: 'School',
    consent: "Upload files to the school's storage",
  },
  'forms:read': {
    audience: 'operator',
    access: 'read',
    group: 'Content',
    consent: 'Read forms and the answers people gave',
    personalData: true,
  },
  'pages:read': {
    audience: 'operator',
    access: 'read',
    group: 'School',
    consent: 'See custom pages and their releases',
  },
  'pages:write': {
    audience: 'operator',
    access: 'write',
    group: 'School',
    consent: "Publish and roll back pages on the school's domain",
  },
  'account:read': {
    audience: 'member',
    access: 'read',
    group: 'Your learning',
    consent:
      'See your courses, where you stopped watching, when your access ends, your orders and your event bookings at {school}. It cannot see your password, your card number or other members',
  },
  'account:write': {
    audience: 'member',
    access: 'write',
    group: 'Your learning',
    consent:
      'Change your name and picture, save where you stopped, mark lectures as done and cancel event bookings. It cannot buy anything, request a refund or cancel a membership',
  },
}
