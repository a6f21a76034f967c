import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { toNodeHandler } from 'hallpass/node'
import { createBareTools, scenariosOf } from './common.mjs'

/** The SDK's own handler, on `node:http` by the same adapter as hallpass. */
export async function createSubject({ origin }) {
  const call = await createBareTools({ origin })
  const { fetch } = createMcpHandler(() => {
    const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/call', ({ params }) => call(params))
    return server
  })
  return {
    listener: toNodeHandler((request) => fetch(request), { origin }),
    scenarios: scenariosOf({ envelope: true }),
  }
}
