import { storeContract } from 'hallpass/testing'
import { createMemoryStore, type Store } from 'hallpass/store'
import type { StoreMethod } from '../../src/store/store.js'
import type { Broken } from './broken-client-stores.js'

type Verb = (...parameters: readonly unknown[]) => Promise<unknown>

/** Takes a number for the text that it is, wherever it stands. */
const asText = (value: unknown): unknown => {
  if (value === 7) return '7'
  if (Array.isArray(value)) return value.map(asText)
  return typeof value === 'object' && value?.constructor === Object
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asText(one)]))
    : value
}

/** Stores of which one method each compares a number with texts, as MySQL does: one for each check of the contract. */
export const BROKEN_TEXTS: readonly Broken[] = storeContract(() => createMemoryStore()).flatMap(
  ({ name }): readonly Broken[] => {
    const [, found] = /^rejects an identifier that is not a string, .*: (\w+)$/.exec(name) ?? []
    if (found === undefined) return []
    const method = found as StoreMethod
    const breaks = (store: Store): Partial<Store> => ({
      [method]: (...all: readonly unknown[]) => (store[method] as Verb)(...all.map(asText)),
    })
    return [[`takes a number for a text in ${method}`, name, breaks]]
  },
)
