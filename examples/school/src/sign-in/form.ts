const MAX_BYTES = 16 * 1024

/** Reads the fields of a form. Returns `null` if the body is not a form, is too large or ends early. */
export async function readForm(request: Request): Promise<URLSearchParams | null> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type) || request.body === null)
    return null
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of request.body) {
      length += chunk.length
      if (length > MAX_BYTES) return null
      chunks.push(chunk)
    }
  } catch (fault) {
    // The browser disconnected, which is not a fault of the school.
    if (request.signal.aborted) return null
    throw fault
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}
