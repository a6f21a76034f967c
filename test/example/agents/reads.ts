import type { Args } from './demo.js'

/** A call that reads, and the request of the admin API that answers the same. */
export interface Read {
  readonly tool: string
  readonly args: Args
  readonly path: string
}

const read = (tool: string, args: Args, path: string): Read => ({ tool, args, path })

/** Reads of everything that staff can see of the first school of the demo. */
export const READS: readonly Read[] = [
  read('list_courses', { state: 'draft', sort: 'title' }, '/courses?state=draft&sort=title'),
  read('get_course', { id: 'crs_l04' }, '/courses/crs_l04'),
  read('get_curriculum', { id: 'crs_l01' }, '/courses/crs_l01/curriculum'),
  read(
    'list_enrollments',
    { member_id: 'mem_l05', limit: 2 },
    '/enrollments?member_id=mem_l05&limit=2',
  ),
  read('get_student_progress', { id: 'enr_l1' }, '/enrollments/enr_l1'),
  read('list_members', { q: 'Mei' }, '/members?q=Mei'),
  read('get_member', { id: 'mem_l05' }, '/members/mem_l05'),
  ...['overview', 'revenue', 'enrollments', 'completion', 'engagement'].map((report) =>
    read(
      'get_analytics',
      { report, from: '2026-11-01', to: '2026-11-20', interval: 'week' },
      `/analytics/${report}?from=2026-11-01&to=2026-11-20&interval=week`,
    ),
  ),
  read('list_orders', { state: 'paid', limit: 3 }, '/orders?state=paid&limit=3'),
  read('get_order', { id: 'ord_l1' }, '/orders/ord_l1'),
  read('get_settings', { category: 'school' }, '/school'),
  read('get_settings', { category: 'appearance' }, '/appearance'),
  read('list_events', { fields: ['title', 'starts_at'] }, '/events?fields=title,starts_at'),
  read('get_event', { id: 'evt_l01' }, '/events/evt_l01'),
  read('list_event_registrations', { id: 'evt_l03' }, '/events/evt_l03/registrations'),
  read('list_membership_plans', {}, '/membership-plans'),
  read('list_subscriptions', {}, '/subscriptions'),
  read('list_coupons', { code: 'EARLY-BIRD' }, '/coupons?code=EARLY-BIRD'),
  read('list_posts', { access: 'public' }, '/posts?access=public'),
  read('get_post', { id: 'pst_l01' }, '/posts/pst_l01'),
  read('list_digital_products', {}, '/digital-products'),
  read('list_lecturers', {}, '/lecturers'),
  read('list_comments', {}, '/comments'),
  read('list_forms', {}, '/forms'),
  read('list_form_submissions', { id: 'frm_l01' }, '/forms/frm_l01/submissions'),
  read('list_pages', {}, '/pages'),
  read('get_page', { id: 'pag_l01' }, '/pages/pag_l01'),
  read('list_page_deployments', { id: 'pag_l01' }, '/pages/pag_l01/deployments'),
  read('get_subscription', { id: 'sub_l1' }, '/subscriptions/sub_l1'),
  read('get_digital_product', { id: 'dgp_l01' }, '/digital-products/dgp_l01'),
  read('get_coupon', { id: 'cpn_l02' }, '/coupons/cpn_l02'),
  read('get_form', { id: 'frm_l01' }, '/forms/frm_l01'),
  read('list_course_students', { id: 'crs_l01', limit: 2 }, '/courses/crs_l01/students?limit=2'),
]
