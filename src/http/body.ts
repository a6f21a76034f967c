import { type FormParameters, parseFormParameters } from '../policy/form-parameters.js'
import { type HeaderList, type Incoming, isGone } from './exchange.js'
import type { Failure } from './frame.js'

/** The options of `readText` for a form. */
export const FORM_BODY: { readonly mediaType: string; readonly limitBytes: number } = {
  mediaType: 'application/x-www-form-urlencoded',
  limitBytes: 16 * 1024,
}
const MAX_PARAMETERS = 100

/**
 * Reads a form body (`application/x-www-form-urlencoded`). Parameters in the query are ignored, because
 * a query ends up in logs.
 *
 * @returns the parameters, or the failure to respond with
 */
export async function readForm(
  incoming: Incoming,
): Promise<{ readonly ok: true; readonly parameters: FormParameters } | Failure> {
  const read = await readText(incoming, FORM_BODY)
  if (!read.ok) return read
  // Counted before parsing. A form of the protocol has about a dozen fields.
  if (read.text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    return failure(400, 'the form has more than 100 parameters')
  return { ok: true, parameters: parseFormParameters(read.text) }
}

/** The options of `readText` for endpoints that receive JSON. */
export const JSON_BODY: { readonly mediaType: string; readonly limitBytes: number } = {
  mediaType: 'application/json',
  limitBytes: 256 * 1024,
}

/**
 * Reads a body as UTF-8 text.
 *
 * @returns the text, or a failure: 415 for another media type, 413 over the limit, 400 if it is not UTF-8.
 *   If the client disconnects, the failure is 400 as well, because this is not a fault of the server.
 */
export async function readText(
  incoming: Incoming,
  { mediaType, limitBytes }: { mediaType: string; limitBytes: number },
): Promise<{ readonly ok: true; readonly text: string } | Failure> {
  const type = mediaTypeOf(incoming.header('content-type'))
  if (type !== mediaType) return failure(415, `send Content-Type: ${mediaType}`)
  const read = await readBytes(incoming, limitBytes)
  if (!read.ok) return read
  const text = decodeUtf8(read.bytes)
  return text === null ? failure(400, 'the body is not valid UTF-8') : { ok: true, text }
}

/** Returns the value of a `Content-Type` header without its parameters, in lower case. */
export const mediaTypeOf = (header: string | null): string =>
  (header ?? '').split(';', 1)[0]!.trim().toLowerCase()

/**
 * Reads a body.
 *
 * @returns its bytes, or a failure: 413 over the limit, and 400 if the client disconnects
 */
export async function readBytes(
  incoming: Incoming,
  limitBytes: number,
): Promise<{ readonly ok: true; readonly bytes: Uint8Array } | Failure> {
  const bytes = await bodyOf(incoming, limitBytes)
  if (bytes === GONE) return failure(400, 'the connection closed before the end of the body')
  if (bytes === null)
    return failure(413, `the body is larger than ${limitBytes} bytes`, ['connection', 'close'])
  return { ok: true, bytes }
}

const GONE = Symbol('the client has disconnected')

async function bodyOf(
  incoming: Incoming,
  limitBytes: number,
): Promise<Uint8Array | typeof GONE | null> {
  try {
    return await incoming.body(limitBytes)
  } catch (fault) {
    if (isGone(incoming)) return GONE
    throw fault
  }
}

// A byte order mark is kept, so that JSON with one is refused: parsers disagree on it (RFC 8259 §8.1).
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8, `null` if the bytes are not. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

const failure = (
  status: Failure['status'],
  description: string,
  headers: HeaderList = [],
): Failure => ({ ok: false, status, description, headers })

const NO_PARAMETERS = /* @__PURE__ */ parseFormParameters('')

/** Parses the query of a request target. */
export function queryOf(target: string): FormParameters {
  const query = target.indexOf('?')
  return query === -1 ? NO_PARAMETERS : parseFormParameters(target.slice(query + 1))
}
