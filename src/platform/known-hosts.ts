import { guarded } from '../store/guard.js'
import { createDeadline } from '../store/deadline.js'
import { isBefore } from '../time/seconds.js'
import type { PlatformOptions, School } from './options.js'

/** How long a call may take, while unknown hosts wait for it. The first one returns every host. */
const CALL_MILLISECONDS = 1500
const FIRST_MILLISECONDS = 15_000
/** How long after one call the next request leads to another. */
const POLL_SECONDS = 5
/** The same, where a host is not among those that are known: its school may have been created since. */
const MISS_SECONDS = 1

/** The hosts of all schools, as far as `changes` named them. */
export interface KnownHosts {
  /** Whether `changes` answered in the last `seconds`, so that the schools that are open are as they were. */
  readonly isCurrent: (seconds: number) => boolean
  /** Whether a school may have this host. Asks again for one that is not known, once a second for all. */
  readonly mayBe: (host: string) => Promise<boolean> | boolean
  /** Asks what has changed, if it is time. No one waits for it. */
  readonly look: (at: number) => void
  readonly add: (host: string) => void
  /** Whether all hosts are known, so that no one can cause a look-up of one that does not exist. */
  readonly areListed: () => boolean
}

/** Without `changes`, every host may be one, and nothing is current. */
export const NO_HOSTS: KnownHosts = {
  isCurrent: () => false,
  mayBe: () => true,
  look: () => {},
  add: () => {},
  areListed: () => false,
}

/**
 * @param changed - receives each host that changed
 * @param seconds - a clock that never steps back
 */
export function createKnownHosts({
  changes,
  changed,
  seconds,
  onFault,
}: {
  readonly changes: NonNullable<PlatformOptions<School>['changes']>
  readonly changed: (host: string) => void
  readonly seconds: () => number
  readonly onFault: (fault: unknown) => void
}): KnownHosts {
  const hosts = new Set<string>()
  const ask = (milliseconds: number) =>
    guarded('changes', changes, createDeadline(milliseconds)('changes'))
  const [askFirst, askAgain] = [ask(FIRST_MILLISECONDS), ask(CALL_MILLISECONDS)]
  let since: string | null = null
  let askedAt = -Infinity
  let currentAt = -Infinity
  let asking: Promise<void> | null = null

  async function poll(): Promise<void> {
    const at = seconds()
    askedAt = at
    try {
      const returned = await (since === null ? askFirst : askAgain)(since)
      if (
        typeof returned?.until !== 'string' ||
        typeof returned.hosts?.[Symbol.iterator] !== 'function'
      )
        throw new TypeError(
          'changes must resolve to { until, hosts }: a string, and an array of hosts',
        )
      for (const host of returned.hosts) {
        hosts.add(host)
        if (since !== null) changed(host)
      }
      since = returned.until
      currentAt = at
    } catch (fault) {
      onFault(fault)
    }
  }
  const again = (): Promise<void> =>
    (asking ??= poll().finally(() => {
      asking = null
    }))
  const isDue = (wait: number, at: number): boolean =>
    asking === null && !isBefore(at, askedAt + wait)

  return {
    isCurrent: (age) => isBefore(seconds(), currentAt + age),
    mayBe(host) {
      if (hosts.has(host)) return true
      if (asking === null && !isDue(MISS_SECONDS, seconds())) return since === null
      // Without any list, the school itself is asked for.
      return again().then(() => since === null || hosts.has(host))
    },
    look: (at) => {
      if (isDue(POLL_SECONDS, at)) void again()
    },
    add: (host) => void hosts.add(host),
    areListed: () => since !== null,
  }
}
