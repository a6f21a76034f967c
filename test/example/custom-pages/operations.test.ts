import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedPages } from '../../../examples/school/src/custom-pages/demo.js'
import { refuseLive, refusePathPrefix } from '../../../examples/school/src/custom-pages/rules.js'
import { pageOperations } from '../../../examples/school/src/custom-pages/operations.js'
import { idsOf } from '../support/operator-checks.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { type Answer, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo(pageOperations, seedPages)
})
afterAll(() => school.close())

const LIVE = {
  id: 'dpl_l02',
  page_id: 'pag_l01',
  number: 2,
  state: 'live',
  upload_id: 'upl_l12',
  note: 'Opening hours',
  size: 934_118,
  sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  deployed_by: 'mem_l02',
  promoted_at: '2026-10-21T10:00:00Z',
  created_at: '2026-10-21T09:00:00Z',
  updated_at: '2026-10-21T09:00:00Z',
}

let count = 0
async function create(fields: object = {}): Promise<Answer & { id: string; path: string }> {
  const name = `made-${(count += 1)}`
  const body = { slug: name, title: 'Made', kind: 'static', path_prefix: `/${name}`, ...fields }
  const answer = await school.call('POST', '/pages', { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const { id } = answer.body as { id: string }
  return { ...answer, id, path: `/pages/${id}` }
}
async function deploy(path: string, fields: object = {}): Promise<string> {
  const body = { upload_id: 'upl_l11', ...fields }
  const answer = await school.call('POST', `${path}/deployments`, { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return (answer.body as { id: string }).id
}
const verb = (name: 'promote' | 'rollback', path: string, deployment_id: string) =>
  school.call('POST', `${path}/${name}`, { body: { deployment_id } })

describe('pages', () => {
  it.each([
    ['', ['pag_l02', 'pag_l01']],
    ['sort=path_prefix', ['pag_l01', 'pag_l02']],
    ['kind=app', ['pag_l02']],
    ['state=live', ['pag_l01']],
    ['slug=palette', ['pag_l02']],
    ['path_prefix=/exhibition', ['pag_l01']],
    ['q=mixer', ['pag_l02']],
    ['updated_since=2026-11-01T00:00:00Z', ['pag_l02']],
  ])('are listed by %s', async (query, ids) => {
    expect(await idsOf(school, `/pages?${query}`)).toEqual(ids)
  })

  it('say what is live and what was deployed', async () => {
    expect((await school.call('GET', '/pages/pag_l01')).body).toEqual({
      id: 'pag_l01',
      slug: 'exhibition',
      title: 'Exhibition',
      kind: 'static',
      path_prefix: '/exhibition',
      state: 'live',
      current_deployment: LIVE,
      deployments: [
        expect.objectContaining({ id: 'dpl_l03', state: 'preview', promoted_at: null }),
        LIVE,
        expect.objectContaining({ id: 'dpl_l01', state: 'retired' }),
      ],
      created_at: '2026-09-20T09:00:00Z',
      updated_at: '2026-09-20T09:00:00Z',
    })
  })

  it('begin as drafts, with nothing deployed', async () => {
    const { body, path } = await create({ kind: 'app' })
    expect(body).toMatchObject({
      kind: 'app',
      state: 'draft',
      current_deployment: null,
      deployments: [],
    })
    expect((await school.call('GET', path)).body).toEqual(body)
  })

  it('are changed', async () => {
    const { path } = await create()
    const body = { title: 'Better', path_prefix: '/better/still' }
    expect((await school.call('PATCH', path, { body })).body).toMatchObject(body)
  })

  it.each([
    ['the sign-in', '/sign-in'],
    ['something below the authorization server', '/oauth/authorize'],
    ['the API', '/api'],
    ['the courses', '/courses/free'],
  ])('stand nowhere in front of %s', async (_, path_prefix) => {
    const body = { slug: 'never', title: 'Never', kind: 'static', path_prefix }
    expect((await school.call('POST', '/pages', { body })).status).toBe(422)
    const changed = await school.call('PATCH', '/pages/pag_l02', { body: { path_prefix } })
    expect(changed).toMatchObject({ status: 422, body: { code: 'unprocessable' } })
  })

  it.each([
    ['the whole school', '/'],
    ['a slash at its end', '/a/'],
    ['two slashes', '//a.example'],
    ['dots', '/a/../oauth'],
    ['an escape', '/%6fauth'],
    ['capitals', '/OAuth'],
    ['nothing in front', 'a'],
  ])('have no path with %s', async (_, path_prefix) => {
    const body = { slug: 'never', title: 'Never', kind: 'static', path_prefix }
    expect((await school.call('POST', '/pages', { body })).status).toBe(400)
  })

  it('have a path that no other page has', async () => {
    const body = { slug: 'again', title: 'Again', kind: 'static', path_prefix: '/exhibition' }
    expect((await school.call('POST', '/pages', { body })).status).toBe(409)
    expect((await school.call('PATCH', '/pages/pag_l02', { body: { slug: 'exhibition' } })).status).toBe(409) // prettier-ignore
  })

  it('never change their kind', async () => {
    const { status } = await school.call('PATCH', '/pages/pag_l02', { body: { kind: 'static' } })
    expect(status).toBe(400)
  })

  it('are deleted with their deployments, by whoever knows their latest version', async () => {
    const { path, headers } = await create()
    const stale = { 'if-match': headers.get('etag')! }
    school.clock.now += 60
    const deployment = await deploy(path)
    await verb('promote', path, deployment)
    expect((await school.call('DELETE', path, { headers: stale })).status).toBe(412)
    expect((await school.call('DELETE', `${path}?dry_run=true`)).status).toBe(200)
    expect((await school.call('GET', path)).status).toBe(200)
    expect((await school.call('DELETE', path)).status).toBe(204)
    expect((await school.call('GET', path)).status).toBe(404)
    const left = 'select from school_page_deployment where id = $1'
    expect((await school.execute(left, [deployment])).rows).toEqual([])
    const upload = `select from school_upload where id = 'upl_l11'`
    expect((await school.execute(upload, [])).rows).toHaveLength(1)
  })
})

describe('the deployments of a page', () => {
  it.each([
    ['', ['dpl_l03', 'dpl_l02', 'dpl_l01']],
    ['sort=number', ['dpl_l01', 'dpl_l02', 'dpl_l03']],
    ['state=retired', ['dpl_l01']],
    ['deployed_by=mem_l01', []],
    ['q=rooms', ['dpl_l03', 'dpl_l01']],
  ])('are listed by %s', async (query, ids) => {
    expect(await idsOf(school, `/pages/pag_l01/deployments?${query}`)).toEqual(ids)
  })

  it('are previews first, then live, and something to go back to', async () => {
    const { path } = await create()
    const [first, second] = [await deploy(path, { note: 'One' }), await deploy(path)]
    const read = async () => (await school.call('GET', path)).body
    expect(await read()).toMatchObject({
      state: 'draft',
      current_deployment: null,
      deployments: [
        { id: second, number: 2, state: 'preview', note: '', deployed_by: 'mem_owner' },
        { id: first, number: 1, state: 'preview', note: 'One', size: 812_330 },
      ],
    })
    const states = async () =>
      ((await read()) as { deployments: { state: string }[] }).deployments.map(({ state }) => state)
    expect((await verb('promote', path, first)).body).toMatchObject({
      state: 'live',
      current_deployment: { id: first },
    })
    expect(await states()).toEqual(['preview', 'live'])
    await verb('promote', path, second)
    expect(await states()).toEqual(['live', 'retired'])
    await verb('rollback', path, first)
    expect(await states()).toEqual(['retired', 'live'])
    await verb('rollback', path, second)
    expect(await states()).toEqual(['live', 'retired'])
  })

  it.each(['promote', 'rollback'] as const)(
    '%s to what is live already changes nothing',
    async (name) => {
      const before = await school.call('GET', '/pages/pag_l01')
      school.clock.now += 60
      expect(await verb(name, '/pages/pag_l01', 'dpl_l02')).toMatchObject({
        status: 200,
        body: before.body as object,
      })
    },
  )

  it('are promoted when they were never live, and rolled back to when they were', async () => {
    expect(await verb('promote', '/pages/pag_l01', 'dpl_l01')).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'the deployment was live before: use rollback' },
    })
    expect(await verb('rollback', '/pages/pag_l01', 'dpl_l03')).toMatchObject({
      status: 409,
      body: { code: 'conflict', detail: 'the deployment was never live: use promote' },
    })
    const body = { deployment_id: 'dpl_l03' }
    const dry = await school.call('POST', '/pages/pag_l01/promote?dry_run=true', { body })
    expect(dry.body).toMatchObject({ would_change: { current_deployment: { id: 'dpl_l03' } } })
    expect((await school.call('GET', '/pages/pag_l01')).body).toMatchObject({
      current_deployment: LIVE,
    })
  })

  it.each(['dpl_l03', 'dpl_k01', 'dpl_nobody'])(
    'of another page do not go live: %s',
    async (id) => {
      const { path } = await create()
      for (const name of ['promote', 'rollback'] as const)
        expect(await verb(name, path, id)).toMatchObject({
          status: 422,
          body: { detail: 'deployment_id must be the id of a deployment of this page' },
        })
    },
  )

  it.each([
    ['is of another school', 'upl_k11'],
    ['never was', 'upl_nobody'],
    ['is for something else', 'upl_l01'],
    ['is still awaited', 'upl_awaited'],
  ])('are made of no upload that %s', async (_, upload_id) => {
    await school.execute(
      `insert into school_upload values ('site_lantern', 'upl_awaited', 'a.zip', 'application/zip',
         1, null, 'page_bundle', 'mem_l02', 1, null, 1, 1) on conflict do nothing`,
      [],
    )
    const { path } = await create()
    expect(await school.call('POST', `${path}/deployments`, { body: { upload_id } })).toMatchObject(
      {
        status: 422,
        body: { detail: `${upload_id} must be a completed upload for the purpose page_bundle` },
      },
    )
    expect(await idsOf(school, `${path}/deployments`)).toEqual([])
  })

  it('stand in a page as far as the last twenty', async () => {
    const { path } = await create()
    for (let one = 0; one < 21; one += 1) await deploy(path)
    const { body } = await school.call('GET', path)
    const { deployments } = body as { deployments: { number: number }[] }
    expect(deployments.map(({ number }) => number)).toEqual(
      Array.from({ length: 20 }, (_, index) => 21 - index),
    )
  })
})

describe('a path', () => {
  it.each(['/exhibition', '/tools/palette', '/oauth2', '/my/oauth'])('may be %s', (path) => {
    expect(refusePathPrefix(path)).toBeNull()
  })
  it.each(['/oauth', '/account/graphql', '/files', '/well-known'])('may not be %s', (path) => {
    const [, first] = path.split('/')
    expect(refusePathPrefix(path)).toMatchObject({
      code: 'unprocessable',
      detail: `the school uses the paths below /${first} itself`,
    })
  })
})

describe('going live', () => {
  it.each([
    ['promote', 'preview', null],
    ['promote', 'live', null],
    ['promote', 'retired', 'conflict'],
    ['rollback', 'preview', 'conflict'],
    ['rollback', 'live', null],
    ['rollback', 'retired', null],
  ] as const)('by %s from %s: %s', (name, state, code) => {
    expect(refuseLive(name, state)?.code ?? null).toBe(code)
  })
})
