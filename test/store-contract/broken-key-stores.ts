import { createMemoryStore, type Store } from 'hallpass/store'
import type { StoreMethod } from '../../src/store/store.js'
import { STORE_RESULTS } from '../../src/store/returned.js'
import { type Broken, pause } from './broken-client-stores.js'

const FINDS = 'finds nothing under a key that only resembles one, and changes nothing'
const READS = 'reads each change as soon as its method has resolved'

type Verb = (...parameters: readonly unknown[]) => Promise<unknown>

/** Takes the keys of some methods for what a database would take them for. */
const keyed =
  (methods: readonly StoreMethod[], change: (key: string) => string): Broken[2] =>
  (store) =>
    Object.fromEntries(
      methods.map((method) => [
        method,
        (...parameters: readonly unknown[]) =>
          (store[method] as Verb)(
            ...(JSON.parse(JSON.stringify(parameters), (name, value: unknown) =>
              typeof value === 'string' && name !== 'id' ? change(value) : value,
            ) as readonly unknown[]),
          ),
      ]),
    )

const trimmed = (key: string): string => key.trimEnd()
const toNul = (key: string): string => key.split('\0')[0]!
const composed = (key: string): string => key.normalize('NFC')
const plain = (key: string): string => key.normalize('NFD').replaceAll(/\p{M}/gu, '')

/** A store that reads from a copy, which has every change but the last one. */
function behind(): Partial<Store> {
  const [primary, replica] = [createMemoryStore(), createMemoryStore()]
  let last: (() => Promise<unknown>) | null = null
  const verbOf = (store: Store, name: string): Verb => store[name as StoreMethod] as Verb
  return Object.fromEntries(
    Object.keys(STORE_RESULTS).map((name) => [
      name,
      async (...parameters: readonly unknown[]) => {
        if (/^(?:find|list|has)/.test(name)) return verbOf(replica, name)(...parameters)
        await last?.()
        last = () => verbOf(replica, name)(...parameters)
        return verbOf(primary, name)(...parameters)
      },
    ]),
  )
}

/** Stores that take one key for another, or read what was there before. */
export const BROKEN_KEYS: readonly Broken[] = [
  ['finds a client under its key with a space', FINDS, keyed(['findClient'], trimmed)],
  ['finds a code under its key up to a NUL', FINDS, keyed(['findCode'], toNul)],
  ['finds a request in another Unicode normalization', FINDS, keyed(['findPending'], composed)],
  ['finds a token without its accents', FINDS, keyed(['findAccessToken', 'redeemCode'], plain)],
  ['remembers a consent whatever its case', FINDS, keyed(['hasConsent', 'issueCode'], (key) => key.toLowerCase())],
  ['finds a token under the same number', FINDS, keyed(['findRefreshToken'], (key) => /^[\d.+e]+$/.test(key) ? String(Number(key)) : key)],
  ['lists the grants of similar people', FINDS, keyed(['listGrants'], trimmed)],
  ['revokes the grant of a similar key', FINDS, keyed(['revokeGrant'], trimmed)],
  ['moves a similar key', FINDS, keyed(['moveKey'], trimmed)],
  ['takes a similar client for one that is there', FINDS, keyed(['insertClient'], trimmed)],
  ['ends what a similar person has', 'ends nothing of a client or a person whose identifier only resembles', keyed(['revokeGrants'], trimmed)],
  ['widens a similar grant', 'finds and widens no grant whose identifier only resembles', keyed(['widenGrant'], trimmed)],
  ['deletes a similar event', 'deletes no event whose identifier only resembles', keyed(['deleteEvents'], trimmed)],
  ['erases a similar person', 'erases no person whose subject only resembles', keyed(['erasePerson'], trimmed)],
  ['takes a similar key for a used one', 'lets a key be used that only resembles a used one', keyed(['useOnce'], toNul)],
  ['reads from a replica that is one write behind', READS, behind],
  ['revokes a grant a moment later', READS, (store) => ({ revokeGrant: async (...all) => { void pause().then(() => store.revokeGrant(...all)).catch(() => {}); return 'revoked' } })],
] // prettier-ignore
