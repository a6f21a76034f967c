import type { Person } from 'hallpass/policy'
import { english } from './words/en.js'
import type { Language } from './words/words.js'

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** Describes a time span in its largest fitting unit, rounded up: `2 minutes`. */
export function spanInWords(seconds: number, { locale }: Language = english): string {
  const whole = Math.max(1, Math.ceil(seconds))
  // At least two of a unit, or exactly one, so that 90 seconds are not shown as 2 minutes.
  const [size, unit] = UNITS.find(([size]) => whole >= 2 * size || whole === size) ?? [1, 'second']
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    useGrouping: false,
  }).format(Math.ceil(whole / size))
}

/** Returns the name of a person for a page. */
export const nameOf = (
  { name, email }: Pick<Person, 'name' | 'email'>,
  { words }: Language = english,
): string => name ?? email ?? words.nameless

/** Describes roles: `Manager and lecturer`. */
export function rolesInWords(
  roles: readonly string[],
  { locale, words }: Language = english,
): string {
  if (roles.length === 0) return words.noRole
  const names = roles.map((role) => (Object.hasOwn(words.roles, role) ? words.roles[role]! : role))
  const text = new Intl.ListFormat(locale).format(names)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the host of a client ID that is a URL, and any other client ID unchanged. */
export const documentHost = (clientId: string): string =>
  /^https:\/\/([^/?#]+)/.exec(clientId)?.[1] ?? clientId

/** Describes how long ago something was: `just now`, `3 hours ago`. */
export function agoInWords({
  at,
  now,
  language: { locale, words } = english,
}: {
  at: number
  now: number
  language?: Language
}): string {
  const seconds = now - at
  if (seconds < 60) return words.account.justNow
  const [size, unit] = AGO.find(([least]) => seconds >= least)!
  return new Intl.RelativeTimeFormat(locale).format(-Math.floor(seconds / size), unit)
}

const AGO: readonly (readonly [size: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [31_557_600, 'year'],
  [2_629_800, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** Describes a moment in a time zone: `20 Nov 2026, 09:00`. */
export const momentInWords = ({
  at,
  timeZone,
  locale = english.locale,
}: {
  at: number
  timeZone: string
  locale?: string
}): string =>
  new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(at * 1000)

/** Writes a number: `1,234`. */
export const countOf = (count: number, { locale }: Language = english): string =>
  new Intl.NumberFormat(locale).format(count)
