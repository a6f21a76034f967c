import type { Access } from '../policy/bearer.js'
import { audienceOf } from '../policy/client.js'

/**
 * The caller of a tool: anonymous, or a member or an operator with a valid access token.
 *
 * @group Callers
 */
export type McpCaller =
  { readonly kind: 'anonymous' } | { readonly kind: 'member' | 'operator'; readonly access: Access }

/**
 * The caller of a request without an access token.
 *
 * @group Callers
 */
export const ANONYMOUS: McpCaller = { kind: 'anonymous' }

/**
 * Returns the caller that an access token identifies: a member if the token was issued to a member client,
 * an operator otherwise.
 *
 * @param access - the result of a gate or of `decideAccess`
 * @returns the caller, with this access
 * @example
 * ```ts
 * import { callerOf } from 'hallpass/mcp'
 * import { createProtectedResource } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site, tokenFor } = testSite()
 * const gate = createProtectedResource(site).gate('courses:read')
 * const token = await tokenFor({ roles: ['owner'] }, 'courses:read')
 * const request = new Request('https://school.example/courses', {
 *   headers: { authorization: `Bearer ${token}` },
 * })
 * const access = await gate(request)
 * if (access instanceof Response) throw new Error('refused')
 * callerOf(access).kind // => 'operator'
 * ```
 * @group Callers
 */
export const callerOf = (access: Access): McpCaller => ({
  kind: audienceOf(access.client.kind),
  access,
})
