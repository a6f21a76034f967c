import { orNull, record, SWITCH, TEXT, type Wanted } from '../options/wanted.js'
import type { Person } from '../policy/person.js'
import { isPromise, readAs, thrownBy, UnusableValue } from '../store/guard.js'
import { isEpochSeconds, isNotAfter, secondsSince } from '../time/seconds.js'
import type { Spent } from './budget.js'
import { MAX_SKEW_SECONDS } from './clock.js'

const MAX_NETWORK_LENGTH = 256
/** Most secrets that are tried to repeat a refresh. */
const MAX_SECRETS = 16

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

const PERSON = orNull(
  record({
    subject: SUBJECT,
    orgId: { words: 'a string, such as the id of the site', fits: isText },
    roles: {
      words: 'a list of names of roles, such as []',
      fits: (value) => Array.isArray(value) && value.every((role) => typeof role === 'string'),
    },
    name: TEXT_OR_NULL,
    email: TEXT_OR_NULL,
    picture: TEXT_OR_NULL,
  }),
)

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
  const wanted = orNull(record({ subject: SUBJECT, authTime: past(now) }))
  return readAs(returned, wanted, 'currentPerson returned')
}

const ENDS: Wanted = {
  words: 'a list of ends with endsAt in whole epoch seconds',
  fits: (value) => Array.isArray(value) && value.every((end) => isEpochSeconds(end?.endsAt)),
}

/** Reads what `grantEnds` returned: an end in milliseconds would last as long as the site allows. */
export const readEnds = <Ends>(returned: Ends): Ends => readAs(returned, ENDS, 'grantEnds returned')

/** Reads what `memberClients` returned: neither text nor `undefined` allows anything. */
export const readSwitch = (returned: boolean): boolean =>
  readAs(returned, SWITCH, 'memberClients returned')

/** The client receives JSON, and so an object: not of a function, a `Date` or a promise. */
const CLAIMS: Wanted = {
  words: 'an object',
  fits: (value) => !isPromise(value) && /^[[{]/.test(JSON.stringify(value)),
}

/** Calls `extraClaims`, and reads what it returned. */
export function readClaims(extraClaims: () => unknown): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(readAs(extraClaims(), CLAIMS, 'extraClaims returned')))
  } catch (fault) {
    throw thrownBy('extraClaims')(fault)
  }
}

const isSecret = (value: unknown): boolean => typeof value === 'string' && value.length >= 32
const SECRETS: Wanted = {
  words: `1 to ${MAX_SECRETS} secrets of at least 32 characters each`,
  fits: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_SECRETS &&
    value.every(isSecret),
}

/** Reads what `keys.refreshSecrets` returned. */
export const readRefreshSecrets = <Secrets>(returned: Secrets): Secrets =>
  readAs(returned, SECRETS, 'keys.refreshSecrets returned')

const NETWORK: Wanted = {
  words: `null or a string of at most ${MAX_NETWORK_LENGTH} characters`,
  fits: (value) => typeof value === 'string' && value.length <= MAX_NETWORK_LENGTH,
}

/** Reads what `networkOf` returned. `undefined` and empty text are `null`. */
export const readNetwork = (returned: string | null | undefined): string | null =>
  returned ? readAs(returned, NETWORK, 'networkOf returned') : null

const SPENT = record({
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

const PAGE: Wanted = {
  words: 'a Response',
  fits: (value) =>
    typeof (value as Partial<Response> | null)?.status === 'number' &&
    typeof (value as Partial<Response>).headers?.get === 'function',
}

/**
 * Reads what a function of `interact` returned. A response is known by its parts, because some frameworks have a class
 * of their own for it. Its body can be sent once.
 */
export function readPage(name: string, returned: unknown): Response {
  const page = readAs(returned as Response, PAGE, `${name} returned`)
  if (page.bodyUsed)
    throw new UnusableValue(
      `${name} returned a Response that was sent before: it must be a new one for each request`,
    )
  return page
}

/** Text that a header, a log and a page can hold as it is. */
const REQUEST_ID = /^[\w.:-]{1,128}$/

/** Reads what `requestIdOf` returned. Other text than an identifier is `null`, since a client may have sent it. */
export function readRequestId(returned: string | null | undefined): string | null {
  const id = readAs(returned ?? null, ID, 'requestIdOf returned')
  return id !== null && REQUEST_ID.test(id) ? id : null
}
const ID = orNull(TEXT)

const NOW: Wanted = {
  words: 'whole epoch seconds, such as Math.floor(Date.now() / 1000)',
  fits: isEpochSeconds,
}

/** Reads what `now` returned. */
export const readClock = (returned: number): number => readAs(returned, NOW, 'now returned')
