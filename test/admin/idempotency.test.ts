import {
  defineOperation,
  type IdempotencyStore,
  type Operation,
  type Problem,
  refuseWith,
} from 'hallpass/admin'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { DESK_CLI } from '../support/school/policy-samples.js'
import { FAULT_TEXT } from '../support/school/stores.js'
import { T } from '../support/school/school.js'
import { idempotencyContract } from './idempotency-contract.js'
import { type Answered, codeOf, createTestApi, LECTURER, send, type TestApi } from './support.js'
import { createMemoryIdempotency } from '../../src/admin/idempotency.js'

const KEY = 'e7a1c6de-0d53-4a24-9d0a-7c1f8f5e2b11'
const create = (
  { call }: TestApi,
  { key = KEY, title = 'New', query = '' }: { key?: string; title?: string; query?: string } = {},
) => call(`POST /courses${query}`, { headers: { 'idempotency-key': key }, body: { title } })

/** A write that answers what it is told to, and counts. */
function write(run: (count: number) => Promise<{ n: number } | Problem>): Operation {
  let count = 0
  return defineOperation({
    id: 'courses.count',
    summary: 'Count',
    scope: 'courses:write',
    effect: 'write',
    method: 'POST',
    path: '/count',
    input: z.strictObject({}),
    output: z.object({ n: z.int() }),
    run: () => run(++count),
  })
}
const count = ({ call }: TestApi) => call('POST /count', { headers: { 'idempotency-key': KEY } })

/** But for the name of the request that carried it. */
const withoutId = ({ headers: { 'x-request-id': _id, ...headers }, ...answered }: Answered) => ({
  ...answered,
  headers,
})

describe('a request with a key', () => {
  it('sent again gets the first answer byte for byte, and nothing runs', async () => {
    const api = await createTestApi()
    const first = await create(api)
    api.table.rows.delete('crs_4')
    const again = await create(api)
    expect(first.status).toBe(201)
    expect(withoutId(again)).toEqual(withoutId(first))
    expect(api.table.runs).toEqual(['courses.create'])
    expect(api.events.map(({ type }) => type)).toEqual(['api.write'])
  })

  it('sent again gets the first refusal too', async () => {
    const api = await createTestApi()
    const first = await create(api, { title: 'Taken' })
    const again = await create(api, { title: 'Taken' })
    expect(codeOf(first)).toBe('409 conflict')
    expect(withoutId(again)).toEqual(withoutId(first))
    expect(api.table.runs).toEqual(['courses.create'])
  })

  it('is told its limit as it is now', async () => {
    let remaining = 9
    const api = await createTestApi({
      rateLimit: async () => ({
        ok: true, limit: 10, remaining: remaining--, resetSeconds: 1, windowSeconds: 1,
      }), // prettier-ignore
    })
    const [first, again] = [await create(api), await create(api)]
    expect([first.headers['ratelimit'], again.headers['ratelimit']]).toEqual([
      '"grant";r=9;t=1',
      '"grant";r=8;t=1',
    ])
    expect(again.text).toBe(first.text)
  })

  it('is another request with another body, path or member', async () => {
    const api = await createTestApi()
    await create(api)
    const others = [
      await create(api, { title: 'Other' }),
      await api.call('POST /courses', {
        headers: { 'idempotency-key': KEY },
        body: { title: 'New', price: 1 },
      }),
      await api.call('POST /courses/crs_1/publish', { headers: { 'idempotency-key': KEY } }),
    ]
    expect(others.map(({ body }) => body)).toEqual(
      others.map(() =>
        expect.objectContaining({
          status: 422,
          code: 'idempotency_key_reused',
          detail: 'this Idempotency-Key was used for another request: send a new key',
        }),
      ),
    )
    expect(api.table.runs).toEqual(['courses.create'])
    expect(api.events.map(({ reason }) => reason)).toEqual([
      null,
      ...others.map(() => 'idempotency_key_reused'),
    ])
  })

  it('is another request for another object, and for another operation', async () => {
    const api = await createTestApi()
    const publish = (id: string) =>
      api.call(`POST /courses/${id}/publish`, { headers: { 'idempotency-key': KEY } })
    expect(codeOf(await publish('crs_1'))).toBe('200 -')
    expect(codeOf(await publish('crs_2'))).toBe('422 idempotency_key_reused')
    expect(codeOf(await publish('crs_1'))).toBe('200 -')
    const archive = await api.call('POST /courses/crs_1/archive', {
      headers: { 'idempotency-key': KEY },
    })
    expect(codeOf(archive)).toBe('422 idempotency_key_reused')
    expect(api.table.runs).toEqual(['courses.publish'])
  })

  it('is told to wait while the first is running', async () => {
    let finish = (): void => {}
    const held = new Promise<void>((resolve) => (finish = resolve))
    const api = await createTestApi({
      operations: [write(async (n) => held.then(() => ({ n })))],
    })
    const first = count(api)
    const early = await count(api)
    expect(early.body).toMatchObject({
      status: 409,
      code: 'idempotency_key_running',
      detail: 'the first request with this Idempotency-Key is still running: retry it shortly',
    })
    expect(early.headers['retry-after']).toBe('1')
    finish()
    expect((await first).body).toEqual({ n: 1 })
    expect((await count(api)).body).toEqual({ n: 1 })
  })

  it('runs once, however many are sent at the same time', async () => {
    const api = await createTestApi()
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(api)))
    const codes = answers.map(codeOf)
    expect(codes.filter((code) => code === '201 -').length).toBeGreaterThan(0)
    expect(new Set(codes)).toEqual(new Set(['201 -', '409 idempotency_key_running']))
    expect([api.table.runs, api.table.rows.size]).toEqual([['courses.create'], 4])
  })

  it('is of one person through one client', async () => {
    const api = await createTestApi()
    const tokens = [
      await api.tokenOf(),
      await api.tokenOf({ subject: LECTURER.subject }),
      await api.tokenOf({ client: { ...DESK_CLI, clientId: 'app_other' } }),
    ]
    for (const token of tokens)
      await send(api.api, 'POST /courses', {
        headers: { authorization: `Bearer ${token}`, 'idempotency-key': KEY },
        body: { title: 'New' },
      })
    expect(api.table.rows.size).toBe(6)
    await create(api)
    expect(api.table.rows.size).toBe(6)
  })

  it('is still judged: who may no longer write gets no earlier answer', async () => {
    const api = await createTestApi()
    const first = await create(api)
    await api.store.revokeGrant({ grantId: 'grant_1', revokedAt: T, revokedReason: 'member' })
    expect([first.status, codeOf(await create(api))]).toEqual([201, '401 invalid_token'])
  })

  it('is forgotten after a day', async () => {
    const api = await createTestApi()
    const token = await api.tokenOf({ expiresAt: T + 200_000 })
    const later = () =>
      send(api.api, 'POST /courses', {
        headers: { authorization: `Bearer ${token}`, 'idempotency-key': KEY },
        body: { title: 'New' },
      })
    await later()
    api.clock.now += 86_399
    await later()
    expect(api.table.runs).toHaveLength(1)
    api.clock.now += 1
    await later()
    expect(api.table.runs).toHaveLength(2)
  })

  it.each(['', 'a b', 'ключ', 'a'.repeat(256), 'one, two'])(
    'is refused where the key is "%s"',
    async (key) => {
      const api = await createTestApi()
      const headers: Record<string, string> = {
        authorization: `Bearer ${await api.tokenOf()}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      }
      const answered = await api.api.endpoint.handle({
        method: 'POST',
        target: '/api/v1/courses',
        header: (name) => headers[name] ?? null,
        body: async () => new TextEncoder().encode('{"title":"New"}'),
        signal: AbortSignal.any([]),
        request: () => new Request('https://lantern.example'),
      })
      expect(JSON.parse((answered as { body: string }).body)).toMatchObject({
        code: 'invalid_request',
        detail: 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces',
      })
      expect(api.table.runs).toEqual([])
    },
  )

  it('is judged by its input first, and keeps its key', async () => {
    const api = await createTestApi()
    expect(codeOf(await create(api, { title: '' }))).toBe('400 invalid_request')
    expect(codeOf(await create(api))).toBe('201 -')
  })

  it('that is a dry run takes no key', async () => {
    const api = await createTestApi()
    expect(codeOf(await create(api, { query: '?dry_run=true' }))).toBe('200 -')
    expect(codeOf(await create(api))).toBe('201 -')
  })

  it('that is no POST takes no key, since it can be sent again anyway', async () => {
    const api = await createTestApi()
    const patch = () =>
      api.call('PATCH /courses/crs_1', { headers: { 'idempotency-key': KEY }, body: {} })
    await patch()
    await patch()
    expect(api.table.runs).toEqual(['courses.update', 'courses.update'])
  })
})

describe('a key is free again', () => {
  it.each<[string, () => Promise<Problem>, string]>([
    ['threw', async () => Promise.reject(new Error(FAULT_TEXT)), '500 internal'],
    ['was unavailable', async () => refuseWith('unavailable'), '503 unavailable'],
    ['was too early', async () => refuseWith('rate_limited'), '429 rate_limited'],
  ])('after an operation that %s', async (_, fail, code) => {
    const api = await createTestApi({
      operations: [write(async (n) => (n === 1 ? fail() : { n }))],
    })
    expect(codeOf(await count(api))).toBe(code)
    expect((await count(api)).body).toEqual({ n: 2 })
    expect((await count(api)).body).toEqual({ n: 2 })
  })
})

describe('a key stays taken', () => {
  it('after an operation that was done and answered wrongly: nobody does it twice', async () => {
    const api = await createTestApi({
      operations: [write(async (n) => ({ n: n + 0.5 }))],
    })
    const first = await count(api)
    expect(codeOf(first)).toBe('500 internal')
    expect(withoutId(await count(api))).toEqual(withoutId(first))
    expect(api.faults).toHaveLength(1)
  })

  it('where the answer cannot be kept; whoever wrote is told that it is done', async () => {
    const keys = createMemoryIdempotency()
    const api = await createTestApi({
      operations: [write(async (n) => ({ n }))],
      idempotency: { ...keys, finish: async () => Promise.reject(new Error(FAULT_TEXT)) },
    })
    const first = await count(api)
    expect(first.body).toEqual({ n: 1 })
    expect(codeOf(await count(api))).toBe('409 idempotency_key_running')
    expect(api.faults.map(({ requestId }) => requestId)).toEqual([first.headers['x-request-id']])
  })

  it('where the process ended before it answered; the caller is told to look after two minutes', async () => {
    const keys = createMemoryIdempotency()
    let runs = 0
    // The response is lost, and nobody is left to store or free the key.
    const gone = { ...keys, finish: async () => {}, abandon: async () => {} }
    const operations = [write(async (n) => ({ n: n + ++runs }))]
    const api = await createTestApi({ operations, idempotency: gone })
    await count(api)
    api.clock.now += 120
    const waiting = await count(api)
    expect([codeOf(waiting), waiting.headers['retry-after']]).toEqual([
      '409 idempotency_key_running',
      '1',
    ])
    api.clock.now += 1
    const lost = await count(api)
    expect([codeOf(lost), lost.headers['retry-after']]).toEqual([
      '409 idempotency_key_lost',
      undefined,
    ])
    expect(runs).toBe(1)
  })

  it('where it cannot be freed; the caller hears of the first fault', async () => {
    const keys = createMemoryIdempotency()
    const api = await createTestApi({
      operations: [write(async () => refuseWith('unavailable', 'the mail server is away'))],
      idempotency: { ...keys, abandon: async () => Promise.reject(new Error(FAULT_TEXT)) },
    })
    expect((await count(api)).body).toMatchObject({ detail: 'the mail server is away' })
    expect(api.faults).toHaveLength(1)
  })
})

describe('a store of keys', () => {
  it('that fails lets nothing run', async () => {
    const idempotency: IdempotencyStore = {
      ...createMemoryIdempotency(),
      begin: async () => Promise.reject(new Error(FAULT_TEXT)),
    }
    const api = await createTestApi({ idempotency })
    const answered = await create(api)
    expect([codeOf(answered), answered.headers['retry-after']]).toEqual(['503 unavailable', '5'])
    expect(api.table.runs).toEqual([])
  })

  it('never sees a key, a person or a body', async () => {
    const seen: unknown[] = []
    const keys = createMemoryIdempotency()
    const api = await createTestApi({
      idempotency: {
        ...keys,
        begin: (entry) => {
          seen.push(entry)
          return keys.begin(entry)
        },
      },
    })
    await create(api)
    const hash = expect.stringMatching(/^[\w-]{43}$/)
    expect(seen).toEqual([{ keyHash: hash, requestHash: hash, now: T, expiresAt: T + 86_400 }])
  })
})

describe('keys in this process', () => {
  for (const check of idempotencyContract(createMemoryIdempotency)) it(check.name, check.run)
})
