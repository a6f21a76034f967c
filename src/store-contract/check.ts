import type { StoreWith } from '../store/groups.js'

/** A check without its stores: `store` and `other` belong to two sites, and have what the promise is about. */
export interface Promised<in Kept = StoreWith> {
  readonly name: string
  readonly isRace?: true
  readonly check: (store: Kept, other: Kept) => Promise<void>
}

/** Throws an `Error` with both values unless they are equal, field by field. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (!equal(actual, expected))
    throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

/** Returns `{ value }` with the result of a promise, or `null` if it rejects. */
export async function settles<Value>(
  promise: Promise<Value>,
): Promise<{ readonly value: Value } | null> {
  try {
    return { value: await promise }
  } catch {
    return null
  }
}

/** Returns how often each value occurs in a list. */
export function tally(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const value of values.toSorted()) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

/** Calls a function several times concurrently. */
export function race<Value>(
  count: number,
  call: (index: number) => Promise<Value>,
): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)))
}

/** Whether two values are equal, field by field. */
export function equal(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [oneKeys, otherKeys] = [Object.keys(one), Object.keys(other)]
  return (
    oneKeys.length === otherKeys.length &&
    oneKeys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        equal((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  )
}

function show(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value)
}
