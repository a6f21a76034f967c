import type { Store } from '../store/store.js'

/** One promise that a store must keep. */
export interface StoreCheck {
  /** The promise, as a sentence: the title for your test runner. */
  readonly name: string
  /** Whether it calls the store several times at once, so that a slow store is a harder test. */
  readonly isRace: boolean
  /** Resolves when the promise is kept. Rejects with an `Error` that says what was seen instead. */
  readonly run: () => Promise<void>
}

/** Opens the store of one site. Each check uses sites of its own; what it stores there may stay. */
export type MakeStore = (site: string) => Store | Promise<Store>

/** A check before it is given its stores. */
export interface Promised {
  readonly name: string
  readonly isRace?: true
  readonly check: (store: Store, other: Store) => Promise<void>
}

/** Throws unless both are the same value, field by field. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (!equal(actual, expected))
    throw new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

/** Throws unless a promise rejects or resolves to one of the values. Tells which: `null` = rejected. */
export async function settles<Value>(
  promise: Promise<Value>,
): Promise<{ readonly value: Value } | null> {
  try {
    return { value: await promise }
  } catch {
    return null
  }
}

/** How often each value stands in a list. */
export function tally(values: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const value of values.toSorted()) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

/** Calls a function many times at once. */
export function race<Value>(
  count: number,
  call: (index: number) => Promise<Value>,
): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => call(index)))
}

function equal(one: unknown, other: unknown): boolean {
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
