import { isWithoutChange } from '../store/guard.js'
import { isBefore } from '../time/seconds.js'
import type { Store } from '../store/store.js'

/** The part of a store that keeps keys that may be used once. */
export type Once = Pick<Store, 'useOnce' | 'giveBack'>

/** The things that a failed request has used up, in the words of its answer. */
export interface Lost {
  /** The things that the sender has to fetch anew, to send the request again. */
  readonly anew: readonly string[]
  /** The things that are used up if the change was stored after all, so that a second request is refused. */
  readonly doubtful: readonly string[]
}

/** Nothing was used up, or all of it was given back. */
export const NOTHING_LOST: Lost = { anew: [], doubtful: [] }

/** Uses keys up for one request, and gives them back if it fails before anything may have been changed. */
export interface Uses {
  /**
   * Uses a key up.
   *
   * @param what - what the sender has to fetch anew if the key is not given back, such as `client assertion`
   * @returns whether it was not used before
   */
  readonly useOnce: (
    once: Once,
    use: { readonly key: string; readonly until: number },
    what: string,
  ) => Promise<boolean>
  /** Notes what the change that follows uses up: both are stored, or neither. */
  readonly useWithChange: (what: string) => void
  /**
   * Gives back what was used up, unless the change may be stored. Otherwise anyone who saw the request could repeat it.
   *
   * @param notifyFault - receives why something could not be given back
   */
  readonly settle: (mayBeStored: boolean, notifyFault: (fault: unknown) => void) => Promise<Lost>
}

/** For how long a key is kept beyond its time, because another process may purge by a clock that is ahead. */
const CLOCKS_SECONDS = 60

/**
 * @param site - `newClaim`: returns a name that no other use of a key has
 */
export function createUses({ newClaim, now }: { newClaim: () => string; now: () => number }): Uses {
  const kept: string[] = []
  const claimed: { readonly what: string; readonly giveBack: () => Promise<void> }[] = []
  const withChange: string[] = []
  return {
    async useOnce(once, { key, until }, what) {
      const claim = newClaim()
      try {
        const used = await once.useOnce({ key, until: until + CLOCKS_SECONDS, claim })
        if (used === 'again') return false
        claimed.push({ what, giveBack: () => once.giveBack({ key, claim }) })
        // A request that took long may come behind the purge of its key.
        return isBefore(now(), until)
      } catch (fault) {
        // It may be stored later, behind what gives it back.
        if (!isWithoutChange(fault)) kept.push(what)
        throw fault
      }
    },
    useWithChange: (what) => void withChange.push(what),
    async settle(mayBeStored, notifyFault) {
      const giveBack = async ({ what, giveBack: give }: (typeof claimed)[number]) => {
        if (!mayBeStored)
          try {
            return await give()
          } catch (fault) {
            notifyFault(fault)
          }
        kept.push(what)
      }
      await Promise.all(claimed.map(giveBack))
      return { anew: kept, doubtful: mayBeStored ? withChange : [] }
    },
  }
}

/** Says what to fetch anew. */
export function wordsOf({ anew, doubtful }: Lost): string {
  const list = (things: readonly string[]): string =>
    [...new Set(things)].map((thing) => `a new ${thing}`).join(' and ')
  const now = anew.length === 0 ? '' : `, with ${list(anew)}`
  return doubtful.length === 0
    ? now
    : `${now}; if that is refused, start again with ${list(doubtful)}`
}
