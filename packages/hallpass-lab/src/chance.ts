/** Numbers that look random and follow from a seed. */
export interface Chance {
  /** Returns an integer from 0 to `limit` less 1. */
  readonly below: (limit: number) => number
  /** Returns `true` with this probability. */
  readonly is: (probability: number) => boolean
  /** Returns one entry of a list that is not empty. */
  readonly pick: <Entry>(entries: readonly Entry[]) => Entry
  /** Returns `length` bytes. They are predictable: for simulations only. */
  readonly bytes: (length: number) => Uint8Array
}

/** Creates a generator (mulberry32). The same seed always gives the same numbers. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit)
  return {
    below,
    is: (probability) => next() / 2 ** 32 < probability,
    pick: (entries) => entries[below(entries.length)]!,
    bytes: (length) => {
      const words = new Uint32Array(Math.ceil(length / 4))
      for (let index = 0; index < words.length; index++) words[index] = next()
      return new Uint8Array(words.buffer, 0, length)
    },
  }
}
