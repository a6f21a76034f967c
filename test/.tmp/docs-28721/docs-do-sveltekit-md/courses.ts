// courses.ts
import { createProtectedResource, type Site } from 'hallpass'
import type { SchoolScope } from 'hallpass/scope'

/** The `GET` of `src/routes/courses/+server.ts`. */
export function createListCourses(site: Site<SchoolScope>) {
  const readsCourses = createProtectedResource(site).gate('courses:read')
  return async ({ request }: { request: Request }): Promise<Response> => {
    const access = await readsCourses(request)
    if (access instanceof Response) return access
    return Response.json([{ title: 'Foundations of Clay', for: access.person.subject }])
  }
}
