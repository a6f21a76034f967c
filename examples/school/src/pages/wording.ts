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
