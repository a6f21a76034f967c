import { expect } from 'vitest'
import { KILN_SITE, type OperatorSchool } from './operator-school.js'

/** Runs a list to its end, a few at a time, and answers the ids in their order. */
export async function idsOf(school: OperatorSchool, path: string): Promise<readonly string[]> {
  const [base, query = ''] = path.split('?')
  const ids: string[] = []
  let cursor: string | null = ''
  do {
    const page = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await school.call('GET', `${base}?limit=2&${query}${page}`)
    expect(status, JSON.stringify(body)).toBe(200)
    const answer = body as { data: { id: string }[]; page: { next_cursor: string | null } }
    ids.push(...answer.data.map(({ id }) => id))
    cursor = answer.page.next_cursor
  } while (cursor !== null)
  return ids
}

/** Expects every one of these requests of the other site to be answered as one for nothing at all. */
export async function expectUnknown(
  school: OperatorSchool,
  requests: readonly (readonly [method: string, path: string, body?: unknown])[],
): Promise<void> {
  for (const [method, path, body] of requests) {
    const { status, body: problem } = await school.call(method, path, { body, site: KILN_SITE })
    expect({ method, path, status, problem }).toEqual({
      method,
      path,
      status: 404,
      problem: {
        type: '/problems/not-found',
        title: 'Not found',
        status: 404,
        code: 'not_found',
        request_id: expect.any(String) as string,
      },
    })
  }
}

/**
 * Expects a change to be told from what was read before it, and a dry run of it to leave nothing: first
 * the dry run, then the change with the version that was read, then again with the same.
 */
export async function expectVersioned(
  school: OperatorSchool,
  {
    method,
    path,
    get = path,
    body,
  }: { method: string; path: string; get?: string; body?: unknown },
): Promise<void> {
  const before = await school.call('GET', get)
  const headers = { 'if-match': before.headers.get('etag')! }
  const dry = await school.call(method, `${path}?dry_run=true`, { body, headers })
  expect(dry).toMatchObject({ status: 200, body: { would_change: expect.anything() as unknown } })
  expect((await school.call('GET', get)).body).toEqual(before.body)
  school.clock.now += 60
  const done = await school.call(method, path, { body, headers })
  expect(done.status).toBe(200)
  expect((await school.call('GET', get)).body).toEqual(done.body)
  expect(done.body).not.toEqual(before.body)
  expect(await school.call(method, path, { body, headers })).toMatchObject({
    status: 412,
    body: { code: 'precondition_failed' },
  })
}
