/** The storage failed, as opposed to a fault in the program. */
export class StorageFailure extends Error {
  constructor(cause: unknown) {
    super('the storage failed', { cause })
    this.name = 'StorageFailure'
  }
}

/**
 * Wraps a storage so that whatever one of its methods throws is known as a {@link StorageFailure}.
 */
export function guardStorage<Storage extends object>(storage: Storage): Storage {
  const guarded: Record<string, unknown> = {}
  for (const name of namesOf(storage)) {
    const method = (storage as Record<string, unknown>)[name]
    guarded[name] =
      typeof method !== 'function'
        ? method
        : (...parameters: unknown[]): Promise<unknown> => {
            try {
              return Promise.resolve(method.apply(storage, parameters)).catch(rethrow)
            } catch (fault) {
              return rethrow(fault)
            }
          }
  }
  return guarded as Storage
}

/** Names of an object's own members and of those its classes gave it. */
function namesOf(value: object): ReadonlySet<string> {
  const names = new Set<string>()
  for (let at: object | null = value; at !== null && at !== Object.prototype;) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name)
    at = Object.getPrototypeOf(at) as object | null
  }
  return names
}

function rethrow(fault: unknown): Promise<never> {
  return Promise.reject(fault instanceof StorageFailure ? fault : new StorageFailure(fault))
}
