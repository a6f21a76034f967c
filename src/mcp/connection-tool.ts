import * as z from 'zod'
import { RESOURCE_METADATA_PATH } from '../protected-resource/gate.js'
import { bearerChallenge } from '../policy/bearer.js'
import type { Site } from '../site/site.js'
import type { McpCaller } from './caller.js'
import { defineTool, type Tool } from './tool.js'

/** Where a client that reads no headers finds the challenge that begins a sign-in. */
export const CHALLENGE_META = 'mcp/www_authenticate'

/** Path of the endpoint, and what its resource metadata is found by. */
export const MCP_PATH = '/mcp'

const output = z.strictObject({
  caller: z.enum(['anonymous', 'member', 'operator']),
  site: z.strictObject({ id: z.string(), name: z.string(), url: z.url() }),
  subject: z.string().optional().describe('Identifier of the person at this school.'),
  roles: z.array(z.string()).optional(),
  client: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  scopes: z.array(z.string()).describe('As granted.'),
  effective_scopes: z.array(z.string()).describe('Those that have an effect now.'),
  tool_count: z.int().describe('Tools that this caller may use, listed or not.'),
  toolsets: z.array(z.string()).describe('Values of the query parameter toolset of this URL.'),
  expires_at: z.iso.datetime().optional().describe('When the access token ends.'),
  connect: z.strictObject({
    authorization_server: z.url(),
    resource: z.url(),
    how: z.string(),
  }),
})

/** The tool that says who one is here, and how to become somebody. It is part of every `/mcp`. */
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
      'Says who is calling (anonymous, a member or an operator), what the access token allows now and how to sign in. Use it first, and whenever another tool is refused. It changes nothing.',
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
    'Call a tool that needs an access token: the 401 leads to the sign-in (OAuth 2.1 with PKCE). Staff may use any known application; members use one that their school set up.',
  member: 'Connected as a member. For more scopes call a tool that needs them, or sign in again.',
  operator:
    'Connected as an operator. For more scopes call a tool that needs them, or sign in again.',
}
