// app.ts
import { Hono, type MiddlewareHandler } from 'hono'
import {
  type AuthorizationServer,
  createProtectedResource,
  type ProtectedResource,
  type Site,
} from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import type { Access } from 'hallpass/policy'
import type { SchoolScope } from 'hallpass/scope'

export function createApp(site: Site<SchoolScope>, server: AuthorizationServer): Hono {
  const app = new Hono()
  for (const [path, endpoint] of routesOf(server)) app.all(path, (c) => endpoint(c.req.raw))

  const resource = createProtectedResource(site)
  app.get('/courses', requireScopes(resource, 'courses:read'), (c) =>
    c.json([{ title: 'Foundations of Clay', for: c.get('access').person.subject }]),
  )
  return app
}

/** Continues with `access` only if the access token has these scopes. */
export function requireScopes<Scope extends string>(
  resource: ProtectedResource<Scope>,
  ...scopes: readonly NoInfer<Scope>[]
): MiddlewareHandler<{ Variables: { access: Access<Scope> } }> {
  const gate = resource.gate(...scopes)
  return async (c, next) => {
    const access = await gate(c.req.raw)
    if (access instanceof Response) return access
    c.set('access', access)
    return next()
  }
}
