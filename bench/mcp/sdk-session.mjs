import { once } from 'node:events'
import { createServer } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createBareTools, scenariosOf } from './common.mjs'

const SESSION = 'bench-session'

/** The SDK with one session, which one server and one transport serve from `initialize` on. */
export async function createSubject({ origin }) {
  const call = await createBareTools({ origin })
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(params))
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => SESSION,
    enableJsonResponse: true,
  })
  await server.connect(transport)
  const listener = (req, res) => transport.handleRequest(req, res)
  await initialize(listener)
  return { listener, scenarios: scenariosOf({ envelope: false, session: SESSION }) }
}

async function initialize(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { status } = await fetch(`http://127.0.0.1:${server.address().port}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1.0.0' },
      },
    }),
  })
  server.closeAllConnections()
  server.close()
  if (status !== 200) throw new Error(`initialize: ${status}`)
}
