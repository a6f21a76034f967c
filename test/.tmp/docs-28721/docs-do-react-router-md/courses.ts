// courses.ts
import { createProtectedResource } from 'hallpass'
import { site } from './school.server.js'

const readsCourses = createProtectedResource(site).gate('courses:read')

export async function loader({ request }: { request: Request }): Promise<Response> {
  const access = await readsCourses(request)
  if (access instanceof Response) return access
  return Response.json([{ title: 'Foundations of Clay', for: access.person.subject }])
}
