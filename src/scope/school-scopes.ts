import type { ScopeTable } from './scope-registry.js'

/** The scopes of an online school for those who run it. */
export type SchoolStaffScope =
  | `${'courses' | 'curriculum' | 'students' | 'members'}:${'read' | 'write'}`
  | `${'events' | 'membership_plans' | 'subscriptions' | 'coupons'}:${'read' | 'write'}`
  | `${'posts' | 'digital_products' | 'lecturers'}:${'read' | 'write'}`
  | `${'school' | 'appearance' | 'pages'}:${'read' | 'write'}`
  | `${'analytics' | 'orders' | 'comments' | 'forms'}:read`
  | 'storage:write'

/** Every scope of an online school. */
export type SchoolScope =
  'openid' | 'profile' | 'email' | SchoolStaffScope | `account:${'read' | 'write'}`

/** The rows of {@link schoolScopes}. */
export const schoolScopeTable: ScopeTable<SchoolScope> = {
  openid: {
    audience: 'any',
    access: 'identity',
    group: 'You',
    consent:
      'Know that you are you at {school} — a number that stands for you here, and which school it is',
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
    consent: 'See your e-mail address',
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
    consent: 'See who studies what and how far they are',
    personalData: true,
  },
  'students:write': {
    audience: 'operator',
    access: 'write',
    group: 'Students',
    consent: 'Give, extend, end or remove access to courses',
    personalData: true,
  },
  'members:read': {
    audience: 'operator',
    access: 'read',
    group: 'Members',
    consent: "See members' names, e-mail, tags",
    personalData: true,
  },
  'members:write': {
    audience: 'operator',
    access: 'write',
    group: 'Members',
    consent: 'Invite, edit and suspend members',
    personalData: true,
  },
  'analytics:read': {
    audience: 'operator',
    access: 'read',
    group: 'Sales',
    consent: 'See revenue and learning figures',
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
    consent: 'See orders: who bought what, when, for how much',
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
    consent: 'Change name, time zone, currency, policies',
  },
  'appearance:read': {
    audience: 'operator',
    access: 'read',
    group: 'School',
    consent: 'See the design',
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
    consent: 'See events and who comes',
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
    consent: 'Create and change plans and prices for future buyers',
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
    consent: 'Read forms and what people answered',
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
      'See your courses, where you stopped watching, when access ends, your orders and event bookings at {school}. Not your password, card number or other members',
  },
  'account:write': {
    audience: 'member',
    access: 'write',
    group: 'Your learning',
    consent:
      'Change your name and picture, save where you stopped, mark lectures done, cancel event bookings. It cannot buy, refund or cancel a membership',
  },
}
