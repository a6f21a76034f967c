import { record, TEXT, type Wanted } from '../options/wanted.js'
import { withDeadline } from '../store/deadline.js'
import { readAs } from '../store/guard.js'
import { isBefore } from '../time/seconds.js'
import type { PlatformOptions, School } from './options.js'

/** How long a call may take, while unknown hosts wait for it. The first one returns every host. */
const CALL_MILLISECONDS = 1500
const FIRST_MILLISECONDS = 15_000
/** How long after one call the next request leads to another. */
const POLL_SECONDS = 5
/** The same, where a host is not among those that are known: its school may have been created since. */
const MISS_SECONDS = 1
/** How many hosts are kept, in about 70 MB. Of more, any host may be one, as without a list. */
const MOST_HOSTS = 1_000_000

const CHANGES = record({
  until: TEXT,
  hosts: {
    words: 'an array of hosts',
    fits: (hosts) => typeof hosts === 'object' && hosts !== null && Symbol.iterator in hosts,
  } satisfies Wanted,
})

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
  most = MOST_HOSTS,
}: {
  readonly changes: NonNullable<PlatformOptions<School>['changes']>
  readonly changed: (host: string) => void
  readonly seconds: () => number
  readonly onFault: (fault: unknown) => void
  readonly most?: number
}): KnownHosts {
  const hosts = new Set<string>()
  const askFirst = withDeadline('changes', FIRST_MILLISECONDS, changes)
  const askAgain = withDeadline('changes', CALL_MILLISECONDS, changes)
  let since: string | null = null
  let askedAt = -Infinity
  let currentAt = -Infinity
  let asking: Promise<void> | null = null

  const isFull = (): boolean => hosts.size >= most
  const add = (host: string): void => {
    if (!isFull()) hosts.add(host)
  }
  const areListed = (): boolean => since !== null && !isFull()

  async function poll(): Promise<void> {
    const at = seconds()
    askedAt = at
    try {
      const asked = since === null ? askFirst(since) : askAgain(since)
      const returned = readAs(await asked, CHANGES, 'changes returned')
      for (const host of returned.hosts) {
        if (since === null && isFull()) break
        add(readAs(host, TEXT, 'changes returned hosts with'))
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
      if (isFull() || hosts.has(host)) return true
      if (asking === null && !isDue(MISS_SECONDS, seconds())) return !areListed()
      // Without a whole list, the school itself is asked for.
      return again().then(() => !areListed() || hosts.has(host))
    },
    look: (at) => {
      if (isDue(POLL_SECONDS, at)) void again()
    },
    add,
    areListed,
  }
}
