import { isNotAfter } from '../time/seconds.js'
import type { Purged } from './store.js'

/** The rows of a table, each under its key, as a `Map`. Its indexes follow every change. */
export interface Rows<Row> {
  readonly get: (key: string) => Row | undefined
  readonly has: (key: string) => boolean
  readonly set: (key: string, row: Row) => void
  /** Returns whether there was such a row. */
  readonly delete: (key: string) => boolean
  readonly keys: () => Iterable<string>
  readonly values: () => Iterable<Row>
}

/** Follows a change of the row of a key. A row that does not exist is `undefined`. */
export type Follow<Row> = (key: string, before: Row | undefined, after: Row | undefined) => void

/** Creates rows over a map, with the indexes that follow them. Nothing else may change the map. */
export function createRows<Row>(
  map: Map<string, Row>,
  ...indexes: readonly { readonly follow: Follow<Row> }[]
): Rows<Row> {
  const follow: Follow<Row> = (key, before, after) => {
    for (const index of indexes) index.follow(key, before, after)
  }
  return {
    get: (key) => map.get(key),
    has: (key) => map.has(key),
    set(key, row) {
      const before = map.get(key)
      map.set(key, row)
      follow(key, before, row)
    },
    delete(key) {
      const before = map.get(key)
      if (!map.delete(key)) return false
      follow(key, before, undefined)
      return true
    },
    keys: () => map.keys(),
    values: () => map.values(),
  }
}

/**
 * Returns a function that is called for each row of a map, then for each change. An index of a map with rows is
 * built when it is first read, so that an unread one costs nothing.
 */
function following<Row>(
  map: ReadonlyMap<string, Row>,
  change: Follow<Row>,
): { follow: Follow<Row>; build: () => void } {
  let isBuilt = map.size === 0
  return {
    follow(key, before, after) {
      if (isBuilt) change(key, before, after)
    },
    build() {
      if (isBuilt) return
      isBuilt = true
      for (const [key, row] of map) change(key, undefined, row)
    },
  }
}

/** The keys of rows by something that several rows share, such as a person. */
export interface Groups<Row> {
  readonly follow: Follow<Row>
  readonly keysOf: (group: string) => readonly string[]
}

/** Creates an index by what `groupOf` returns. Rows for which it returns `null` are in no group. */
export function createGroups<Row>(
  map: ReadonlyMap<string, Row>,
  groupOf: (row: Row) => string | null,
): Groups<Row> {
  // Most people have one grant: a set for each would double the size of the index.
  const groups = new Map<string, string | Set<string>>()
  const nameOf = (row: Row | undefined): string | null => (row === undefined ? null : groupOf(row))
  const { follow, build } = following(map, (key, before, after) => {
    const from = nameOf(before)
    const to = nameOf(after)
    if (from === to) return
    if (from !== null) {
      const keys = groups.get(from)
      if (keys instanceof Set) keys.delete(key)
      if (keys === key || (keys instanceof Set && keys.size === 0)) groups.delete(from)
    }
    if (to !== null) {
      const keys = groups.get(to)
      if (keys === undefined) groups.set(to, key)
      else if (keys instanceof Set) keys.add(key)
      else groups.set(to, new Set([keys, key]))
    }
  })
  return {
    follow,
    keysOf(group) {
      build()
      const keys = groups.get(group) ?? []
      return typeof keys === 'string' ? [keys] : [...keys]
    },
  }
}

/** The latest time of each group of rows; `null` for a group without rows. */
export interface Latest<Row> {
  readonly follow: Follow<Row>
  readonly of: (group: string) => number | null
}

/**
 * Creates an index of the latest `timeOf` of each group of rows. It forgets a group whose latest row is deleted: most
 * have no other. If one has, its rows are looked for among all of them when it is next read.
 */
export function createLatest<Row>(
  map: ReadonlyMap<string, Row>,
  { groupOf, timeOf }: { groupOf: (row: Row) => string; timeOf: (row: Row) => number },
): Latest<Row> {
  const times = new Map<string, number>()
  const { follow, build } = following(map, (_, before, after) => {
    if (after === undefined) {
      const group = groupOf(before!)
      if (times.get(group) === timeOf(before!)) times.delete(group)
    } else times.set(groupOf(after), Math.max(times.get(groupOf(after)) ?? 0, timeOf(after)))
  })
  return {
    follow,
    of(group) {
      build()
      if (!times.has(group))
        for (const row of map.values())
          if (groupOf(row) === group) times.set(group, Math.max(times.get(group) ?? 0, timeOf(row)))
      return times.get(group) ?? null
    },
  }
}

/** The keys of rows by the time from which they may be purged. */
export interface DueRows<Row> {
  readonly follow: Follow<Row>
  /** Deletes the rows that have been due for longest, as `purge` of a store does. */
  readonly purge: (rows: Rows<Row>, purge: { now: number; limit: number }) => Purged
}

/**
 * Creates an index by due time. An entry of a row that was deleted or replaced stays until that time.
 *
 * @param dueAt - epoch seconds; `Infinity` for a row that is never due
 */
export function createDueRows<Row>(
  map: ReadonlyMap<string, Row>,
  dueAt: (row: Row) => number,
): DueRows<Row> {
  const keysAt = new Map<number, string[]>()
  /** The keys of `keysAt`, ascending. */
  const times: number[] = []
  const { follow, build } = following(map, (key, before, after) => {
    if (after === undefined) return
    const at = dueAt(after)
    if (at === Infinity || (before !== undefined && dueAt(before) === at)) return
    const keys = keysAt.get(at)
    if (keys === undefined) {
      keysAt.set(at, [key])
      times.splice(placeOf(times, at), 0, at)
    } else keys.push(key)
  })
  return {
    follow,
    purge(rows, { now, limit }) {
      build()
      let deleted = 0
      let ended = 0
      let dueSince: number | null = null
      while (dueSince === null && ended < times.length && isNotAfter(times[ended]!, now)) {
        const at = times[ended]!
        const keys = keysAt.get(at)!
        while (keys.length > 0) {
          const row = rows.get(keys.at(-1)!)
          const isDue = row !== undefined && isNotAfter(dueAt(row), at)
          if (isDue && deleted === limit) break
          const key = keys.pop()!
          if (isDue && rows.delete(key)) deleted++
        }
        if (keys.length > 0) dueSince = at
        else {
          keysAt.delete(at)
          ended++
        }
      }
      times.splice(0, ended)
      return { rows: deleted, dueSince }
    },
  }
}

/** Returns how many values of an ascending list are less than this one. Most are larger than all others. */
function placeOf(ascending: readonly number[], value: number): number {
  if (ascending.length === 0 || ascending.at(-1)! < value) return ascending.length
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
