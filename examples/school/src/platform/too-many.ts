/** What an address that asks too often is told. */
export const TOO_MANY = {
  error: 'temporarily_unavailable',
  error_description: 'too many requests from this address: wait a little',
}

/** Whether a browser asks for something to look at. */
export const wantsPage = (request: Request): boolean =>
  request.headers.get('accept')?.includes('text/html') ?? false

/** The answer to an address that has to wait, for whatever is no browser. */
export const tooMany = (retryAfterSeconds: number): Response =>
  Response.json(TOO_MANY, {
    status: 429,
    headers: {
      'retry-after': String(retryAfterSeconds),
      'cache-control': 'no-store',
      // A page of another origin that is told to wait has to be able to read so.
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After',
    },
  })
