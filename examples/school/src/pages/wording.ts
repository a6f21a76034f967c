import type { Person } from 'hallpass/policy'

const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

/** A time span in its largest fitting unit, rounded up: `2 minutes`. */
export function spanInWords(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  // Two of a unit, or exactly one, so that 90 seconds do not become 2 minutes.
  const [size, name] = UNITS.find(([size]) => whole >= 2 * size || whole === size) ?? [1, 'second']
  const count = Math.ceil(whole / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** What a person is called on a page. */
export const nameOf = ({ name, email }: Pick<Person, 'name' | 'email'>): string =>
  name ?? email ?? 'a member without a name'

/** Roles for reading: `Manager and lecturer`. */
export function rolesInWords(roles: readonly string[]): string {
  if (roles.length === 0) return 'No role'
  const text = [roles.slice(0, -1).join(', '), roles.at(-1)]
    .filter((part) => part !== '')
    .join(' and ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The host of a document client's address; the whole identifier of any other. */
export const documentHost = (clientId: string): string =>
  /^https:\/\/([^/?#]+)/.exec(clientId)?.[1] ?? clientId

/** How long ago something was: `just now`, `3 hours ago`. */
export function agoInWords({ at, now }: { at: number; now: number }): string {
  const seconds = now - at
  if (seconds < 60) return 'just now'
  const [size, name] = AGO.find(([least]) => seconds >= least)!
  const count = Math.floor(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'} ago`
}

const AGO: readonly (readonly [size: number, name: string])[] = [
  [31_557_600, 'year'],
  [2_629_800, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** A moment by the clock of a place: `20 Nov 2026, 09:00`. */
export const momentInWords = ({ at, timeZone }: { at: number; timeZone: string }): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(at * 1000)

/** A number with its word: `1 person`, `12 people`. */
export const countInWords = (count: number, one: string, many: string): string =>
  `${COUNT.format(count)} ${count === 1 ? one : many}`

const COUNT = new Intl.NumberFormat('en')

/** How many people: `Nobody`, `1 person`, `12 people`. */
export const peopleInWords = (count: number): string =>
  count === 0 ? 'Nobody' : countInWords(count, 'person', 'people')
