// The second process: an API and tools at an origin of their own, without the store and the people of the school.
import { createServer } from 'node:http'
import * as sdk from '@modelcontextprotocol/server'
import { createRemoteGate, schoolRoles, schoolScopes } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import { createMcpEndpoint, defineTool, serverAdapter } from 'hallpass/mcp'
import { toNodeHandler } from 'hallpass/node'
import * as z from 'zod'

const port = Number(process.env['PORT'] ?? 3001)
const origin = `http://127.0.0.1:${port}`
const marks = { Glazing: 3, Throwing: 5 }

const remote = createRemoteGate({
  issuer: process.env['ISSUER'] ?? 'http://127.0.0.1:3000',
  // Tokens for this service are of no use at the school, and those of the school are refused here.
  resource: origin,
  name: 'My School',
  scopes: schoolScopes,
  roles: schoolRoles,
  clientId: 'grades',
  clientSecret: process.env['GRADES_SECRET'] ?? '',
  cacheSeconds: 2,
  onFault: ({ fault }) => console.error(fault),
})

const readsCourses = remote.gate('courses:read')
async function grades(request: Request): Promise<Response> {
  const access = await readsCourses(request)
  if (access instanceof Response) return access
  return Response.json({ for: access.person.subject, grades: marks })
}

const listGrades = defineTool({
  name: 'list_grades',
  title: 'List grades',
  description: 'Returns the best grade of each course.',
  scopes: ['courses:read'],
  input: z.strictObject({}),
  output: z.object({ grades: z.record(z.string(), z.int()) }),
  run: async () => ({ grades: marks }),
})
const mcp = createMcpEndpoint(remote.site, { adapter: serverAdapter(sdk), tools: [listGrades] })

// The metadata of this resource, from which a client learns who issues its tokens, and `/mcp`.
const routes = new Map<string, (request: Request) => Promise<Response>>(routesOf(remote, mcp))
const respond = (request: Request): Promise<Response> =>
  (routes.get(new URL(request.url).pathname) ?? grades)(request)

const server = createServer(toNodeHandler(respond, { origin, onError: console.error }))
server.listen(port, '127.0.0.1', () => console.log(`Grades at ${origin}`))
process.once('SIGTERM', () => server.close())
