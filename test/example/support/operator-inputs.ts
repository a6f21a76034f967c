import type { Operation } from 'hallpass/admin'
import type { Execute } from 'hallpass/postgres'
import { LANTERN_SITE } from './operator-school.js'
import { T } from '../../support/school/school.js'

/** What each operation of the admin API is called with in its example, by its id: the rows are the demo's. */
export const EXAMPLE_INPUTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'analytics.get': { report: 'revenue', from: '2026-10-26', to: '2026-11-15', interval: 'week' },
  'appearance.get': {},
  'appearance.update': {
    colors: { accent: '#7a4b00', background: '#fffaf0', text: '#22201c' },
  },
  'comments.list': { subject_type: 'post', state: 'visible', limit: 2 },
  'comments.get': { id: 'cmt_l01' },
  'coupons.list': { state: 'active', limit: 2 },
  'coupons.get': { id: 'cpn_l01' },
  'coupons.create': {
    code: 'SPRING-25',
    name: 'Spring term',
    kind: 'percentage',
    amount: '25',
    ends_at: '2027-04-30T22:59:59Z',
    max_redemptions: 100,
  },
  'coupons.update': { id: 'cpn_l01', name: 'Welcome to the school', max_redemptions: 500 },
  'coupons.deactivate': { id: 'cpn_l01' },
  'courses.list': { state: 'published', limit: 2 },
  'courses.get': { id: 'crs_l01' },
  'courses.create': {
    slug: 'lino-cut',
    title: 'Lino Cut',
    subtitle: 'From a drawing to a print',
    description_html: '<p>Eight evenings with knife, roller and ink.</p>',
    lecturer_ids: ['lct_l01'],
    category: 'Printmaking',
    tags: ['beginners'],
    plans: [{ kind: 'one_time', price: { amount: '120.00', currency: 'EUR' } }],
  },
  'courses.update': { id: 'crs_l08', title: 'Colour Theory and Practice' },
  'courses.publish': { id: 'crs_l08' },
  'courses.unpublish': { id: 'crs_l07' },
  'courses.archive': { id: 'crs_l07' },
  'courses.delete': { id: 'crs_l08' },
  'curriculum.get': { id: 'crs_l06' },
  'curriculum.reorder': {
    id: 'crs_l06',
    sections: [{ id: 'sec_l06_1', lecture_ids: ['lec_l06_03', 'lec_l06_01', 'lec_l06_02'] }],
  },
  'digital_products.list': { state: 'published', limit: 2 },
  'digital_products.get': { id: 'dgp_l01' },
  'digital_products.create': {
    slug: 'hatching-sheets',
    title: 'Hatching Sheets',
    description_html: '<p>Twelve sheets to print.</p>',
    price: { amount: '6.00', currency: 'EUR' },
  },
  'digital_products.update': { id: 'dgp_l02', price: { amount: '14.00', currency: 'EUR' } },
  'digital_products.publish': { id: 'dgp_l02' },
  'digital_products.archive': { id: 'dgp_l01' },
  'enrollments.list': { course_id: 'crs_l01', access_state: 'active', limit: 2 },
  'enrollments.get': { id: 'enr_l1' },
  'enrollments.list_of_course': { id: 'crs_l01', access_state: 'active', limit: 2 },
  'enrollments.create': {
    course_id: 'crs_l06',
    member_id: 'mem_l10',
    access_source: 'gift',
    lifetime: true,
  },
  'enrollments.extend': { id: 'enr_l3', days: 30 },
  'enrollments.expire': { id: 'enr_l9' },
  'enrollments.suspend': { id: 'enr_l9' },
  'enrollments.resume': { id: 'enr_l4' },
  'enrollments.revoke': { id: 'enr_l9' },
  'event_registrations.list': { id: 'evt_l01', state: 'registered', limit: 2 },
  'event_registrations.check_in': { id: 'reg_l3' },
  'event_registrations.cancel': { id: 'reg_l1', reason: 'Cannot come.' },
  'event_registrations.no_show': { id: 'reg_l8' },
  'events.list': { state: 'published', online: true, limit: 2 },
  'events.get': { id: 'evt_l01' },
  'events.create': {
    slug: 'print-evening',
    title: 'Print Evening',
    description_html: '<p>Bring a drawing, take a print home.</p>',
    starts_at: '2027-02-12T18:00:00Z',
    ends_at: '2027-02-12T21:00:00Z',
    time_zone: 'Europe/Lisbon',
    online: false,
    venue: 'Lantern Street 7, Lisbon',
    capacity: 12,
    tickets: [{ name: 'One person', price: { amount: '18.00', currency: 'EUR' } }],
  },
  'events.update': { id: 'evt_l01', capacity: 8 },
  'events.publish': { id: 'evt_l07' },
  'events.cancel': { id: 'evt_l01', reason: 'The river is too high.' },
  'forms.list': { state: 'open', limit: 2 },
  'forms.get': { id: 'frm_l01' },
  'forms.list_submissions': { id: 'frm_l02', limit: 2 },
  'lecturers.list': { limit: 2 },
  'lecturers.get': { id: 'lct_l01' },
  'lecturers.create': {
    name: 'Vera Lund',
    slug: 'vera-lund',
    bio_html: '<p>Prints in two colours.</p>',
    links: [{ label: 'Prints', url: 'https://prints.example/vera' }],
  },
  'lecturers.update': { id: 'lct_l01', bio_html: '<p>Teaches the first course.</p>' },
  'lecturers.remove': { id: 'lct_l03' },
  'lectures.get': { id: 'lec_l06_01' },
  'lectures.create': {
    id: 'sec_l06_1',
    title: 'Drawing on the train',
    kind: 'video',
    duration_seconds: 540,
  },
  'lectures.update': { id: 'lec_l06_01', previewable: true },
  'lectures.delete': { id: 'lec_l06_01' },
  'members.list': { roles: ['student'], state: 'active', limit: 2 },
  'members.get': { id: 'mem_l05' },
  'members.invite': { email: 'vera.lund@example.com', name: 'Vera Lund', roles: ['lecturer'] },
  'members.update': { id: 'mem_l05', locale: 'zh-TW' },
  'members.set_tags': { id: 'mem_l05', tags: ['scholarship'] },
  'members.suspend': { id: 'mem_l06' },
  'members.reactivate': { id: 'mem_l12' },
  'membership_plans.list': { kind: 'recurring', limit: 2 },
  'membership_plans.get': { id: 'plan_l02' },
  'membership_plans.create': {
    name: 'Quarterly',
    kind: 'recurring',
    price: { amount: '52.00', currency: 'EUR' },
    interval: 'month',
    course_ids: ['crs_l01', 'crs_l02'],
  },
  'membership_plans.update': { id: 'plan_l02', trial_days: 7 },
  'membership_plans.archive': { id: 'plan_l04' },
  'orders.list': { state: 'paid', limit: 2 },
  'orders.get': { id: 'ord_l6' },
  'pages.list': { limit: 2 },
  'pages.get': { id: 'pag_l01' },
  'pages.create': {
    slug: 'workshops',
    title: 'Workshops',
    kind: 'static',
    path_prefix: '/workshops',
  },
  'pages.update': { id: 'pag_l02', title: 'Mix a palette' },
  'pages.remove': { id: 'pag_l02' },
  'pages.list_deployments': { id: 'pag_l01', limit: 2 },
  'pages.deploy': { id: 'pag_l02', upload_id: 'upl_page', note: 'First version' },
  'pages.promote': { id: 'pag_l01', deployment_id: 'dpl_l03' },
  'pages.rollback': { id: 'pag_l01', deployment_id: 'dpl_l01' },
  'posts.list': { state: 'published', limit: 2 },
  'posts.get': { id: 'pst_l01' },
  'posts.create': {
    slug: 'a-week-of-hands',
    title: 'A Week of Hands',
    excerpt: 'Seven drawings, seven mistakes.',
    body_html: '<p>On Monday I drew my left hand.</p>',
    author_id: 'mem_l03',
    tags: ['hands'],
    access: 'members',
  },
  'posts.update': { id: 'pst_l04', excerpt: 'Opening on the first of March.' },
  'posts.remove': { id: 'pst_l04' },
  'posts.publish': { id: 'pst_l04' },
  'posts.unpublish': { id: 'pst_l01' },
  'school.get': {},
  'school.update': { contact_email: 'office@lantern.example' },
  'sections.create': { id: 'crs_l06', title: 'On the way' },
  'sections.update': { id: 'sec_l06_1', title: 'First habits' },
  'sections.delete': { id: 'sec_l07_2' },
  'subscriptions.list': { state: 'active', limit: 2 },
  'subscriptions.get': { id: 'sub_l1' },
  'subscriptions.create': {
    member_id: 'mem_l10',
    plan_id: 'plan_l02',
    until: '2027-11-20T09:00:00Z',
  },
  'subscriptions.cancel': { id: 'sub_l4', at_period_end: true },
  'subscriptions.resume': { id: 'sub_l2' },
  'subscriptions.extend': { id: 'sub_l2', days: 14 },
  'uploads.get': { id: 'upl_lecture' },
  'uploads.create': {
    filename: 'jug.png',
    content_type: 'image/png',
    size: 240_112,
    purpose: 'image',
  },
  'uploads.complete': {
    id: 'upl_lecture',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  },
  'uploads.remove': { id: 'upl_lecture' },
}

/** What the demo does not have, and an example needs. */
const ADDED: readonly (readonly [statement: string, ...parameters: unknown[]])[] = [
  [upload("'upl_lecture', 'jug.mp4', 'video/mp4', 48123310, null, 'lecture', null"), T],
  [
    upload(
      `'upl_page', 'workshops.zip', 'application/zip', 940002, '${'9f'.repeat(32)}', 'page_bundle', $2`,
    ),
    T,
  ],
  [`update school_event set venue = 'Lantern Street 7, Lisbon' where site = $1 and id = 'evt_l07'`],
  [`update school_event_registration set state = 'REGISTERED' where site = $1 and id = 'l8'`],
  [
    `insert into school_section
     select (jsonb_populate_record(s, '{"id": "sec_l07_2", "title": "Empty", "position": 2}')).*
     from school_section s where site = $1 and id = 'sec_l07_1'`,
  ],
]

function upload(values: string): string {
  return `insert into school_upload (
      site, uploader_id, expires_at, created_at, updated_at,
      id, filename, content_type, size, sha256, purpose, completed_at
    ) values ($1, 'mem_owner', $2::bigint + 900, $2::bigint, $2::bigint, ${values})`
}

/** Inserts the rows that {@link EXAMPLE_INPUTS} needs besides those of the demo. */
export async function addExampleRows(execute: Execute): Promise<void> {
  for (const [statement, ...parameters] of ADDED)
    await execute(statement, [LANTERN_SITE, ...parameters])
}

type Input = Readonly<Record<string, unknown>>

/** Makes the request for an operation with an input. A read has its input in the query, and a write in its body. */
export function requestOf(
  { path, effect }: Pick<Operation, 'path' | 'effect'>,
  input: Input,
): { target: string; query: URLSearchParams; body?: Input } {
  const rest = new Map(Object.entries(input))
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  if (effect === 'write')
    return {
      target,
      query: new URLSearchParams(),
      ...(rest.size > 0 && { body: Object.fromEntries(rest) }),
    }
  const query = [...rest].map(([name, value]) => [name, String(value)] as [string, string])
  return { target, query: new URLSearchParams(query) }
}
