import { type Problem, refuseWith } from 'hallpass/admin'

// What the school answers itself, now or one day. A page there would stand in front of it, and at
// `/oauth` or `/sign-in` it would ask people for their passwords.
const RESERVED: ReadonlySet<string> = new Set([
  'account', 'admin', 'api', 'assets', 'auth', 'checkout', 'courses', 'docs', 'events', 'files',
  'login', 'mcp', 'oauth', 'openapi', 'pay', 'posts', 'sign-in', 'sign-out', 'sign-up', 'uploads',
  'well-known',
]) // prettier-ignore

/**
 * Whether a page may answer below a path.
 *
 * @param pathPrefix - begins with a slash and does not end with one; lower-case words between them
 * @returns `null` = yes; problems: `unprocessable` for a path that the school answers itself
 */
export function refusePathPrefix(pathPrefix: string): Problem | null {
  const first = pathPrefix.split('/')[1] ?? ''
  return RESERVED.has(first)
    ? refuseWith('unprocessable', `the school answers below /${first} itself`)
    : null
}

/** Where a deployment stands: not yet live, live, or live once. */
export type DeploymentState = 'preview' | 'live' | 'retired'

/**
 * Whether a deployment may become the live one: by promotion for the first time, by rollback again.
 *
 * @returns `null` = yes; problems: `conflict` where the other verb is meant
 */
export function refuseLive(verb: 'promote' | 'rollback', state: DeploymentState): Problem | null {
  if (verb === 'promote' && state === 'retired')
    return refuseWith('conflict', 'it was live before: roll back to it')
  return verb === 'rollback' && state === 'preview'
    ? refuseWith('conflict', 'it was never live: promote it')
    : null
}
