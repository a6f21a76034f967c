/**
 * Parsed JSON of someone else: the metadata of a client, claims, a header, a key, an answer. Each reader
 * of such a record reads it with the functions of this file. So `null`, `''` and `[]` mean one thing everywhere: the
 * member is absent.
 */
export type Members = Readonly<Record<string, unknown>>

/**
 * Whether parsed JSON is an object. An object with a member `__proto__` is refused, since it could
 * change a prototype.
 */
export function isMembers(value: unknown): value is Members {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !Object.hasOwn(value, '__proto__')
  )
}

/** Whether a value says nothing. Serializers that leave no member out write these. */
const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * Returns the value of a member. `undefined` if it is absent, `null`, `''` or `[]`, which mean the same. A list is returned
 * without such items, and one of nothing else is absent too.
 */
export function memberOf(members: Members, name: string): unknown {
  const value = Object.hasOwn(members, name) ? members[name] : null
  const said: unknown = Array.isArray(value) ? value.filter((one) => !isEmpty(one)) : value
  return isEmpty(said) ? undefined : said
}

/** Returns the members of these names that are there. */
export const membersOf = (members: Members, names: readonly string[]): Members =>
  Object.fromEntries(
    names.map((name) => [name, memberOf(members, name)]).filter(([, one]) => one !== undefined),
  ) as Members

/** Returns a list; an empty one for anything else. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : []

/** Returns the values of a member that may be a list, or one value without a list; none if it is absent. */
export const valuesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) || value === undefined ? listOf(value) : [value]

type Kind<Value> = (value: unknown) => value is Value
type Kinds = Readonly<Record<string, Kind<unknown>>>
type Read<Of extends Kinds, None> = {
  readonly [Name in keyof Of]: (Of[Name] extends Kind<infer Value> ? Value : never) | None
}

/**
 * Reads members of a record: those of `needed`, and those of `optional` that are there.
 *
 * @returns the members; `null` if one that is needed is absent, or one is of another kind
 */
export function readMembers<Needed extends Kinds, Optional extends Kinds>(
  members: Members,
  needed: Needed,
  optional: Optional,
): (Read<Needed, never> & Read<Optional, undefined>) | null {
  const read: Record<string, unknown> = {}
  for (const [name, isKind] of Object.entries({ ...needed, ...optional })) {
    const value = memberOf(members, name)
    if (value === undefined ? Object.hasOwn(needed, name) : !isKind(value)) return null
    read[name] = value
  }
  return read as Read<Needed, never> & Read<Optional, undefined>
}

/** The kind of a text of at most so many characters. */
export const text =
  (most: number = Infinity): Kind<string> =>
  (value): value is string =>
    typeof value === 'string' && value.length <= most

/** The kind of a time in epoch seconds. It may have a fraction. */
export const isTime: Kind<number> = (value): value is number => Number.isFinite(value)

/** The kind of a member that the caller decides about. */
export const isAny: Kind<unknown> = (_value): _value is unknown => true

/** The compact form of a JWT. The signature is not read. */
const JWT = /^([\w-]+)\.([\w-]+)\.[\w-]*$/

/**
 * Reads a JWT, whose signature is not checked.
 *
 * A header with `crit` is refused, also with an empty one: no extension is understood here, and RFC 7515 forbids an empty
 * list.
 *
 * @param most - the greatest length, in characters
 * @returns header and claims; `null` if the text is not a JWT
 * @see [RFC 7515, section 4.1.11](https://www.rfc-editor.org/rfc/rfc7515#section-4.1.11)
 */
export function readJwt(
  token: string,
  most: number,
): { readonly header: Members; readonly claims: Members } | null {
  const [, first, second] = (token.length <= most && JWT.exec(token)) || []
  const [header, claims] = [partOf(first), partOf(second)]
  return header === null || claims === null || Object.hasOwn(header, 'crit')
    ? null
    : { header, claims }
}

function partOf(part: string | undefined): Members | null {
  if (part === undefined) return null
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (one) => one.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isMembers(value) ? value : null
  } catch {
    return null
  }
}
