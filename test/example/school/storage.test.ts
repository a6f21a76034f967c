import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refuseUpload } from '../../../examples/school/src/school/upload-policy.js'
import { isTargetSigned, signTarget } from '../../../examples/school/src/school/upload-policy.js'
import { storageOperations } from '../../../examples/school/src/school/storage.js'
import { type Answer, openOperatorSchool, type OperatorSchool } from '../support/operator-school.js' // prettier-ignore
import { T } from '../../support/school/school.js'

const KEY = 'a key for tests'
let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorSchool((kit) => storageOperations(kit, { signingKey: KEY }))
})
afterAll(() => school.close())

const GUIDE = {
  filename: 'guide.pdf',
  content_type: 'application/pdf',
  size: 4_812_331,
  purpose: 'digital_product',
}
const [HASH, OTHER] = ['a1'.repeat(32), 'b2'.repeat(32)]

interface Begun extends Answer {
  readonly id: string
  readonly path: string
}
async function begin(fields: object = {}): Promise<Begun> {
  const answer = await school.call('POST', '/uploads', { body: { ...GUIDE, ...fields } })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const { id } = answer.body as { id: string }
  return { ...answer, id, path: `/uploads/${id}` }
}
const complete = ({ path }: Begun, sha256: string = HASH, role = 'owner') =>
  school.call('POST', `${path}/complete`, { body: { sha256 }, role })
const countOf = async (id: string): Promise<number> =>
  (await school.execute('select from school_upload where id = $1', [id])).rows.length

describe('an upload', () => {
  it('begins with a signed target, for 15 minutes', async () => {
    school.clock.now = T
    const { id, body } = await begin()
    const { target, ...upload } = body as { target: { url: string } }
    expect(upload).toEqual({
      id,
      ...GUIDE,
      sha256: null,
      state: 'awaiting',
      url: null,
      uploader_id: 'mem_owner',
      expires_at: '2026-11-20T09:15:00Z',
      created_at: '2026-11-20T09:00:00Z',
      updated_at: '2026-11-20T09:00:00Z',
    })
    expect(target).toEqual({
      method: 'PUT',
      url: expect.any(String) as string,
      content_type: 'application/pdf',
      expires_at: '2026-11-20T09:15:00Z',
    })
    const url = new URL(target.url)
    expect(url.origin + url.pathname).toBe(`https://site-lantern.example/uploads/${id}`)
    const signature = url.searchParams.get('signature')!
    const expiresAt = Number(url.searchParams.get('expires'))
    const check = (more: object) =>
      isTargetSigned([KEY], { site: 'site_lantern', id, expiresAt, signature, now: T, ...more })
    expect(check({})).toBe(true)
    expect(check({ now: T + 899 })).toBe(true)
    for (const other of [
      { now: T + 900 },
      { expiresAt: expiresAt + 1 },
      { id: 'upl_other' },
      { site: 'site_kiln' },
      { signature: `${signature}A` },
      { signature: '' },
    ])
      expect(check(other), JSON.stringify(other)).toBe(false)
    expect(signTarget('another key', { site: 'site_lantern', id, expiresAt })).not.toBe(signature)
  })

  it('is completed with the hash of its bytes, once', async () => {
    const upload = await begin()
    const done = await complete(upload)
    expect(done).toMatchObject({
      status: 200,
      body: {
        state: 'ready',
        sha256: HASH,
        url: `https://site-lantern.example/files/${upload.id}`,
      },
    })
    expect(done.body).not.toHaveProperty('target')
    school.clock.now += 3600
    expect((await complete(upload)).body).toEqual(done.body)
    expect(await complete(upload, OTHER)).toMatchObject({ status: 409, body: { code: 'conflict' } })
  })

  it('is held to the hash that it was begun with', async () => {
    const upload = await begin({ sha256: HASH })
    expect((await complete(upload, OTHER)).status).toBe(409)
    expect((await complete(upload, HASH)).status).toBe(200)
  })

  it('is awaited no longer than its target counts', async () => {
    const upload = await begin()
    school.clock.now += 900
    expect(await complete(upload)).toMatchObject({
      status: 409,
      body: { detail: 'the upload expired at expires_at: begin a new one' },
    })
    school.clock.now -= 1
    expect((await complete(upload)).status).toBe(200)
  })

  it.each([
    [
      'a download',
      `with p as (insert into school_digital_product (site, id, slug, title)
         values ('site_lantern', 'dgp_used', 'used', 'Used'))
       insert into school_digital_file values
         ('site_lantern', 'dgp_used', 0, 'a', 'b', 1, $1)`,
    ],
    [
      'a page',
      `with p as (insert into school_page values
         ('site_lantern', 'pag_used', 'used', 'Used', 'static', '/used', null, 1, 1))
       insert into school_page_deployment values
         ('site_lantern', 'dpl_used', 'pag_used', 1, $1, '', 'mem_owner', null, 1, 1)`,
    ],
    [
      'a lecture',
      `with c as (insert into school_course (site, id, slug, title, description, status, created_at, updated_at)
         values ('site_lantern', 'crs_used', 'used', 'Used', '', 'draft', 1, 1)),
       s as (insert into school_section (site, id, course_id, position, title)
         values ('site_lantern', 'sec_used', 'crs_used', 0, 'Used'))
       insert into school_lecture (site, id, course_id, section_id, position, title, kind, attachments)
       values ('site_lantern', 'lec_used', 'crs_used', 'sec_used', 0, 'Used', 'TEXT',
         jsonb_build_array(jsonb_build_object('url', 'https://site-lantern.example/files/' || $1)))`,
    ],
  ])('stays while %s has it', async (_, sql) => {
    const upload = await begin()
    await complete(upload)
    // The references of the rows are checked at the end of the statement.
    await school.execute(sql, [upload.id])
    expect(await school.call('DELETE', upload.path)).toMatchObject({
      status: 409,
      body: { detail: 'a lecture, a download or a page uses the file' },
    })
    expect(await countOf(upload.id)).toBe(1)
  })

  it('is shown to whoever began it, without its target', async () => {
    const upload = await begin()
    const { target: _, ...shown } = upload.body as { target: object }
    expect(await school.call('GET', upload.path)).toMatchObject({ status: 200, body: shown })
    expect((await school.call('GET', upload.path)).body).not.toHaveProperty('target')
    const done = await complete(upload)
    const answer = await school.call('GET', upload.path)
    expect(answer.body).toEqual(done.body)
    expect(answer.headers.get('etag')).toBe(done.headers.get('etag'))
    expect((await school.call('GET', upload.path, { scopes: ['courses:read'] })).status).toBe(403)
  })

  it('of somebody else is as unknown as one that never was', async () => {
    const upload = await begin()
    const stranger = { role: 'lecturer', body: { sha256: HASH } }
    for (const path of [upload.path, '/uploads/upl_nobody']) {
      const hidden = await school.call('GET', path, { role: 'manager' })
      expect(hidden).toMatchObject({ status: 404, body: { code: 'not_found' } })
      expect((await school.call('POST', `${path}/complete`, stranger)).status).toBe(404)
      const headers = { 'if-match': '"stale"' }
      const gone = await school.call('DELETE', path, { role: 'manager', headers })
      expect(gone).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    expect(await countOf(upload.id)).toBe(1)
  })

  it.each([
    ['a path as its name', 400, { filename: '../guide.pdf' }],
    ['a path of another system as its name', 400, { filename: '..\\guide.pdf' }],
    ['a hidden name', 400, { filename: '.htaccess' }],
    ['a line break in its name', 400, { filename: 'a\r\nb.pdf' }],
    ['no bytes', 400, { size: 0 }],
    ['a type with parameters', 400, { content_type: 'text/html; charset=utf-8' }],
    ['a hash that is none', 400, { sha256: 'A1'.repeat(32) }],
    ['a purpose that is none', 400, { purpose: 'backup' }],
    ['another type than its purpose has', 422, { content_type: 'text/html' }],
  ])('does not begin with %s: %i', async (_, status, fields) => {
    const body = { ...GUIDE, ...fields }
    expect((await school.call('POST', '/uploads', { body })).status).toBe(status)
  })
})

describe('what a file may be', () => {
  it.each([
    ['image', 'image/png', 10],
    ['digital_product', 'application/zip', 2047],
    ['lecture', 'video/mp4', 4096],
    ['page_bundle', 'application/zip', 5],
  ] as const)('depends on what it is for: %s %s of %i MB', (purpose, contentType, megabytes) => {
    const size = megabytes * 1024 * 1024
    expect(refuseUpload({ purpose, contentType, size })).toBeNull()
    expect(refuseUpload({ purpose, contentType, size: size + 1 })).toMatchObject({
      code: 'unprocessable',
      detail: `size for ${purpose} must be at most ${megabytes} MB`,
    })
    expect(refuseUpload({ purpose, contentType: 'image/svg+xml', size })).toMatchObject({
      code: 'unprocessable',
      detail: expect.stringContaining(`content_type for ${purpose} must be one of `) as string,
    })
  })
})
