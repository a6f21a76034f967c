import { type Problem, refuseWith } from 'hallpass/admin'

// The paths that the school serves itself, or may serve one day. A page there would hide them, and at
// `/oauth` or `/sign-in` it could ask people for their passwords.
const RESERVED: ReadonlySet<string> = new Set([
  'account', 'admin', 'api', 'assets', 'auth', 'checkout', 'courses', 'docs', 'events', 'files',
  'login', 'mcp', 'oauth', 'openapi', 'pay', 'posts', 'sign-in', 'sign-out', 'sign-up', 'uploads',
  'well-known',
]) // prettier-ignore

/**
 * Decides whether a page may use a path.
 *
 * @param pathPrefix - lower-case words after slashes, without a slash at the end
 * @returns `null` if it may, or `unprocessable` for a path that the school serves itself
 */
export function refusePathPrefix(pathPrefix: string): Problem | null {
  const first = pathPrefix.split('/')[1] ?? ''
  return RESERVED.has(first)
    ? refuseWith('unprocessable', `the school uses the paths below /${first} itself`)
    : null
}

/** The state of a deployment: not live yet, live, or live before. */
export type DeploymentState = 'preview' | 'live' | 'retired'

/**
 * Decides whether a deployment may become live: by promotion the first time, and by rollback later.
 *
 * @returns `null` if it may, or `conflict` if the other operation is needed
 */
export function refuseLive(verb: 'promote' | 'rollback', state: DeploymentState): Problem | null {
  if (verb === 'promote' && state === 'retired')
    return refuseWith('conflict', 'the deployment was live before: use rollback')
  return verb === 'rollback' && state === 'preview'
    ? refuseWith('conflict', 'the deployment was never live: use promote')
    : null
}
