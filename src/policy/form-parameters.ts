/**
 * The decoded parameters of a query string or form.
 *
 * @group Authorization requests
 */
export interface FormParameters {
  /**
   * Returns the value of a parameter. Returns `null` if the parameter is absent, repeated, or
   * empty, which RFC 6749 section 3.1 treats as omitted.
   */
  single(name: string): string | null
  /** Whether the parameter is present, even if it is empty. For forms of your own. */
  has(name: string): boolean
  /** Returns every value that is not empty. */
  all(name: string): readonly string[]
  /** The names that occur more than once with a value. */
  readonly repeated: readonly string[]
}

/**
 * Parses a query string or a form body (`application/x-www-form-urlencoded`). No input is refused:
 * decide about missing and repeated parameters with the result.
 *
 * @param text - the query or body, without a leading `?`
 * @returns the parameters by name
 * @see [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749#section-3.1)
 *
 * @example
 * ```ts
 * import { parseFormParameters } from 'hallpass/policy'
 *
 * const parameters = parseFormParameters('grant_type=refresh_token&scope=&resource=a&resource=b')
 * parameters.single('grant_type') // => 'refresh_token'
 * parameters.single('scope') // => null
 * parameters.has('scope') // => true
 * parameters.all('resource') // => ['a', 'b']
 * parameters.repeated // => ['resource']
 * ```
 *
 * @group Authorization requests
 */
export function parseFormParameters(text: string): FormParameters {
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const list = values.get(name)
    // The one rule for a parameter without a value, at every endpoint: it is omitted.
    if (list === undefined) values.set(name, value === '' ? [] : [value])
    else if (value !== '') list.push(value)
  }
  const repeated: string[] = []
  for (const [name, list] of values) if (list.length > 1) repeated.push(name)
  return {
    single(name) {
      const list = values.get(name)
      return list?.length === 1 ? list[0]! : null
    },
    has: (name) => values.has(name),
    all: (name) => values.get(name) ?? [],
    repeated,
  }
}
