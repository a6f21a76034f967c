import { request } from 'node:http'

const PATHS = ['/', '/.well-known/oauth-protected-resource', '/oauth/authorize']

/** Returns what a server on this computer answers if a page of another site lets a name of its own lead to it. */
export const answersToForeignName = (origin: string): Promise<readonly string[]> =>
  Promise.all(
    PATHS.map(
      (path) =>
        new Promise<string>((resolve, reject) => {
          // `fetch` sets `Host` itself.
          const host = `evil.example:${new URL(origin).port}`
          request(new URL(path, origin), { headers: { host } })
            .once('response', (response) => resolve(`${path} ${response.resume().statusCode}`))
            .once('error', reject)
            .end()
        }),
    ),
  )

/** No page, no metadata and no sign-in. */
export const MISDIRECTED: readonly string[] = PATHS.map((path) => `${path} 421`)
