import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createBareTools, scenariosOf } from './common.mjs'

/** The SDK as its own examples serve it without sessions: a server and a transport for each request. */
export async function createSubject({ origin }) {
  const call = await createBareTools({ origin })
  return {
    async listener(req, res) {
      const server = new Server(
        { name: 'bench', version: '1.0.0' },
        { capabilities: { tools: {} } },
      )
      server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(params))
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
        enableJsonResponse: true,
      })
      res.on('close', () => void server.close())
      await server.connect(transport)
      await transport.handleRequest(req, res)
    },
    scenarios: scenariosOf({ envelope: false }),
  }
}
