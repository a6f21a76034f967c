import * as z from 'zod'
import { addableScopes, stepUpPath } from '../protected-resource/step-up.js'
import { bearerChallenge } from '../policy/bearer.js'
import { ASKING_PATHS, MCP_PATH, PATHS } from '../site/paths.js'
import type { Site } from '../site/site.js'
import type { McpCaller } from './caller.js'
import { defineTool, type Tool } from './tool.js'
import { toolError, isToolError, type ToolError } from './tool-error.js'

/**
 * Name of the `_meta` member in which a result of `check_connection` carries the `WWW-Authenticate`
 * challenges. It is for clients that read results but not headers.
 */
const CHALLENGE_META = 'mcp/www_authenticate'

const input = z.strictObject({
  scopes: z.array(z.string()).optional().describe('What a refused call needs.'),
})

const output = z.strictObject({
  caller: z.enum(['anonymous', 'member', 'operator']),
  site: z.strictObject({ id: z.string(), name: z.string(), url: z.url() }),
  subject: z.string().optional(),
  roles: z.array(z.string()).optional(),
  client: z.strictObject({ id: z.string(), name: z.string() }).optional(),
  scopes: z.array(z.string()).describe('Those of the access token.'),
  effective_scopes: z.array(z.string()).describe('Those that apply now.'),
  addable_scopes: z.array(z.string()).optional(),
  allow_url: z.url().optional().describe('Show it to the person.'),
  tool_count: z.int().describe('Tools that this caller may use, listed or not.'),
  toolsets: z.array(z.string()).describe('Values for ?toolset= in this URL.'),
  expires_at: z.iso.datetime().optional(),
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
  site,
  toolsets,
  countFor,
}: {
  site: Pick<Site, 'id' | 'name' | 'issuer' | 'resource' | 'scopes' | 'roles' | 'stepUpLinks'>
  toolsets: readonly string[]
  countFor: (caller: McpCaller) => number
}): Tool {
  const { id, name, issuer } = site
  const origin = site.resource.canonical
  const resource = origin + MCP_PATH
  return defineTool({
    name: 'check_connection',
    title: 'Check the connection',
    description:
      'Returns who is calling, what the access token allows now and how to sign in. Call it first, and again whenever another tool is refused. It changes nothing.',
    input: site.stepUpLinks ? input : (z.strictObject({}) as unknown as typeof input),
    output,
    async run({ caller }, { scopes = [] }) {
      const more = site.stepUpLinks ? moreFor(site, caller, scopes) : {}
      if (isToolError(more)) return more
      const how =
        (caller.kind === 'anonymous' ? howToSignIn(origin) : TO_GET_MORE[caller.kind]) +
        ('addable_scopes' in more ? HOW_TO_ADD : '')
      return {
        caller: caller.kind,
        site: { id, name, url: issuer },
        ...standingOf(caller),
        ...more,
        tool_count: countFor(caller),
        toolsets: [...toolsets],
        connect: { authorization_server: issuer, resource, how },
      }
    },
    meta: ({ caller }) =>
      caller.kind === 'anonymous'
        ? {
            [CHALLENGE_META]: [
              bearerChallenge({
                resourceMetadata: origin + PATHS.mcpResourceMetadata,
                error: 'invalid_token',
                description: 'sign in to use more than the public tools',
              }),
            ],
          }
        : {},
  })
}

/** Returns which scopes the person could add, and where. An anonymous caller has no person. */
function moreFor(
  site: Pick<Site, 'issuer' | 'scopes' | 'roles'>,
  caller: McpCaller,
  asked: readonly string[],
): { addable_scopes?: string[]; allow_url?: string } | ToolError {
  if (caller.kind === 'anonymous') return {}
  const { access } = caller
  const addable = addableScopes(site, access)
  const missing = asked.filter((scope) => !access.scopes.includes(scope))
  const others = missing.filter((scope) => !addable.includes(scope))
  if (others.length > 0)
    return toolError('INVALID_INPUT', `this person cannot add ${others.join(', ')} to this app`)
  return {
    addable_scopes: [...addable],
    ...(missing.length > 0 && { allow_url: site.issuer + stepUpPath(access.grantId, missing) }),
  }
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

const HOW_TO_ADD =
  ' If you cannot sign in again, call check_connection with these scopes, and show the person its allow_url.'

const howToSignIn = (origin: string): string =>
  `Call a tool that needs an access token. The 401 response names where to sign in (OAuth 2.1 with PKCE). Staff may use any known client; members need a client that their school set up. A client that starts its sign-in only when it is asked connects to ${ASKING_PATHS.map((path) => origin + path).join(' or, for members, to ')}.`

const TO_GET_MORE: Readonly<Record<'member' | 'operator', string>> = {
  member:
    'Connected as a member. To get more scopes, call a tool that needs them, or sign in again.',
  operator:
    'Connected as an operator. To get more scopes, call a tool that needs them, or sign in again.',
}
