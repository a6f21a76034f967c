import * as z from 'zod'
import { RESOURCE_METADATA_PATH } from '../protected-resource/gate.js'
import { bearerChallenge } from '../policy/bearer.js'
import type { Site } from '../site/site.js'
import type { McpCaller } from './caller.js'
import { defineTool, type Tool } from './tool.js'

/**
 * Name of the `_meta` member in which a result of `check_connection` carries the `WWW-Authenticate`
 * challenges. It is for clients that read results but not headers.
 *
 * @group Results and tool errors
 */
export const CHALLENGE_META = 'mcp/www_authenticate'

/** Path of the endpoint, which is also part of the path of its resource metadata. */
export const MCP_PATH = '/mcp'

const output = z.strictObject({
  caller: z.enum(['anonymous', 'member', 'operator']),
  site: z.strictObject({ id: z.string(), name: z.string(), url: z.url() }),
  subject: z.string().optional().describe('Identifier of the person at this school.'),
  roles: z.array(z.string()).optional(),
  client: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  scopes: z.array(z.string()).describe('Scopes of the access token, as granted.'),
  effective_scopes: z.array(z.string()).describe('Scopes that the access token allows now.'),
  tool_count: z.int().describe('Number of tools that this caller may use, listed or not.'),
  toolsets: z
    .array(z.string())
    .describe('Values that the query parameter toolset of this URL accepts.'),
  expires_at: z.iso.datetime().optional().describe('When the access token expires.'),
  connect: z.strictObject({
    authorization_server: z.url(),
    resource: z.url(),
    how: z.string(),
  }),
})

/**
 * Creates `check_connection`, the tool that reports the caller's identity and how to sign in. Every `/mcp`
 * endpoint includes it.
 */
export function connectionTool({
  site: { id, name, issuer },
  toolsets,
  countFor,
}: {
  site: Pick<Site, 'id' | 'name' | 'issuer'>
  toolsets: readonly string[]
  countFor: (caller: McpCaller) => number
}): Tool {
  const resource = issuer + MCP_PATH
  return defineTool({
    name: 'check_connection',
    title: 'Check the connection',
    description:
      'Returns who is calling (anonymous, a member or an operator), what the access token allows now and how to sign in. Call it first, and again whenever another tool is refused. It changes nothing.',
    input: z.strictObject({}),
    output,
    run: async ({ caller }) => ({
      caller: caller.kind,
      site: { id, name, url: issuer },
      ...standingOf(caller),
      tool_count: countFor(caller),
      toolsets: [...toolsets],
      connect: { authorization_server: issuer, resource, how: HOW[caller.kind] },
    }),
    meta: ({ caller }) =>
      caller.kind === 'anonymous'
        ? {
            [CHALLENGE_META]: [
              bearerChallenge({
                resourceMetadata: issuer + RESOURCE_METADATA_PATH + MCP_PATH,
                error: 'invalid_token',
                description: 'sign in to use more than the public tools',
              }),
            ],
          }
        : {},
  })
}

function standingOf(caller: McpCaller) {
  if (caller.kind === 'anonymous') return { scopes: [], effective_scopes: [] }
  const { person, client, tokenScopes, scopes, expiresAt } = caller.access
  return {
    subject: person.subject,
    roles: [...person.roles],
    client: { id: client.clientId, name: client.name },
    scopes: [...tokenScopes],
    effective_scopes: [...scopes],
    expires_at: new Date(expiresAt * 1000).toISOString(),
  }
}

const HOW: Readonly<Record<McpCaller['kind'], string>> = {
  anonymous:
    'Call a tool that needs an access token. The 401 response names where to sign in (OAuth 2.1 with PKCE). Staff may use any known client; members need a client that their school set up.',
  member:
    'Connected as a member. To get more scopes, call a tool that needs them, or sign in again.',
  operator:
    'Connected as an operator. To get more scopes, call a tool that needs them, or sign in again.',
}
