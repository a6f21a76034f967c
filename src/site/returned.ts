import { kindOf } from '../options/check.js'
import type { Person } from '../policy/person.js'
import { UnusableValue } from '../store/guard.js'
import { isEpochSeconds, isNotAfter, secondsSince } from '../time/seconds.js'
import type { Spent } from './budget.js'
import { MAX_SKEW_SECONDS } from './clock.js'

const MAX_NETWORK_LENGTH = 256

/** A condition, with words for it that follow "it must be". */
interface Wanted {
  readonly words: string
  readonly fits: (value: unknown) => boolean
}

/** A number is shown, since the mistake is often its unit. Anything else may be a secret. */
const shown = (value: unknown): string => (typeof value === 'number' ? `${value}` : kindOf(value))

/** Reads an object whose named fields are as wanted. It may have others. */
function readFields(
  name: string,
  returned: unknown,
  fields: Readonly<Record<string, Wanted>>,
): void {
  if (typeof returned !== 'object' || returned === null)
    throw new UnusableValue(`${name} returned ${shown(returned)}: it must be an object or null`)
  for (const [field, { words, fits }] of Object.entries(fields)) {
    const value = (returned as Readonly<Record<string, unknown>>)[field]
    if (!fits(value))
      throw new UnusableValue(`${name} returned ${field} ${shown(value)}: it must be ${words}`)
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const TEXT_OR_NULL: Wanted = {
  words: 'a string or null',
  fits: (value) => value === null || value === undefined || typeof value === 'string',
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

const PERSON: Readonly<Record<string, Wanted>> = {
  subject: SUBJECT,
  orgId: { words: 'a string, such as the id of the site', fits: isText },
  roles: {
    words: 'a list of names of roles, such as []',
    fits: (value) => Array.isArray(value) && value.every((role) => typeof role === 'string'),
  },
  name: TEXT_OR_NULL,
  email: TEXT_OR_NULL,
  picture: TEXT_OR_NULL,
}

/** Reads what `findPerson` returned for a subject. `undefined`, as for a row that was not found, is `null`. */
export function readPerson(returned: unknown, subject: string): Person | null {
  if (returned === null || returned === undefined) return null
  readFields('findPerson', returned, PERSON)
  const person = returned as Person
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
  readFields('currentPerson', returned, { subject: SUBJECT, authTime: past(now) })
  return returned
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

/** Reads what `networkOf` returned. `undefined` and empty text are `null`. */
export function readNetwork(returned: unknown): string | null {
  if (returned === null || returned === undefined || returned === '') return null
  if (typeof returned !== 'string' || returned.length > MAX_NETWORK_LENGTH)
    throw new UnusableValue(
      `networkOf returned ${shown(returned)}: it must be null or a string of at most ${MAX_NETWORK_LENGTH} characters`,
    )
  return returned
}

/** Reads what a `budget` returned. */
export function readSpent(returned: unknown): Spent {
  const isCount = (value: unknown): boolean =>
    Number.isFinite(value) && isNotAfter(0, Number(value))
  const count: Wanted = { words: 'a number of at least 0', fits: isCount }
  readFields('budget.spend', returned, {
    ok: { words: 'true or false', fits: (value) => typeof value === 'boolean' },
    remaining: { words: 'a number', fits: Number.isFinite },
    retryAfterSeconds: count,
  })
  return returned as Spent
}

/** Reads what `now` returned. */
export function readClock(returned: unknown): number {
  if (!isEpochSeconds(returned))
    throw new UnusableValue(
      `now returned ${shown(returned)}: it must be whole epoch seconds, such as Math.floor(Date.now() / 1000)`,
    )
  return returned
}
