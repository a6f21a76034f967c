import { vi } from 'vitest'

export type Json = Readonly<Record<string, unknown>>
/** Where a member is: the names on the way, and an index within a list. */
export type Path = readonly (string | number)[]

/** What every object has, or what a promise asks of its result. */
const OF_EVERY_OBJECT = new Set([...Object.getOwnPropertyNames(Object.prototype), 'then', 'toJSON'])

/** Returns a value that notes which of its members anyone looks for, also those that are not there. */
function watched(value: unknown, path: Path, note: (path: Path) => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  const isList = Array.isArray(value)
  const placeOf = (name: string | symbol): Path | null => {
    if (typeof name === 'symbol' || OF_EVERY_OBJECT.has(name)) return null
    if (!isList) return [...path, name]
    return /^\d+$/.test(name) ? [...path, Number(name)] : null
  }
  const look = (name: string | symbol): Path | null => {
    const place = placeOf(name)
    if (place !== null) note(place)
    return place
  }
  return new Proxy(value, {
    has: (target, name) => {
      look(name)
      return Reflect.has(target, name)
    },
    get(target, name) {
      const place = look(name)
      const found: unknown = Reflect.get(target, name)
      return place === null ? found : watched(found, place, note)
    },
    getOwnPropertyDescriptor(target, name) {
      const place = look(name)
      const found = Reflect.getOwnPropertyDescriptor(target, name)
      if (found === undefined || place === null) return found
      return { ...found, value: watched(found.value, place, note) }
    },
  })
}

/**
 * Notes which members of these JSON texts anyone reads while something runs. So a member that a reader asks for is found
 * in the reader itself: no list has to name it.
 */
export async function membersReadOf(
  texts: readonly string[],
  run: () => Promise<unknown>,
): Promise<readonly Path[]> {
  const paths = new Map<string, Path>()
  const original = JSON.parse
  const spy = vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
    const value: unknown = original(text, reviver)
    const at = texts.indexOf(text)
    return at === -1 ? value : watched(value, [at], (path) => paths.set(path.join(' '), path))
  })
  try {
    await run()
  } finally {
    spy.mockRestore()
  }
  return [...paths.values()]
}

/** Returns a copy with another value at a path; without the member for `undefined`. */
export function withMember(of: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(of))
    return of
      .map((one: unknown, at) => (at === name ? withMember(one, rest, value) : one))
      .filter((one) => one !== undefined)
  const { [name]: known, ...others } = (of ?? {}) as Record<string, unknown>
  const next = withMember(known, rest, value)
  return next === undefined ? others : { ...others, [name]: next }
}
