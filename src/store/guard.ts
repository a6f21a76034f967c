import { checkOf, mistakeIn, type Wanted } from '../options/wanted.js'
import { isBefore } from '../time/seconds.js'
import { type AnyGiven, wantedOf } from './given.js'
import type { StoreMethod } from './store.js'

/**
 * Thrown when the storage of the host application failed, to tell an outage from a bug in the program. The
 * response is 503 with `Retry-After`. Functions of yours that no one guards, such as the pages of `interact`
 * and the operations of an admin API, can throw it for the same response.
 *
 * @example
 * ```ts
 * import { StorageFailure } from 'hallpass/store'
 *
 * const failure = new StorageFailure(new Error('connection refused'))
 * failure.message // => 'the storage failed'
 * failure.cause // => new Error('connection refused')
 * ```
 *
 * @group Storage
 */
export class StorageFailure extends Error {
  /** @param cause - the exception of the driver; `onFault` receives it, and the client never does */
  constructor(cause: unknown) {
    super('the storage failed', { cause })
    this.name = 'StorageFailure'
  }
}

const unchanged = new WeakSet<object>()
const unknown = new WeakSet<object>()

/**
 * Marks an exception of a store method: nothing was changed, and nothing will be. So a request that fails because of it
 * gives back what it has used up, and its sender can send it again.
 *
 * Mark it only if that is certain, such as a transaction that was rolled back or never begun. Of any other exception,
 * hallpass assumes that the change may be stored.
 *
 * @returns the exception
 * @example
 * ```ts
 * import { withoutChange } from 'hallpass/store'
 *
 * const fault = new Error('deadlock detected')
 * withoutChange(fault) === fault // => true
 * ```
 *
 * @group Storage
 */
export function withoutChange(fault: unknown): unknown {
  if (typeof fault === 'object' && fault !== null) unchanged.add(fault)
  return fault
}

/** Whether a failed call has changed nothing for certain. Its fault, or that of the driver in it, is marked. */
export const isWithoutChange = (fault: unknown): boolean =>
  fault instanceof Error && (unchanged.has(fault) || isWithoutChange(fault.cause))

/** Whether a request that failed so may have changed something. */
export const mayHaveChanged = (fault: unknown): boolean =>
  typeof fault === 'object' && fault !== null && unknown.has(fault)

/**
 * Thrown in place of a value of the host application with which nothing can be decided. The response is that of an
 * outage, since the next value may be right.
 */
export class UnusableValue extends StorageFailure {
  /**
   * @param message - which function returned what, and what it must be. `onFault` receives it, the client never does
   * @param cause - the exception, if there is one in place of a value
   */
  constructor(message: string, cause?: unknown) {
    super(cause)
    this.message = message
    this.name = 'UnusableValue'
  }
}

/** Thrown instead of issuing anything while the clock of the process and that of the store disagree. */
export class ClockSkew extends Error {
  constructor(skewSeconds: number) {
    const side = isBefore(0, skewSeconds) ? 'ahead of' : 'behind'
    super(
      `the clock of this process is ${Math.abs(skewSeconds)} seconds ${side} that of the store: nothing is issued until they agree`,
    )
    this.name = 'ClockSkew'
  }
}

/** The methods that may take as long as they have rows: maintenance, and the end of many grants. */
export const BULK_VERBS: ReadonlySet<string> = new Set<StoreMethod>([
  'purge',
  'revokeGrants',
  'revokeGrantsOfClient',
  'revokeAllGrants',
  'erasePerson',
])

/**
 * Waits for a call, and rejects with a {@link StorageFailure} if it takes too long.
 *
 * @param failureOf - turns an exception of the call into the one to reject with. Default: the same
 */
export type Limit = <Result>(
  call: () => Result | Promise<Result>,
  failureOf?: (fault: unknown) => unknown,
) => Promise<Result>

/** Returns the limit for a function of the host application; its name is in the error. */
export type Deadline = (name: string) => Limit

/** Whether a method of a store changes nothing. */
const isRead = (verb: string): boolean => /^(?:find|has|list)/.test(verb)

/** Keeps why the last change that a store was asked for failed, and marks the exception if it may be stored. */
export function createWriteWatch(): {
  /** Returns the limit for a method, which notes how its calls end if it changes something. */
  readonly watch: (verb: string, limit: Limit) => Limit
  /** Returns why the last change failed; `null` if it succeeded, or there was none. */
  readonly writeFault: () => unknown
} {
  let last: unknown = null
  return {
    watch: (verb, limit) =>
      isRead(verb)
        ? limit
        : async (call, failureOf) => {
            try {
              const result = await limit(call, failureOf)
              last = null
              return result
            } catch (fault) {
              last = fault
              if (BULK_VERBS.has(verb) || !isWithoutChange(fault)) unknown.add(fault as object)
              throw fault
            }
          },
    writeFault: () => last,
  }
}

const UNLIMITED: Limit = async (call, failureOf = (fault) => fault) => {
  try {
    return await call()
  } catch (fault) {
    throw failureOf(fault)
  }
}

/**
 * Returns what a function of the host application returned, if it is as wanted.
 *
 * @param place - such as `findPerson returned`
 * @throws UnusableValue
 */
export function readAs<Returned>(returned: Returned, wanted: Wanted, place: string): Returned {
  if (checkOf(wanted)(returned)) return returned
  // A rejection that no one catches ends the process.
  if (isPromise(returned)) Promise.resolve(returned).catch(() => {})
  throw new UnusableValue(mistakeIn(returned, wanted, place)!)
}

/** Whether a function that must not return a promise did. */
export const isPromise = (returned: unknown): boolean =>
  typeof (returned as PromiseLike<unknown> | null | undefined)?.then === 'function'

/** Turns an exception of a named function of the host application into an {@link UnusableValue}. */
export const thrownBy =
  (name: string) =>
  (fault: unknown): StorageFailure =>
    fault instanceof StorageFailure ? fault : new UnusableValue(`${name} threw an exception`, fault)

function storageFailureOf(fault: unknown, name: string): StorageFailure {
  if (fault instanceof StorageFailure) return fault
  const failure = new StorageFailure(fault)
  failure.message = `the storage failed: ${name} threw an exception`
  return failure
}

/**
 * Wraps a function so that it rejects with a {@link StorageFailure} when it throws, rejects or exceeds the
 * limit.
 *
 * @param name - of the function, for the message
 */
export const guarded =
  <Parameters extends readonly unknown[], Result>(
    name: string,
    ask: (...parameters: Parameters) => Result | Promise<Result>,
    limit: Limit = UNLIMITED,
  ): ((...parameters: Parameters) => Promise<Result>) =>
  (...parameters) =>
    limit(
      () => ask(...parameters),
      (fault) => storageFailureOf(fault, name),
    )

/**
 * Reads what a method of the host application returned.
 *
 * @param asked - the first argument of the call, such as the key of a record
 * @throws UnusableValue
 */
export type Read = (returned: unknown, name: string, asked: unknown) => unknown

type Method = (...given: readonly unknown[]) => Promise<unknown>

const unusable = (mistake: string): Error => new UnusableValue(mistake)

/** The conditions by which a method refuses its arguments, so that no one asks twice. */
const refused = new WeakMap<Method, AnyGiven>()
/** The same of stores whose methods are made at each reading. */
export const refusedByAll: WeakMap<object, Readonly<Record<string, AnyGiven>>> = new WeakMap()

/**
 * Returns methods that reject a call whose arguments are not as they take them, and ask nothing then. A database may
 * compare a number with every text that begins with it, and no identifier that is absent means all.
 *
 * @param given - what each method takes. Others are not copied
 * @param failureOf - makes the failure of a mistake. Default: {@link UnusableValue}
 */
export function refusingOthers<Methods extends object>(
  methods: Methods,
  given: Readonly<Record<keyof Methods, AnyGiven>>,
  failureOf: (mistake: string) => Error = unusable,
): Methods {
  const own = methods as Readonly<Record<string, Method>>
  const refusing = Object.entries<AnyGiven>(given).map(([name, its]): [string, Method] => [
    name,
    refusingOther(name, own[name]!, its, failureOf),
  ])
  return Object.fromEntries(refusing) as Methods
}

type Condition = { readonly wanted: Wanted; readonly fits: (value: unknown) => boolean }
/** The conditions of each table of arguments, which all stores share. */
const CONDITIONS = new WeakMap<AnyGiven, readonly Condition[]>()

function conditionsOf(its: AnyGiven): readonly Condition[] {
  let known = CONDITIONS.get(its)
  if (known === undefined) {
    known = wantedOf(its).map((wanted) => ({ wanted, fits: checkOf(wanted) }))
    CONDITIONS.set(its, known)
  }
  return known
}

function refusingOther(
  name: string,
  method: Method,
  its: AnyGiven,
  failureOf: (mistake: string) => Error,
): Method {
  if (refused.get(method) === its) return method
  const conditions = conditionsOf(its)
  const refusing: Method = (...all) => {
    const mistake = mistakeBy(conditions, name, all)
    return mistake === null ? method(...all) : Promise.reject(failureOf(mistake))
  }
  refused.set(refusing, its)
  return refusing
}

/** Finds the first argument that a method does not take. Returns what is wrong with it, or `null`. */
export const mistakeInAll = (name: string, its: AnyGiven, all: readonly unknown[]): string | null =>
  mistakeBy(conditionsOf(its), name, all)

function mistakeBy(
  conditions: readonly Condition[],
  name: string,
  all: readonly unknown[],
): string | null {
  for (let index = 0; index < conditions.length; index++) {
    const { wanted, fits } = conditions[index]!
    if (!fits(all[index])) return mistakeIn(all[index], wanted, `${name} was given`)
  }
  return null
}

const MAKE = Symbol('make')
type Late = Readonly<Record<typeof MAKE, (name: string) => Method>>
/** The getters of each table of methods, which all objects that are made of it share. */
const GETTERS = new WeakMap<object, object>()

/**
 * Returns an object whose methods are made when they are first read, since of a school among thousands few are called. It
 * lists those that were read.
 */
function lateMethods(table: object, make: (name: string) => Method): object {
  let getters = GETTERS.get(table)
  if (getters === undefined) {
    getters = {}
    for (const name of Object.keys(table))
      Object.defineProperty(getters, name, {
        get(this: Late) {
          const value = this[MAKE](name)
          Object.defineProperty(this, name, { value, enumerable: true })
          return value
        },
      })
    GETTERS.set(table, getters)
  }
  return Object.create(getters, { [MAKE]: { value: make } }) as object
}

/**
 * Wraps each method of a storage with {@link guarded} when it is first read, and refuses what it does not take. Other
 * members are not copied.
 *
 * @param given - what each method takes
 * @param results - how what a method returns is read. Default: it is passed on
 */
export function guardStorage<Storage extends object>(
  storage: Storage,
  given: Readonly<Record<keyof Storage, AnyGiven>>,
  {
    results = {},
    deadline = () => UNLIMITED,
  }: { results?: Readonly<Record<string, Read>>; deadline?: Deadline } = {},
): Storage {
  const own = storage as Readonly<Record<string, Method>>
  const table: Readonly<Record<string, AnyGiven>> = given
  return lateMethods(given, (name) => {
    const read = results[name]
    const call: Method =
      read === undefined
        ? (...all) => own[name]!(...all)
        : async (...all) => read(await own[name]!(...all), name, all[0])
    const method = guarded(name, call, deadline(name))
    const its = table[name]!
    const isRefused = refusedByAll.get(storage)?.[name] === its || refused.get(own[name]!) === its
    if (isRefused) refused.set(method, its)
    return refusingOther(name, method, its, unusable)
  }) as Storage
}
