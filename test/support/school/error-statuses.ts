/**
 * The errors of a text of `/auth.md`, each with one of its statuses: `invalid_grant 400`. The status is
 * `redirect` where the error is sent to the redirect URI.
 */
export const errorStatuses = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/<a id="error-\w+"><\/a>`(\w+)` \| ([\w, ]+) \|/g)].flatMap(
      ([, code, statuses]) => statuses!.split(', ').map((status) => `${code} ${status}`),
    ),
  )

/**
 * The error of a response in the same form, of its redirect or of its body.
 *
 * @returns `null` if it has none, as an error of JSON-RPC and a page have none
 */
export async function statusOfError(response: Response): Promise<string | null> {
  const location = response.headers.get('location')
  if (location !== null) {
    const error = new URL(location, 'https://school.example').searchParams.get('error')
    return error === null ? null : `${error} redirect`
  }
  const text = await response.text()
  if (!/^application\/(?:problem\+)?json\b/.test(response.headers.get('content-type') ?? ''))
    return null
  const body = JSON.parse(text) as {
    readonly error?: unknown
    readonly code?: unknown
    readonly view?: { readonly error: string }
  }
  const error = body.view?.error ?? body.error ?? body.code
  return typeof error === 'string' ? `${error} ${response.status}` : null
}
