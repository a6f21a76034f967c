import { type Fields, record, shown, SWITCH, TEXT, type Wanted } from '../options/wanted.js'
import type { Person } from '../policy/person.js'
import { readAs, thrownBy, UnusableValue } from '../store/guard.js'
import { isEpochSeconds, isNotAfter, secondsSince } from '../time/seconds.js'
import type { Spent } from './budget.js'
import { MAX_SKEW_SECONDS } from './clock.js'

const MAX_NETWORK_LENGTH = 256
/** Most secrets that are tried to repeat a refresh. */
const MAX_SECRETS = 16

/** Makes the condition of an object with these fields, if there is one. It may have others. */
const found = (fields: Fields): Wanted => ({ ...record(fields), words: 'an object or null' })

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const TEXT_OR_NULL: Wanted = {
  words: 'a string or null',
  fits: (value) => value === undefined || value === null || TEXT.fits(value),
}

/** Many databases have numbers, with which no `sub` agrees. */
const SUBJECT: Wanted = {
  words: 'a string, such as String(row.id)',
  fits: isText,
}

/** A time that has come, but for what the clocks of two machines may differ. */
const past = (now: number): Wanted => ({
  words: 'whole epoch seconds that have passed, such as Math.floor(signedInAt / 1000)',
  fits: (value) => isEpochSeconds(value) && isNotAfter(secondsSince(now, value), MAX_SKEW_SECONDS),
})

const PERSON = found({
  subject: SUBJECT,
  orgId: { words: 'a string, such as the id of the site', fits: isText },
  roles: {
    words: 'a list of names of roles, such as []',
    fits: (value) => Array.isArray(value) && value.every((role) => typeof role === 'string'),
  },
  name: TEXT_OR_NULL,
  email: TEXT_OR_NULL,
  picture: TEXT_OR_NULL,
})

/** Reads what `findPerson` returned for a subject. `undefined`, as for a row that was not found, is `null`. */
export function readPerson(returned: unknown, subject: string): Person | null {
  if (returned === null || returned === undefined) return null
  const person = readAs(returned as Person, PERSON, 'findPerson returned')
  // A database may have a collation that ignores case, accents or blanks.
  if (person.subject !== subject)
    throw new UnusableValue(
      'findPerson returned another person than the one it was asked for: compare subjects exactly',
    )
  return person
}

/** Reads what `currentPerson` returned. `undefined` is `null`. */
export function readSignedIn<SignedIn extends { readonly subject: string }>(
  returned: SignedIn | null | undefined,
  now: number,
): SignedIn | null {
  if (returned === null || returned === undefined) return null
  const wanted = found({ subject: SUBJECT, authTime: past(now) })
  return readAs(returned, wanted, 'currentPerson returned')
}

/** Reads what `grantEnds` returned: an end in milliseconds would last as long as the site allows. */
export function readEnds<Ends extends readonly { readonly endsAt: number }[]>(
  returned: Ends,
): Ends {
  const ends: unknown = returned
  if (!Array.isArray(ends) || !ends.every((end) => isEpochSeconds(end?.endsAt)))
    throw new UnusableValue(
      'grantEnds must return a list of ends with endsAt in whole epoch seconds',
    )
  return returned
}

/** Reads what `memberClients` returned: neither text nor `undefined` allows anything. */
export function readSwitch(returned: unknown): boolean {
  if (typeof returned !== 'boolean')
    throw new UnusableValue(`memberClients returned ${shown(returned)}: it must be true or false`)
  return returned
}

/**
 * Whether a function that must not return a promise did. It is caught here, because a rejection that no one catches
 * ends the process.
 */
function isPromise(returned: unknown): boolean {
  if (typeof (returned as PromiseLike<unknown> | null | undefined)?.then !== 'function')
    return false
  Promise.resolve(returned).catch(() => {})
  return true
}

/** Calls `extraClaims`, and reads what it returned. */
export function readClaims(extraClaims: () => unknown): Readonly<Record<string, unknown>> {
  try {
    const returned = extraClaims()
    // The client receives JSON: nothing of a function, and text for a `Date`.
    const claims: unknown = isPromise(returned)
      ? null
      : JSON.parse(JSON.stringify(returned) ?? 'null')
    if (typeof claims === 'object' && claims !== null)
      return claims as Readonly<Record<string, unknown>>
    throw new UnusableValue(`extraClaims returned ${shown(returned)}: it must be an object`)
  } catch (fault) {
    throw thrownBy('extraClaims')(fault)
  }
}

/** Reads what `keys.refreshSecrets` returned. */
export function readRefreshSecrets(returned: unknown): readonly [string, ...string[]] {
  const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= 32
  const fits = Array.isArray(returned) && returned.length > 0 && returned.length <= MAX_SECRETS
  if (!fits || !returned.every(isSecret))
    throw new UnusableValue(
      `keys.refreshSecrets must return 1 to ${MAX_SECRETS} secrets of at least 32 characters each`,
    )
  return returned as unknown as readonly [string, ...string[]]
}

/** Reads what `networkOf` returned. `undefined` and empty text are `null`. */
export function readNetwork(returned: unknown): string | null {
  if (returned === null || returned === undefined || returned === '') return null
  if (isPromise(returned) || typeof returned !== 'string' || returned.length > MAX_NETWORK_LENGTH)
    throw new UnusableValue(
      `networkOf returned ${shown(returned)}: it must be null or a string of at most ${MAX_NETWORK_LENGTH} characters`,
    )
  return returned
}

const SPENT = found({
  ok: SWITCH,
  remaining: { words: 'a number', fits: Number.isFinite },
  retryAfterSeconds: {
    words: 'a number of at least 0',
    fits: (value) => Number.isFinite(value) && isNotAfter(0, Number(value)),
  },
})

/** Reads what a `budget` returned. */
export const readSpent = (returned: unknown): Spent =>
  readAs(returned as Spent, SPENT, 'budget.spend returned')

/**
 * Reads what a function of `interact` returned. A response is known by its parts, because some frameworks have a class
 * of their own for it. Its body can be sent once.
 */
export function readPage(name: string, returned: unknown): Response {
  const { status, headers, bodyUsed } = (returned ?? {}) as Partial<Response>
  if (typeof status !== 'number' || typeof headers?.get !== 'function')
    throw new UnusableValue(`${name} returned ${shown(returned)}: it must be a Response`)
  if (bodyUsed === true)
    throw new UnusableValue(
      `${name} returned a Response that was sent before: it must be a new one for each request`,
    )
  return returned as Response
}

/** Text that a header, a log and a page can hold as it is. */
const REQUEST_ID = /^[\w.:-]{1,128}$/

/** Reads what `requestIdOf` returned. Other text than an identifier is `null`, since a client may have sent it. */
export function readRequestId(returned: unknown): string | null {
  if (returned === null || returned === undefined) return null
  if (isPromise(returned) || typeof returned !== 'string')
    throw new UnusableValue(`requestIdOf returned ${shown(returned)}: it must be a string or null`)
  return REQUEST_ID.test(returned) ? returned : null
}

/** Reads what `now` returned. */
export function readClock(returned: unknown): number {
  if (isPromise(returned) || !isEpochSeconds(returned))
    throw new UnusableValue(
      `now returned ${shown(returned)}: it must be whole epoch seconds, such as Math.floor(Date.now() / 1000)`,
    )
  return returned
}
