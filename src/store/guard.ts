import type { Store } from './store.js'

/** Thrown when the storage of the host application failed, to tell an outage from a bug in the program. */
export class StorageFailure extends Error {
  constructor(cause: unknown) {
    super('the storage failed', { cause })
    this.name = 'StorageFailure'
  }
}

/** Thrown instead of issuing anything while the clock of the process and that of the store disagree. */
export class ClockSkew extends Error {
  constructor(skewSeconds: number) {
    const side = skewSeconds > 0 ? 'ahead of' : 'behind'
    super(
      `the clock of this process is ${Math.abs(skewSeconds)} seconds ${side} that of the store: nothing is issued until they agree`,
    )
    this.name = 'ClockSkew'
  }
}

/** The name of every method of a store. */
export const STORE_VERBS: Readonly<Record<keyof Store, true>> = {
  findClient: true, insertClient: true, replaceClient: true, listClients: true, savePending: true,
  findPending: true, endPending: true, hasConsent: true, issueCode: true, findCode: true,
  redeemCode: true, findRefreshToken: true, rotateRefreshToken: true, findAccessToken: true,
  revokeAccessToken: true, revokeGrant: true, revokeGrants: true, listGrants: true,
  erasePerson: true, listKeys: true, insertKey: true, moveKey: true, findClock: true, moveClock: true,
  purge: true,
} // prettier-ignore

/** Wraps a function so that it rejects with a {@link StorageFailure} when it throws or rejects. */
export const guarded =
  <Parameters extends readonly unknown[], Result>(
    ask: (...parameters: Parameters) => Result | Promise<Result>,
  ): ((...parameters: Parameters) => Promise<Result>) =>
  async (...parameters) => {
    try {
      return await ask(...parameters)
    } catch (fault) {
      throw fault instanceof StorageFailure ? fault : new StorageFailure(fault)
    }
  }

/** Wraps each named method of a storage with {@link guarded}. Other members are not copied. */
export function guardStorage<Storage extends object>(
  storage: Storage,
  verbs: Readonly<Record<keyof Storage, true>>,
): Storage {
  type Verb = (...parameters: readonly unknown[]) => unknown
  const own = storage as Readonly<Record<string, Verb>>
  const names = Object.keys(verbs)
  return Object.fromEntries(
    names.map((name) => [name, guarded((...parameters) => own[name]!(...parameters))]),
  ) as Storage
}
