import { createHash, randomBytes } from 'node:crypto'

/** The news of a visitor's client. */
export interface Watch {
  /** Epoch seconds: when the page was opened. */
  since: number
  /** Epoch seconds: when something was seen last; `null` before that. */
  changedAt: number | null
  /** Whether the page is on the computer of the school itself. */
  isLocal: boolean
  /** Whether the client called the address of the page, and was asked to sign in. */
  asked: boolean
  /** Whether a client on this computer read the metadata. */
  discovered: boolean
  /** Identifiers of its attempts, the newest last. */
  readonly attempts: string[]
}

/** The visitors who wait for their own client. */
export interface Watches {
  /** Begins to watch, or begins again. */
  readonly begin: (label: string, visitor: { network: string; isLocal: boolean }) => Watch
  readonly forget: (label: string) => void
  /** Returns what is watched under a label; `null` if there is none, or if it has ended. */
  readonly find: (label: string | null) => (Watch & { readonly network: string }) | null
  /** Returns the same for the page itself. A page that asks is not the next to be forgotten. */
  readonly news: (label: string) => Watch | null
  /** Returns those whose page is on the computer of the school. */
  readonly local: () => readonly Watch[]
}

/**
 * Pages that wait at the same time, in all and of one network. Beyond that, the one is forgotten that has not asked for
 * longest. A page that is open asks every few seconds, and one that was closed or loaded anew does not.
 */
const MAX_WATCHES = 1000
const MAX_WATCHES_OF_NETWORK = 100
const MAX_ATTEMPTS_OF_WATCH = 8
/** How long a page receives further attempts after it was opened. */
const WATCH_SECONDS = 3600

const SECRET = /^[\w-]{43}$/

/** Makes the secret of a browser, with which it reads what it watches. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Whether a value can be a secret of {@link newSecret}. */
export const isSecret = (text: string | undefined): text is string =>
  text !== undefined && SECRET.test(text)

/** Returns the label in the address for the client. It does not open what the browser watches. */
export const labelOf = (secret: string): string =>
  createHash('sha256').update(`connect ${secret}`).digest('base64url').slice(0, 22)

/** Keeps in memory who watches. */
export function createWatches({ now }: { now: () => number }): Watches {
  // In the order in which their pages last asked.
  const watches = new Map<string, Watch & { readonly network: string }>()
  const isOver = ({ since }: Watch): boolean => since + WATCH_SECONDS < now()

  function makeRoom(network: string): void {
    const theirs = [...watches].filter(([, watch]) => watch.network === network)
    if (theirs.length >= MAX_WATCHES_OF_NETWORK) watches.delete(theirs[0]![0])
    if (watches.size >= MAX_WATCHES) watches.delete(watches.keys().next().value!)
  }

  const find: Watches['find'] = (label) => {
    const found = label === null ? undefined : watches.get(label)
    return found === undefined || isOver(found) ? null : found
  }

  return {
    begin(label, { network, isLocal }) {
      const known = watches.get(label)
      if (known === undefined) makeRoom(network)
      watches.delete(label)
      const watch = {
        asked: false,
        discovered: false,
        attempts: [],
        changedAt: null,
        ...known,
        since: now(),
        network,
        isLocal,
      }
      watches.set(label, watch)
      return watch
    },
    forget: (label) => void watches.delete(label),
    find,
    news(label) {
      const found = find(label)
      if (found === null) return null
      watches.delete(label)
      watches.set(label, found)
      return found
    },
    local: () => [...watches.values()].filter((watch) => watch.isLocal && !isOver(watch)),
  }
}

/** Adds an attempt to what is watched, as the newest. */
export function addAttempt(watch: Watch, id: string, at: number): void {
  const { attempts } = watch
  watch.changedAt = at
  if (attempts.at(-1) === id) return
  const place = attempts.indexOf(id)
  if (place !== -1) attempts.splice(place, 1)
  attempts.push(id)
  if (attempts.length > MAX_ATTEMPTS_OF_WATCH) attempts.shift()
}
