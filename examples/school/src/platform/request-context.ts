/** The context of a request that the `Request` itself does not contain. */
export interface RequestContext {
  /** The client's IP address, or `null` if it is not known. */
  readonly address: string | null
}

const contexts = new WeakMap<Request, RequestContext>()

/** Remembers the context of a request for functions that only receive the `Request`, and returns it. */
export function withContext(request: Request, context: RequestContext): Request {
  contexts.set(request, context)
  return request
}

/** Returns the address that sent a request of {@link withContext}, or `null`. */
export const addressOf = (request: Request): string | null => contexts.get(request)?.address ?? null
