import type { Access } from '../policy/bearer.js'
import { audienceOf } from '../policy/client.js'

/** Who calls a tool: nobody that is known, or somebody whose access token counts. */
export type McpCaller =
  { readonly kind: 'anonymous' } | { readonly kind: 'member' | 'operator'; readonly access: Access }

/** A caller who came without a token. */
export const ANONYMOUS: McpCaller = { kind: 'anonymous' }

/** The caller that an access token stands for. */
export const callerOf = (access: Access): McpCaller => ({
  kind: audienceOf(access.client.kind),
  access,
})
