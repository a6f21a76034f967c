import { isMembers, listOf, memberOf, type Members, membersOf } from './reading.js'

/** RFC 7518, section 6: the members that only a private or symmetric key has. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
/** RFC 7518, section 6: the members of each type of public key. */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
  RSA: ['e', 'n'],
}
/** RFC 7517, section 4: for what a key is, in addition to what it is. */
const OF_EVERY_KEY = ['kid', 'use', 'key_ops', 'alg']

/** Whether a value is a private or symmetric key, also within an object that is not read otherwise. */
export function isSecretKey(value: unknown): boolean {
  const key = Object(value) as Members
  return (
    memberOf(key, 'kty') === 'oct' ||
    PRIVATE_MEMBERS.some((name) => memberOf(key, name) !== undefined)
  )
}

/** Whether a value is a key of a type that is read here, whatever else it has. */
export const hasKnownType = (value: unknown): boolean => namesOf(value) !== null

/**
 * Reads a public key: the members that are used, in one order, without those that say nothing. What verifies
 * signatures gets no other key, and would take an empty member for a rule.
 *
 * @returns the key; `null` if it is not a public key of type EC, OKP or RSA
 */
export function readPublicKey(value: unknown): Members | null {
  const names = namesOf(value)
  if (names === null || isSecretKey(value)) return null
  const key = membersOf(value as Members, ['kty', ...names, ...OF_EVERY_KEY])
  return names.every((name) => typeof key[name] === 'string') ? key : null
}

/** Whether a key is for signatures, by what it says of itself (RFC 7517, sections 4.2 and 4.3). */
export const isForSignatures = (key: Members): boolean =>
  (key['use'] ?? 'sig') === 'sig' &&
  (key['key_ops'] === undefined || listOf(key['key_ops']).includes('verify'))

/**
 * Returns the members of which the thumbprint of a public key is made, in their order.
 *
 * @see [RFC 7638, section 3.2](https://www.rfc-editor.org/rfc/rfc7638#section-3.2)
 */
export const thumbprintMembers = (key: Members): Members =>
  membersOf(key, ['kty', ...namesOf(key)!].toSorted())

function namesOf(value: unknown): readonly string[] | null {
  const type = isMembers(value) ? memberOf(value, 'kty') : undefined
  return typeof type === 'string' && Object.hasOwn(PUBLIC_MEMBERS, type)
    ? PUBLIC_MEMBERS[type]!
    : null
}
