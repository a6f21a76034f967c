// courses.ts
import { createProtectedResource } from 'hallpass'
import { site } from './site.js'

const readsCourses = createProtectedResource(site).gate('courses:read')

export async function listCourses(request: Request): Promise<Response> {
  const access = await readsCourses(request)
  if (access instanceof Response) return access
  return Response.json({
    for: access.person.subject,
    mayWrite: access.scopes.includes('courses:write'),
  })
}
