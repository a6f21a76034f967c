import { defineOperation } from 'hallpass/admin'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { TAGGED_FLAGS, UNSEEN } from '../support/http/characters.js'
import { ISSUER } from '../support/school/school.js'
import { type Answered, codeOf, createTestApi } from './support.js'

const Level = z.int().min(1).max(9).meta({ id: 'Level' })

/** An operation that answers what it was given. */
async function echo(
  shape: z.ZodRawShape,
  { method = 'GET', path = '/echo' }: { method?: 'GET' | 'POST' | 'DELETE'; path?: string } = {},
) {
  const { call } = await createTestApi({
    operations: [
      defineOperation({
        id: 'courses.echo',
        summary: 'Say it again',
        scope: method === 'GET' ? 'courses:read' : 'courses:write',
        effect: method === 'GET' ? 'read' : 'write',
        method,
        path,
        input: z.strictObject(shape),
        output: z.record(z.string(), z.unknown()),
        run: async (_context, input) => input,
      }),
    ],
  })
  return call
}

/** The first fault of a problem. */
const faultOf = (answered: Answered): unknown[] => {
  const { errors } = answered.body as { errors?: { pointer: string; code: string }[] }
  return [codeOf(answered), errors?.[0]?.pointer, errors?.[0]?.code]
}

describe('the texts of a query', () => {
  const shape = {
    count: z.int().optional(),
    ratio: z.number().optional(),
    on: z.boolean().optional(),
    name: z.string().optional(),
    state: z.enum(['draft', 'published']).optional(),
    level: Level.optional(),
    limit: z.int().nullable().default(20),
    ids: z.array(z.string()).optional(),
    levels: z.array(Level).optional(),
  }

  it.each<[string, Record<string, unknown>]>([
    ['count=7', { count: 7 }],
    ['count=-7', { count: -7 }],
    ['ratio=0.25', { ratio: 0.25 }],
    ['ratio=3', { ratio: 3 }],
    ['on=true', { on: true }],
    ['on=false', { on: false }],
    ['name=7', { name: '7' }],
    ['name=true', { name: 'true' }],
    ['name=a+b%2Bc', { name: 'a b+c' }],
    ['name=', { name: '' }],
    ['name', { name: '' }],
    ['state=draft', { state: 'draft' }],
    ['level=3', { level: 3 }],
    ['limit=5', { limit: 5 }],
    ['ids=a,b', { ids: ['a', 'b'] }],
    ['ids=a&ids=b,c', { ids: ['a', 'b', 'c'] }],
    ['levels=1,2', { levels: [1, 2] }],
    ['', {}],
  ])('are read as the schema means them: %s', async (query, expected) => {
    const { status, body } = await (await echo(shape))(`GET /echo?${query}`)
    expect([status, body]).toEqual([200, { limit: 20, ...expected }])
  })

  it.each([
    ['count=1e3', '/count', 'invalid_type'],
    ['count=0x10', '/count', 'invalid_type'],
    ['count=01', '/count', 'invalid_type'],
    ['count=%207', '/count', 'invalid_type'],
    ['count=', '/count', 'invalid_type'],
    ['count=NaN', '/count', 'invalid_type'],
    ['count=Infinity', '/count', 'invalid_type'],
    ['count=1.5', '/count', 'invalid_type'],
    ['count=9007199254740993', '/count', 'too_big'],
    ['count=99999999999999999999', '/count', 'invalid_type'],
    ['on=1', '/on', 'invalid_type'],
    ['on=TRUE', '/on', 'invalid_type'],
    ['state=gone', '/state', 'invalid_value'],
    ['level=10', '/level', 'too_big'],
    ['levels=1,x', '/levels/1', 'invalid_type'],
    ['name=a&name=b', '/name', 'invalid_type'],
    ['count=1&count=1', '/count', 'invalid_type'],
    ['Name=a', '/Name', 'unknown_member'],
    ['name%5B%5D=a', '/name[]', 'unknown_member'],
    ['a/b~c=1', '/a~1b~0c', 'unknown_member'],
    ['__proto__=1', '/__proto__', 'invalid_text'],
    ['constructor=1', '/constructor', 'unknown_member'],
    ['name=%00', '/name', 'invalid_text'],
    ['dry_run=true', '/dry_run', 'unknown_member'],
  ])('are refused where they are something else: %s', async (query, pointer, code) => {
    const answered = await (await echo(shape))(`GET /echo?${query}`)
    expect(faultOf(answered)).toEqual(['400 invalid_request', pointer, code])
  })

  it('are the input of DELETE too, whose body nobody reads', async () => {
    const call = await echo({ reason: z.string() }, { method: 'DELETE' })
    const answered = await call('DELETE /echo?reason=old', { body: { reason: 'new' } })
    expect(answered.body).toEqual({ reason: 'old' })
  })

  it('may be thousands, and the answer stays small', async () => {
    const call = await echo(shape)
    const query = Array.from({ length: 20_000 }, (_, index) => `p${index}=1`).join('&')
    const answered = await call(`GET /echo?${query}`)
    expect(answered.status).toBe(400)
    expect((answered.body as { errors: unknown[] }).errors).toHaveLength(20)
    expect(answered.text.length).toBeLessThan(4000)
  })
})

describe('a parameter of the path', () => {
  it('is read as the schema means it', async () => {
    const call = await echo({ id: z.string(), level: Level }, { path: '/echo/{id}/{level}' })
    expect((await call('GET /echo/7/3')).body).toEqual({ id: '7', level: 3 })
    expect(faultOf(await call('GET /echo/7/x'))).toEqual([
      '400 invalid_request',
      '/level',
      'invalid_type',
    ])
    expect(faultOf(await call('GET /echo/a%E2%80%AEb/3'))).toEqual([
      '400 invalid_request',
      '/id',
      'invalid_text',
    ])
  })

  it.each(['%00', 'a%00b', '%0a', '%1F', '%7f', '%C2%85'])(
    'with a control character is the name of nothing: %s',
    async (id) => {
      const call = await echo({ id: z.string() }, { path: '/echo/{id}' })
      expect(await call(`GET /echo/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
    },
  )

  it('stands in the path alone', async () => {
    const call = await echo({ id: z.string() }, { method: 'POST', path: '/echo/{id}' })
    const twice = [
      await call('POST /echo/a?id=b'),
      await call('POST /echo/a', { body: { id: 'a' } }),
    ]
    expect(twice.map(faultOf)).toEqual([
      ['400 invalid_request', '/id', 'unknown_member'],
      ['400 invalid_request', '/id', 'unknown_member'],
    ])
    const get = await echo({ id: z.string() }, { path: '/echo/{id}' })
    expect(faultOf(await get('GET /echo/a?id=a'))[1]).toBe('/id')
  })
})

describe('a body', () => {
  const shape = {
    title: z.string().max(50).optional(),
    tags: z.record(z.string(), z.unknown()).optional(),
    plan: z.strictObject({ kind: z.string() }).optional(),
  }
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    echo(shape, { method: 'POST' }).then((call) => call('POST /echo', { body, headers }))

  it.each<[string, unknown, Record<string, string>]>([
    ['an object', { title: 'A' }, {}],
    ['a charset', { title: 'A' }, { 'content-type': 'application/json; charset=utf-8' }],
    ['a type in capitals', { title: 'A' }, { 'content-type': 'Application/JSON' }],
  ])('may have %s', async (_, body, headers) => {
    const answered = await post(body, headers)
    expect([answered.status, answered.body]).toEqual([200, body])
  })

  it('may be missing where nothing in it is needed', async () => {
    const call = await echo(shape, { method: 'POST' })
    expect((await call('POST /echo')).body).toEqual({})
    const empty = await call('POST /echo', { headers: { 'content-type': 'application/json' } })
    expect(empty.body).toEqual({})
    const needy = await echo({ title: z.string() }, { method: 'POST' })
    expect(faultOf(await needy('POST /echo'))).toEqual([
      '400 invalid_request',
      '/title',
      'invalid_type',
    ])
  })

  it.each<[string, unknown, Record<string, string>, string]>([
    ['a form', 'title=A', { 'content-type': 'application/x-www-form-urlencoded' }, '415'],
    ['plain text', '{}', { 'content-type': 'text/plain' }, '415'],
    ['a type that only begins like it', '{}', { 'content-type': 'application/json5' }, '415'],
    ['two types', '{}', { 'content-type': 'application/json, text/plain' }, '415'],
    ['more than 256 KiB', JSON.stringify({ title: 'x'.repeat(262_144) }), {}, '413'],
    ['a byte order mark', '\ufeff{"title":"A"}', {}, '400'],
    ['a byte order mark alone', '\ufeff', {}, '400'],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), {}, '400'],
    ['half an object', '{"title":', {}, '400'],
    ['an array', '[]', {}, '400'],
    ['null', 'null', {}, '400'],
    ['a text', '"title"', {}, '400'],
    ['two objects', '{}{}', {}, '400'],
    ['a name twice', '{"title":"A","title":"B"}', {}, '400'],
    ['a name twice, spelled differently', '{"title":"A","\\u0074itle":"B"}', {}, '400'],
    ['a comment', '{/* */}', {}, '400'],
    ['a thousand nested arrays', `{"tags":${'['.repeat(1000)}${']'.repeat(1000)}}`, {}, '400'],
    [
      'more than the stack has',
      `{"tags":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
      {},
      '400',
    ],
  ])('must not be %s', async (_, body, headers, status) => {
    const answered = await post(body, headers)
    const code = { 413: 'payload_too_large', 415: 'unsupported_media_type' }[status]
    expect(codeOf(answered)).toBe(`${status} ${code ?? 'invalid_request'}`)
  })

  it('without a type must not have content', async () => {
    const { api, tokenOf, table } = await createTestApi()
    const response = await api.endpoint(
      new Request(`${ISSUER}/api/v1/courses/crs_1/publish`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await tokenOf()}` },
        body: new TextEncoder().encode('{}'),
      }),
    )
    expect([response.status, table.runs]).toEqual([415, []])
  })

  it.each([
    ['{"owner":true}', '/owner', 'unknown_member'],
    ['{"plan":{"kind":"free","price":1}}', '/plan/price', 'unknown_member'],
    ['{"plan":{}}', '/plan/kind', 'invalid_type'],
    ['{"plan":null}', '/plan', 'invalid_type'],
    ['{"title":7}', '/title', 'invalid_type'],
    [`{"title":"${'x'.repeat(51)}"}`, '/title', 'too_big'],
    ['{"__proto__":{"title":"A"}}', '/__proto__', 'invalid_text'],
    ['{"tags":{"__proto__":1}}', '/tags', 'invalid_text'],
    ['{"tags":{"a":[{"__proto__":1}]}}', '/tags', 'invalid_text'],
    ['{"title":"a\\u0000b"}', '/title', 'invalid_text'],
    ['{"title":"\\ud800"}', '/title', 'invalid_text'],
    ['{"title":"\\u202Erev"}', '/title', 'invalid_text'],
    ['{"title":"a\\u202a"}', '/title', 'invalid_text'],
    ['{"title":"\\u2066a"}', '/title', 'invalid_text'],
    ['{"title":"a\\u2069"}', '/title', 'invalid_text'],
    ['{"tags":{"a":["\\u202e"]}}', '/tags', 'invalid_text'],
    ['{"tags":{"\\u2067":1}}', '/tags', 'invalid_text'],
    ['{"tags":{"a":["\\u0000"]}}', '/tags', 'invalid_text'],
    ['{"tags":{"\\u0000":1}}', '/tags', 'invalid_text'],
  ])('with something else in it says where: %s', async (body, pointer, code) => {
    expect(faultOf(await post(body))).toEqual(['400 invalid_request', pointer, code])
  })

  it.each(UNSEEN)('must not hold what nothing shows: %j', async (title) => {
    expect(faultOf(await post(JSON.stringify({ title })))).toEqual([
      '400 invalid_request',
      '/title',
      'invalid_text',
    ])
    const tags = JSON.stringify({ tags: { [title]: 1 } })
    expect(faultOf(await post(tags))[2]).toBe('invalid_text')
  })

  it('keeps text of every script', async () => {
    const body = {
      title: 'Łódź 東京 葛\u{e0100} 😀 \u200fשלום (\u200e1) می\u200cخواهم \\u0000 "quoted"',
      tags: { ключ: ['значение'], [TAGGED_FLAGS[2]!]: TAGGED_FLAGS },
    }
    expect((await post(body)).body).toEqual(body)
  })

  it('with many faults names twenty, and no more of a long name than its start', async () => {
    const body = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}${'n'.repeat(1000)}`, 1]),
    )
    const { errors, detail } = (await post(body)).body as {
      errors: { pointer: string }[]
      detail: string
    }
    expect([errors.length, errors[0]!.pointer.length, detail.length]).toEqual([20, 200, 500])
  })

  it('is not read beside an unknown query parameter', async () => {
    const call = await echo(shape, { method: 'POST' })
    const answered = await call('POST /echo?title=A', { body: 'no JSON' })
    expect(answered.body).toMatchObject({
      code: 'invalid_request',
      detail: '/title: unknown query parameter',
      errors: [{ pointer: '/title', code: 'unknown_member', message: 'unknown query parameter' }],
    })
  })
})

describe('a dry run', () => {
  it.each([
    ['POST /courses', { title: 'New' }, { id: 'crs_4', title: 'New' }],
    ['PATCH /courses/crs_1', { title: 'Other' }, { id: 'crs_1', title: 'Other' }],
    ['POST /courses/crs_1/publish', {}, { id: 'crs_1', state: 'published' }],
    ['DELETE /courses/crs_1', undefined, { id: 'crs_1' }],
  ])('says what would be, keeps nothing and tells nobody: %s', async (request, body, expected) => {
    const { call, table, events } = await createTestApi()
    const before = structuredClone(table.rows)
    const answered = await call(`${request}?dry_run=true`, { body })
    expect(answered.status).toBe(200)
    expect(answered.body).toEqual({ would_change: expect.objectContaining(expected) })
    expect(answered.headers['etag']).toBeUndefined()
    expect([table.rows, events]).toEqual([before, []])
  })

  it('is judged like the real thing', async () => {
    const { call, events } = await createTestApi()
    const codes = [
      await call('POST /courses?dry_run=true', { body: {} }),
      await call('POST /courses?dry_run=true', { body: { title: 'Taken' } }),
      await call('PATCH /courses/crs_9?dry_run=true', { body: {} }),
    ].map(codeOf)
    expect(codes).toEqual(['400 invalid_request', '409 conflict', '404 not_found'])
    expect(events.map(({ reason }) => reason)).toEqual(['invalid_request', 'conflict', 'not_found'])
  })

  it('can be said not to be wanted', async () => {
    const { call, table } = await createTestApi()
    await call('POST /courses?dry_run=false', { body: { title: 'New' } })
    expect(table.rows.size).toBe(4)
  })

  it.each(['dry_run=1', 'dry_run', 'dry_run=TRUE', 'dry_run=true&dry_run=false'])(
    'is not guessed: %s',
    async (query) => {
      const { call, table } = await createTestApi()
      const answered = await call(`POST /courses?${query}`, { body: { title: 'New' } })
      expect(faultOf(answered)).toEqual(['400 invalid_request', '/dry_run', 'invalid_value'])
      expect(table.runs).toEqual([])
    },
  )
})
