/** Returns the path of an app in the admin area, or of a page below it. */
export const applicationPath = (clientId: string, below: string | null = null): string =>
  `/oauth/applications/${encodeURIComponent(clientId)}${below === null ? '' : `/${below}`}`

/** Returns a path with parameters. Those that are empty or `null` are left out. */
export function pathWith(
  path: string,
  parameters: Readonly<Record<string, string | null>>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== '') query.set(name, value)
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** Returns the path of the services of a school, of the form for a new one, or of the page that ends one. */
export const servicePath = (below: string | null = null): string =>
  `/oauth/applications/services${below === null ? '' : `/${encodeURIComponent(below)}`}`

const ATTEMPTS = '/oauth/applications/attempts'

/** Returns the path of the list of attempts, or of one attempt. */
export const attemptPath = (id: string | null = null): string =>
  id === null ? ATTEMPTS : `${ATTEMPTS}/${encodeURIComponent(id)}`

/** Returns the path of the list with a filter. */
export const attemptsPath = (filter: Readonly<Record<string, string | null>>): string =>
  pathWith(ATTEMPTS, filter)
