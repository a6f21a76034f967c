import { type Deadline, guarded, StorageFailure, withoutChange } from './guard.js'

/** How long a request waits for one call of the host application, unless its site states otherwise. */
export const DEADLINE_MILLISECONDS = 1500

/** When the caller of the function that is being called stops waiting, by `performance.now()`. */
let end: number | null = null

/**
 * Returns until when the caller waits, by `performance.now()`; `null` if it always does. Read it before the first `await`
 * of what a {@link Deadline} calls: work that begins later would be done behind an answer that it failed.
 */
export const endOfWait = (): number | null => end

/** Calls a function for someone who waits until then. */
export function whileWaiting<Result>(until: number | null, call: () => Result): Result {
  const before = end
  end = until
  try {
    return call()
  } finally {
    end = before
  }
}

/** Whether no one waits any more. */
export function isTooLate(until: number | null): boolean {
  const left = until === null ? 1 : until - performance.now()
  return left <= 0
}

/** Why work is not begun, or is rolled back. */
export const TOO_LATE = 'the caller no longer waits, so nothing was changed'

const late = (message: string): StorageFailure => new StorageFailure(new Error(message))

/** Calls that may be overdue at the same time: beyond that, only one call in turn is made. */
const MOST_OVERDUE = 1000

/**
 * Creates a deadline for calls of the host application.
 *
 * A call that is overdue cannot be stopped from here, and keeps its memory until the driver gives it up. So
 * their number is bounded: if 1000 are overdue, further calls are refused immediately, except one in turn. The
 * first that responds in time ends this state.
 *
 * @param milliseconds - how long each call may take
 * @param mostOverdue - the number of overdue calls, in place of 1000
 */
export function createDeadline(milliseconds: number, mostOverdue: number = MOST_OVERDUE): Deadline {
  let overdue: Set<() => void> | null = null
  let isTrying = false
  // One promise and one timer for a call, because several calls are made for each request.
  return (name) =>
    <Result>(
      call: () => Result | Promise<Result>,
      failureOf: (fault: unknown) => unknown = (fault) => fault,
    ) =>
      new Promise<Result>((resolve, reject) => {
        const isTrial = (overdue?.size ?? 0) >= mostOverdue
        if (isTrial && isTrying)
          throw withoutChange(
            late(`${name} was not called: ${mostOverdue} earlier calls have not responded`),
          )
        isTrying ||= isTrial
        let isOverdue = false
        // After a blocked event loop the first timer fires before the responses that have arrived are read.
        let timer = setTimeout(() => {
          timer = setTimeout(expire, 0)
        }, milliseconds)
        function expire(): void {
          isOverdue = true
          overdue = (overdue ?? new Set()).add(expire)
          if (isTrial) isTrying = false
          reject(late(`${name} did not respond within ${milliseconds} ms`))
        }
        function settle(): void {
          if (isOverdue) {
            overdue?.delete(expire)
          } else {
            clearTimeout(timer)
            if (isTrial) isTrying = false
          }
        }
        const succeed = (result: Result): void => {
          settle()
          if (isTrial && !isOverdue) overdue = null
          resolve(result)
        }
        const fail = (fault: unknown): void => {
          settle()
          reject(failureOf(fault))
        }
        try {
          Promise.resolve(whileWaiting(performance.now() + milliseconds, call)).then(succeed, fail)
        } catch (fault) {
          fail(fault)
        }
      })
}

/**
 * Wraps one function of the host application so that it rejects with a {@link StorageFailure} when it throws, rejects or
 * takes too long. For several with the same deadline, use {@link createDeadline}.
 *
 * @param name - of the function, for the message
 */
export const withDeadline = <Parameters extends readonly unknown[], Result>(
  name: string,
  milliseconds: number,
  ask: (...parameters: Parameters) => Result | Promise<Result>,
): ((...parameters: Parameters) => Promise<Result>) =>
  guarded(name, ask, createDeadline(milliseconds)(name))

/** Lets other requests continue between two steps: a store whose driver never waits would hold up all of them. */
export const letOthersIn = (): Promise<void> =>
  new Promise((resolve) =>
    // A timer takes a millisecond, and not every runtime has the other.
    typeof setImmediate === 'function' ? setImmediate(resolve) : setTimeout(resolve, 0),
  )

/** Waits for work of a driver, at most so long. What comes later is left alone. */
export function inTime<Result>(
  work: Promise<Result>,
  milliseconds: number,
  lateOf: () => Error,
): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(lateOf()), milliseconds)
  })
  return Promise.race([work, expired]).finally(() => clearTimeout(timer))
}
