import { type Decision, type Refusal, refuse } from '../policy/decision.js'

type Reason = 'json_malformed' | 'json_key_repeated'

/** Far more than metadata or an operation has, far less than a reader that recurses can bear. */
const MAX_LEVELS = 64

/**
 * Reads a text as JSON that means the same to every reader: no byte order mark, and no object that has
 * one name twice, of which one reader would take the first value and another the last.
 *
 * @returns refusals are `invalid_client_metadata`, as registration answers them: `json_malformed` also
 *   where it nests deeper than 64 levels
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

/** A string, with the colon behind it where it is a name; the begin and end of objects and arrays. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g

/** What the platform's reader lets pass, in a text that it has read. */
function refusalOf(json: string): Refusal<Reason> | null {
  // The names of whatever is open here; an array has none.
  const open: Set<unknown>[] = []
  for (const [token, colon] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (open.push(new Set()) > MAX_LEVELS) return malformed()
    } else if (token === '}' || token === ']') {
      open.pop()
    } else if (colon !== undefined) {
      // `"a"` and `"\u0061"` are one name.
      const name: unknown = JSON.parse(token.slice(0, -colon.length))
      const names = open.at(-1)!
      if (names.has(name))
        return refuse('invalid_client_metadata', 'json_key_repeated', 'the body repeats a name within a JSON object')
      names.add(name)
    }
  }
  return null
}

const malformed = (): Refusal<'json_malformed'> =>
  refuse('invalid_client_metadata', 'json_malformed', 'the body must be valid JSON, nested at most 64 levels deep')
