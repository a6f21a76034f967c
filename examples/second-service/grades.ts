// The second process: an API of its own, without the store of the school and without its people.
import { createServer } from 'node:http'
import { createRemoteGate, schoolRoles, schoolScopes } from 'hallpass'
import { toNodeHandler } from 'hallpass/node'

const port = Number(process.env['PORT'] ?? 3001)
const origin = `http://127.0.0.1:${port}`

const readsCourses = createRemoteGate({
  issuer: process.env['ISSUER'] ?? 'http://127.0.0.1:3000',
  name: 'My School',
  scopes: schoolScopes,
  roles: schoolRoles,
  clientId: 'grades',
  clientSecret: process.env['GRADES_SECRET'] ?? '',
  cacheSeconds: 2,
  onFault: ({ fault }) => console.error(fault),
}).gate('courses:read')

async function grades(request: Request): Promise<Response> {
  const access = await readsCourses(request)
  if (access instanceof Response) return access
  return Response.json({ for: access.person.subject, grades: { Glazing: 3, Throwing: 5 } })
}

const server = createServer(toNodeHandler(grades, { origin, onError: console.error }))
server.listen(port, '127.0.0.1', () => console.log(`Grades at ${origin}`))
process.once('SIGTERM', () => server.close())
