import { type Decision, type Refusal, refuse } from '../policy/decision.js'

type Reason = 'json_malformed' | 'json_key_repeated'

/**
 * Far more than metadata or an operation needs, and far less than overflows the stack of a recursive
 * parser.
 */
const MAX_LEVELS = 64

/**
 * Parses JSON that means the same to every parser. A text with a byte order mark is refused, and so is an
 * object that repeats a name, because parsers disagree on which value applies.
 *
 * @returns the value. Refusals have the error `invalid_client_metadata`, as registration needs it:
 *   `json_malformed`, also if it is nested deeper than 64 levels, and `json_key_repeated`
 */
export function parseStrictJson(text: string): Decision<{ value: unknown }, Reason> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return malformed()
  }
  return refusalOf(text) ?? { ok: true, value }
}

/** Matches a string, with the colon after it if it is a name, and the brackets of objects and arrays. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g

/** Finds what `JSON.parse` accepts but this parser refuses, in a text that has been parsed. */
function refusalOf(json: string): Refusal<Reason> | null {
  // The names of each object or array that is open at this point. An array has none.
  const open: Set<unknown>[] = []
  for (const [token, colon] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (open.push(new Set()) > MAX_LEVELS) return malformed()
    } else if (token === '}' || token === ']') {
      open.pop()
    } else if (colon !== undefined) {
      // `"a"` and `"\u0061"` are the same name.
      const name: unknown = JSON.parse(token.slice(0, -colon.length))
      const names = open.at(-1)!
      if (names.has(name))
        return refuse(
          'invalid_client_metadata',
          'json_key_repeated',
          'the body repeats a name within a JSON object',
        )
      names.add(name)
    }
  }
  return null
}

const malformed = (): Refusal<'json_malformed'> =>
  refuse(
    'invalid_client_metadata',
    'json_malformed',
    'the body must be valid JSON, nested at most 64 levels deep',
  )
