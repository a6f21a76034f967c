// worker.ts
import { createProtectedResource } from 'hallpass'
import { maintain } from 'hallpass/operations'
import { createRouter } from 'hallpass/authorization-server'
import { createSchool, type Env } from './school.js'

interface Context {
  waitUntil(promise: Promise<unknown>): void
}
type Serve = (request: Request, context: Context) => Promise<Response>

async function open(env: Env): Promise<Serve> {
  const { site, keys, server, signIn } = createSchool(env)
  const router = createRouter(server)
  const readsCourses = createProtectedResource(site).gate('courses:read')
  await maintain(site, { keys })
  let maintainedAt = site.now()

  return async (request, context) => {
    if (site.now() - maintainedAt >= 300) {
      maintainedAt = site.now()
      context.waitUntil(maintain(site, { keys }).catch(console.error))
    }
    const { pathname } = new URL(request.url)
    if (pathname === '/sign-in') return signIn(request)
    if (pathname !== '/courses') return router(request)
    const access = await readsCourses(request)
    return access instanceof Response ? access : Response.json([])
  }
}

let opening: Promise<Serve> | null = null
export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    opening ??= open(env).catch((fault: unknown) => {
      opening = null
      throw fault
    })
    context.waitUntil(opening)
    return (await opening)(request, context)
  },
}
