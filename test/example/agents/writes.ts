import type { Args } from './demo.js'

/** Calls a tool as the owner and answers what it has under `data`. */
export type Make = (tool: string, args: Args) => Promise<Args>

/** A call that writes. */
export interface Write {
  readonly tool: string
  /** What there has to be before, and the arguments. */
  readonly args: (make: Make) => Promise<Args> | Args
  /** Of the object afterwards; `null` = it is gone. */
  readonly after: Args | null
  /** How much later than the demo was seeded, in seconds. */
  readonly later?: number
}

const write = (tool: string, args: Args | Write['args'], after: Args | null): Write => ({
  tool,
  args: typeof args === 'function' ? args : () => args,
  after,
})

let made = 0
/** A slug that nothing has yet. */
const slug = (): string => `made-${++made}`

const course = async (make: Make): Promise<string> =>
  (await make('create_course', { slug: slug(), title: 'Ink' }))['id'] as string
const section = async (make: Make): Promise<string> => {
  const args = { action: 'create_section', id: await course(make), title: 'One' }
  return (await make('save_lecture', args))['id'] as string
}
const lecture = async (make: Make): Promise<string> => {
  const args = { action: 'create', id: await section(make), title: 'Lines', kind: 'video' }
  return (await make('save_lecture', args))['id'] as string
}
const enrollment = async (make: Make): Promise<string> => {
  const course_id = await course(make)
  await make('set_course_state', { action: 'publish', id: course_id })
  const expires_at = '2026-12-20T09:00:00Z'
  const args = { course_id, member_id: 'mem_l06', expires_at }
  return (await make('enroll_student', args))['id'] as string
}
const EVENT = {
  title: 'Ink day',
  starts_at: '2027-02-01T10:00:00Z',
  ends_at: '2027-02-01T16:00:00Z',
  time_zone: 'Europe/Lisbon',
  online: false,
  venue: 'The studio',
}
const event = async (make: Make): Promise<string> =>
  (await make('save_event', { action: 'create', slug: slug(), ...EVENT }))['id'] as string
const price = { amount: '20.00', currency: 'EUR' }
const plan = async (make: Make): Promise<string> => {
  const args = { action: 'create', name: 'All', kind: 'recurring', interval: 'month', price }
  return (await make('save_membership_plan', args))['id'] as string
}
const subscription = async (make: Make): Promise<string> => {
  const args = { action: 'grant', member_id: 'mem_l06', plan_id: await plan(make) }
  return (await make('change_subscription', args))['id'] as string
}
const coupon = async (make: Make): Promise<string> => {
  const args = { action: 'create', code: `INK-${++made}`, name: 'Ink', kind: 'percentage' }
  return (await make('save_coupon', { ...args, amount: '10' }))['id'] as string
}
const post = async (make: Make): Promise<string> => {
  const args = { action: 'create', slug: slug(), title: 'Ink', body_html: '<p>Black.</p>' }
  return (await make('save_post', args))['id'] as string
}
const product = async (make: Make): Promise<string> => {
  const file = await upload(make, 'digital_product', 'application/pdf')
  const args = { slug: slug(), title: 'Inks', price, files: [{ upload_id: file }] }
  return (await make('save_digital_product', { action: 'create', ...args }))['id'] as string
}
const lecturer = async (make: Make): Promise<string> =>
  (await make('save_lecturer', { action: 'create', slug: slug(), name: 'Rui' }))['id'] as string

const SHA = 'a'.repeat(64)
const awaited = async (make: Make, purpose: string, content_type: string): Promise<string> => {
  const args = { filename: 'a.bin', content_type, size: 9, purpose }
  return (await make('create_upload', args))['id'] as string
}
async function upload(make: Make, purpose: string, type: string): Promise<string> {
  const id = await awaited(make, purpose, type)
  await make('complete_upload', { id, sha256: SHA })
  return id
}
const pageArgs = () => ({
  slug: slug(),
  title: 'Fair',
  kind: 'static',
  path_prefix: `/${slug()}`,
})
const page = async (make: Make): Promise<string> =>
  (await make('create_page', pageArgs()))['id'] as string
const bundle = (make: Make): Promise<string> => upload(make, 'page_bundle', 'application/zip')
async function deployed(make: Make): Promise<{ id: string; deployment_id: string }> {
  const id = await page(make)
  const args = { action: 'deploy', id, upload_id: await bundle(make) }
  return { id, deployment_id: (await make('deploy_page', args))['id'] as string }
}
/** A page in its second release, and the first. */
async function released(make: Make): Promise<{ id: string; deployment_id: string }> {
  const first = await deployed(make)
  const again = { action: 'deploy', id: first.id, upload_id: await bundle(make) }
  const second = (await make('deploy_page', again))['id'] as string
  for (const deployment_id of [first.deployment_id, second])
    await make('deploy_page', { action: 'promote', id: first.id, deployment_id })
  return first
}

/** Every thing that the tools of staff do, each to something of its own. */
export const WRITES: readonly Write[] = [
  write('create_course', () => ({ slug: slug(), title: 'Ink' }), { title: 'Ink', state: 'draft' }),
  write('update_course', async (make) => ({ id: await course(make), title: 'Pen' }), {
    title: 'Pen',
  }),
  write('set_course_state', async (make) => ({ action: 'publish', id: await course(make) }), {
    state: 'published',
  }),
  write('set_course_state', { action: 'unpublish', id: 'crs_l01' }, { state: 'draft' }),
  write('set_course_state', { action: 'archive', id: 'crs_l02' }, { state: 'archived' }),
  write(
    'save_lecture',
    async (make) => ({ action: 'create_section', id: await course(make), title: 'Two' }),
    { title: 'Two' },
  ),
  write(
    'save_lecture',
    async (make) => ({ action: 'update_section', id: await section(make), title: 'Two' }),
    { title: 'Two' },
  ),
  write(
    'save_lecture',
    async (make) => ({ action: 'create', id: await section(make), title: 'Dots', kind: 'text' }),
    { title: 'Dots', kind: 'text', state: 'draft' },
  ),
  write(
    'save_lecture',
    async (make) => ({ action: 'update', id: await lecture(make), state: 'published' }),
    { title: 'Lines', state: 'published' },
  ),
  write('delete_lecture', async (make) => ({ id: await lecture(make) }), null),
  write(
    'enroll_student',
    async (make) => {
      const course_id = await course(make)
      await make('set_course_state', { action: 'publish', id: course_id })
      return { course_id, member_id: 'mem_l07', lifetime: true }
    },
    { member_id: 'mem_l07', lifetime: true, access_state: 'active', access_source: 'granted' },
  ),
  write(
    'set_enrollment_access',
    async (make) => ({ action: 'extend', id: await enrollment(make), days: 10 }),
    { expires_at: '2026-12-30T09:00:00Z' },
  ),
  write(
    'set_enrollment_access',
    async (make) => ({ action: 'expire', id: await enrollment(make) }),
    { access_state: 'expired' },
  ),
  write(
    'set_enrollment_access',
    async (make) => ({ action: 'suspend', id: await enrollment(make) }),
    { access_state: 'suspended' },
  ),
  write(
    'set_enrollment_access',
    async (make) => {
      const id = await enrollment(make)
      await make('set_enrollment_access', { action: 'suspend', id })
      return { action: 'resume', id }
    },
    { access_state: 'active' },
  ),
  write('revoke_enrollment', async (make) => ({ id: await enrollment(make) }), {
    access_state: 'revoked',
  }),
  write('invite_member', () => ({ email: `${slug()}@example.com`, roles: ['assistant'] }), {
    state: 'invited',
    roles: ['assistant'],
  }),
  write('update_member', { action: 'update', id: 'mem_l06', name: 'Jonas B.' }, { name: 'Jonas B.' }), // prettier-ignore
  write('update_member', { action: 'set_tags', id: 'mem_l06', tags: ['ink'] }, { tags: ['ink'] }),
  write('set_member_state', { action: 'suspend', id: 'mem_l08' }, { state: 'suspended' }),
  write('set_member_state', { action: 'reactivate', id: 'mem_l12' }, { state: 'active' }),
  write('save_event', () => ({ action: 'create', slug: slug(), ...EVENT }), { state: 'draft' }),
  write('save_event', async (make) => ({ action: 'update', id: await event(make), capacity: 9 }), {
    capacity: 9,
  }),
  write('save_event', async (make) => ({ action: 'publish', id: await event(make) }), {
    state: 'published',
  }),
  write('check_in_attendee', { action: 'check_in', id: 'reg_l1' }, { state: 'checked_in' }),
  {
    // Ink Night is tomorrow.
    ...write('check_in_attendee', { action: 'no_show', id: 'reg_l3' }, { state: 'no_show' }),
    later: 2 * 86_400,
  },
  write('cancel_event', async (make) => ({ id: await event(make), reason: 'Rain' }), {
    state: 'cancelled',
  }),
  write(
    'save_membership_plan',
    { action: 'create', name: 'Life', kind: 'lifetime', price },
    { name: 'Life', state: 'active' },
  ),
  write(
    'save_membership_plan',
    async (make) => ({ action: 'update', id: await plan(make), visible: false }),
    { visible: false },
  ),
  write('save_membership_plan', async (make) => ({ action: 'archive', id: await plan(make) }), {
    state: 'archived',
  }),
  write(
    'change_subscription',
    async (make) => ({ action: 'grant', member_id: 'mem_l06', plan_id: await plan(make) }),
    { member_id: 'mem_l06', state: 'active', granted: true },
  ),
  write(
    'change_subscription',
    async (make) => ({ action: 'cancel', id: await subscription(make), at_period_end: false }),
    { state: 'canceled' },
  ),
  write(
    'change_subscription',
    async (make) => {
      const id = await subscription(make)
      await make('change_subscription', { action: 'cancel', id })
      return { action: 'resume', id }
    },
    { state: 'active' },
  ),
  write(
    'change_subscription',
    async (make) => ({ action: 'extend', id: await subscription(make), days: 3 }),
    { current_period_end: '2026-12-23T09:00:00Z' },
  ),
  write(
    'save_coupon',
    { action: 'create', code: 'INK-DAY', name: 'Ink', kind: 'percentage', amount: '10' },
    { code: 'INK-DAY', state: 'active' },
  ),
  write(
    'save_coupon',
    async (make) => ({ action: 'update', id: await coupon(make), amount: '15' }),
    { amount: '15' },
  ),
  write('save_coupon', async (make) => ({ action: 'deactivate', id: await coupon(make) }), {
    state: 'deactivated',
  }),
  write('save_post', () => ({ action: 'create', slug: slug(), title: 'Ink' }), {
    state: 'draft',
    author_id: 'mem_l01',
  }),
  write('save_post', async (make) => ({ action: 'update', id: await post(make), title: 'Pen' }), {
    title: 'Pen',
  }),
  write('save_post', async (make) => ({ action: 'publish', id: await post(make) }), {
    state: 'published',
  }),
  write('save_post', { action: 'unpublish', id: 'pst_l01' }, { state: 'draft' }),
  write('delete_post', async (make) => ({ id: await post(make) }), null),
  write('save_digital_product', () => ({ action: 'create', slug: slug(), title: 'Inks', price }), {
    state: 'draft',
    files: [],
  }),
  write(
    'save_digital_product',
    async (make) => ({ action: 'update', id: await product(make), title: 'Pens' }),
    { title: 'Pens' },
  ),
  write('save_digital_product', async (make) => ({ action: 'publish', id: await product(make) }), {
    state: 'published',
  }),
  write('save_digital_product', { action: 'archive', id: 'dgp_l01' }, { state: 'archived' }),
  write('save_lecturer', () => ({ action: 'create', slug: slug(), name: 'Rui' }), { name: 'Rui' }),
  write(
    'save_lecturer',
    async (make) => ({ action: 'update', id: await lecturer(make), name: 'Rui M.' }),
    { name: 'Rui M.' },
  ),
  write(
    'create_upload',
    { filename: 'a.png', content_type: 'image/png', size: 9, purpose: 'image' },
    { state: 'awaiting', target: { method: 'PUT', content_type: 'image/png' } },
  ),
  write(
    'complete_upload',
    async (make) => ({ id: await awaited(make, 'image', 'image/png'), sha256: SHA }),
    { state: 'ready', sha256: SHA },
  ),
  write('create_page', pageArgs, { state: 'draft' }),
  write(
    'deploy_page',
    async (make) => ({ action: 'deploy', id: await page(make), upload_id: await bundle(make) }),
    { state: 'preview', number: 1 },
  ),
  write('deploy_page', async (make) => ({ action: 'promote', ...(await deployed(make)) }), {
    state: 'live',
    current_deployment: { number: 1 },
  }),
  write('rollback_page', released, { state: 'live', current_deployment: { number: 1 } }),
]
