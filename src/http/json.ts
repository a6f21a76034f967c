import { parse } from 'lossless-json'
import { type Decision, refuse } from '../policy/decision.js'

/**
 * Reads a text as JSON that means the same to every reader: no byte order mark, and no object that
 * gives one name two values, of which one reader would take the first and another the last.
 *
 * @returns refusals are `invalid_client_metadata`, as registration answers them: `json_malformed` also
 *   where it nests too deep
 */
export function parseStrictJson(
  text: string,
): Decision<{ value: unknown }, 'json_malformed' | 'json_key_repeated'> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('invalid_client_metadata', 'json_malformed', 'the body must be one JSON object')
  }
  try {
    // Numbers stay text, so that 1 and 1.0 are two values.
    parse(text)
  } catch (fault) {
    // The platform read it, so it is JSON: either a name repeats, or the stack did not reach.
    return fault instanceof SyntaxError
      ? refuse('invalid_client_metadata', 'json_key_repeated', 'the body gives one name two values')
      : refuse('invalid_client_metadata', 'json_malformed', 'the body must be one JSON object')
  }
  return { ok: true, value }
}
