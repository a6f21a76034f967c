import { expect } from 'vitest'
import type { OperatorSchool } from './operator-school.js'

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
