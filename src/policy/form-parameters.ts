/** The parameters of a request: a query string or form, decoded. */
export interface FormParameters {
  /** The one value; `null` = absent, empty (RFC 6749 §3.1: treated as omitted) or repeated. */
  single(name: string): string | null
  /** Whether the parameter is there at all, even if empty. */
  has(name: string): boolean
  /** Every non-empty value. */
  all(name: string): readonly string[]
  /** Names that came more than once. */
  readonly repeated: readonly string[]
}

/**
 * Reads a query string or form body (`application/x-www-form-urlencoded`).
 *
 * @param text - without a leading `?`
 */
export function parseFormParameters(text: string): FormParameters {
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const repeated: string[] = []
  for (const [name, list] of values) if (list.length > 1) repeated.push(name)
  return {
    single(name) {
      const list = values.get(name)
      return list?.length === 1 && list[0] !== '' ? list[0]! : null
    },
    has: (name) => values.has(name),
    all: (name) => (values.get(name) ?? []).filter((value) => value !== ''),
    repeated,
  }
}
