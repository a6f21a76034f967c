import { T } from '../support/school/school.js'

/** What hosts return in place of a time in epoch seconds, whatever the types say. */
export const NO_SECONDS: readonly unknown[] = [
  NaN,
  Infinity,
  -Infinity,
  undefined,
  null,
  new Date(T * 1000),
  new Date(T * 1000).toISOString(),
  String(T),
  T * 1000,
  BigInt(T),
  true,
  {},
  [T],
]

/**
 * Returns a question once for each of its fields with one of these names and each value that is no time, with a text
 * that says which.
 *
 * @param nullable - the fields in which `null` is right
 */
export function withWrongTimes<Question extends object>(
  question: Question,
  fields: readonly string[],
  nullable: readonly string[] = [],
): readonly (readonly [what: string, wrong: Question])[] {
  return placesIn(question, fields).flatMap((path) =>
    NO_SECONDS.filter((value) => value !== null || !nullable.includes(path.join('.'))).map(
      (value) => [`${path.join('.')} = ${shown(value)}`, replaced(question, path, value)] as const,
    ),
  )
}

const shown = (value: unknown): string =>
  `${value instanceof Date ? 'Date ' : typeof value} ${String(value)}`

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof Map)

function placesIn(value: unknown, fields: readonly string[]): readonly (readonly string[])[] {
  if (!isPlain(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    fields.includes(key) ? [[key]] : placesIn(inner, fields).map((path) => [key, ...path]),
  )
}

function replaced<Whole>(whole: Whole, [key, ...rest]: readonly string[], value: unknown): Whole {
  const copy = (Array.isArray(whole) ? [...whole] : { ...whole }) as Record<string, unknown>
  copy[key!] = rest.length === 0 ? value : replaced(copy[key!], rest, value)
  return copy as Whole
}
