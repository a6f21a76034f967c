// routes.ts
import { type AuthorizationServer, createProtectedResource, type Site } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import type { SchoolScope } from 'hallpass/scope'

type Serve = (request: Request) => Promise<Response>

/** The `routes` of `Bun.serve`. */
export function routes(
  site: Site<SchoolScope>,
  server: AuthorizationServer,
  signIn: Serve,
): Record<string, Serve | { GET?: Serve; POST?: Serve }> {
  const readsCourses = createProtectedResource(site).gate('courses:read')
  async function listCourses(request: Request): Promise<Response> {
    const access = await readsCourses(request)
    if (access instanceof Response) return access
    return Response.json([{ title: 'Foundations of Clay', for: access.person.subject }])
  }
  return {
    ...Object.fromEntries(routesOf(server)),
    '/sign-in': { POST: signIn },
    '/courses': { GET: listCourses },
  }
}
