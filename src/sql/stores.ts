import { STORE_ARGUMENTS } from '../store/arguments.js'
import { mistakeInAll, refusedByAll, UnusableValue } from '../store/guard.js'
import type { Store, StoreMethod } from '../store/store.js'
import type { Database } from './batch.js'
import { forCaller, VERBS } from './store.js'

type Call = (database: Database, ...given: readonly unknown[]) => Promise<unknown>

/**
 * Returns a function that makes the store of a site. Its methods are made each time they are read, so that the store of
 * one school among thousands keeps nothing but its name. It can be copied with `{ ...store }` all the same.
 *
 * @param own - methods of this database. Default: none
 */
export function sqlStores(
  databaseOf: (site: string, verb: StoreMethod) => Database,
  guarantees: Store['guarantees'],
  own: Partial<typeof VERBS> = {},
): (site: string) => Store {
  const verbs = { ...VERBS, ...own } as Readonly<Record<string | symbol, Call>>
  const isVerb = (name: string | symbol): name is StoreMethod => Object.hasOwn(verbs, name)

  class OfSite implements ProxyHandler<Store> {
    readonly site: string
    constructor(site: string) {
      this.site = site
    }

    get(target: Store, name: string | symbol): unknown {
      if (Object.hasOwn(target, name) || !isVerb(name)) return Reflect.get(target, name)
      const { site } = this
      return (...given: readonly unknown[]) => {
        const mistake = mistakeInAll(name, STORE_ARGUMENTS[name], given)
        if (mistake !== null) return Promise.reject(new UnusableValue(mistake))
        return verbs[name]!(forCaller(databaseOf(site, name)), ...given)
      }
    }

    has(target: Store, name: string | symbol): boolean {
      return isVerb(name) || Reflect.has(target, name)
    }

    ownKeys(target: Store): (string | symbol)[] {
      return [...new Set([...Object.keys(verbs), ...Reflect.ownKeys(target)])]
    }

    getOwnPropertyDescriptor(target: Store, name: string | symbol): PropertyDescriptor | undefined {
      if (Object.hasOwn(target, name) || !isVerb(name))
        return Reflect.getOwnPropertyDescriptor(target, name)
      return { value: this.get(target, name), writable: true, enumerable: true, configurable: true }
    }
  }

  return (site) => {
    const store = new Proxy({ guarantees } as Store, new OfSite(site))
    refusedByAll.set(store, STORE_ARGUMENTS)
    return store
  }
}
