import { defineOperation } from 'hallpass/admin'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Answered, codeOf, courseOf, createTestApi, etagAt, type TestApi } from './support.js'
import { etagOf } from '../../src/admin/precondition.js'

describe('the version of an object', () => {
  it('is the same for the same members, whatever their order, and no other', () => {
    const tag = etagOf({ a: 1, b: [{ c: 2, d: null }, 'x'] })
    expect(tag).toMatch(/^"[\w-]{22}"$/)
    expect(etagOf({ b: [{ d: null, c: 2 }, 'x'], a: 1 })).toBe(tag)
    expect(etagOf({ a: 1, b: [{ c: 2, d: null }, 'x'], e: undefined })).toBe(tag)
    const others = [
      { a: 1, b: ['x', { c: 2, d: null }] },
      { a: '1', b: [{ c: 2, d: null }, 'x'] },
      { a: 1, b: [{ c: 2 }, 'x'] },
      { a: 1, b: { 0: { c: 2, d: null }, 1: 'x' } },
      { a: 1 },
      {},
      [],
      null,
      undefined,
    ].map(etagOf)
    expect(others).not.toContain(tag)
    expect(new Set(others).size).toBe(others.length - 1)
  })

  it('comes with the object, from whatever reads or writes it', async () => {
    const { call } = await createTestApi()
    const read = await call('GET /courses/crs_1')
    const tags = [
      read,
      await call('PATCH /courses/crs_1', { body: {} }),
      await call('POST /courses/crs_1/publish'),
      await call('GET /courses/crs_1'),
    ].map(({ headers }) => headers['etag'])
    expect(tags[0]).toBe(etagOf(courseOf(1)))
    expect(tags[1]).toBe(tags[0])
    expect(tags[2]).toBe(etagOf({ ...courseOf(1), state: 'published' }))
    expect(tags[3]).toBe(tags[2])
  })
})

describe('If-None-Match', () => {
  const get = async (ifNoneMatch: (etag: string) => string): Promise<Answered> => {
    const api = await createTestApi()
    const etag = await etagAt(api, '/courses/crs_1')
    return api.call('GET /courses/crs_1', { headers: { 'if-none-match': ifNoneMatch(etag) } })
  }

  it.each<[string, (etag: string) => string]>([
    ['the version', (etag) => etag],
    ['the version as a proxy weakened it', (etag) => `W/${etag}`],
    ['a list with the version', (etag) => `"old", W/"older" ,${etag}`],
    ['any version', () => ' * '],
  ])('with %s saves the body', async (_, header) => {
    const { status, headers, text } = await get(header)
    expect([status, text, headers['etag']]).toEqual([304, '', etagOf(courseOf(1))])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Authorization' })
    expect(headers).not.toHaveProperty('content-type')
  })

  it.each<[string, (etag: string) => string]>([
    ['another version', () => '"old"'],
    ['the version without its quotes', (etag) => etag.slice(1, -1)],
    ['two versions in one', (etag) => `"old,${etag.slice(1)}`],
    ['nothing', () => ''],
    ['half a version', (etag) => etag.slice(0, -1)],
  ])('with %s gets the object', async (_, header) => {
    const answered = await get(header)
    expect([answered.status, answered.body]).toEqual([200, courseOf(1)])
  })

  it('does not stop a write', async () => {
    const { call } = await createTestApi()
    const headers = { 'if-none-match': '*' }
    expect(codeOf(await call('PATCH /courses/crs_1', { headers, body: {} }))).toBe('200 -')
  })
})

describe('If-Match', () => {
  const patch = ({ call }: TestApi, ifMatch: string, title = 'Mine') =>
    call('PATCH /courses/crs_1', { headers: { 'if-match': ifMatch }, body: { title } })

  it.each<[string, (etag: string) => string]>([
    ['the version', (etag) => etag],
    ['the version among others', (etag) => `"old",\t${etag} , W/"older"`],
    ['any version', () => '*'],
  ])('with %s writes', async (_, header) => {
    const api = await createTestApi()
    const answered = await patch(api, header(await etagAt(api, '/courses/crs_1')))
    expect([codeOf(answered), api.table.rows.get('crs_1')!.title]).toEqual(['200 -', 'Mine'])
    expect(answered.headers['etag']).toBe(await etagAt(api, '/courses/crs_1'))
  })

  it.each<[string, (etag: string) => string]>([
    ['another version', () => '"old"'],
    ['a weak version', (etag) => `W/${etag}`],
    ['an empty version', () => '""'],
    ['two versions in one', (etag) => `"old,${etag.slice(1)}`],
  ])('with %s writes nothing', async (_, header) => {
    const api = await createTestApi()
    const answered = await patch(api, header(await etagAt(api, '/courses/crs_1')))
    expect(answered.body).toMatchObject({
      status: 412,
      code: 'precondition_failed',
      detail: 'the object has changed: read it again',
    })
    expect(api.table.rows.get('crs_1')).toEqual(courseOf(1))
    expect(api.events.map(({ type, reason }) => [type, reason])).toEqual([
      ['api.denied', 'precondition_failed'],
    ])
  })

  it.each<[string, (etag: string) => string]>([
    ['no quotes', (etag) => etag.slice(1, -1)],
    ['half a version', (etag) => etag.slice(0, -1)],
    ['nothing', () => ''],
    ['a comma too many', (etag) => `${etag},`],
    ['a star among versions', (etag) => `*, ${etag}`],
    ['a small w', (etag) => `w/${etag}`],
  ])('with %s is refused, and nothing runs', async (_, header) => {
    const api = await createTestApi()
    const etag = await etagAt(api, '/courses/crs_1')
    const answered = await patch(api, header(etag))
    expect(answered.body).toMatchObject({
      code: 'invalid_request',
      detail: 'If-Match must be an ETag exactly as received',
    })
    expect(api.table.runs).toEqual(['courses.get'])
  })

  it('of a hundred kilobytes is read at once', async () => {
    const api = await createTestApi()
    for (const header of [
      `"${'a'.repeat(100_000)}`,
      '"a",'.repeat(25_000),
      `"a"${' '.repeat(100_000)},`,
    ])
      expect(codeOf(await patch(api, header))).toBe('400 invalid_request')
  })

  it('is not needed where it is optional', async () => {
    const { call, table } = await createTestApi()
    expect(codeOf(await call('PATCH /courses/crs_1', { body: { title: 'Mine' } }))).toBe('200 -')
    expect(codeOf(await call('DELETE /courses/crs_2'))).toBe('204 -')
    expect([...table.rows.keys()]).toEqual(['crs_1', 'crs_3'])
  })

  it('guards a deletion too', async () => {
    const api = await createTestApi()
    const etag = await etagAt(api, '/courses/crs_1')
    await api.call('PATCH /courses/crs_1', { body: { title: 'Other' } })
    const remove = (ifMatch: string) =>
      api.call('DELETE /courses/crs_1', { headers: { 'if-match': ifMatch } })
    expect(codeOf(await remove(etag))).toBe('412 precondition_failed')
    const gone = await remove(await etagAt(api, '/courses/crs_1'))
    expect([gone.status, gone.text, gone.headers['etag']]).toEqual([204, '', undefined])
    expect(codeOf(await remove('*'))).toBe('404 not_found')
  })

  it('must come where it is required', async () => {
    const api = await createTestApi()
    const reorder = (headers: Record<string, string>) =>
      api.call('PUT /courses/crs_1/curriculum/order', { headers, body: { lecture_ids: ['lec_2'] } })
    expect((await reorder({})).body).toMatchObject({
      status: 428,
      code: 'precondition_required',
      detail: 'If-Match is required: send the ETag that you read',
    })
    expect(api.table.runs).toEqual([])
    const etag = await etagAt(api, '/courses/crs_1')
    expect(codeOf(await reorder({ 'if-match': etag }))).toBe('200 -')
    expect(codeOf(await reorder({ 'if-match': etag }))).toBe('412 precondition_failed')
  })

  it('is not ignored by a write that does not know it', async () => {
    const { call, table } = await createTestApi()
    const answered = await call('POST /courses/crs_1/publish', { headers: { 'if-match': '"old"' } })
    expect(answered.body).toMatchObject({
      code: 'invalid_request',
      detail: 'this operation does not support If-Match: send the request without it',
    })
    expect(table.runs).toEqual([])
    expect(codeOf(await call('GET /courses/crs_1', { headers: { 'if-match': '"old"' } }))).toBe(
      '200 -',
    )
  })

  it('lets exactly one of many writers through', async () => {
    const api = await createTestApi()
    const etag = await etagAt(api, '/courses/crs_1')
    const titles = Array.from({ length: 20 }, (_, index) => `Writer ${index}`)
    const answers = await Promise.all(titles.map((title) => patch(api, etag, title)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19)
    expect(won[0]!.body).toEqual(api.table.rows.get('crs_1'))
  })
})

describe('an operation that does not ask its precondition', () => {
  const careless = () =>
    createTestApi({
      operations: [
        defineOperation({
          id: 'courses.touch',
          summary: 'Touch',
          scope: 'courses:write',
          effect: 'write',
          method: 'PUT',
          path: '/touch',
          input: z.strictObject({}),
          output: z.object({}),
          precondition: 'optional',
          run: async () => ({}),
        }),
      ],
    })

  it('has a fault, and what it did is not acknowledged', async () => {
    const { call, events, faults } = await careless()
    const answered = await call('PUT /touch', { headers: { 'if-match': '"a"' } })
    expect([codeOf(answered), answered.headers['etag'], events]).toEqual([
      '500 internal',
      undefined,
      [],
    ])
    expect(faults).toEqual([
      {
        fault: new Error('courses.touch did not call precondition.check'),
        requestId: answered.headers['x-request-id'],
      },
    ])
  })

  it('has none where there was nothing to ask', async () => {
    const { call, faults } = await careless()
    expect(codeOf(await call('PUT /touch'))).toBe('200 -')
    expect(codeOf(await call('PUT /touch', { headers: { 'if-match': '*' } }))).toBe('200 -')
    expect(faults).toEqual([])
  })
})
