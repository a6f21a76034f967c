import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * The body as a parser such as `express.json()` left it in `req.body`, turned back into bytes; where the
 * host keeps the bytes themselves in `req.rawBody`, those.
 *
 * @returns `null` where the stream is still to be read; an error where it was read and nothing is left:
 *   an empty body would be a lie
 */
export function parsedBody(
  req: IncomingMessage,
  contentType: string | null,
): Uint8Array | Error | null {
  // Some parsers set `body` on requests that they leave alone, hence the stream decides.
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
  'the body of this request was read before it came here: mount the handler before the body parser, or leave what was parsed on req.body'

/**
 * Reads the body.
 *
 * @returns `null` as soon as there are more than `limitBytes`
 * @throws Error when the client goes away before the end
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
      // Every request closes in the end, and an error is dear to make.
      req.off('close', onClose)
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length))
    })
    req.once('close', onClose)
  })
}

/** A body that cannot be read any more. It fails for whoever reads it, and for nobody else. */
export function failedBody(fault: Error): ReadableStream<Uint8Array> {
  const pull = (): Promise<never> => Promise.reject(fault)
  return new ReadableStream({ pull }, { highWaterMark: 0 })
}

/**
 * The body as a stream that reads no faster than its consumer.
 *
 * @param events - `onCancel` hears that the consumer gave up before the end
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
        // Paused first: a listener for `data` would start the flow before anybody reads.
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
        // What nobody read by the end of the answer would hold up the next request.
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
  return new Error('the request body broke off')
}
