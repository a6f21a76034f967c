// serve.ts
import { type AuthorizationServer, createProtectedResource, type Site } from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import type { SchoolScope } from 'hallpass/scope'

type Serve = (request: Request) => Promise<Response>

export function createServe(
  site: Site<SchoolScope>,
  server: AuthorizationServer,
  signIn: Serve,
): Serve {
  const router = createRouter(server)
  const readsCourses = createProtectedResource(site).gate('courses:read')
  async function listCourses(request: Request): Promise<Response> {
    const access = await readsCourses(request)
    if (access instanceof Response) return access
    return Response.json([{ title: 'Foundations of Clay', for: access.person.subject }])
  }
  const own = new Map([
    ['/sign-in', signIn],
    ['/courses', listCourses],
  ])
  return (request) => (own.get(new URL(request.url).pathname) ?? router)(request)
}
