import type { OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { HeaderList, Outgoing } from '../http/exchange.js'
import type { NodeIncoming } from './incoming.js'

/** How long a client may continue to send after the response, in milliseconds, so that it can read it. */
const LINGER_MILLISECONDS = 1000

/** Writes a response whose body is there as a whole: the head and the body are sent in one write. */
export function writeOutgoing(incoming: NodeIncoming, res: ServerResponse, answer: Outgoing): void {
  if (res.writableEnded) return
  if (res.destroyed) {
    // No one reads it. It tells `guardServer` that the work for this request is finished.
    res.end()
    return
  }
  const isHead = incoming.method === 'HEAD'
  const headers: (string | string[] | number)[] = eachOnce(answer.headers)
  // RFC 9110 §8.6: no Content-Length with 204 and 304.
  const body = answer.status === 204 || answer.status === 304 ? null : (answer.body ?? '')
  if (body !== null && !(isHead && answer.body === null))
    headers.push('content-length', Buffer.byteLength(body))
  if (incoming.abandoned) headers.push('connection', 'close')
  res.writeHead(answer.status, headers as OutgoingHttpHeader[])
  end(incoming, res, isHead ? '' : (body ?? ''))
}

/**
 * Writes a Fetch API response. Its body is read at the pace of the client, and canceled if the client
 * disconnects.
 *
 * @throws whatever reading the body throws
 */
export async function writeResponse(
  incoming: NodeIncoming,
  res: ServerResponse,
  response: Response,
): Promise<void> {
  if (res.writableEnded || res.destroyed || incoming.method === 'HEAD' || response.body === null) {
    await response.body?.cancel()
    const headers = headersOf(response)
    writeOutgoing(incoming, res, { status: response.status, headers, body: null })
    return
  }
  const reader = response.body.getReader()
  // `read` has already thrown the failure of the stream.
  const cancel = (): void => void reader.cancel().catch(() => {})
  res.once('close', cancel)
  try {
    const headers = eachOnce(headersOf(response))
    if (incoming.abandoned) headers.push('connection', 'close')
    res.writeHead(response.status, headers)
    for (;;) {
      const { done, value } = await reader.read()
      if (done || res.destroyed) break
      if (!res.write(value)) await drained(res)
    }
  } finally {
    res.off('close', cancel)
    cancel()
  }
  end(incoming, res, '')
}

const FAULT: Outgoing = {
  status: 500,
  headers: ['content-type', 'application/json', 'cache-control', 'no-store'],
  body: '{"error":"server_error"}',
}

/** Responds with 500 and no details. If the response has already begun, the connection is closed. */
export function writeFault(incoming: NodeIncoming, res: ServerResponse): void {
  if (res.headersSent) {
    if (!res.writableEnded) res.destroy()
    return
  }
  // A `writeHead` that failed has left its reason phrase here.
  res.statusMessage = ''
  writeOutgoing(incoming, res, FAULT)
}

function end(incoming: NodeIncoming, res: ServerResponse, body: string | Uint8Array): void {
  if (!incoming.abandoned) {
    res.end(body)
    return
  }
  // Closing while the client is still sending resets the connection, and the response would be lost.
  if (body.length === 0) res.flushHeaders()
  else res.write(body)
  const timer = setTimeout(() => res.end(), LINGER_MILLISECONDS)
  incoming.discard(() => {
    clearTimeout(timer)
    res.end()
  })
}

/**
 * Joins the values of a repeated name. Node 20 would send only the last value if the host application
 * had already set a header.
 */
function eachOnce(list: HeaderList): (string | string[])[] {
  const headers: (string | string[])[] = []
  for (let index = 0; index < list.length; index += 2) {
    const name = list[index]!
    const value = list[index + 1]!
    let at = 0
    while (at < headers.length && headers[at] !== name) at += 2
    if (at === headers.length) headers.push(name, value)
    else headers[at + 1] = [headers[at + 1]!, value].flat()
  }
  return headers
}

function headersOf(response: Response): string[] {
  const headers: string[] = []
  // Several cookies are several entries.
  response.headers.forEach((value, name) => headers.push(name, value))
  return headers
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      res.off('drain', settle)
      res.off('close', settle)
      resolve()
    }
    res.once('drain', settle)
    res.once('close', settle)
    // If the connection has closed since the write, neither event follows.
    if (res.destroyed) settle()
  })
}
