import { createHash } from 'node:crypto'
import { LIST, rowsOf } from './common.mjs'

const hashOf = (text) => createHash('sha256').update(text).digest('base64url')

/** A page as hallpass answers it, cursor included, for subjects that have to make it themselves. */
export function pageOf({ state, limit, sort, q, updated_since: since }) {
  const rows = rowsOf({ state, limit: limit + 1 })
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  const hasMore = rows.length > limit
  const binding = () => hashOf(JSON.stringify([LIST.id, sort, q, since, { state }])).slice(0, 16)
  const cursorBehind = ({ created_at: key, id }) =>
    Buffer.from(JSON.stringify([1, binding(), key, id])).toString('base64url')
  return { data, page: { next_cursor: hasMore ? cursorBehind(last) : null, has_more: hasMore } }
}
