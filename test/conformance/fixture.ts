import { defineSite } from 'hallpass'
import { createMcpEndpoint, defineTool, type McpAdapter, type Tool } from 'hallpass/mcp'
import { toNodeHandler } from 'hallpass/node'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import * as z from 'zod'
import { listenOnLoopback } from './loopback.js'

/** A server with the tools that the conformance suite calls by name. */
export interface Fixture {
  /** Where its `/mcp` is. */
  readonly url: string
  /** What was thrown while it served. */
  readonly faults: readonly unknown[]
}

/** Serves the tools of the suite by an adapter, on a port of its own, until the test is over. */
export async function serveFixture(adapter: McpAdapter): Promise<Fixture> {
  const { http, issuer } = await listenOnLoopback()
  const faults: unknown[] = []
  const site = defineSite({
    issuer,
    name: 'Conformance fixture',
    // Nobody signs in: the suite brings no token, and everybody may use these tools.
    store: createMemoryStore(),
    findPerson: async () => null,
    scopes: schoolScopes,
    roles: schoolRoles,
    onFault: ({ fault }) => faults.push(fault),
  })
  const { endpoint } = createMcpEndpoint(site, { tools: TOOLS, adapter })
  http.on('request', toNodeHandler(endpoint, { origin: issuer }))
  return { url: `${issuer}/mcp`, faults }
}

/** What `test_error_handling` throws. */
export const THROWN = new Error('this tool fails whenever it is called')

const saying = (name: string, run: () => Promise<{ data: string }>): Tool<never> =>
  defineTool({
    name,
    title: name,
    description: 'Is called by the conformance suite.',
    input: z.strictObject({}),
    output: z.object({ data: z.string() }),
    run,
  })

const TOOLS: readonly Tool<never>[] = [
  saying('test_simple_text', async () => ({ data: 'This is a simple text response for testing.' })),
  saying('test_error_handling', async () => {
    throw THROWN
  }),
  // The suite looks at what must not come along with their answers: requests to the client, and log
  // messages that it did not ask for.
  saying('test_streaming_elicitation', async () => ({ data: 'It asks the client nothing.' })),
  saying('test_logging_tool', async () => ({ data: 'It logs nothing to the client.' })),
  // Of these the suite wants more than an answer has here. They are served all the same, so that the
  // baselines excuse what the answer lacks and not a tool that is missing.
  ...[
    'test_image_content',
    'test_audio_content',
    'test_embedded_resource',
    'test_multiple_content_types',
    'test_tool_with_progress',
  ].map((name) => saying(name, async () => ({ data: 'Structured content, and its text.' }))),
]
