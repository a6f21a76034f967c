// courses.ts
import type { FastifyInstance } from 'fastify'
import { createProtectedResource, type Site } from 'hallpass'
import type { SchoolScope } from 'hallpass/scope'

export function courses(app: FastifyInstance, site: Site<SchoolScope>): void {
  const readsCourses = createProtectedResource(site).gate('courses:read')
  app.get('/courses', async ({ headers }) => {
    const access = await readsCourses({ headers: { get: (name) => headers[name]?.toString() } })
    if (access instanceof Response) return access
    return [{ title: 'Foundations of Clay', for: access.person.subject }]
  })
}
