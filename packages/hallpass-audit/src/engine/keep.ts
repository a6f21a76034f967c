import { Unanswered } from './http.js'

/** Keeps what several checks need, so that it is made once. */
export type Once = <Value>(name: string, make: () => Promise<Value>) => Promise<Value>

export interface Keep {
  /** Makes a value and keeps it. A later check tries again, a few times, if there was no answer. */
  readonly once: Once
  /** Puts another value in the place of one that was made. */
  readonly renew: Once
}

/** How often something is made for one name, if a server does not answer. */
const MOST_MADE = 3

export function createKeep(): Keep {
  const kept = new Map<string, Promise<unknown>>()
  const unanswered = new Map<string, number>()
  const renew: Once = (name, make) => {
    const value = make()
    kept.set(name, value)
    // A check that no one waits for yet must not end the process.
    value.catch((error: unknown) => {
      const times = (unanswered.get(name) ?? 0) + 1
      unanswered.set(name, times)
      if (error instanceof Unanswered && times < MOST_MADE && kept.get(name) === value) kept.delete(name)
    })
    return value
  }
  return {
    renew,
    once: (name, make) => (kept.get(name) as ReturnType<typeof make> | undefined) ?? renew(name, make),
  }
} // prettier-ignore
