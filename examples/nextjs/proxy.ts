/** The paths that the proxy sees: those with percent-encoding. All others go directly to their route. */
export const config = { matcher: '/(.*%.*)' }

/** Refuses a path that is not percent-encoded UTF-8, as Express does. Next.js itself responds with 500. */
export function proxy({ url }: Request): Response | undefined {
  try {
    decodeURI(new URL(url).pathname)
    return undefined
  } catch {
    const error_description = 'the path is not percent-encoded UTF-8'
    return Response.json(
      { error: 'invalid_request', error_description },
      { status: 400, headers: { 'cache-control': 'no-store' } },
    )
  }
}
