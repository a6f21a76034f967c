import type { IncomingMessage } from 'node:http'

const senders = new WeakMap<Request, IncomingMessage>()

/** Remembers from which message a `Request` was made, and returns it. */
export function sentBy(request: Request, message: IncomingMessage): Request {
  senders.set(request, message)
  return request
}

/** Returns the message from which {@link sentBy} made a `Request`. */
export const messageOf = (request: Request): IncomingMessage | undefined => senders.get(request)
