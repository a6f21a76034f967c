import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Returns the bytes of a body that a parser such as `express.json()` has already read. They are taken from
 * `req.rawBody` if the host application keeps them there, and otherwise made from `req.body`.
 *
 * @returns `null` if the stream has not been read yet. An error if it has been read and no body was kept,
 *   because an empty body would be wrong.
 */
export function parsedBody(
  req: IncomingMessage,
  contentType: string | null,
): Uint8Array | Error | null {
  // The stream decides, because some parsers set `body` even on requests that they do not read.
  if (!req.readableDidRead) return req.readableEnded ? new Uint8Array(0) : null
  const { body, rawBody } = req as { body?: unknown; rawBody?: unknown }
  for (const bytes of [rawBody, body]) {
    if (bytes instanceof Uint8Array) return bytes
    if (typeof bytes === 'string') return Buffer.from(bytes)
  }
  if (body === undefined) return new Error(DRAINED)
  if (body instanceof URLSearchParams) return Buffer.from(body.toString())
  const isForm = /^application\/x-www-form-urlencoded *(;|$)/i.test(contentType ?? '')
  return Buffer.from(isForm ? formOf(body) : JSON.stringify(body))
}

const DRAINED =
  'the body of this request has already been read: mount the handler before the body parser, or keep the parsed value in req.body'

/**
 * Reads the body.
 *
 * @returns its bytes; `null` as soon as there are more than `limitBytes`
 * @throws Error if the connection closes before the end
 */
export function readBody(req: IncomingMessage, limitBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    if (req.destroyed) {
      reject(brokenOff())
      return
    }
    const chunks: Buffer[] = []
    let length = 0
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length <= limitBytes) {
        chunks.push(chunk)
        return
      }
      req.off('data', onData)
      req.pause()
      resolve(null)
    }
    const onClose = (): void => reject(brokenOff())
    req.on('data', onData)
    req.once('end', () => {
      // `close` always follows `end`: unsubscribe, so that no unused error is created.
      req.off('close', onClose)
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
    })
    req.once('close', onClose)
  })
}

/**
 * Creates a body that can no longer be read: reading it fails, and a handler that ignores it is not
 * affected.
 */
export function failedBody(fault: Error): ReadableStream<Uint8Array> {
  const pull = (): Promise<never> => Promise.reject(fault)
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}

/**
 * Returns the body as a stream that reads no faster than its consumer.
 *
 * @param events - `onCancel` is called if the consumer cancels before the end
 */
export function streamBody(
  req: IncomingMessage,
  res: ServerResponse,
  { onCancel }: { onCancel: () => void },
): ReadableStream<Uint8Array> {
  let settled = false
  const once = (settle: () => void) => (): void => {
    if (settled) return
    settled = true
    settle()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Paused first, because a listener for `data` would start the flow before the consumer reads.
        req.pause()
        req.on('data', (chunk: Buffer) => {
          if (settled) return
          controller.enqueue(chunk)
          req.pause()
        })
        req.once(
          'end',
          once(() => controller.close()),
        )
        const fail = once(() => controller.error(brokenOff()))
        req.once('close', fail)
        // A body that is still unread after the response would block the next request.
        res.once('close', () => {
          fail()
          req.resume()
        })
        if (req.destroyed) fail()
      },
      pull: () => void req.resume(),
      cancel: once(() => {
        req.pause()
        onCancel()
      }),
    },
    { highWaterMark: 0 },
  )
}

function formOf(body: unknown): string {
  const form = new URLSearchParams()
  const append = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) append(name, one)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value))
        append(name === '' ? key : `${name}[${key}]`, one)
    else form.append(name, String(value))
  }
  append('', body)
  return form.toString()
}

function brokenOff(): Error {
  return new Error('the connection closed before the end of the request body')
}
